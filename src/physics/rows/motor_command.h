// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/spatial.h"
#include "servosim/velocity_controller.h"

namespace servosim {

/// What a motor on a joint with Physics was told, without force control: single numbers, or lanes
/// of them. MotorTargets has the units.
template <class Real>
struct MotorCommandOf {
  struct Gains {
    Real p{};
    Real i{};
    Real d{};
  };

  Real position{};  ///< the target
  Real velocity{};
  Real acceleration{};
  Real available_force{};  ///< 0: the motor has no power, and V is 0
  Gains gains;

  /// Takes one step of `h` [s] of the law, which finds V. @param now  the position of the motor's
  /// shaft [rad|m]
  [[gnu::always_inline]] void follow(const Real& now, double h,
                                     detail::VelocityNumbers<Real>& law) const {
    const auto has_power = opposite(available_force == 0.0);
    detail::VelocityNumbers<Real> next = law;
    next.track(position, now, velocity, acceleration, gains, h, any_holds(gains.d != 0.0));
    law.velocity = choose(has_power, next.velocity, Real{});
    law.integral = choose(has_power, next.integral, law.integral);
    law.previous_error = choose(has_power, next.previous_error, law.previous_error);
  }
};

}  // namespace servosim
