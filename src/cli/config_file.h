// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/cli11_fwd.h"

// Files of `[section]` and `key = value` lines.

namespace servosim {

using Names = std::vector<std::string>;

/// What a file says behind a key. All its functions throw InputError, with the place, for what is
/// not wanted.
struct ConfigEntry {
  std::string place;  ///< of the key, for messages
  Names words;

  [[noreturn]] void refuse(const std::string& what) const;
  std::string text() const;
  const std::string& word() const;  ///< the only one
  double number(const std::string& word) const;
  std::size_t choice(const std::string& word, const Names& names) const;
};

/// The keys of a file in their order, each with the parts of its section's name.
/// @throws InputError
std::vector<CLI::ConfigItem> read_config_file(const std::string& path);

}  // namespace servosim
