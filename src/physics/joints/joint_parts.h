// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "physics/rows/joint_rows.h"
#include "physics/state.h"
#include "servosim/joint_type.h"
#include "servosim/math.h"
#include "servosim/spring_damper.h"

// Common parts of the joint classes: angles that count turns, and rows on axes in ODE.
//
// An angular row is one axis of an AMotor in user mode, which gets its angle before each step. A
// linear row is one axis of an LMotor. ODE counts the motion of the first body against the second,
// so all numbers of a position p of the child are negated:
//
//     velocity −v,    angle −p,    stops −max and −min
//
// Without a parent body ODE makes the child the first. The axis is then negated, and the numbers
// stay as they are. Source: ODE 0.16's manual, "Angular Motor" and "Linear Motor".

namespace servosim {

struct JointSpec;

/// If a body turns further than this in a step, the number of turns follows from the joint's
/// velocity [rad].
inline constexpr double kFastTurn = 0.5;

/// A slower joint counts as at rest: its motion is rounding, or the end of an approach [rad/s|m/s].
inline constexpr double kStill = 1e-8;

/// Returns whether two bodies turn so fast that an angle alone leaves the number of turns open:
/// (|ω_c|² + |ω_p|²)·h² > kFastTurn². The second spin may be null. This costs less than the rate of
/// the joint.
inline bool turns_fast(const dReal* child_spin, const dReal* parent_spin, double h) {
  const auto square = [](const dReal* w) { return w[0] * w[0] + w[1] * w[1] + w[2] * w[2]; };
  const double sum = square(child_spin) + (parent_spin != nullptr ? square(parent_spin) : 0.0);
  return sum * (h * h) > kFastTurn * kFastTurn;
}

/// Keeps the rates of a joint's axes after a step. They are computed for all axes when the first
/// one is read.
template <std::size_t N>
class RatesOfStep {
 public:
  /// Must be called before each step.
  void forget() { are_known_ = false; }
  /// Returns the rates; calls `find` if they are not known yet.
  template <class Find>
  const std::array<double, N>& known(Find find) {
    if (!are_known_) {
      rates_ = find();
      are_known_ = true;
    }
    return rates_;
  }

 private:
  std::array<double, N> rates_{};
  bool are_known_ = false;
};

/// Returns the hard stops of an axis. Without values of their own, ERP and CFM are those of the
/// world.
Stops stops_of(dWorldID world, const JointSpec& spec);

/// Makes `count` angular rows without a force. The caller sets their axes. @throws OdeFailed
dJointID create_angular_rows(dWorldID world, dBodyID parent, dBodyID child, int count);
/// Makes `count` rows on the axis of a hinge or slider. The axis is fixed in the parent's body, or
/// in the child's if there is no parent. All numbers are negated, also without a parent. @throws
/// OdeFailed
dJointID create_axis_rows(dWorldID world, JointType type, dBodyID parent, dBodyID child,
                          const Vec3& axis, int count);
/// Returns the rotation of a body in the last step, which ODE computes from the spin ω: the
/// rotation by 2·atan(|ω|·h/2) about ω.
Mat3 last_turn(dBodyID body, double h);

/// Sets where the spring of an axis is at rest.
void set_rest(const JointSpec& spec, SpringRow& row);

/// Sets a row to a spring, damper and brake. `gain` is g = erp/h [1/s].
inline void set_spring(const SoftRow& soft, double gain, SpringRow& row) {
  static_cast<SoftRow&>(row) = soft;
  row.gain = gain;
}

/// Returns the damping of a joint and its brake [N·m·s/rad|N·s/m]. Webots lets the constant of a
/// brake be negative; the sum is not.
inline double total_damping(double own, const JointState& state) {
  return std::clamp(own + state.brake_damping, 0.0, kMaxForce);
}

/// Returns whether an axis moves, however slowly, and its motor, a force beyond the friction, or a
/// spring or damper takes part in that. Without these the axis only coasts. A motor that holds a
/// load or pushes against a stop does not move the axis.
inline bool is_at_work(const JointDrive& drive, bool has_soft_row, double rate) {
  const bool is_driven = (drive.velocity != 0.0 && drive.max_force > 0.0) ||
                         std::abs(drive.force) > drive.max_force || has_soft_row;
  return is_driven && std::abs(rate) > kStill;
}

}  // namespace servosim
