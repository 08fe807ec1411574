// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "batch/pictures.h"
#include "servosim/simulation.h"

namespace servosim {

class Motor;
class MotorInLane;

/// What one column of the observations, or several consecutive ones, contain.
enum class Measure : std::uint8_t {
  Position,
  Velocity,
  Effort,
  Current,
  Voltage,
  Duty,
  Temperature,
  Pose,
  LinearVelocity,
  AngularVelocity,
  ContactForce,
  Value,
  Time,
};

struct ObservedColumns {
  Measure measure = Measure::Time;
  int index = -1;   // index of the joint or Solid in the scene, or of the robot
  int device = -1;  // index among the devices of the robot
  std::size_t count = 1;
};

enum class Command : std::uint8_t { Position, Velocity, Force, ServoPulse };

struct ActionColumn {
  Command command = Command::Position;
  int joint = -1;  // index in the scene
  // The joint also has a column for its target position or pulse. The velocity is then a limit.
  bool in_position_control = false;
};

/// What a motor accepts, in the units of its commands.
struct CommandLimits {
  double low;
  double high;
};
CommandLimits limits_of(Command command, const Motor& motor);

/// The columns of a batch's arrays, as Batch::bind() describes them. Indices are those of the
/// world's scene and of every scene that differs from it only by numbers.
struct Columns {
  std::vector<ObservedColumns> observed;
  std::vector<ObservedPicture> pictures;  // observations without columns
  std::vector<ActionColumn> actions;
  std::vector<std::string> observation_names;  // one for each column
  std::vector<std::string> action_names;
  std::vector<double> action_low;
  std::vector<double> action_high;
};

/// @throws std::invalid_argument for a pattern that matches nothing and for commands that exclude
/// each other
Columns find_columns(const Simulation& world, const std::vector<std::string>& observe,
                     const std::vector<std::string>& act);

/// Returns, for each column of the observations, whether it matches one pattern of bind().
/// @throws std::invalid_argument if the pattern matches none of these columns
std::vector<bool> columns_of(const Simulation& world, const Columns& columns,
                             const std::string& pattern);

/// Returns whether the observations include contact forces.
bool has_contact_forces(const Columns& columns);

/// Enables the sensors of numbers, which measure at once.
void start_sensors(Simulation& simulation, const Columns& columns, int period_ms);

/// Writes one number for each column to `row`.
void observe(const Simulation& simulation, std::span<const ObservedColumns> observed, double* row);

/// Gives commands to the motors. @returns how many were NaN and therefore not given
std::uint32_t command(Simulation& simulation, std::span<const ActionColumn> actions,
                      const double* row);
/// The same for one command to a motor in a lane.
std::uint32_t command(MotorInLane& motor, const ActionColumn& action, double value);

}  // namespace servosim
