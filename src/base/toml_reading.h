// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/toml_error.h"

namespace servosim {

/// Reads the nodes of one TOML file, and refuses what they should not have. Every function but
/// any_number() throws TomlError with the place of the node.
class TomlReading {
 public:
  explicit TomlReading(std::string path) : path_(std::move(path)) {}

  /// Parses a text; its nodes know their places.
  toml::table parse(std::string_view text) const;
  [[noreturn]] void refuse(const toml::source_position& at, const std::string& reason) const;
  [[noreturn]] void refuse(const toml::node& node, const std::string& reason) const {
    refuse(node.source().begin, reason);
  }
  /// Refuses a table with a key that is none of `keys`.
  void check_keys(const toml::table& table, std::span<const std::string_view> keys) const;
  /// Returns a text in quotes, which is not empty.
  std::string word(const toml::node& node) const;
  /// Returns a list of words; one word is a list too.
  std::vector<std::string> words(const toml::node& node) const;
  /// Returns a number; NaN if the node is none. A whole number with many digits is rounded.
  static double any_number(const toml::node& node);
  /// Returns a finite number >= `least`, which may be -inf.
  double number(const toml::node& node, double least) const;
  const toml::table& table(const toml::node& node, std::string_view key) const;
  /// Returns the tables of an array of tables.
  std::vector<const toml::table*> tables(const toml::node& node, std::string_view key) const;

 private:
  std::string path_;
};

}  // namespace servosim
