// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/registers/register_table.h"

namespace servosim::bus {

/// The tables of registers that a user has: ours, and of other models those of a folder with files
/// of ROBOTIS.
///
/// Threads: any number at once.
class RegisterTables {
 public:
  RegisterTables() = default;
  /// @param folder  with files NAME.model; empty: none
  /// @throws std::invalid_argument if it has none or they cannot be read
  explicit RegisterTables(const std::string& folder);

  /// Returns the names of all models: ours by family, then those of the folder.
  std::vector<std::string> models() const;
  /// Finds a model by name, of which only letters, of any case, and digits count.
  /// @return the name in the tables; empty if there is none
  std::string find(std::string_view name) const;
  /// Returns the name of the model with a number in a protocol; empty for none.
  std::string model_with(int number, const Protocol& protocol) const;
  /// Returns the table of a model.
  /// @param firmware  its version; nothing: the newest that is known
  /// @throws std::invalid_argument with the nearest names if there is none, or with the fault of
  ///   its file
  RegisterTable table(std::string_view model, std::optional<int> firmware = std::nullopt) const;

 private:
  struct ModelFile {
    std::string model;
    std::string path;
    std::optional<int> last_firmware;  // it is for this version and older ones; nothing: for newer
    int number = 0;                    // of the model; 0: not known
  };

  std::vector<ModelFile> files_;
};

}  // namespace servosim::bus
