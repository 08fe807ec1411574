// SPDX-License-Identifier: Apache-2.0
#include "base/toml_reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/printable.h"
#include "base/text.h"

namespace servosim {

TomlError::TomlError(const std::string& file, int at_line, int at_column, const std::string& why)
    : std::runtime_error(at_line > 0
                             ? fmt::format("{}:{}:{}: {}", printable(file), at_line, at_column, why)
                             : fmt::format("{}: {}", printable(file), why)),
      path(file),
      line(at_line),
      column(at_column),
      reason(why) {}

toml::table TomlReading::parse(std::string_view text) const {
  try {
    return toml::parse(text, path_);
  } catch (const toml::parse_error& error) {
    refuse(error.source().begin, printable(error.description()));
  }
}

void TomlReading::refuse(const toml::source_position& at, const std::string& reason) const {
  throw TomlError(path_, static_cast<int>(at.line), static_cast<int>(at.column), reason);
}

void TomlReading::check_keys(const toml::table& table,
                             std::span<const std::string_view> keys) const {
  for (const auto& [key, value] : table) {
    if (!is_one_of(keys, key.str())) {
      const std::string close = did_you_mean(key.str(), {keys.begin(), keys.end()});
      refuse(key.source().begin,
             fmt::format(
                 "there is no key '{}' here{}", printable(key.str()),
                 close.empty() ? fmt::format("; the keys are {}", fmt::join(keys, ", ")) : close));
    }
  }
}

std::string TomlReading::word(const toml::node& node) const {
  if (const auto text = node.value_exact<std::string>(); text && !text->empty()) {
    return *text;
  }
  refuse(node, "expected a text in quotes");
}

std::vector<std::string> TomlReading::words(const toml::node& node) const {
  std::vector<std::string> list;
  if (const toml::array* const array = node.as_array()) {
    for (const toml::node& item : *array) {
      list.push_back(word(item));
    }
  } else {
    list.push_back(word(node));
  }
  return list;
}

double TomlReading::any_number(const toml::node& node) {
  const auto whole = node.value_exact<std::int64_t>();
  return whole ? static_cast<double>(*whole)
               : node.value_exact<double>().value_or(std::numeric_limits<double>::quiet_NaN());
}

double TomlReading::number(const toml::node& node, double least) const {
  const double value = any_number(node);
  if (!std::isfinite(value) || value < least) {
    refuse(node, std::isfinite(least) ? fmt::format("expected a number >= {}", least)
                                      : "expected a finite number");
  }
  return value;
}

const toml::table& TomlReading::table(const toml::node& node, std::string_view key) const {
  if (const toml::table* const table = node.as_table()) {
    return *table;
  }
  refuse(node, fmt::format("'{}' must be a table", printable(key)));
}

std::vector<const toml::table*> TomlReading::tables(const toml::node& node,
                                                    std::string_view key) const {
  const toml::array* const array = node.as_array();
  if (array == nullptr) {
    refuse(node, fmt::format("'{}' must be a list of tables: [[{}]]", key, key));
  }
  std::vector<const toml::table*> tables;
  for (const toml::node& item : *array) {
    tables.push_back(&table(item, key));
  }
  return tables;
}

}  // namespace servosim
