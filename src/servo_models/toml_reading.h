// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/servo_model.h"

namespace servosim {

/// Reads the nodes of one TOML file, and refuses what they should not have. Every function but
/// any_number() throws ServoFileError with the place of the node.
class TomlReading {
 public:
  explicit TomlReading(std::string path) : path_(std::move(path)) {}

  /// Parses a file; its nodes know their places.
  toml::table parse(std::string_view text) const;
  [[noreturn]] void refuse(const toml::source_position& at, const std::string& reason) const;
  [[noreturn]] void refuse(const toml::node& node, const std::string& reason) const {
    refuse(node.source().begin, reason);
  }
  /// Refuses a key that is none of `keys` and for which `also`, if given, is false.
  void check_keys(const toml::table& table, std::span<const std::string_view> keys,
                  bool (*also)(std::string_view) = nullptr) const;
  /// Returns a text in quotes, which is not empty.
  std::string word(const toml::node& node) const;
  /// Returns a list of words; one word is a list too.
  std::vector<std::string> words(const toml::node& node) const;
  /// Returns a number; NaN if the node is none.
  static double any_number(const toml::node& node);
  /// Returns a finite number > 0.
  double positive(const toml::node& node) const;
  const toml::table& table(const toml::node& node, std::string_view key) const;
  /// Returns the tables of an array of tables.
  std::vector<const toml::table*> tables(const toml::node& node, std::string_view key) const;

 private:
  std::string path_;
};

/// Sets the fields of a model that a table of TOML has, such as those of `[drive]`.
/// @param name  the part of their keys before the dot
/// @throws ServoFileError
void read_fields(const TomlReading& reading, const toml::table& table, std::string_view name,
                 ServoModel& model);

}  // namespace servosim
