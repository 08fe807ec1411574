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

/// An ODE Hinge2 between two bodies: a Hinge2Joint, or a suspended HingeJoint, whose axis is then
/// axis 2 while axis 1 is the direction of the suspension and locked.
///
/// Signs, both bodies being there: ODE reads −(p1 − off1) and +(p2 − off2); dParamVel is −v and the
/// torque −τ on both axes. Stops are angular rows.
class OdeHinge2 {
 public:
  /// `specs` and `states` are those of both axes of a Hinge2Joint, or of the one of a suspended
  /// hinge.
  /// `axis1`, `axis2` and `anchor` in the world's frame, where they are now. `h` [s].
  OdeHinge2(dWorldID world, std::span<const JointSpec> specs, const Body& parent, const Body& child,
            const Vec3& axis1, const Vec3& axis2, const Vec3& anchor, std::span<JointState> states,
            double h);

  void before_step();                    ///< as OdeJoint's
  bool is_at_work() const;               ///< as OdeJoint's; some axis, or the suspension
  void after_step(bool some_turn_fast);  ///< as OdeJoint's
  void read_position() { after_step(false); }
  void measure() const;  ///< as OdeJoint's; of both axes

  /// As OdeJoint's.
  Hinge2Rows& rows() { return rows_; }
  const Hinge2Rows& rows() const { return rows_; }
  /// In the world, where they are now: bit for bit those of stock ODE 0.16, without its calls
  /// across libraries.
  std::array<Vec3, 2> axes() const;
  /// The velocity alone, as measure() has it, of one of its axes [rad/s].
  double rate(const JointState& axis) const { return rates()[number_of(axis)]; }
  /// The same if nothing has moved since the last step; found for both axes at once.
  double rate_after_step(const JointState& axis) {
    return rates_.known([this] { return rates(); })[number_of(axis)];
  }

  /// All that changes while the world runs, except the bodies and the JointStates, and is not set
  /// before each step: what the last one has found.
  struct Memory {
    Wrench on_body;
  };
  Memory memory() const { return {rows_.on_body}; }
  /// Brings this joint back; the JointStates must have been brought back before.
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

  void create_joint(const Vec3& axis1, const Vec3& axis2, const Vec3& anchor);
  void set_suspension(const JointSpec& spec);
  dJointID create_rows(dWorldID world);
  void update_springs();
  std::array<double, 2> rates() const;
  double travel_rate() const;
  std::size_t number_of(const JointState& axis) const { return &axis == axes_[1].state ? 1 : 0; }
  Vec3 torque_on_child(const Mat3& turn) const;

  const Body* parent_;
  const Body* child_;
  std::array<Vec3, 2> in_bodies_;  // axis 1 in the parent's frame, axis 2 in the child's
  double h_;
  double per_step_;  // 1 / h_
  int first_;        // 0, or 1 when axis 1 is locked
  Hinge2Rows rows_;
  std::array<Axis, 2> axes_;
  RatesOfStep<2> rates_;
};

}  // namespace servosim
