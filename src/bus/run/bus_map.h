// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/registers/register_tables.h"
#include "bus/servo/motor_plant.h"
#include "bus/setup/bus_setup.h"
#include "servosim/simulation.h"

namespace servosim::bus {

/// One servo of a bus, and what it is in the world.
///
/// Threads: a plain value.
struct MappedServo {
  Motor* motor = nullptr;
  int robot = -1;    ///< an index of Simulation::robots()
  int joint = -1;    ///< an index of Scene::joints
  std::string name;  ///< ROBOT/MOTOR
  int id = 0;
  int baud = 0;           ///< [bit/s]; 0: that of its register
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
  /// Motors with a servo model that the default leaves out, and why: another bus may have them.
  std::vector<std::string> left_out;
};

/// Finds the servos of all buses of a world. A motor is on one bus: those that name their servos
/// come first, and the others have what is left, in their order.
/// @throws std::invalid_argument that says what does not fit, and what would; TomlError for what a
/// file says
std::vector<BusMap> map_buses(Simulation& simulation, const std::vector<BusSetup>& setups);
/// Returns the name under which the tables have a servo of the catalogue, by the text of a
/// ServoChoice; empty if they do not have it.
std::string register_model_of(const std::string& choice, const RegisterTables& tables);
/// Returns where a client finds the bus: tcp:PORT, or the path of a link.
std::string place_of(const BusSetup& setup);
/// Returns the speed of a servo when a run begins [bit/s].
double baud_of(const MappedServo& servo, const BusChoices& choices);
/// Returns the secondary ID of a servo when a run begins; < 0: none.
int secondary_id_of(const MappedServo& servo);
/// Returns the speed that a servo has without a setup [bit/s].
double default_baud(const RegisterTable& table, const BusChoices& choices);
/// Returns the speed that a code of the register means [bit/s].
double baud_of(const RegisterTable& table, std::int64_t code, const BusChoices& choices);
/// Returns the code of a speed in the register of a table; < 0 if it has none.
int baud_code(const RegisterTable& table, double baud, const BusChoices& choices);

}  // namespace servosim::bus
