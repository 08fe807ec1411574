// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "physics/rows/row.h"
#include "physics/rows/spatial.h"
#include "servosim/drive_settings.h"
#include "servosim/joint_drive.h"
#include "servosim/spring_damper.h"

// These laws turn what motors, stops, springs and the sides of a gap ask of an axis into the terms
// of a row; row.h has its equation. p is the position of the axis, v is its velocity, and v⁺ is the
// velocity after the step. All are positive where the child moves along +axis. h is the length of
// the step, and λ is the force of the row on the child.
//
// A motor holds a velocity V with a bounded force. Friction is a motor with V = 0:
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
// An armature a is a mass that moves with the axis alone, such as a rotor: λ = −a·(v⁺ − v)/h. It is
// a damper a/h towards the rate before the step, so that it shares the row of the spring:
//
//     v⁺ + cfm·λ = −g·p + cfm·a/h·v,    cfm = 1/(h·k + d + a/h)
//
// Each side of a gap is a motor: motor_laws/backlash.h has the velocities. Source of spring and
// stop: the manual of Open Dynamics Engine 0.16, "Constraint Force Mixing" and "Stops and motor
// parameters"; soft_row() in servosim/spring_damper.h computes erp and cfm from k and d.

namespace servosim {

// ODE squares its parameters. These bounds prevent overflow and are beyond any real joint.
using detail::kMaxForce;
using detail::kMaxSpeed;

/// Does what std::clamp() does, for single numbers and for lanes. NaN stays NaN.
template <class Real>
[[gnu::always_inline]] inline Real within(double low, double high, const Real& x) {
  const Real zero{};
  return choose(x < low, zero + low, choose(x > high, zero + high, x));
}

/// These limit a velocity, a force of either sign, and the bound of a force. NaN stays NaN.
inline double bounded_velocity(double v) { return std::clamp(v, -kMaxSpeed, kMaxSpeed); }
inline double bounded_force(double f) { return std::clamp(f, -kMaxForce, kMaxForce); }
inline double bounded_max_force(double f) { return std::clamp(f, 0.0, kMaxForce); }

/// Holds the terms of a motor's row, as single numbers or as lanes. The row is bounded by −bound ≤
/// λ ≤ bound.
template <class Real>
struct MotorTermsOf {
  Real softness{};
  Real target{};
  Real bound{};  ///< the largest |λ|; 0 means that there is no row
};

/// Returns the terms of the row of a motor with velocity V [rad/s|m/s], force F [N·m|N] and cfm.
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

/// Returns the terms of the row of one motor, whose F must be more than 0.
inline RowTerms motor_row_terms(const JointDrive& motor, const StepSettings& settings) {
  SERVOSIM_ASSERT(motor.max_force > 0.0, "force {}", motor.max_force);
  const MotorTermsOf<double> m =
      motor_terms(motor.velocity, motor.max_force, motor.softness, settings);
  return {m.softness, m.target, -m.bound, m.bound};
}

/// Holds what a spring, a damper, a brake and an armature ask of an axis together. A Hinge2 also
/// uses it for its suspension and for a locked axis, which pull towards a position in both
/// directions, too.
struct SpringRow : SoftRow {
  double gain = 0.0;       ///< g = erp/h [1/s]
  double from_rest = 0.0;  ///< p: distance of the axis from its rest position [rad|m]
  double rest = 0.0;       ///< where the spring has no force [rad|m]
  /// Whether p has all turns of the axis. Otherwise a spring pulls the shorter way to 0.
  bool counts_turns = true;
  double per_rate = 0.0;  ///< a/h of an armature [N·m·s/rad|N·s/m]
  double rate = 0.0;      ///< v, of an axis with an armature [rad/s|m/s]

