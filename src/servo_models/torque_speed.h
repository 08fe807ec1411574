// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/servo_model.h"

namespace servosim {

/// What a servo gives at its shaft while its bridge is on as far as its limits allow, after its
/// supply has settled and at the temperature of drive.resistance.
struct ServoOutput {
  double torque = 0.0;   ///< against the load; < 0 beyond the no-load speed [N·m]
  double current = 0.0;  ///< of the winding [A]
};

/// @param speed  of the shaft, in the direction of the torque; >= 0 [rad/s]
ServoOutput output_at(const ServoModel& servo, double speed);

/// Returns the speed at which the torque is 0 [rad/s]; 0 if friction holds the shaft at rest.
double no_load_speed(const ServoModel& servo);

}  // namespace servosim
