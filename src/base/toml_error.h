// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace servosim {

/// A fault of a TOML file. what() is one line that begins with its place, such as `mine.toml:3:1:
/// `.
class TomlError : public std::runtime_error {
 public:
  /// @param at_line  from 1; 0 if the fault is one of the whole file
  TomlError(const std::string& file, int at_line, int at_column, const std::string& why);
  std::string path;
  int line;
  int column;
  std::string reason;  ///< without the place
};

}  // namespace servosim
