// SPDX-License-Identifier: Apache-2.0
#include "run/c_sources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>
#include <system_error>

#include "base/files.h"

namespace servosim {

namespace {

namespace fs = std::filesystem;

constexpr std::array kSuffixes{".c", ".cpp", ".cc", ".c++", ".cxx"};

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t skip_spaces(std::string_view text, std::size_t i) {
  while (i < text.size() && is_space(text[i])) {
    ++i;
  }
  return i;
}

// Returns the index after the comment or literal that starts at `i`, or `i` if none starts there.
std::size_t after_comment_or_literal(std::string_view text, std::size_t i) {
  const auto end_of = [&](std::string_view mark, std::size_t from) {
    const std::size_t found = text.find(mark, from);
    return found == std::string_view::npos ? text.size() : found + mark.size();
  };
  if (text.substr(i, 2) == "/*") return end_of("*/", i + 2);
  if (text.substr(i, 2) == "//") return std::min(text.find('\n', i), text.size());
  if (text[i] != '"' && text[i] != '\'') {
    return i;
  }
  std::size_t end = i + 1;
  while (end < text.size() && text[end] != text[i] && text[end] != '\n') {
    end += text[end] == '\\' ? 2 : 1;
  }
  return std::min(end + 1, text.size());
}

// Returns `c_text` with a space in place of every comment and every string or character literal.
std::string bare_code(std::string_view c_text) {
  std::string code;
  for (std::size_t i = 0; i < c_text.size();) {
    const std::size_t end = after_comment_or_literal(c_text, i);
    code.push_back(end > i ? ' ' : c_text[i]);
    i = std::max(end, i + 1);
  }
  return code;
}

std::size_t after_parentheses(std::string_view code, std::size_t i) {
  int depth = 0;
  for (; i < code.size(); ++i) {
    depth += code[i] == '(' ? 1 : code[i] == ')' ? -1 : 0;
    if (depth == 0) {
      return i + 1;
    }
  }
  return i;
}

// Returns the lines of a Makefile without comments; lines that a backslash continues are joined.
std::vector<std::string> makefile_lines(std::string_view text) {
  std::vector<std::string> lines(1);
  bool comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t newline = text[i] == '\\' && text.substr(i + 1, 1) == "\r" ? i + 2 : i + 1;
    if (text[i] == '\\' && text.substr(newline, 1) == "\n") {
      lines.back() += ' ';
      i = newline;
    } else if (text[i] == '\n') {
      lines.emplace_back();
      comment = false;
    } else {
      comment |= text[i] == '#';
      if (!comment) {
        lines.back() += text[i];
      }
    }
  }
  return lines;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> list;
  for (std::size_t i = skip_spaces(text, 0); i < text.size(); i = skip_spaces(text, i)) {
    const std::size_t start = i;
    while (i < text.size() && !is_space(text[i])) {
      ++i;
    }
    list.emplace_back(text.substr(start, i - start));
  }
  return list;
}

struct Assignment {
  std::string name;
  std::string_view text;
  bool append = false;
};

// Returns the variable that a Makefile line sets, if any.
std::optional<Assignment> assignment_of(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t name_end = line.substr(0, equals).find_last_not_of(" \t+:?");
  const auto left = words(line.substr(0, name_end + 1));  // may start with `export`
  if (left.empty() || (left.size() > 1 && left[0] != "export" && left[0] != "override")) {
    return std::nullopt;
  }
  return Assignment{left.back(), line.substr(equals + 1), equals > 0 && line[equals - 1] == '+'};
}

// CC_SOURCES and CPP_SOURCES mean the same as CXX_SOURCES in Webots up to 7.1.
constexpr std::array kSourceLists{"C_SOURCES", "CXX_SOURCES", "CC_SOURCES", "CPP_SOURCES"};

bool lists_sources(const std::string& name) {
  return std::find(kSourceLists.begin(), kSourceLists.end(), name) != kSourceLists.end();
}

std::optional<Assignment> assigned_sources(std::string_view line) {
  auto assignment = assignment_of(line);
  return assignment && lists_sources(assignment->name) ? assignment : std::nullopt;
}

// Returns whether our build does what a line asks for even without it.
bool is_standard_line(std::string_view line) {
  if (const auto assignment = assignment_of(line)) {
    const std::string& name = assignment->name;
    // Without a plain list the build uses the files of the folder.
    return name == "null" || name == "space" || name == "WEBOTS_HOME" ||
           name == "WEBOTS_HOME_PATH" ||
           (lists_sources(name) &&
            (assignment->text.find('$') == std::string_view::npos ||
             words(assignment->text) == std::vector<std::string>{"$(wildcard", "*.c)"}));
  }
  const std::vector<std::string> parts = words(line);
  return parts.empty() || (parts.size() == 2 && (parts[0] == "include" || parts[0] == "-include") &&
                           fs::path(parts[1]).filename() == "Makefile.include");
}

// Returns whether a Makefile leaves the choice of files to Webots' Makefile.include.
bool builds_name_only(std::string_view makefile_text) {
  bool includes_webots = false;
  for (const std::string& line : makefile_lines(makefile_text)) {
    if (assigned_sources(line)) {
      return false;
    }
    includes_webots |= line.find("Makefile.include") != std::string::npos;
  }
  return includes_webots;
}

// Adds the names of source files that `text` includes in quotes.
void add_included(std::string_view text, std::set<std::string>& included) {
  for (std::size_t i = text.find("#include"); i != std::string_view::npos;
       i = text.find("#include", i + 1)) {
    const std::size_t open = skip_spaces(text, i + 8);
    const std::size_t close = text.find('"', open + 1);
    if (text.substr(open, 1) == "\"" && close != std::string_view::npos) {
      const fs::path file = text.substr(open + 1, close - open - 1);
      if (is_native_source(file)) {
        included.insert(file.lexically_normal().string());
      }
    }
  }
}

// Returns `name` with an extension of C or C++ if there is such a file.
std::string own_source(const fs::path& folder, const std::string& name) {
  for (const char* suffix : kSuffixes) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / (name + suffix), ignored)) {
      return name + suffix;
    }
  }
  return {};
}

