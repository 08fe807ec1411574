// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/joint_state.h"

namespace servosim {

/// The live side of a Propeller. Its motor turns `shaft` as it turns any joint that has no Physics;
/// the physics reads the shaft's velocity and writes the rest.
struct PropellerState {
  JointState shaft;
  double thrust = 0.0;  ///< along the axis in the last step [N]
  double torque = 0.0;  ///< that turned the blades in the last step, about the axis [N·m]
};

}  // namespace servosim
