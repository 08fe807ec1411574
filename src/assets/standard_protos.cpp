// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <vector>

#include "assets/address.h"

namespace servosim::assets {
namespace {

constexpr std::string_view kFolders =
#include "proto_folders.inc"
    ;

// Returns whether `name` is one of `names`, which blanks separate.
bool has_name(std::string_view names, std::string_view name) {
  for (std::size_t at = names.find(name); at != names.npos; at = names.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ')) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> standard_protos(std::string_view name) {
  std::vector<std::string> places;
  if (name.empty() || name.find_first_of(" \t\n/") != name.npos) {
    return places;
  }
  for (std::string_view rest = kFolders; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t tab = line.find('\t');
    if (tab != line.npos && has_name(line.substr(tab + 1), name)) {
      places.push_back(std::string(line.substr(0, tab)) + '/' + std::string(name) + ".proto");
    }
  }
  return places;
}

std::string_view later_name(std::string_view name) { return name == "EPuck" ? "E-puck" : ""; }

}  // namespace servosim::assets
