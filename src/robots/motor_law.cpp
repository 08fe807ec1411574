// SPDX-License-Identifier: Apache-2.0
#include "robots/motor_law.h"

#include <fmt/format.h>

#include <cmath>

#include "base/assert.h"

namespace servosim::robots {

// With the length l = gear·q, the force of the joint is
//
//     gear·(gain·u + offset) − p·q − d·q̇,    p = −gear²·by_position,  d = −gear²·by_velocity
//
// which is p·(target − q) − d·q̇ or d·(target − q̇).
std::optional<MotorLaw> motor_law(const RobotJoint& joint) {
  SERVOSIM_ASSERT(!joint.actuators.empty(), "joint {} has no actuator", joint.name);
  const Actuator& actuator = joint.actuators.front();
  const double squared = actuator.gear * actuator.gear;
  const double p = 0.0 - squared * actuator.by_position;
  const double d = 0.0 - squared * actuator.by_velocity;
  if (p < 0.0 || d < 0.0) {
    return std::nullopt;
  }
  const bool slides = joint.motion == JointMotion::Slide;
  MotorLaw law;
  law.servo = fmt::format("PD firmware.p={} firmware.d={}", p, d);
  if (!std::isinf(joint.effort)) {
    law.servo += fmt::format(" firmware.max_current={}", joint.effort);
  }
  if (slides) {
    law.servo += " drive.travel=1";
  }
  double per_unit = 1.0;  // force per unit of the quantity
  if (p > 0.0) {
    law.quantity = "positions";
    per_unit = p;
  } else if (d > 0.0) {
    law.quantity = "speeds";
    per_unit = d;
  } else {
    law.quantity = slides ? "forces" : "torques";
  }
  law.scale = actuator.gear * actuator.gain / per_unit;
  law.zero = actuator.gear * actuator.offset / per_unit + 0.0;  // no "-0"
  return law;
}

}  // namespace servosim::robots
