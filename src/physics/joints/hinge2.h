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

/// An ODE Hinge2 between two bodies. It is a Hinge2Joint, or a suspended HingeJoint, whose axis is
/// then axis 2, while axis 1 is the direction of the suspension and locked. Axis 1 is fixed in the
/// parent, axis 2 in the child:
///
///     ω_child − ω_parent = p1'·a1 + p2'·a2 + error
///     suspension:  λ = −k·x − d·x',    x = (anchor of the child − anchor of the parent)·a1
///     τ_i = a_i·T − k_i·(p_i − rest_i) − d_i·p_i' + force of force control
///
/// where T is the torque on the child about the anchor, of the joint, its motors and stops.
///
/// Signs: p_i and τ_i are those of the child along +axis. Both bodies exist, so ODE counts the
/// parent against the child: it reads −(p1 − off1) and +(p2 − off2), where `off` is p where ODE
/// reads 0. dParamVel is −v and the torque is −τ on both axes. Stops are angular rows. Source: ODE
/// 0.16's manual, "Hinge-2" and its parameters dParamSuspensionERP and dParamSuspensionCFM.
class OdeHinge2 {
 public:
  /// Makes the joint and its rows. `specs` and `states` are those of both axes of a Hinge2Joint, or
  /// of the only one of a suspended hinge. `axis1`, `axis2` and `anchor` are in the world, in the
  /// present pose. `h` is the length of a step [s].
  OdeHinge2(dWorldID world, std::span<const JointSpec> specs, const Body& parent, const Body& child,
            const Vec3& axis1, const Vec3& axis2, const Vec3& anchor, std::span<JointState> states,
            double h);

  void before_step();                    ///< as OdeJoint's
  bool is_at_work() const;               ///< as OdeJoint's, for any of the axes or the suspension
  void after_step(bool some_turn_fast);  ///< as OdeJoint's
  void read_position() { after_step(false); }
  void measure() const;  ///< as OdeJoint's, for both axes

  /// See OdeJoint::rows().
  Hinge2Rows& rows() { return rows_; }
  const Hinge2Rows& rows() const { return rows_; }
  /// Returns the axes in the world in the present pose. They have the bits of stock ODE 0.16; calls
  /// into its library would cost more.
  std::array<Vec3, 2> axes() const;
  /// Returns the velocity of one of the joint's axes, as measure() finds it [rad/s].
  double rate(const JointState& axis) const { return rates()[number_of(axis)]; }
  /// Returns the same; valid if nothing has moved since the last step. It is computed for both axes
  /// at once.
  double rate_after_step(const JointState& axis) {
    return rates_.known([this] { return rates(); })[number_of(axis)];
  }

  /// Holds what the last step has found: all that changes while the world runs, except for the
  /// bodies, the JointStates, and what is set before each step.
  struct Memory {
    Wrench on_body;
  };
  Memory memory() const { return {rows_.on_body}; }
  /// Restores this joint. The JointStates must be restored first.
  void restore(const Memory& memory) {
    rows_.on_body = memory.on_body;
    update_springs();
  }

 private:
  struct Axis {
    JointState* state = nullptr;
    double offset = 0.0;  // p where ODE reads 0
    double spring = 0.0;
    double damping = 0.0;
  };

  // Makes ODE's Hinge2. The arguments are those of the constructor.
  void create_joint(const Vec3& axis1, const Vec3& axis2, const Vec3& anchor);
  // Sets the row of the suspension; a joint without spring and damper has no such row.
  void set_suspension(const JointSpec& spec);
  // Returns two angular rows without a force, about axis 1 and axis 2.
  dJointID create_rows(dWorldID world);
  // Must be called when the damping of a brake has changed.
  void update_springs();
  // Returns p1' and p2' [rad/s].
  std::array<double, 2> rates() const;
  // Returns the rate of the suspension's travel x' [m/s].
  double travel_rate() const;
  std::size_t number_of(const JointState& axis) const { return &axis == axes_[1].state ? 1 : 0; }
  // Returns T in the pose before the child's last rotation `turn` [N·m].
  Vec3 torque_on_child(const Mat3& turn) const;

  const Body* parent_;
  const Body* child_;
  std::array<Vec3, 2> in_bodies_;  // axis 1 in the parent's frame, axis 2 in the child's
  double h_;
  double per_step_;  // 1 / h_
  int first_;        // index of the first axis that moves: 0, or 1 if axis 1 is locked
  Hinge2Rows rows_;
  std::array<Axis, 2> axes_;
  RatesOfStep<2> rates_;
};

}  // namespace servosim
