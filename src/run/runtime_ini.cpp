// SPDX-License-Identifier: Apache-2.0
#include "run/runtime_ini.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace servosim {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\f\v";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

constexpr std::string_view kVariables = "environment variables";

// Those of the present section count here: of no other system.
bool has_our_variables(std::string_view section) {
  return section == kVariables || section == "environment variables with paths" ||
         section == "environment variables for linux" ||
         section == "environment variables for linux 64";
}

bool is_known(std::string_view section) {
  return section == "java" || section == "python" || section == "matlab" ||
         section.substr(0, kVariables.size()) == kVariables;
}

void take(RuntimeIni& ini, const std::string& section, std::string_view key,
          std::string_view value) {
  if (has_our_variables(section)) {
    ini.variables.push_back(
        {std::string(key), std::string(value), section == "environment variables with paths"});
  } else if (section == "python" && lower_case(key) == "command") {
    ini.python_command = value;
  } else if (section == "python" && lower_case(key) == "options") {
    ini.python_options = value;
  }
}

}  // namespace

RuntimeIni parse_runtime_ini(std::string_view text) {
  RuntimeIni ini;
  std::string section;
  if (text.substr(0, 3) == "\xef\xbb\xbf") {
    text.remove_prefix(3);
  }
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto complain = [&](std::string_view what) {
      ini.complaints.push_back(fmt::format("line {}: {}", number, what));
    };
    const std::size_t equals = line.find('=');
    if (line.empty() || line[0] == ';' || line[0] == '#') {
      continue;
    }
    if (line.front() == '[' && line.back() == ']') {
      section = lower_case(trimmed(line.substr(1, line.size() - 2)));
      if (!is_known(section)) {
        complain(fmt::format("there is no section '{}'", section));
      }
    } else if (equals == line.npos || equals == 0 || line.find('\0') != line.npos) {
      complain("neither [SECTION] nor KEY = VALUE");
    } else {
      take(ini, section, trimmed(line.substr(0, equals)),
           unquoted(trimmed(line.substr(equals + 1))));
    }
  }
  return ini;
}

}  // namespace servosim
