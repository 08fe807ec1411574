// SPDX-License-Identifier: Apache-2.0
#include "core/name_globs.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <stdexcept>
#include <string_view>

#include "core/suggest.h"

namespace servosim {
namespace {

std::size_t joint_part(const std::string& name) { return name.find('/') + 1; }  // npos + 1 is 0

bool matches(const std::string& name, const std::string& glob) {
  return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0 ||
         ::fnmatch(glob.c_str(), name.c_str() + joint_part(name), 0) == 0;
}

[[noreturn]] void fail(const std::vector<std::string>& names, const std::string& glob,
                       const std::string& where_listed) {
  std::vector<std::string_view> known;
  for (const std::string& name : names) {
    known.push_back(name);
    known.push_back(std::string_view(name).substr(joint_part(name)));
  }
  throw std::invalid_argument(fmt::format("no joint or propeller matches '{}'{}{}; {}", glob,
                                          names.empty() ? ": there are none" : "",
                                          did_you_mean(glob, known), where_listed));
}

}  // namespace

std::vector<bool> matching_names(const std::vector<std::string>& names,
                                 const std::vector<std::string>& globs,
                                 const std::string& where_listed) {
  std::vector<bool> chosen(names.size(), globs.empty());
  for (const std::string& glob : globs) {
    bool any = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (matches(names[i], glob)) {
        chosen[i] = any = true;
      }
    }
    if (!any) {
      fail(names, glob, where_listed);
    }
  }
  return chosen;
}

}  // namespace servosim
