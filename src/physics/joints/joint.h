// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <limits>

#include "physics/joints/joint_parts.h"
#include "physics/rows/joint_rows.h"
#include "physics/state.h"
#include "servosim/joint_type.h"
#include "servosim/math.h"

namespace servosim {

struct JointSpec;

/// One ODE hinge or slider with rows for its motor, its stops, and its spring and damper. With a,
/// the axis, the joint holds
///
///     hinge:   anchor of the child = anchor of the parent,    b·(ω_c − ω_p) = 0 for all b ⊥ a
///     slider:  b·(v_c − v_p) = 0 for all b ⊥ a,               ω_c − ω_p = 0
///
/// and leaves the rate p' = a·(ω_c − ω_p), or a·(v_c − v_p), to its rows (axis_laws.h). The effort
/// is
///
///     τ = motor + friction + stops + drive.force − k·(p − rest) − d·p'
///
/// where d contains the damping of a brake. What accelerates an armature is a part of it.
///
/// Signs: p is the position, and off is p where ODE reads 0. v and τ (or F) are those of the child
/// along +a. Without a parent body ODE exchanges the bodies and calls the joint reversed:
///
///                           parent dynamic   reversed
///     hinge axis                  +a            −a
///     dJointGetHingeAngle      −(p − off)    +(p − off)
///     hinge dParamVel             −v            −v
///     dJointAddHingeTorque        −τ            +τ
///     slider                axis −a, reading p − off, dParamVel v, force F in both
///
/// Without a child body, when a dynamic parent hangs on the world, the first column holds. Source:
/// ODE 0.16's manual, "Hinge" and "Slider", and the sources of its joints.
class OdeJoint {
 public:
  /// Makes the joint and its rows. One of `parent` and `child` may be null: the world. `axis` and
  /// `anchor` are in the world, in the present pose. `h` is the length of a step [s].
  OdeJoint(dWorldID world, const JointSpec& spec, const Body* parent, const Body* child,
           const Vec3& axis, const Vec3& anchor, JointState& state, double h);

  /// Sets the rows for the next step, and adds the force of force control to the bodies. Wakes the
  /// bodies after a command.
  void before_step();
  /// Must be called after before_step(). Returns whether motor, spring or damper move the joint.
  bool is_at_work() const {
    return servosim::is_at_work(state_->drive, rows_.axis.spring.active && pulls(), rate());
  }
  /// Reads the position after a step, or takes that of the solver. `some_turn_fast` says that some
  /// body may turn so fast that an angle alone leaves the number of turns open.
  void after_step(bool some_turn_fast) {
    if (rows_.is_moved && rows_.way) {
      state_->position = placed_near(rows_.position, state_->position + *rows_.way);
    } else {
      set_position(rows_.is_moved ? rows_.position : rows_.coordinate.position(), some_turn_fast);
    }
  }
  /// Reads the position after bodies were moved between steps.
  void read_position() { set_position(rows_.coordinate.position(), false); }
  /// Writes velocity and efforts of the last step to the state. This is done on demand only, since
  /// it costs time.
  void measure() const;

  /// Returns the velocity [rad/s|m/s]. In joint coordinates it is a part of the state.
  double rate() const { return rows_.knows_rate ? rows_.rate : rows_.coordinate.rate(); }
  /// Returns the same; valid if nothing has moved since the last step.
  double rate_after_step() const { return rows_.is_moved ? rows_.rate : rate(); }

  /// Returns what the joint asks of the solver in the next step. The address is valid as long as
  /// the joint.
  HingeRows& rows() { return rows_; }
  const HingeRows& rows() const { return rows_; }

  /// Holds what the last step has found: all that changes while the world runs, except for the
  /// bodies, the JointState, and what is set before each step.
  struct Memory {
    Wrench on_body;
    double effort;
  };
  Memory memory() const { return {rows_.on_body, rows_.effort}; }
  /// Restores this joint. The JointState must be restored first.
  void restore(const Memory& memory) {
    rows_.on_body = memory.on_body;
    rows_.effort = memory.effort;
    update_spring();
  }

