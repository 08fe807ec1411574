// SPDX-License-Identifier: Apache-2.0
#include "servo_models/toml_reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/printable.h"
#include "base/text.h"
#include "servo_models/servo_fields.h"
#include "servo_models/servo_file.h"

namespace servosim {

toml::table TomlReading::parse(std::string_view text) const {
  try {
    return toml::parse(text, path_);
  } catch (const toml::parse_error& error) {
    refuse(error.source().begin, printable(error.description()));
  }
}

void TomlReading::refuse(const toml::source_position& at, const std::string& reason) const {
  // The table of a whole file has no place.
  throw ServoFileError(path_, static_cast<int>(at.line), static_cast<int>(at.column), reason);
}

void TomlReading::check_keys(const toml::table& table, std::span<const std::string_view> keys,
                             bool (*also)(std::string_view)) const {
  for (const auto& [key, value] : table) {
    if (is_one_of(keys, key.str()) || (also != nullptr && also(key.str()))) {
      continue;
    }
    std::vector<std::string> known(keys.begin(), keys.end());
    if (also != nullptr) {
      for (const ServoField& field : servo_fields()) {
        if (known.back() != field.table()) {
          known.emplace_back(field.table());
        }
      }
    }
    refuse(key.source().begin, fmt::format("there is no key '{}' here{}", printable(key.str()),
                                           nearest_names(key.str(), known)));
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

double TomlReading::positive(const toml::node& node) const {
  const double value = any_number(node);
  if (!(value > 0.0) || std::isinf(value)) {
    refuse(node, "expected a number > 0");
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

void read_fields(const TomlReading& reading, const toml::table& table, std::string_view name,
                 ServoModel& model) {
  for (const auto& [key, node] : table) {
    const std::string whole = fmt::format("{}.{}", name, key.str());
    try {
      const ServoField& field = servo_field(whole);
      if (const auto text = node.value_exact<std::string>()) {
        set_value(model, field, *text);
      } else if (node.is_number()) {
        set_value(model, field, TomlReading::any_number(node));
      } else {
        reading.refuse(node, fmt::format("{} must be {}", whole, range_of(field)));
      }
    } catch (const std::invalid_argument& error) {
      reading.refuse(key.source().begin, error.what());
    }
  }
}

}  // namespace servosim
