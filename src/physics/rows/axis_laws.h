// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "physics/rows/row.h"
#include "physics/rows/spatial.h"
#include "servosim/drive_settings.h"
#include "servosim/spring_damper.h"

// These laws turn what motors, stops, springs and the sides of a gap ask of an axis into the terms
// of a row; row.h has its equation. p is the position of the axis, v its velocity, both positive
// where the child moves along +axis, v⁺ the velocity after the step, h the length of the step, λ
// the force of the row on the child.
//
// A motor, or friction with V = 0, holds a velocity with a bounded force:
//
//     v⁺ + cfm·λ = V,    |λ| ≤ F
//
// A stop at p_s corrects its error by the share erp in each step; it pushes back only:
//
//     v⁺ + cfm·λ = −erp/h·(p − p_s),    λ ≥ 0 at the low stop, λ ≤ 0 at the high one
//
// A spring k with a damper d is exact and implicit, λ = −k·(p + h·v⁺) − d·v⁺. That is the row
//
//     v⁺ + cfm·λ = −g·p,    cfm = 1/(h·k + d), g = erp/h, erp = h·k·cfm
//
// Each side of a gap is a motor: motor_laws/backlash.h has the velocities. Source of spring and
// stop: the manual of Open Dynamics Engine 0.16, "Constraint Force Mixing" and "Stops and motor
// parameters"; soft_row() in servosim/spring_damper.h gives erp and cfm of k and d.

namespace servosim {

// ODE squares its parameters. These bounds prevent overflow and are beyond any real joint.
using detail::kMaxForce;
using detail::kMaxSpeed;

/// std::clamp(), for single numbers and lanes of them; not a number stays what it is.
template <class Real>
[[gnu::always_inline]] inline Real within(double low, double high, const Real& x) {
  const Real zero{};
  return choose(x < low, zero + low, choose(x > high, zero + high, x));
}

inline double bounded_velocity(double v) { return std::clamp(v, -kMaxSpeed, kMaxSpeed); }
inline double bounded_force(double f) { return std::clamp(f, -kMaxForce, kMaxForce); }
inline double bounded_max_force(double f) { return std::clamp(f, 0.0, kMaxForce); }

/// Holds what the motor of an axis, or its friction, asks for. Lanes read four numbers at once.
struct MotorRow {
  double velocity = 0.0;   ///< V [rad/s|m/s]
  double max_force = 0.0;  ///< F [N·m|N]
  double softness = 0.0;   ///< cfm; 0: the world's
  double unused = 0.0;
};

/// Holds the terms of a motor's row, as single numbers or lanes of them; low is −bound, high bound.
template <class Real>
struct MotorTermsOf {
  Real softness{};
  Real target{};
  Real bound{};  ///< the most of |λ|; 0: there is no row
};

template <class Real>
[[gnu::always_inline]] inline MotorTermsOf<Real> motor_terms(const Real& velocity,
                                                             const Real& max_force,
                                                             const Real& softness,
                                                             const StepSettings& settings) {
  const Real zero{};
  return {choose(softness > 0.0, softness * settings.per_step, zero + settings.motor_softness),
          within(-kMaxSpeed, kMaxSpeed, velocity) * settings.per_step,
          within(0.0, kMaxForce, max_force)};
}

/// Returns the terms of the row of one motor; its force must be more than 0.
inline RowTerms motor_row_terms(const MotorRow& motor, const StepSettings& settings) {
  SERVOSIM_ASSERT(motor.max_force > 0.0, "force {}", motor.max_force);
  const MotorTermsOf<double> m =
      motor_terms(motor.velocity, motor.max_force, motor.softness, settings);
  return {m.softness, m.target, -m.bound, m.bound};
}

/// Holds what a spring, a damper and a brake ask of an axis together, or what else pulls it towards
/// a position in both directions.
struct SpringRow : SoftRow {
  double gain = 0.0;       ///< g = erp/h [1/s]
  double from_rest = 0.0;  ///< how far the axis is from where it is pulled to [rad|m]
};

/// Returns the terms of the row of an active spring.
inline RowTerms spring_row_terms(const SpringRow& spring, const StepSettings& settings) {
  SERVOSIM_ASSERT(spring.active && spring.cfm >= 0.0, "cfm {}", spring.cfm);
  return {spring.cfm * settings.per_step,
          -bounded_velocity(spring.gain * spring.from_rest) * settings.per_step, -kInfinity,
          kInfinity};
}

/// Returns the terms of the row of one side of a gap; velocity and force are within their bounds.
inline RowTerms gap_row_terms(double velocity, double max_force, const StepSettings& settings) {
  return {settings.softness, velocity / settings.h, -max_force, max_force};
}

/// Holds the hard stops of one axis, whose row pushes back there. In ODE it is never the row of a
/// motor: of one row for both, ODE puts the motor's whole force on the bodies while the axis is at
/// a stop, and so throws a joint that its motor only holds. Nor is it compared with a hinge's own
/// reading, which is within ±π: a joint that gets past π would be thrown on to the other stop.
struct Stops {
  double low = -kInfinity;  ///< [rad|m]
  double high = kInfinity;
  double erp = 0.0;
  double cfm = 0.0;

  bool exist() const { return low > -kInfinity; }
  bool hold(double position) const { return position <= low || position >= high; }
  /// The position for ODE, whose solver ends in an error at the row of a stop that is met exactly,
  /// as of a joint that begins there: beyond the stop by no less than this.
  double beyond(double position) const {
    const auto least = [](double stop) { return 1e-12 * (1.0 + std::abs(stop)); };
    return position <= low    ? std::min(position, low - least(low))
           : position >= high ? std::max(position, high + least(high))
                              : position;
  }
  /// Returns the terms of the row; the stops must hold `position`.
  RowTerms row(double position, const StepSettings& settings) const {
    SERVOSIM_ASSERT(hold(position), "{} between {} and {}", position, low, high);
    const bool is_at_high = position >= high;
    const double error = position - (is_at_high ? high : low);
    const bool is_locked = low == high;
    return {cfm * settings.per_step, -erp * settings.per_step * error * settings.per_step,
            is_at_high || is_locked ? -kInfinity : 0.0, is_at_high && !is_locked ? 0.0 : kInfinity};
  }
};

}  // namespace servosim
