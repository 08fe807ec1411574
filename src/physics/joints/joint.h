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

/// One ODE hinge or slider with rows for its motor, its stops, and its spring and damper.
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

  /// Sets the rows for the next step; wakes the child after a command.
  void before_step();
  /// Then: whether motor, spring or damper move it.
  bool is_at_work() const {
    return servosim::is_at_work(state_->drive, rows_.axis.spring.active, rate());
  }
  /// Reads the position after a step, unless the solver knows it; `some_turn_fast`: its bodies may
  /// turn so fast that the angle alone leaves the number of turns open.
  void after_step(bool some_turn_fast) {
    set_position(rows_.is_moved ? rows_.position : rows_.coordinate.position(), some_turn_fast);
  }
  /// Reads it between steps.
  void read_position() { set_position(rows_.coordinate.position(), false); }
  /// Reads velocity and efforts of the last step into the state; on demand, since it costs.
  void measure() const;

  /// The velocity alone [rad/s|m/s].
  double rate() const { return rows_.coordinate.rate(); }
  /// The same if nothing has moved since the last step.
  double rate_after_step() const { return rows_.is_moved ? rows_.rate : rate(); }

  /// What it asks for in the next step; keeps its address for the life of the joint.
  HingeRows& rows() { return rows_; }
  const HingeRows& rows() const { return rows_; }

  /// All that changes while the world runs, except the bodies and the JointState, and is not set
  /// before each step: what the last one has found.
  struct Memory {
    Wrench on_body;
    double effort;
  };
  Memory memory() const { return {rows_.on_body, rows_.effort}; }
  /// Brings this joint back; the JointState must have been brought back before.
  void restore(const Memory& memory) {
    rows_.on_body = memory.on_body;
    rows_.effort = memory.effort;
    update_spring();
  }

 private:
  bool is_hinge() const { return rows_.kind == RowsKind::Hinge; }
  // One that is there: the child if possible.
  dBodyID body() const { return rows_.child != nullptr ? rows_.child : rows_.parent; }
  void create_joint(dWorldID world, const Body* parent, const Body* child, const Vec3& axis,
                    const Vec3& anchor);
  void create_second_joint(dWorldID world, const Vec3& axis);
  void update_spring() {
    if (rows_.springs != nullptr && spring_damping_ != damping()) {
      set_spring_row();
    }
  }
  void set_spring_row();
  double damping() const { return total_damping(damping_, *state_); }
  // How far the spring is from its rest position p = 0.
  double from_rest() const {
    return is_hinge() ? wrap_near(state_->position, 0.0) : state_->position;
  }
  bool turns_fast() const;
  void set_position(double place, bool some_turn_fast);

  HingeRows rows_;
  JointState* state_;
  double h_;
  double offset_;
  double spring_;
  double damping_;  // of the joint's own field, without brake
  double spring_damping_ = std::numeric_limits<double>::quiet_NaN();  // that the spring row has
};

/// The two contact sides of a gap, of a joint with free play, as two motor rows in addition to
/// those of the joint; see Backlash. They get all their numbers in each step, so they have no
/// memory but the effort.
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
  /// What they ask for in the next step; keeps its address for the life of the joint.
  GapRows& rows() { return rows_; }
  /// Adds the forces of the contact sides in the last step to the efforts of the state.
  void measure() const;

  /// All that changes while the world runs, except the bodies and the JointState.
  struct Memory {
    double effort;
  };
  Memory memory() const { return {rows_.effort}; }
  void restore(const Memory& memory) { rows_.effort = memory.effort; }

 private:
  JointState* state_;
  GapRows rows_;
  double commanded_ = 0.0;  // in this step: the velocity of the shaft
  double gap_speed_ = 0.0;  // in this step: contact_speed()
  dBodyID child_;
};

/// A joint with free play.
struct BacklashJoint {
  double wake_threshold;  ///< [rad/s|m/s] below this a sleeping endpoint is left alone
  OdeBacklash backlash;
};

}  // namespace servosim
