// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <limits>
#include <memory>
#include <utility>

#include "physics/joints/joint_coordinate.h"
#include "physics/joints/rows.h"
#include "physics/state.h"
#include "servosim/joint_type.h"
#include "servosim/math.h"

namespace servosim {

struct JointSpec;

/// One ODE hinge or slider with its motor row, stops, and a soft row for spring and damper.
///
/// Signs (p: position, off: p where ODE reads 0, v and τ or F: of the child along +a). Without a
/// parent body ODE swaps the bodies and calls the joint reversed:
///
///                           parent dynamic   reversed
///     hinge axis                  +a            −a
///     dJointGetHingeAngle      −(p − off)    +(p − off)
///     hinge dParamVel             −v            −v
///     dJointAddHingeTorque        −τ            +τ
///     slider                axis −a, reading p − off, dParamVel v, force F in both
///
/// Without a child body, when a dynamic parent hangs on the world, all is as in the first column.
class OdeJoint {
 public:
  /// One of `parent` and `child` may be null: the world. `axis` and `anchor` in the world's frame.
  /// `h` [s].
  OdeJoint(dWorldID world, const JointSpec& spec, const Body* parent, const Body* child,
           const Vec3& axis, const Vec3& anchor, JointState& state, double h);

  /// Takes drive, spring and damper for the next step; wakes the child after a command.
  void before_step();
  /// Then: whether motor, spring or damper move it.
  bool is_at_work() const { return servosim::is_at_work(state_->drive, soft_active_, rate()); }
  /// Hands their rows to ODE, where it solves the joint.
  void hand_rows_to_ode();
  /// Reads the position after a step, unless the solver knows it; `some_turn_fast`: turns_fast()
  /// may hold for this joint.
  void after_step(bool some_turn_fast) {
    set_position(std::exchange(knows_place_, false) ? place_ : coordinate_.position(),
                 some_turn_fast);
  }
  /// Reads it between steps.
  void read_position() { set_position(coordinate_.position(), false); }
  /// What coordinate() gives after this step.
  void set_moved(double place, double rate) {
    place_ = place;
    rate_ = rate;
    knows_place_ = knows_rate_ = true;
  }
  [[gnu::always_inline]] const JointCoordinate& coordinate() const { return coordinate_; }
  /// Reads velocity and efforts of the last step into the state; on demand, since it costs.
  void measure() const;

  /// The velocity alone [rad/s|m/s].
  double rate() const { return coordinate_.rate(); }
  /// The same if nothing has moved since the last step.
  double rate_after_step() const { return knows_rate_ ? rate_ : rate(); }

  /// Adds the rows about or along the axis that ODE has in the next step; after before_step().
  void add_axis_rows(const StepSettings& settings, AxisRows& rows) const;
  /// Whether there is but the motor's row, as of most joints in most steps; or none, if that has no
  /// force.
  [[gnu::always_inline]] bool has_motor_row_alone() const { return has_motor_row_alone_; }
  /// That row, of the motor or of friction: within ± its force; without force there is none.
  [[gnu::always_inline]] const MotorRow& motor_row() const { return motor_row_; }
  /// The hinge or slider in ODE, its other joints, and its bodies; null for what it does not have.
  struct OdeIds {
    dJointID joint;
    dJointID soft;
    dJointID second;
    dBodyID parent;
    dBodyID child;
  };
  OdeIds ids() const { return {joint_, soft_, second_, parent_, child_}; }

  /// All that changes while the world runs, except the bodies and the JointState, and is not set
  /// before each step: what the last one has put on the child, or on the parent without one.
  struct Memory {
    Vec3 force;
    Vec3 torque;
  };
  Memory memory() const;
  /// Brings this joint and its ODE joints back; the JointState must have been brought back before.
  void restore(const Memory& memory) {
    set_forces(memory);
    update_soft_row();
  }

