// SPDX-License-Identifier: Apache-2.0
#include "servosim/velocity_controller.h"

#include <algorithm>
#include <cmath>

#include "control/approach.h"

namespace servosim {

double VelocityController::pursue(double target, double position, double speed, double acceleration,
                                  const PidGains& gains, double h) {
  double wanted = speed;
  if (std::isfinite(target)) {
    const double error = target - position;
    integral_ += error * h;
    double u = gains.p * error;
    if (gains.i != 0.0) {  // else the integral may have overflowed
      u += gains.i * integral_;
    }
    if (gains.d != 0.0) {  // seldom, and a division
      u += gains.d * ((error - previous_error_) / h);
    }
    previous_error_ = error;
    const double limit = std::abs(speed);
    wanted = std::isnan(u) ? 0.0 : std::clamp(u, -limit, limit);
  }
  velocity_ = acceleration == -1.0 ? wanted : approach(velocity_, wanted, acceleration * h);
  return velocity_;
}

double VelocityController::move(double target, double position, double speed, double acceleration,
                                double h) {
  if (std::abs(speed - velocity_) > 1e-6) {
    velocity_ = approach(velocity_, speed, acceleration * h);
  }
  if (target > position) {
    return std::min(position + velocity_ * h, target);
  }
  return std::max(position - velocity_ * h, target);
}

}  // namespace servosim
