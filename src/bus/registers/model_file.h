// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/registers/register_table.h"

// The files with which ROBOTIS describes its servos to programs: NAME.model has the addresses,
// sizes and names of the registers of one model, and dynamixel.model has the number of each model.

namespace servosim::bus {

/// A line of dynamixel.model.
///
/// Threads: a plain value.
struct ModelNumber {
  int number = 0;
  std::string file;  ///< such as "xm430_w350.model"
};

/// Reads a file NAME.model. What it does not say is taken from that table of ours which has the
/// most of its registers, and there from the register of the same name: meaning, access, area,
/// unit, sign, initial value and range. Without such a register a value is read and written, is in
/// EEPROM below the address of Torque Enable, and begins with 0. No limit of the voltage acts.
/// @param path  for faults
/// @param model  its name in the table
/// @param number  of the model; 0: not known
/// @param firmware  its version; nothing: that of the table of ours
/// @throws std::invalid_argument with path, line and reason
RegisterTable read_model_file(std::string_view text, const std::string& path,
                              const std::string& model, int number, std::optional<int> firmware);
/// Reads dynamixel.model. @throws std::invalid_argument with path, line and reason
std::vector<ModelNumber> read_model_numbers(std::string_view text, const std::string& path);

}  // namespace servosim::bus
