// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/printable.h"

namespace servosim {
namespace {

std::size_t joint_part(const std::string& name) { return name.find('/') + 1; }  // npos + 1 is 0

[[noreturn]] void fail(const std::vector<std::string>& names, const std::string& glob,
                       const std::string& where_listed) {
  throw std::invalid_argument(
      fmt::format("no joint or propeller matches '{}'{}; {}", glob,
                  names.empty() ? ": there are none" : nearest_names(glob, names), where_listed));
}

}  // namespace

bool name_matches(const std::string& name, const std::string& glob) {
  return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0 ||
         ::fnmatch(glob.c_str(), name.c_str() + joint_part(name), 0) == 0;
}

std::vector<bool> matching_names(const std::vector<std::string>& names,
                                 const std::vector<std::string>& globs,
                                 const std::string& where_listed) {
  std::vector<bool> chosen(names.size(), globs.empty());
  for (const std::string& glob : globs) {
    bool any = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (name_matches(names[i], glob)) {
        chosen[i] = any = true;
      }
    }
    if (!any) {
      fail(names, glob, where_listed);
    }
  }
  return chosen;
}

namespace {

namespace fs = std::filesystem;

}  // namespace

// Files may have as many wrong names as right ones, each of which is compared with all of these.
constexpr std::size_t kMaxCompared = 1000;

std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& names) {
  const std::string_view best = names.size() > kMaxCompared ? "" : closest(wrong, names);
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
}

namespace {

// Returns the entry of the folder that `name` probably means; empty if none is close. Entries that
// are `name` with an extension come first, in alphabetical order.
std::string nearest_entry(const fs::path& folder, const std::string& name) {
  constexpr std::size_t kMaxEntries =
      10000;  // so that a huge folder does not delay an error message
  std::vector<std::string> there;
  std::string longer;
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error);
  for (; !error && entry != fs::directory_iterator() && there.size() < kMaxEntries;
       entry.increment(error)) {
    there.push_back(entry->path().filename().string());
    if (entry->path().stem() == name && (longer.empty() || there.back() < longer)) {
      longer = there.back();
    }
  }
  // Sorting makes the choice among equally close names reproducible.
  std::sort(there.begin(), there.end());
  return longer.empty() ? std::string(closest(name, {there.begin(), there.end()})) : longer;
}

}  // namespace

std::string did_you_mean_file(const std::string& path) {
  const fs::path wrong(path);
  std::error_code error;
  if (!wrong.has_filename() || path.find('\0') != std::string::npos || fs::exists(wrong, error)) {
    return {};
  }
  fs::path meant;
  for (const fs::path& part : wrong) {
    if (fs::exists(meant / part, error)) {
      meant /= part;
      continue;
    }
    const std::string best = nearest_entry(meant, part.string());
    if (best.empty()) {
      return {};
    }
    meant /= best;
  }
  return fmt::format("; did you mean '{}'?", meant.string());
}

std::u32string characters_of(std::string_view text) {
  constexpr char32_t kReplacement = 0xfffd;
  std::u32string characters;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const auto first = static_cast<unsigned char>(text.front());
    char32_t character = size == 0 ? kReplacement : size == 1 ? first : first & (0x7fu >> size);
    for (std::size_t i = 1; i < size; ++i) {
      character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
    }
    characters += character;
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return characters;
}

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace servosim
