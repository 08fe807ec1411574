// SPDX-License-Identifier: Apache-2.0
#include "motor_laws/backlash.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.h"

namespace servosim {

BacklashRows move_shaft(Backlash& backlash, const JointDrive& command, double position,
                        double friction, double softness, double h) {
  SERVOSIM_ASSERT(backlash.width >= 0.0 && h > 0.0, "play {}, step {} s", backlash.width, h);
  // clamp_shaft() then moves the shaft to the side that pushes.
  if (command.force != 0.0) {
    backlash.shaft = std::copysign(std::numeric_limits<double>::infinity(), command.force);
    return {};
  }
  backlash.shaft += command.velocity * h;
  // A motor that is not stronger than the friction moves nothing, since the friction row holds the
  // joint.
  const double force = command.max_force > friction ? command.max_force / 2.0 : 0.0;
  const double middle = backlash.shaft - position;
  const double half = backlash.width / 2.0;
  return {(middle - half) / h - softness * force, (middle + half) / h + softness * force, force};
}

void clamp_shaft(Backlash& backlash, double position) {
  const double half = backlash.width / 2.0;
  backlash.shaft = std::clamp(backlash.shaft, position - half, position + half);
}

double contact_speed(const Backlash& backlash, double position, double h) {
  return std::max(0.0, std::abs(position - backlash.shaft) - backlash.width / 2.0) / h;
}

}  // namespace servosim
