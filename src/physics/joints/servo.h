// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include "physics/rows/joint_rows.h"
#include "physics/servo_state.h"
#include "physics/state.h"
#include "servosim/math.h"

namespace servosim {

struct JointSpec;

/// The servo of a hinge or slider: its firmware and its rows. rows/servo_law.h has the equations.
///
/// With play in the gear, the shaft before it has the rotor's inertia and all rows. It moves by
/// itself between the flanks. At a flank its rows are those of the axis, and when it arrives there
/// its momentum is: nothing springs back. It leaves the flank in the step in which it would
/// otherwise pull.
class OdeServo {
 public:
  /// `parent` or `child` may be null; `axis` in the world's frame. `joint` and `servo` must outlive
  /// this object.
  OdeServo(dWorldID world, const JointSpec& spec, dBodyID parent, dBodyID child, const Vec3& axis,
           JointState& joint, ServoState& servo);

  /// Sets the rows for the next step. `rate`: of the joint [rad/s|m/s]. A sleeping body wakes if
  /// the servo would move it.
  void before_step(double rate, double h);
  /// Then: whether the servo moves the joint.
  bool is_at_work(double rate) const;
  /// Whether the solver has not found α, or τ_e needs one without the stiffness of contacts, so
  /// that it has to be given.
  bool needs_inertia() const;
  void set_inertia(double inertia) { given_inertia_ = inertia + armature_; }
  /// Whether it needs α and τ_e, which are those of its last step: before the first one, and after
  /// its joint was put elsewhere or moved by another drive. `weight`: τ_e at rest.
  bool needs_load() const { return servo_->acts && !(servo_->memory.inertia > 0.0); }
  void set_load(double inertia, double weight) {
    servo_->memory.inertia = inertia + armature_;
    servo_->memory.law.load_torque = weight;
    servo_->memory.force = -weight;
  }
  /// Remembers how the step went, after which the joint has this rate.
  void after_step(double rate, double h);
  /// Returns that rate, which is that of the joint until something else moves it [rad/s|m/s].
  double rate_after_step() const { return rate_after_step_; }
  /// What it asks for in the next step; keeps its address for the life of the joint.
  ServoRows& rows() { return rows_; }

 private:
  void step_with_axis(double rate, double h);
  bool leaves_flank(double rate, double h) const;
  void step_in_gap(double rate, double h);

  JointState* joint_;
  ServoState* servo_;
  ServoRows rows_;
  bool is_in_gap_ = false;
  double free_rate_ = 0.0;  // of the shaft in the gap after the step
  double rate_after_step_ = 0.0;
  double given_inertia_ = 0.0;  // by set_inertia(), where needed
  double position_before_ = 0.0;
  double static_friction_;
  double armature_;    // of the joint, which the law counts as its load
  dBodyID bodies_[2];  // parent and child
};

}  // namespace servosim
