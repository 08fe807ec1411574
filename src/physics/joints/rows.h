// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "physics/state.h"
#include "physics/tree/solver_rows.h"
#include "servosim/drive_settings.h"
#include "servosim/math.h"

// Common parts of the joint classes: bounds, angles with their turns, and angular rows.
//
// An angular row is one axis of an AMotor in user mode, which gets its angle before each step.
// ODE counts the first body's turning against the second's, so that all numbers of a position p of
// the child are negated: velocity −v, angle −p, stops −max and −min. Without a parent body ODE
// makes the child the first; the axis is then negated, and the numbers stay as they are.

namespace servosim {

struct JointSpec;
struct SoftRow;

// ODE squares its parameters. These bounds prevent overflow and are beyond any real joint.
using detail::kMaxForce;
using detail::kMaxSpeed;

// ODE reads a hinge within ±π only and throws one that gets past π on to the other stop. Stops
// nearer than this leave room for overshooting; farther ones get a row of their own [rad].
inline constexpr double kOwnStops = 2.0;

// Of a body that turns further per step the joint's speed gives the number of turns [rad].
inline constexpr double kFastTurn = 0.5;

inline double bounded_velocity(double v) { return std::clamp(v, -kMaxSpeed, kMaxSpeed); }
inline double bounded_force(double f) { return std::clamp(f, -kMaxForce, kMaxForce); }
inline double bounded_max_force(double f) { return std::clamp(f, 0.0, kMaxForce); }

/// True if the two bodies, the second of which may be absent, turn so fast that an angle alone
/// leaves the number of turns open.
inline bool turns_fast(const dReal* child_spin, const dReal* parent_spin, double h) {
  const auto square = [](const dReal* w) { return w[0] * w[0] + w[1] * w[1] + w[2] * w[2]; };
  const double sum = square(child_spin) + (parent_spin != nullptr ? square(parent_spin) : 0.0);
  return sum * (h * h) > kFastTurn * kFastTurn;
}

/// The parameter of a group of rows that belongs to row `row`.
constexpr int of_row(int parameter, int row) { return parameter + row * dParamGroup; }

/// The numbers of an axis' motor row in ODE. Lanes read four numbers.
struct MotorRow {
  double velocity = 0.0;
  double max_force = 0.0;
  double softness = 0.0;  ///< 0: the world's CFM
  double unused = 0.0;
};

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

/// Hard stops of one axis [rad|m]; infinite where there are none.
struct Stops {
  double low = -kInfinity;
  double high = kInfinity;
  bool exist() const { return low > -kInfinity; }
};
Stops stops_of(const JointSpec& spec);

/// `count` angular rows without any force; their axes are left to the caller.
dJointID create_angular_rows(dWorldID world, dBodyID parent, dBodyID child, int count);
/// Stops of a row whose angle is −(p − origin).
void set_row_stops(dJointID rows, int row, const Stops& stops, double origin);
void set_row_softness(dJointID rows, int row, const JointSpec& spec);
/// Makes a row a spring and damper towards angle 0, or takes its force away.
void set_soft_row(dJointID rows, int row, const SoftRow& soft);

/// The rotation of a body in the last step, by ODE's small-angle formula.
Mat3 last_turn(dBodyID body, double h);

/// Damping of a joint and its brake, whose constant Webots lets be negative.
inline double total_damping(double own, const JointState& state) {
  return std::clamp(own + state.brake_damping, 0.0, kMaxForce);
}

/// The motor row of a drive, in terms of the position. At a stop, where ODE applies the row's whole
/// force, a soft row gets at most the force that it would apply to a joint at rest.
inline MotorRow motor_row(const JointDrive& drive, const Stops& stops, double position) {
  if (drive.softness > 0.0 && (position <= stops.low || position >= stops.high)) {
    return {drive.velocity, std::min(drive.max_force, std::abs(drive.velocity) / drive.softness),
            drive.softness};
  }
  return {drive.velocity, drive.max_force, drive.softness};
}
/// CFM of a motor row.
inline double row_cfm(double of_world, double softness) {
  return softness > 0.0 ? softness : of_world;
}
/// `body` is one of the joint's.
double row_cfm(dBodyID body, double softness);

/// At a stop ODE takes the motor's row away and adds its whole force to the bodies instead: this
/// force on the child, for a row with motor and stops.
double push_against(const Stops& stops, const JointState& state);

}  // namespace servosim
