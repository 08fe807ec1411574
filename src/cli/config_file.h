// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace servosim {

/// One `key = value` line. Several values stand in brackets with commas between them.
struct ConfigEntry {
  std::string key;
  std::vector<std::string> values;
};

struct ConfigSection {
  std::string name;  ///< empty for what stands before the first
  std::vector<ConfigEntry> entries;
};

/// Reads a file of `[section]` lines, `key = value` lines and `# comments`. Each section and each
/// key of a section is there once. @throws InputError that names the file
std::vector<ConfigSection> read_config_file(const std::string& path);

}  // namespace servosim
