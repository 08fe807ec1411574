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
#include "servosim/joint_type.h"
#include "servosim/math.h"

// Common parts of the joint classes: bounds, angles with their turns, and angular rows.
//
// An angular row is one axis of an AMotor in user mode, which gets its angle before each step; a
// linear one is one of an LMotor. ODE counts the first body's motion against the second's, so that
// all numbers of a position p of the child are negated: velocity −v, angle −p, stops −max and −min.
// Without a parent body ODE makes the child the first; the axis is then negated, and the numbers
// stay as they are.

namespace servosim {

struct JointSpec;
struct SoftRow;

// ODE squares its parameters. These bounds prevent overflow and are beyond any real joint.
using detail::kMaxForce;
using detail::kMaxSpeed;

// Of a body that turns further per step the joint's speed gives the number of turns [rad].
inline constexpr double kFastTurn = 0.5;

// What moves no faster is at rest: rounding, and the end of an approach [rad/s|m/s].
inline constexpr double kStill = 1e-8;

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

/// Hard stops of one axis, as a row that pushes back there. In ODE it is never the row of a motor:
/// of one row for both, ODE puts the motor's whole force on the bodies while the axis is at a stop,
/// and so throws a joint that its motor only holds. Nor is it compared with a hinge's own reading,
/// which is within ±π: a joint that gets past π would be thrown on to the other stop.
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
  /// Where they hold.
  RowNumbers row(double position, double per_step) const {
    const bool is_at_high = position >= high;
    const double error = position - (is_at_high ? high : low);
    const bool is_locked = low == high;
    return {cfm * per_step, -erp * per_step * error * per_step,
            is_at_high || is_locked ? -kInfinity : 0.0, is_at_high && !is_locked ? 0.0 : kInfinity};
  }
};
Stops stops_of(dWorldID world, const JointSpec& spec);

/// `count` angular rows without any force; their axes are left to the caller.
dJointID create_angular_rows(dWorldID world, dBodyID parent, dBodyID child, int count);
/// `count` rows of a hinge or slider, all on its axis, which is fixed in the parent's body or,
/// where that is not there, in the child's. All numbers are negated, without a parent body too.
dJointID create_axis_rows(dWorldID world, JointType type, dBodyID parent, dBodyID child,
                          const Vec3& axis, int count);
/// Stops of a row whose angle is −p.
void set_row_stops(dJointID rows, int row, const Stops& stops);
/// Makes a row a spring and damper towards angle 0, or takes its force away.
void set_soft_row(dJointID rows, int row, const SoftRow& soft);

/// The rotation of a body in the last step, by ODE's small-angle formula.
Mat3 last_turn(dBodyID body, double h);

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
/// CFM of a motor row.
inline double row_cfm(double of_world, double softness) {
  return softness > 0.0 ? softness : of_world;
}
/// `body` is one of the joint's.
double row_cfm(dBodyID body, double softness);

}  // namespace servosim
