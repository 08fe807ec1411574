// SPDX-License-Identifier: Apache-2.0
#include "control/backlash.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace servosim {

FlankRows take_up(Backlash& backlash, const JointDrive& wanted, double position, double friction,
                  double softness, double h) {
  if (wanted.force != 0.0) {
    backlash.shaft = std::copysign(std::numeric_limits<double>::infinity(), wanted.force);
    return {};
  }
  backlash.shaft += wanted.velocity * h;
  // A motor no stronger than the friction moves nothing; the friction holds by itself.
  const double force = wanted.max_force > friction ? wanted.max_force / 2.0 : 0.0;
  const double middle = backlash.shaft - position;
  const double half = backlash.width / 2.0;
  return {(middle - half) / h - softness * force, (middle + half) / h + softness * force, force};
}

void settle(Backlash& backlash, double position) {
  const double half = backlash.width / 2.0;
  backlash.shaft = std::clamp(backlash.shaft, position - half, position + half);
}

double flank_speed(const Backlash& backlash, double position, double h) {
  return std::max(0.0, std::abs(position - backlash.shaft) - backlash.width / 2.0) / h;
}

}  // namespace servosim
