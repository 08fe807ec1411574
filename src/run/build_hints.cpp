// SPDX-License-Identifier: Apache-2.0
#include "run/build_hints.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <climits>
#include <filesystem>
#include <optional>
#include <regex>
#include <set>
#include <system_error>

#include "base/files.h"
#include "run/c_sources.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxFolderEntries = 20000;  // of a folder that is looked through

std::optional<fs::path> entry_like(const fs::path& folder, const std::string& name) {
  std::error_code error;
  int seen = 0;
  for (fs::directory_iterator it(folder, error), end;
       !error && it != end && seen < kMaxFolderEntries; it.increment(error), ++seen) {
    if (::strcasecmp(it->path().filename().c_str(), name.c_str()) == 0) {
      return it->path();
    }
  }
  return std::nullopt;
}

// What stands before each `mark` in `text`, back to one of `limits`.
void add_before(std::string_view text, std::string_view mark, std::string_view limits,
                std::vector<std::string>& words) {
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    const std::string_view before = text.substr(0, at);
    // Of no limit the position is npos, the largest number: one more is 0.
    words.emplace_back(before.substr(before.find_last_of(limits) + 1));
  }
}

// Names of files that a compiler or make did not find.
std::vector<std::string> missing_files(std::string_view output) {
  std::vector<std::string> names;
  add_before(output, ": No such file or directory", " \t\n'\"`:", names);  // GCC and make
  add_before(output, "' file not found", "'\n", names);                    // Clang
  add_before(output, "', needed by", "'\n", names);                        // make: no rule
  add_before(output, "'.  Stop", "'\n", names);
  std::erase_if(names,
                [](const std::string& name) { return name.empty() || name.size() > PATH_MAX; });
  return names;
}

bool is_windows_path(const std::string& name) {
  const bool has_drive = name.size() > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\');
  return has_drive || name.find('\\') != std::string::npos;
}

struct OldSyntax {
  const char* pattern;
  const char* what;
};

constexpr std::array kPython2{
    OldSyntax{R"(^\s*print\s+["'\w])", "`print` without parentheses"},
    OldSyntax{R"(^\s*print\s*>>)", "`print >>`"},
    OldSyntax{R"(^\s*except\s+[\w.]+\s*,\s*\w+\s*:)", "`except KIND, name`"},
    OldSyntax{R"(^\s*raise\s+[\w.]+\s*,)", "`raise KIND, value`"},
    OldSyntax{R"(^\s*exec\s+["'\w])", "`exec` without parentheses"},
};

}  // namespace

std::string same_but_for_case(const std::string& folder, std::string_view name) {
  std::error_code ignored;
  const fs::path asked = fs::path(folder) / name;
  if (fs::exists(asked, ignored)) {
    return {};
  }
  fs::path found = fs::path(name).is_absolute() ? fs::path("/") : fs::path(folder);
  for (const fs::path& part : fs::path(name).relative_path()) {
    if (part == ".." || part == "." || fs::exists(found / part, ignored)) {
      found /= part;
    } else if (const auto entry = entry_like(found, part.string())) {
      found = *entry;
    } else {
      return {};
    }
  }
  return found.lexically_normal().string();
}

std::string build_hints(std::string_view output, const std::vector<std::string>& folders) {
  std::string hints;
  std::set<std::string> said;
  for (const std::string& name : missing_files(output)) {
    for (const std::string& folder : folders) {
      const std::string other = same_but_for_case(folder, name);
      if (!other.empty() && said.insert(name).second) {
        hints += fmt::format("'{}' is called '{}' here: upper and lower case differ on Linux\n",
                             name, other);
      }
    }
  }
  const auto makefile =
      folders.empty() ? std::optional<std::string>() : find_makefile(folders.front());
  for (const std::string& source :
       makefile
           ? makefile_sources(read_file_or_nothing(*makefile)).value_or(std::vector<std::string>())
           : std::vector<std::string>()) {
    if (is_windows_path(source) && said.insert(source).second) {
      std::string slashes = source;
      std::replace(slashes.begin(), slashes.end(), '\\', '/');
      hints += fmt::format("'{}' in '{}' is a path of Windows: write '{}'\n", source, *makefile,
                           slashes);
    }
  }
  return hints;
}

std::string python2_in(std::string_view script) {
  static const std::vector<std::pair<std::regex, const char*>> kPatterns = [] {
    std::vector<std::pair<std::regex, const char*>> patterns;
    for (const OldSyntax& old : kPython2) {
      patterns.emplace_back(std::regex(old.pattern, std::regex::optimize), old.what);
    }
    return patterns;
  }();
  constexpr std::size_t kMaxLine = 500;  // a longer one is data
  int number = 1;
  for (std::size_t begin = 0; begin < script.size(); ++number) {
    const std::size_t end = std::min(script.find('\n', begin), script.size());
    const std::string line(script.substr(begin, end - begin));
    for (const auto& [pattern, what] : kPatterns) {
      if (line.size() <= kMaxLine && std::regex_search(line, pattern)) {
        return fmt::format("line {}: {}", number, what);
      }
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace servosim