  /// Returns whether the row is an armature alone, which keeps its energy a/2·v².
  [[gnu::always_inline]] bool is_armature() const {
    return per_rate > 0.0 && gain == 0.0 && cfm == 1.0 / per_rate;
  }
  /// Returns p of an axis at this position [rad|m].
  [[gnu::always_inline]] double stretch(double position) const {
    return counts_turns ? position - rest : wrap_near(position, 0.0);
  }
  /// Returns the velocity that the row asks for, at a distance p from rest and at a rate v that
  /// only an armature needs.
  template <class Real>
  [[gnu::always_inline]] Real velocity(const Real& distance, const Real& rate_before) const {
    Real back = gain * distance;
    if (per_rate > 0.0) {
      back = back - per_rate * cfm * rate_before;
    }
    return -within(-kMaxSpeed, kMaxSpeed, back);
  }
};

/// Holds what a row was made of.
struct SpringConstants {
  double stiffness = 0.0;  ///< k [N·m/rad|N/m]
  double damping = 0.0;    ///< d [N·m·s/rad|N·s/m]
  double armature = 0.0;   ///< a [kg·m²|kg]
};

/// Returns the constants of an active row that was made for a step of length `h` [s].
[[gnu::always_inline]] inline SpringConstants constants_of(const SpringRow& spring, double h) {
  const double k = spring.gain / spring.cfm;
  const double d = 1.0 / spring.cfm - h * k - spring.per_rate;
  return {k, d > 0.0 ? d : 0.0, h * spring.per_rate};
}

/// Returns the row of an active spring for a step of length `h` [s]. `spring` was made for one of
/// length `made_for`.
inline SpringRow spring_in_part(SpringRow spring, double made_for, double h) {
  SERVOSIM_ASSERT(spring.active && spring.cfm > 0.0, "cfm {}", spring.cfm);
  const auto [k, d, a] = constants_of(spring, made_for);
  spring.per_rate = a / h;
  spring.cfm = 1.0 / (h * k + d + spring.per_rate);
  spring.gain = k * spring.cfm;
  return spring;
}

/// Returns the terms of the row of an active spring. Its force has no bounds.
inline RowTerms spring_row_terms(const SpringRow& spring, const StepSettings& settings) {
  SERVOSIM_ASSERT(spring.active && spring.cfm >= 0.0, "cfm {}", spring.cfm);
  return {spring.cfm * settings.per_step,
          spring.velocity(spring.from_rest, spring.rate) * settings.per_step, -kInfinity,
          kInfinity};
}

/// Returns the terms of the row of one side of a gap, with the softness of the world. `velocity`
/// and `max_force` must be within kMaxSpeed and kMaxForce.
inline RowTerms gap_row_terms(double velocity, double max_force, const StepSettings& settings) {
  return {settings.softness, velocity / settings.h, -max_force, max_force};
}

/// Holds the hard stops of one axis; their row pushes the axis back. In ODE this row is never the
/// row of a motor: with one row for both, ODE puts the motor's whole force on the bodies while the
/// axis is at a stop, and so throws a joint that its motor only holds. Stops are compared with the
/// position, which counts turns, and not with a hinge's own reading, which is within ±π: a joint
/// that gets past π would be thrown on to the other stop.
struct Stops {
  double low = -kInfinity;  ///< [rad|m]
  double high = kInfinity;  ///< [rad|m]
  double erp = 0.0;         ///< share of the error that a step corrects
  double cfm = 0.0;         ///< softness

  /// Returns whether the axis has stops at all.
  bool exist() const { return low > -kInfinity; }
  /// Returns whether a stop acts at this position.
  bool hold(double position) const { return position <= low || position >= high; }
  /// Returns the position that ODE gets. At a stop it is at least 1e-12·(1 + |stop|) beyond the
  /// stop: ODE's solver ends in an error at the row of a stop that is met exactly, as by a joint
  /// that starts there.
  double beyond(double position) const {
    const auto least = [](double stop) { return 1e-12 * (1.0 + std::abs(stop)); };
    return position <= low    ? std::min(position, low - least(low))
           : position >= high ? std::max(position, high + least(high))
                              : position;
  }
  /// Returns the terms of the row; hold(position) must be true:
  ///
  ///     low stop:    target = −erp·(p − p_low)/h²,     0 ≤ λ
  ///     high stop:   target = −erp·(p − p_high)/h²,    λ ≤ 0
  ///     both equal:  the axis is locked, λ has no bounds
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
