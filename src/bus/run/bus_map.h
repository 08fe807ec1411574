// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/registers/register_tables.h"
#include "bus/run/bus_line.h"
#include "bus/serve/bus_port.h"
#include "bus/servo/bus_choices.h"
#include "bus/servo/motor_plant.h"
#include "servosim/simulation.h"

namespace servosim::bus {

/// One servo of a bus as a user describes it; what is missing has a default.
///
/// Threads: a plain value.
struct BusServoEntry {
  std::string motor = {};  ///< MOTOR, or ROBOT/MOTOR
  std::optional<int> id = {};
  std::string model = {};            ///< of the tables; empty: that of the motor's servo
  std::optional<int> baud = {};      ///< [bit/s]
  std::optional<int> firmware = {};  ///< its version
  std::optional<int> secondary_id = {};
  double direction = 1.0;
  double zero = 0.0;  ///< [rad|m]
};

/// Something that goes wrong on a bus for a while.
///
/// Threads: a plain value.
struct BusFault {
  enum class Kind { Lost, Turned, Gone, Restart } kind = Kind::Lost;
  double from = 0.0;          ///< simulated time [s]
  double to = 1e300;          ///< [s]
  double probability = 0.01;  ///< of Lost and Turned, for each byte
  int id = 1;                 ///< of Gone and Restart
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
  std::string keeps;                  ///< the file of what servos keep without power; empty: none
  std::string tables;                 ///< a folder of RegisterTables; empty: none
  std::vector<BusServoEntry> servos;  ///< empty: all motors with a servo model
  std::vector<BusFault> faults;
};

/// One servo of a bus, and what it is in the world.
///
/// Threads: a plain value.
struct MappedServo {
  Motor* motor = nullptr;
  int robot = -1;    ///< an index of Simulation::robots()
  std::string name;  ///< ROBOT/MOTOR
  int id = 0;
  int baud = 0;           ///< [bit/s]
  int secondary_id = -1;  ///< < 0: none
  RegisterTable table;
  ServoMounting mounting;
};

/// Which servos a bus has.
///
/// Threads: a plain value; the motors belong to the simulation.
struct BusMap {
  const Protocol* protocol = nullptr;
  std::vector<MappedServo> servos;
  /// Motors with a servo model that the default leaves out, and why.
  std::vector<std::string> left_out;
};

/// Reads the tables `[[bus]]` of a servosim.toml. Paths in it are those of its folder.
/// @throws TomlError
std::vector<BusSetup> read_bus_setups(std::string_view text, const std::string& path);
/// Finds the servos of a bus in a world.
/// @throws std::invalid_argument that says what does not fit, and what would
BusMap map_bus(Simulation& simulation, const BusSetup& setup);
/// Returns the name under which the tables have a servo of the catalogue, by the text of a
/// ServoChoice; empty if they do not have it.
std::string register_model_of(const std::string& choice, const RegisterTables& tables);
/// Returns the speed that a servo has without a setup [bit/s].
double default_baud(const RegisterTable& table);
/// Returns the speed that a code of the register means [bit/s].
double baud_of(const RegisterTable& table, std::int64_t code);
/// Reads those of a file, if it is there. @throws TomlError
std::vector<BusSetup> read_bus_file(const std::string& path);
/// Returns the code of a speed in the register of a table; < 0 if it has none.
int baud_code(const RegisterTable& table, double baud);

}  // namespace servosim::bus
