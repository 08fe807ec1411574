// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// What a log of a servo measures.
enum class LogQuantity {
  Time,      ///< [s]
  Goal,      ///< what was commanded [rad|m]
  Position,  ///< [rad|m]
  Velocity,  ///< [rad/s|m/s]
  Current,   ///< [A]
  Voltage,   ///< of the supply [V]
  Effort,    ///< torque at the shaft [N·m]
  Torque,    ///< whether the torque is on: 1 or 0
};
inline constexpr std::size_t kLogQuantities = 8;

/// Returns the quantity as `--columns` and messages name it.
const char* name_of(LogQuantity quantity);
/// Returns the unit of its values in a ServoLog; empty for Torque.
const char* si_unit_of(LogQuantity quantity);

/// The column of a file that has a quantity.
struct LogColumn {
  LogQuantity quantity = LogQuantity::Time;
  std::string name;        ///< as in the header of the file
  double scale = 1.0;      ///< a number of the file times this is in SI units
  bool has_unit = false;   ///< the user has said which unit the file has
  bool is_length = false;  ///< this unit is one of a slider: mm and so on
};

/// Reads `time=t, goal=cmd[deg], current=i[mA]`. Without a unit, values are in SI units. A name in
/// double quotes may have commas and brackets; without quotes, the brackets at its end are the
/// unit.
/// @throws std::invalid_argument that says which part is wrong
std::vector<LogColumn> parse_log_columns(std::string_view text);

/// Returns the columns of a file without `--columns`, by their usual names, with units in brackets
/// or as a suffix such as `_deg`. Each quantity is there once at most.
/// @throws std::invalid_argument for a unit in brackets that the quantity does not have
std::vector<LogColumn> guess_log_columns(const std::vector<std::string>& header);

}  // namespace servosim
