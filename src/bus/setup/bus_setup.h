// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/protocol/protocol.h"
#include "bus/setup/bus_choices.h"
#include "bus/setup/bus_fault.h"
#include "bus/setup/bus_place.h"

namespace servosim::bus {

/// What lets time pass on a bus.
///
/// Threads: a plain value.
struct LineClock {
  /// Only exchanges let simulated time pass: each as long as its bytes and its delays take on the
  /// line. Otherwise the wall clock does.
  bool is_lockstep = false;
  double cycle = 0.0;  ///< an exchange in lock-step takes at least this long [s]; 0: one step
};

/// One servo of a bus as a user describes it; what is missing has a default.
///
/// Threads: a plain value.
struct BusServoEntry {
  std::string motor = {};  ///< MOTOR, or ROBOT/MOTOR
  std::optional<int> id = {};
  std::string model = {};        ///< of the tables; empty: that of the motor's servo
  std::optional<int> baud = {};  ///< [bit/s]
  std::string firmware = {};     ///< its version, as read_firmware() reads it; may be empty
  std::optional<int> secondary_id = {};
  double direction = 1.0;
  double zero = 0.0;  ///< [rad|m]
  SetupPlace place = {};
};

/// A bus of a run as a user describes it: a table `[[bus]]` of servosim.toml, or an option.
///
/// Threads: a plain value.
struct BusSetup {
  std::string name;
  BusPlace place;                      ///< without a link and a port: a link with the name
  const Protocol* protocol = nullptr;  ///< null: that of the first servo
  LineClock clock;
  BusChoices choices;
  std::string control;                ///< the path of a socket for faults; empty: none
  std::string keeps;                  ///< the file of what servos keep without power; empty: none
  bool writes_kept = true;            ///< else the file is only read
  std::string tables;                 ///< a folder of RegisterTables; empty: none
  std::vector<BusServoEntry> servos;  ///< empty: all motors with a servo model
  std::vector<BusFault> faults;
  SetupPlace where = {};
};

/// Checks what buses have in the file system and as ports, and the motors that they name: one bus
/// each. @throws as SetupPlace::refuse()
void check_together(const std::vector<BusSetup>& setups);

/// Reads the tables `[[bus]]` of a servosim.toml, and checks them together. Paths in it are those
/// of its folder.
/// @throws TomlError
std::vector<BusSetup> read_bus_setups(std::string_view text, const std::string& path);
/// Reads those of a file, @throws TomlError
std::vector<BusSetup> read_bus_file(const std::string& path);

}  // namespace servosim::bus
