// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/toml_reading.h"
#include "bus/registers/register_table.h"

namespace servosim::bus {

/// Returns the role with a text, such as "Goal Position".
std::optional<RegisterRole> find_role(std::string_view text);

/// A file of a family, which has been parsed.
///
/// Threads: any number at once; it never changes.
class RegisterFile {
 public:
  struct Model {
    std::string name;
    int number = 0;  ///< 0: not known
  };

  /// @throws TomlError
  RegisterFile(std::string_view text, const std::string& path);

  const Protocol& protocol() const { return *protocol_; }
  const std::vector<Model>& models() const { return models_; }
  /// Returns the table of a model; nothing if it is in another file. @throws TomlError
  std::optional<RegisterTable> table(std::string_view model, std::optional<int> firmware) const;

 private:
  TomlReading reading_;
  std::string family_;
  toml::table file_;
  const Protocol* protocol_ = nullptr;
  std::vector<Model> models_;
};

}  // namespace servosim::bus
