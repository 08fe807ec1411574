// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <array>
#include <span>

#include "physics/bodies.h"
#include "physics/joints/joint_parts.h"
#include "physics/rows/joint_rows.h"
#include "physics/state.h"
#include "servosim/math.h"

namespace servosim {

struct JointSpec;

/// An ODE ball with angular rows for three positions: the child's rotation is R(A,p1)·R(B,p2)·
/// R(C,p3), A fixed in the parent, C in the child, B square to both.
///
/// Each row acts along the direction that is square to the other two axes, as in ODE's Euler mode,
/// so that it moves its own position alone. Turning by one radian about A (or C) moves the child by
/// only sin∠(A,C) radians along that direction. ODE gets velocities and angles times this share;
/// what does work by a position, the force of force control and a spring, is divided by it. Torque
/// bounds, friction and dampers are those of the row, and so bounded at any pose, as in Webots.
class OdeBall {
 public:
  /// One of `parent` and `child` may be null: the world. `specs` and `states`: of the three axes.
  /// `frame`: how the axes' frame is turned now; `anchor` in the world. `h` [s].
  OdeBall(dWorldID world, std::span<const JointSpec> specs, const Body* parent, const Body* child,
          const Mat3& frame, const Vec3& anchor, std::span<JointState> states, double h);

  void before_step();                    ///< as OdeJoint's
  bool is_at_work() const;               ///< as OdeJoint's; some axis
  void after_step(bool some_turn_fast);  ///< as OdeJoint's
  void read_position() { after_step(false); }
  void measure() const;  ///< as OdeJoint's; of all axes
  /// The velocity alone, as measure() has it, of one of its axes [rad/s].
  double rate(const JointState& axis) const { return rates()[number_of(axis)]; }
  /// The same if nothing has moved since the last step; found for all axes at once.
  double rate_after_step(const JointState& axis) {
    return rates_.known([this] { return rates(); })[number_of(axis)];
  }

  /// As OdeJoint's.
  BallRows& rows() { return rows_; }
  const BallRows& rows() const { return rows_; }

  /// All that changes while the world runs, except the bodies and the JointStates, and is not set
  /// before each step: what the last one has found.
  struct Memory {
    Vec3 torque;
  };
  Memory memory() const { return {rows_.on_body.torque}; }
  /// Brings this joint back; the JointStates must have been brought back before.
  void restore(const Memory& memory) { rows_.on_body.torque = memory.torque; }

 private:
  struct Axis {
    JointState* state = nullptr;
    double spring = 0.0;
    double damping = 0.0;
    Stops stops;  // of the position, not of the turn about the row's direction
  };
  using Vectors = std::array<Vec3, 3>;
  // The axes in the world, and the directions in which their rows act.
  struct Directions {
    Vectors axes;
    Vectors rows;
    double share;    // of A and C, negative beyond the pose where they fall together; of B it is 1
    double divisor;  // the same, but not too near 0
  };
  // One that is there: the child if possible.
  const Body& body() const { return *(child_ != nullptr ? child_ : parent_); }
  Mat3 rotation() const;
  Vectors axes_now() const;
  Directions directions() const;
  std::array<double, 3> angles() const;
  std::array<double, 3> nearer(const std::array<double, 3>& positions, double between) const;
  std::array<double, 3> rates() const;
  std::size_t number_of(const JointState& axis) const {
    return static_cast<std::size_t>(&axis - axes_[0].state);
  }
  void set_motors_and_stops(const Directions& directions);
  void set_springs(const Directions& directions);
  void add_torque(int axis, double share, const Vec3& direction);
  void wake();

  const Body* parent_;
  const Body* child_;  // nullptr: the parent hangs on the world
  double h_;
  double per_step_;  // 1 / h_
  BallRows rows_;
  std::array<Axis, 3> axes_;
  Vectors in_parent_;  // A, B, C at p = 0, in the parent's body frame
  Mat3 zero_;          // the child's rotation in the parent's body frame at p = 0
  double opening_;     // angle from A to C at p = 0 [rad]
  RatesOfStep<3> rates_;
};

}  // namespace servosim