 private:
  bool is_hinge() const { return rows_.kind == RowsKind::Hinge; }
  // Returns the child, or the parent if the child is the world.
  dBodyID body() const { return rows_.child != nullptr ? rows_.child : rows_.parent; }
  // Makes ODE's hinge or slider. The arguments are those of the constructor.
  void create_joint(dWorldID world, const Body* parent, const Body* child, const Vec3& axis,
                    const Vec3& anchor);
  // Makes the ODE joint for what the first one cannot have together with its own row.
  void create_second_joint(dWorldID world, const Vec3& axis);
  // Must be called when the damping of a brake may have changed.
  void update_spring() {
    if (rows_.springs != nullptr && spring_damping_ != damping()) {
      set_spring_row();
    }
  }
  // Returns the terms of spring, damper, brake and armature together.
  SoftRow soft_terms() const;
  // Sets their row.
  void set_spring_row();
  // Returns d of joint and brake together [N·m·s/rad|N·s/m].
  double damping() const { return total_damping(damping_, *state_); }
  // Returns whether a row of the spring has more than an armature, which only coasts.
  bool pulls() const { return armature_ == 0.0 || spring_ > 0.0 || damping() > 0.0; }
  // Returns the distance of the spring from its rest position [rad|m].
  double from_rest() const { return rows_.axis.spring.stretch(state_->position); }
  // Returns whether the angle of this joint leaves the number of turns open.
  bool turns_fast() const;
  // Sets the position from a reading of the coordinate.
  void set_position(double place, bool some_turn_fast);
  // Returns the position of a place, with the turns that bring it nearest to a position.
  double placed_near(double place, double position) const;

  HingeRows rows_;
  JointState* state_;
  double h_;
  double offset_;  ///< off
  double spring_;
  double damping_;  // of the joint's own field, without a brake
  double armature_;
  double spring_damping_ = std::numeric_limits<double>::quiet_NaN();  // that of the spring row
};

/// The two contact sides of the gap of a joint with free play. They are motor rows in addition to
/// the rows of the joint; Backlash has the equations. They get all their terms in each step, so
/// they have no memory but the effort. Signs are those of the endpoint along +axis.
class OdeBacklash {
 public:
  /// Makes the rows. `parent` may be null. `axis` is in the world.
  OdeBacklash(dWorldID world, const JointSpec& spec, dBodyID parent, dBodyID child,
              const Vec3& axis, JointState& state);

  /// Moves the shaft by the motor's drive, and leaves friction and direct force to the joint's own
  /// row. Must be called before OdeJoint::before_step(). A sleeping endpoint wakes when a contact
  /// side would move it faster than `wake_threshold` [rad/s|m/s]. `softness` is the CFM of the
  /// world.
  void before_step(double softness, double wake_threshold, double h);
  /// Must be called after before_step(). Returns whether the motor moves the shaft within the play,
  /// or the endpoint, whose velocity is `rate` [rad/s|m/s].
  bool is_at_work(double rate) const;
  /// Must be called after the position was read.
  void after_step() { clamp_shaft(state_->backlash, state_->position); }
  /// Returns what the sides ask for in the next step. The address is valid as long as this object.
  GapRows& rows() { return rows_; }
  /// Adds the forces of the contact sides in the last step to the efforts of the state. Must be
  /// called after OdeJoint::measure().
  void measure() const;

  /// Holds all that changes while the world runs, except for the bodies and the JointState.
  struct Memory {
    double effort;
  };
  Memory memory() const { return {rows_.effort}; }
  void restore(const Memory& memory) { rows_.effort = memory.effort; }

 private:
  JointState* state_;
  GapRows rows_;
  double commanded_ = 0.0;  // velocity of the shaft in this step [rad/s|m/s]
  double gap_speed_ = 0.0;  // contact_speed() in this step
  dBodyID child_;
};

/// Holds the gap of a joint with free play.
struct BacklashJoint {
  double wake_threshold;  ///< a sleeping endpoint stays asleep below this velocity [rad/s|m/s]
  OdeBacklash backlash;
};

}  // namespace servosim
