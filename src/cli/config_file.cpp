// SPDX-License-Identifier: Apache-2.0
#include "cli/config_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <variant>

#include "cli/text_table.h"
#include "core/file.h"
#include "core/printable.h"
#include "core/suggest.h"
#include "host/launch_plan.h"

namespace servosim {
namespace {

constexpr std::ptrdiff_t kMostDots = 8;  // in the name of a section

// What the reader makes of a section grows with the square of its dots.
void check_depth(const std::string& path, const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.find_first_not_of(" \t") == line.find('[') &&
        std::count(line.begin(), line.end(), '.') > kMostDots) {
      throw InputError(fmt::format("{}: '{}' is no section: it has more than {} dots",
                                   printable(path), printable(line.substr(0, 80)), kMostDots));
    }
  }
}

}  // namespace

std::vector<CLI::ConfigItem> read_config_file(const std::string& path) {
  const auto text = read_file(path);
  if (const auto* error = std::get_if<FileError>(&text)) {
    throw InputError(
        fmt::format("{} {}{}", printable(path), error->reason, did_you_mean_file(path)));
  }
  check_depth(path, std::get<std::string>(text));
  std::istringstream stream(std::get<std::string>(text));
  std::vector<CLI::ConfigItem> items = CLI::ConfigINI().from_config(stream);
  const auto marks_section = [](const auto& item) {
    return item.name == "++" || item.name == "--";
  };
  items.erase(std::remove_if(items.begin(), items.end(), marks_section), items.end());
  return items;
}

void ConfigEntry::refuse(const std::string& what) const {
  throw InputError(fmt::format("{}: {}", place, what));
}

std::string ConfigEntry::text() const { return fmt::format("{}", fmt::join(words, " ")); }

const std::string& ConfigEntry::word() const {
  if (words.size() != 1) {
    refuse(fmt::format("'{}' is not one value; write one", printable(text())));
  }
  return words.front();
}

double ConfigEntry::number(const std::string& word) const {
  double value = 0.0;
  if (!CLI::detail::lexical_cast(word, value) || std::isnan(value)) {
    refuse(fmt::format("'{}' is not a number", printable(word)));
  }
  return value;
}

std::size_t ConfigEntry::choice(const std::string& word, const Names& names) const {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) {
    refuse(fmt::format("'{}' is not {}{}", printable(word), fmt::join(names, " or "),
                       did_you_mean(word, {names.begin(), names.end()})));
  }
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace servosim
