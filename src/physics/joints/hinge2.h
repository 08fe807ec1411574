// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <array>
#include <memory>
#include <span>

#include "physics/bodies.h"
#include "physics/joints/rows.h"
#include "physics/rows/axes_rows.h"
#include "physics/state.h"
#include "servosim/math.h"
#include "servosim/spring_damper.h"

namespace servosim {

struct JointSpec;

/// An ODE Hinge2 between two bodies: a Hinge2Joint, or a suspended HingeJoint, whose axis is then
/// axis 2 while axis 1 is the direction of the suspension and locked.
///
/// Signs, both bodies being there: ODE reads −(p1 − off1) and +(p2 − off2); dParamVel is −v and the
/// torque −τ on both axes. Stops are angular rows.
class OdeHinge2 {
 public:
  /// `specs`: both axes of a Hinge2Joint or the one of a suspended hinge; `states` likewise.
  /// `axis1`, `axis2` and `anchor` in the world's frame, where they are now. `h` [s].
  OdeHinge2(dWorldID world, std::span<const JointSpec> specs, const Body& parent, const Body& child,
            const Vec3& axis1, const Vec3& axis2, const Vec3& anchor, std::span<JointState> states,
            double h);

  void before_step();                    ///< as OdeJoint's
  bool is_at_work() const;               ///< as OdeJoint's; some axis, or the suspension
  void hand_rows_to_ode();               ///< as OdeJoint's
  void after_step(bool some_turn_fast);  ///< as OdeJoint's
  void read_position() { after_step(false); }
  void measure() const;  ///< as OdeJoint's; of both axes

  /// Whether the anchors may part along axis 1.
  bool has_suspension() const { return suspension_.active; }
  /// Adds the rows that ODE has on the axes in the next step; after before_step(). `axis1`,
  /// `axis2`: in the world. `travel`: of the child's anchor from the parent's, along axis 1 [m].
  void add_axis_rows(const Vec3& axis1, const Vec3& axis2, double travel,
                     const StepSettings& settings, AxesRows& rows) const;
  /// The Hinge2 in ODE, its other joints, and its bodies; null for what it does not have.
  struct OdeIds {
    dJointID joint;
    dJointID soft;
    dJointID stops;
    dBodyID parent;
    dBodyID child;
  };
  OdeIds ids() const { return {joint_, soft_, stops_, parent_->id, child_->id}; }
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
  /// before each step: what the last one has put on the child.
  struct Memory {
    Vec3 force;
    Vec3 torque;
  };
  Memory memory() const;
  /// Brings this joint and its ODE joints back; the JointStates must have been brought back before.
  void restore(const Memory& memory);

 private:
  struct Axis {
    JointState* state = nullptr;
    double offset = 0.0;  // p where ODE reads 0
    double spring = 0.0;
    double damping = 0.0;
    Stops stops;
    SoftRow soft;             // of spring, damper and brake
    bool is_at_stop = false;  // in the next step
  };

  void create_joint(const Vec3& axis1, const Vec3& axis2, const Vec3& anchor);
  void set_suspension(const JointSpec& spec);
  dJointID create_rows(dWorldID world);
  void update_soft_rows();
  void hand_motor_row_to_ode(int axis);
  void hand_angles_to_ode();
  void add_rows_of(int axis, std::size_t direction, const StepSettings& settings,
                   AxesRows& rows) const;
  std::array<double, 2> rates() const;
  double travel_rate() const;
  std::size_t number_of(const JointState& axis) const { return &axis == axes_[1].state ? 1 : 0; }
  Vec3 torque_on_child(const Mat3& turn) const;

  const Body* parent_;
  const Body* child_;
  std::array<Vec3, 2> in_bodies_;  // axis 1 in the parent's frame, axis 2 in the child's
  double h_;
  double per_step_;  // 1 / h_
  double world_erp_;
  double world_cfm_;
  int first_;  // 0, or 1 when axis 1 is locked
  bool soft_active_ = false;
  SoftRow suspension_;
  dJointID joint_;
  dJointID soft_ = nullptr;   // AMotor of springs, dampers and brakes, if any
  dJointID stops_ = nullptr;  // AMotor of stops, if any
  // Of joint_ and stops_; ODE keeps their addresses.
  std::unique_ptr<std::array<dJointFeedback, 2>> feedback_;
  std::array<Axis, 2> axes_;
  RatesOfStep<2> rates_;
  std::array<MotorRow, 2> motor_rows_;   // of the next step
  std::array<MotorRow, 2> rows_of_ode_;  // as ODE has them
};

}  // namespace servosim