std::vector<std::string> sources_of_folder(const fs::path& folder, const std::string& name) {
  std::set<std::string> included;
  std::vector<std::string> with_main;
  const std::vector<std::string> files = native_files(folder.string());
  for (const std::string& file : files) {
    const std::string text = read_file_or_nothing(folder / file);
    add_included(text, included);
    if (defines_main(text)) {
      with_main.push_back(file);
    }
  }
  const std::string own = own_source(folder, name);
  const bool own_main = std::find(with_main.begin(), with_main.end(), own) != with_main.end();
  if (!own_main && with_main.size() > 1) {
    throw std::runtime_error(fmt::format("'{}': {} all define main(), and none is {}.c",
                                         folder.string(), fmt::join(with_main, ", "), name));
  }
  std::vector<std::string> sources;
  for (const std::string& file : files) {
    const bool second_main = own_main && file != own &&
                             std::find(with_main.begin(), with_main.end(), file) != with_main.end();
    if (!second_main && (file == own || included.count(file) == 0)) {
      sources.push_back(file);
    }
  }
  return sources;
}

}  // namespace

bool is_native_source(const fs::path& file) {
  return std::find(kSuffixes.begin(), kSuffixes.end(), file.extension().string()) !=
         kSuffixes.end();
}

bool is_cxx_source(const fs::path& file) {
  return is_native_source(file) && file.extension() != kSuffixes[0];
}

std::vector<std::string> native_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (is_native_source(it->path()) && it->is_regular_file(ignored)) {
      files.push_back(it->path().filename().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool defines_main(std::string_view text) {
  const std::string code = bare_code(text);
  for (std::size_t i = code.find("main"); i != std::string::npos; i = code.find("main", i + 1)) {
    const std::size_t open = skip_spaces(code, i + 4);
    if ((i > 0 && is_word(code[i - 1])) || open >= code.size() || code[open] != '(') {
      continue;
    }
    // The body of a function or, in old C, the declarations of its parameters must follow.
    const std::size_t next = skip_spaces(code, after_parentheses(code, open));
    if (next < code.size() && (code[next] == '{' || is_word(code[next]))) {
      return true;
    }
  }
  return false;
}

bool has_main(const std::string& folder) {
  std::vector<std::string> files = native_files(folder);
  if (const auto makefile = find_makefile(folder)) {
    const auto listed =
        makefile_sources(read_file_or_nothing(*makefile)).value_or(std::vector<std::string>());
    files.insert(files.end(), listed.begin(), listed.end());
  }
  return std::any_of(files.begin(), files.end(), [&](const std::string& file) {
    return defines_main(read_file_or_nothing(fs::path(folder) / file));
  });
}

std::optional<std::string> find_makefile(const std::string& folder) {
  for (const char* name : {"GNUmakefile", "makefile", "Makefile"}) {
    std::error_code ignored;
    if (const fs::path path = fs::path(folder) / name; fs::is_regular_file(path, ignored)) {
      return path.string();
    }
  }
  return std::nullopt;
}

bool is_standard_makefile(std::string_view makefile_text) {
  const std::vector<std::string> lines = makefile_lines(makefile_text);
  return std::all_of(lines.begin(), lines.end(), is_standard_line);
}

std::optional<std::vector<std::string>> makefile_sources(std::string_view makefile_text) {
  std::map<std::string, std::vector<std::string>> lists;
  for (const std::string& line : makefile_lines(makefile_text)) {
    const auto value = assigned_sources(line);
    if (!value) {
      continue;
    }
    if (value->text.find('$') != std::string_view::npos) {
      return std::nullopt;
    }
    std::vector<std::string>& list = lists[value->name];
    if (!value->append) {
      list.clear();
    }
    for (std::string& file : words(value->text)) {
      list.push_back(std::move(file));
    }
  }
  std::vector<std::string> files;
  for (const auto& [name, list] : lists) {
    files.insert(files.end(), list.begin(), list.end());
  }
  return files.empty() ? std::nullopt : std::optional(files);
}

std::vector<std::string> controller_sources(const std::string& folder, const std::string& name) {
  if (const auto makefile = find_makefile(folder)) {
    const std::string text = read_file_or_nothing(*makefile);
    if (auto listed = makefile_sources(text)) {
      return *listed;
    }
    if (const std::string own = own_source(folder, name); builds_name_only(text) && !own.empty()) {
      return {own};
    }
  }
  return sources_of_folder(folder, name);
}

namespace {

constexpr int kMaxFolderEntries = 20000;  // most entries of a folder that is searched

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

// Adds the texts before each `mark` in `text`, back to one of `limits`.
void add_before(std::string_view text, std::string_view mark, std::string_view limits,
                std::vector<std::string>& words) {
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    const std::string_view before = text.substr(0, at);
    // If no limit is found, the position is npos, the largest number, and one more is 0.
    words.emplace_back(before.substr(before.find_last_of(limits) + 1));
  }
}

// Returns the names of files that a compiler or make has not found.
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
  std::set<std::string> reported;
  for (const std::string& name : missing_files(output)) {
    for (const std::string& folder : folders) {
      const std::string other = same_but_for_case(folder, name);
      if (!other.empty() && reported.insert(name).second) {
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
    if (is_windows_path(source) && reported.insert(source).second) {
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
  constexpr std::size_t kMaxLine = 500;  // longer lines are data
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