 private:
  bool is_hinge() const { return type_ == JointType::Rotational; }
  // One that is there: the child if possible.
  dBodyID body() const { return child_ != nullptr ? child_ : parent_; }
  void create_joint(const Body* parent, const Body* child, const Vec3& axis, const Vec3& anchor);
  void create_second_joint(const Vec3& axis);
  // The row stays when a brake lets go, only disabled: a restored state finds it at its place.
  void update_soft_row() {
    if (soft_ != nullptr && soft_damping_ != damping()) {
      set_soft_row();
    }
  }
  void set_soft_row();
  void hand_motor_row_to_ode();
  void hand_soft_row_to_ode();
  void hand_stops_to_ode();
  // Whether the body that feedback is read of is the first one of ODE's joints.
  bool reads_first() const { return reversed_ || child_ == nullptr; }
  void set_forces(const Memory& memory);
  double damping() const { return total_damping(damping_, *state_); }
  // How far the spring is from its rest position p = 0.
  double from_rest() const {
    return is_hinge() ? wrap_near(state_->position, 0.0) : state_->position;
  }
  void set_position(double place, bool some_turn_fast);

  JointType type_;
  bool reversed_;  // no parent body
  bool soft_active_ = false;
  dWorldID world_;
  dBodyID parent_;
  dBodyID child_;  // nullptr: the parent hangs on the world
  JointState* state_;
  dJointID joint_ = nullptr;
  dJointID soft_ = nullptr;  // AMotor or LMotor of spring, damper and brake, if any
  // With stops, since ODE has no motor and stop side by side in one joint: the AMotor of a hinge's
  // stops, or the LMotor of a slider's motor.
  dJointID second_ = nullptr;
  // ODE keeps their addresses.
  std::unique_ptr<dJointFeedback> feedback_;
  std::unique_ptr<dJointFeedback> second_feedback_;  // of second_, if any
  double h_;
  double offset_;
  Stops stops_;
  double spring_;
  double damping_;  // of the joint's own field, without brake
  double soft_damping_ = std::numeric_limits<double>::quiet_NaN();  // that the soft row has
  double soft_gain_ = 0.0;                                          // ERP/h of the soft row [1/s]
  double soft_cfm_ = 0.0;
  JointCoordinate coordinate_;
  double place_ = 0.0;
  double rate_ = 0.0;
  bool knows_place_ = false;
  bool knows_rate_ = false;
  double world_cfm_;
  MotorRow motor_row_;
  bool is_at_stop_ = false;  // in the next step
  bool has_motor_row_alone_ = false;
};

/// The two contact sides of a gap, of a joint with free play, as two motor rows beside the joint;
/// see Backlash. They get all their numbers in each step, so they have no memory but feedback.
class OdeBacklash {
 public:
  /// `parent` may be null; `axis` in the world's frame.
  OdeBacklash(dWorldID world, const JointSpec& spec, dBodyID parent, dBodyID child,
              const Vec3& axis, JointState& state);

  /// Applies the motor's drive: the joint's own row keeps friction and direct force only. A
  /// sleeping endpoint wakes when a contact side would move it faster than `wake_threshold`.
  void before_step(double softness, double wake_threshold, double h);
  /// Then: whether the motor moves the shaft within the play, or the endpoint, which has this rate.
  bool is_at_work(double rate) const;
  void after_step() { clamp_shaft(state_->backlash, state_->position); }
  /// As OdeJoint's; they are always rows.
  void add_axis_rows(const StepSettings& settings, AxisRows& rows) const;
  dJointID id() const { return rows_; }
  /// Adds the forces of the contact sides in the last step to the efforts of the state.
  void measure() const;

  /// All that changes while the world runs, except the bodies and the JointState: the torque of a
  /// hinge's rows, or the force of a slider's.
  struct Memory {
    Vec3 on_child;
  };
  Memory memory() const;
  void restore(const Memory& memory);

 private:
  double effort() const;
  dReal* on_child() const;

  JointState* state_;
  BacklashRows sides_{};    // of this step
  double commanded_ = 0.0;  // likewise: the velocity of the shaft
  double gap_speed_ = 0.0;  // likewise: contact_speed()
  dBodyID child_;
  bool hinge_;
  bool reversed_;                             // ODE swaps the bodies when there is no parent
  dJointID rows_;                             // AMotor or LMotor with two equal axes
  std::unique_ptr<dJointFeedback> feedback_;  // ODE keeps its address
};

/// A joint with free play.
struct BacklashJoint {
  double wake_threshold;  ///< [rad/s|m/s] below this a sleeping endpoint is left alone
  OdeBacklash backlash;
};

}  // namespace servosim
