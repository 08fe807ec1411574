// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace servosim::bus {

/// Where a user has written something.
///
/// Threads: a plain value.
struct SetupPlace {
  std::string path;  ///< of a file; empty: in none
  int line = 0;
  int column = 0;

  /// @throws TomlError with the place; std::invalid_argument if it is in no file
  [[noreturn]] void refuse(const std::string& reason) const;
};

/// Something that goes wrong on a bus for a while: a table `[[bus.fault]]` of servosim.toml, or a
/// line that a control socket gets.
///
/// Threads: a plain value.
struct BusFault {
  enum class Kind : std::uint8_t {
    Lost,      ///< bytes are lost
    Turned,    ///< a bit of a byte is turned
    Gone,      ///< the line to a servo is cut
    Restart,   ///< the power of a servo goes off and on again
    BrownOut,  ///< the supply has less voltage
    Stuck,     ///< something blocks a gear
    Hot,       ///< a motor is hot
  } kind = Kind::Lost;
  std::optional<double> at;                                 ///< simulated time; nothing: now [s]
  double length = std::numeric_limits<double>::infinity();  ///< [s]; > 0
  std::optional<int> id;      ///< of its servo; with neither this nor a motor, all of them
  std::string motor;          ///< of its servo: MOTOR, or ROBOT/MOTOR
  double probability = 0.01;  ///< of Lost and Turned, for each byte
  double voltage = 0.0;       ///< of BrownOut [V]; >= 0
  /// The friction of Stuck, in addition to that of the gear [N·m|N]; nothing: more than the motor
  /// can overcome.
  std::optional<double> torque;
  double temperature = 0.0;  ///< of Hot [°C]
  SetupPlace place;
};

/// Reads a fault as one inline table, such as `{ kind = "gone", id = 3, for = 0.5 }`. All its keys
/// are those of `[[bus.fault]]`. @throws std::invalid_argument with the reason
BusFault read_bus_fault(std::string_view line);

}  // namespace servosim::bus
