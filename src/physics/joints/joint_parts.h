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

// Common parts of the joint classes: angles with their turns, and angular rows in ODE.
//
// An angular row is one axis of an AMotor in user mode, which gets its angle before each step; a
// linear one is one of an LMotor. ODE counts the first body's motion against the second's, so that
// all numbers of a position p of the child are negated: velocity −v, angle −p, stops −max and −min.
// Without a parent body ODE makes the child the first; the axis is then negated, and the numbers
// stay as they are.

namespace servosim {

struct JointSpec;

// If a body turns further per step, the number of turns is taken from the joint's speed [rad].
inline constexpr double kFastTurn = 0.5;

// What moves no faster is at rest: rounding, and the end of an approach [rad/s|m/s].
inline constexpr double kStill = 1e-8;

/// True if the two bodies, the second of which may be absent, turn so fast that an angle alone
/// leaves the number of turns open.
inline bool turns_fast(const dReal* child_spin, const dReal* parent_spin, double h) {
  const auto square = [](const dReal* w) { return w[0] * w[0] + w[1] * w[1] + w[2] * w[2]; };
  const double sum = square(child_spin) + (parent_spin != nullptr ? square(parent_spin) : 0.0);
  return sum * (h * h) > kFastTurn * kFastTurn;
}

/// The rates of a joint's axes after a step, which are found for all at once when one is asked for.
template <std::size_t N>
class RatesOfStep {
 public:
  void forget() { are_known_ = false; }
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

Stops stops_of(dWorldID world, const JointSpec& spec);

/// `count` angular rows without any force; their axes are left to the caller.
dJointID create_angular_rows(dWorldID world, dBodyID parent, dBodyID child, int count);
/// `count` rows of a hinge or slider, all on its axis, which is fixed in the parent's body or,
/// where that is not there, in the child's. All numbers are negated, without a parent body too.
dJointID create_axis_rows(dWorldID world, JointType type, dBodyID parent, dBodyID child,
                          const Vec3& axis, int count);
/// The rotation of a body in the last step, by ODE's small-angle formula.
Mat3 last_turn(dBodyID body, double h);

/// A spring, damper and brake as a row; `gain`: ERP/h [1/s].
inline void set_spring(const SoftRow& soft, double gain, SpringRow& row) {
  static_cast<SoftRow&>(row) = soft;
  row.gain = gain;
}

/// Damping of a joint and its brake, whose constant Webots lets be negative.
inline double total_damping(double own, const JointState& state) {
  return std::clamp(own + state.brake_damping, 0.0, kMaxForce);
}

/// The motor row of a drive, in terms of the position.
inline MotorRow motor_row(const JointDrive& drive) {
  return {drive.velocity, drive.max_force, drive.softness};
}
/// Whether an axis moves, however slowly, and its motor, a force beyond the friction, or a soft row
/// has to do with it. Without these it only coasts. A motor that holds a load, or pushes against a
/// stop, does not move it.
inline bool is_at_work(const JointDrive& drive, bool has_soft_row, double rate) {
  const bool is_driven = (drive.velocity != 0.0 && drive.max_force > 0.0) ||
                         std::abs(drive.force) > drive.max_force || has_soft_row;
  return is_driven && std::abs(rate) > kStill;
}

}  // namespace servosim
