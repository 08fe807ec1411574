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

/// An ODE ball with angular rows for three positions p1, p2, p3. Axis A is fixed in the parent, C
/// is fixed in the child, and B is perpendicular to both. The child's rotation against the parent,
/// and the rates, are
///
///     R = R(A,p1)·R(B,p2)·R(C,p3),        ω_child − ω_parent = p1'·A + p2'·B + p3'·C
///
/// The row of an axis acts along the direction r that is perpendicular to the other two axes, as in
/// ODE's Euler mode, so it moves only its own position:
///
///     r1 = B × C,    r2 = B,    r3 = A × B,        p_i' = r_i·(ω_child − ω_parent)/s_i
///     s1 = s3 = A·(B × C) = sin∠(A,C),    s2 = 1
///
/// A turn by one radian about A (or C) moves the child by only s radians along r. So a row is in
/// terms of the turn s·p: ODE gets velocities and angles times s. What does work by a position is
/// divided by s: the force of force control, τ/s, and the stiffness of a spring, k/s². Torque
/// bounds, friction and dampers are those of the row; they stay bounded in any pose, as in Webots.
///
/// Signs: all numbers are those of the child along +axis. Source: ODE 0.16's manual, "Angular
/// Motor" (Euler mode); the division by s follows from equal work, τ·p' = (τ/s)·r·ω.
class OdeBall {
 public:
  /// Makes the joint and its rows. One of `parent` and `child` may be null: the world. `specs` and
  /// `states` are those of the three axes. `frame` is the present rotation of the frame in which
  /// the axes are given. `anchor` is in the world. `h` is the length of a step [s].
  OdeBall(dWorldID world, std::span<const JointSpec> specs, const Body* parent, const Body* child,
          const Mat3& frame, const Vec3& anchor, std::span<JointState> states, double h);

  void before_step();                    ///< as OdeJoint's
  bool is_at_work() const;               ///< as OdeJoint's, for any of the axes
  void after_step(bool some_turn_fast);  ///< as OdeJoint's
  void read_position() { after_step(false); }
  void measure() const;  ///< as OdeJoint's, for all axes
  /// Returns the velocity of one of the joint's axes, as measure() finds it [rad/s].
  double rate(const JointState& axis) const { return rates()[number_of(axis)]; }
  /// Returns the same; valid if nothing has moved since the last step. It is computed for all axes
  /// at once.
  double rate_after_step(const JointState& axis) {
    return rates_.known([this] { return rates(); })[number_of(axis)];
  }

  /// See OdeJoint::rows().
  BallRows& rows() { return rows_; }
  const BallRows& rows() const { return rows_; }

  /// Holds what the last step has found: all that changes while the world runs, except for the
  /// bodies, the JointStates, and what is set before each step.
  struct Memory {
    Vec3 torque;
  };
  Memory memory() const { return {rows_.on_body.torque}; }
  /// Restores this joint. The JointStates must be restored first.
  void restore(const Memory& memory) { rows_.on_body.torque = memory.torque; }

 private:
  struct Axis {
    JointState* state = nullptr;
    double spring = 0.0;
    double damping = 0.0;
    Stops stops;  // of the position, not of the turn s·p
  };
  using Vectors = std::array<Vec3, 3>;
  // The axes and the directions r of their rows, in the world.
  struct Directions {
    Vectors axes;
    Vectors rows;
    double share;    // s of A and C; negative beyond the pose where they coincide
    double divisor;  // the same with |s| >= kMinShare, since numbers are divided by it
  };
  // Returns the child, or the parent if the child is the world.
  const Body& body() const { return *(child_ != nullptr ? child_ : parent_); }
  // Returns R in the parent's body frame.
  Mat3 rotation() const;
  // Returns A, B and C in the world.
  Vectors axes_now() const;
  // Returns the axes, the directions of their rows and s, all in the present pose.
  Directions directions() const;
  // Returns the positions in the present pose; p1 and p3 are in (−π, π] [rad].
  std::array<double, 3> angles() const;
  // Returns `positions`, or the other triple for the same pose if it is nearer to the last
  // positions. `between` is the angle between A and C [rad].
  std::array<double, 3> nearer(const std::array<double, 3>& positions, double between) const;
  // Returns p1', p2' and p3' [rad/s].
  std::array<double, 3> rates() const;
  // Returns the index of an axis in axes_.
  std::size_t number_of(const JointState& axis) const {
    return static_cast<std::size_t>(&axis - axes_[0].state);
  }
  // These set the rows of the next step.
  void set_motors_and_stops(const Directions& directions);
  void set_springs(const Directions& directions);
  // Adds the force of force control to the bodies as a torque along `direction`.
  void add_torque(int axis, double share, const Vec3& direction);
  // Wakes the body for new commands.
  void wake();

  const Body* parent_;
  const Body* child_;  // null: the parent hangs on the world
  double h_;
  double per_step_;  // 1 / h_
  BallRows rows_;
  std::array<Axis, 3> axes_;
  Vectors in_parent_;  // A, B, C at p = 0, in the parent's body frame
  Mat3 zero_;          // the child's rotation in the parent's body frame at p = 0
  double opening_;     // angle from A to C at p2 = 0 [rad]
  RatesOfStep<3> rates_;
};

}  // namespace servosim
