// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "robots/robot_model.h"

namespace servosim::robots {

/// What gives a motor of a world the law of an actuator.
struct MotorLaw {
  std::string servo;  ///< the field `servo` of the motor
  /// What controllers ask the motor for, in the plural: quantity = scale·u + zero, where u is the
  /// command of the actuator.
  std::string_view quantity;
  double scale = 1.0;
  double zero = 0.0;  ///< [rad|m, rad/s|m/s, N·m|N]
};

/// Returns the law of the first actuator of a joint that turns or slides, within the effort of the
/// joint; nothing if no servo has it: its force grows with the position or the speed.
std::optional<MotorLaw> motor_law(const RobotJoint& joint);

}  // namespace servosim::robots
