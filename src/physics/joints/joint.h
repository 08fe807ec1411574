// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <array>
#include <memory>

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
  OdeJoint(dWorldID world, const JointSpec& spec, dBodyID parent, dBodyID child, const Vec3& axis,
           const Vec3& anchor, JointState& state, double h);

  /// Hands drive, spring and damper to ODE for the next step; wakes the child after a command.
  void before_step();
  /// Reads the position after a step; `some_turn_fast`: turns_fast() may hold for this joint.
  void after_step(bool some_turn_fast);
  /// Reads velocity and efforts of the last step into the state; on demand, since it costs.
  void measure() const;

  /// All that changes while the world runs, beside the bodies and the JointState.
  struct Memory {
    Sent sent;
    std::array<dJointFeedback, 2> feedback{};
  };
  Memory memory() const { return {sent_, *feedback_}; }
  /// Brings this joint and its ODE joints back; the JointState must have been brought back before.
  void restore(const Memory& memory);

 private:
  bool is_hinge() const { return type_ == JointType::Rotational; }
  // One that is there: the child if possible.
  dBodyID body() const { return child_ != nullptr ? child_ : parent_; }
  void create_joint(dWorldID world, const Vec3& axis, const Vec3& anchor);
  void set_stops(const JointSpec& spec);
  void set_far_stops(const Stops& stops, const JointSpec& spec);
  void send(const Sent& wanted);
  dJointID create_angular_row();
  void create_soft_joint();
  void update_soft_row();
  void pull_soft_row();
  double damping() const { return total_damping(damping_, *state_); }
  double rate() const;

  JointType type_;
  bool reversed_;  // no parent body
  bool soft_active_ = false;
  dWorldID world_;
  dBodyID parent_;
  dBodyID child_;  // nullptr: the parent hangs on the world
  JointState* state_;
  dJointID joint_ = nullptr;
  dJointID soft_ = nullptr;       // AMotor or LMotor of spring, damper and brake, if any
  dJointID far_stops_ = nullptr;  // AMotor for stops more than half a turn from `offset_`
  // Of the joint and of the far stops; ODE keeps their addresses.
  std::unique_ptr<std::array<dJointFeedback, 2>> feedback_;
  const dReal* spin_;        // of body()
  const dReal* other_spin_;  // of the other body, nullptr without one
  double h_;
  double offset_;
  Stops own_stops_;  // those of the joint's own row
  double spring_;
  double damping_;          // of the joint's own field, without brake
  double soft_gain_ = 0.0;  // ERP/h of a slider's soft row [1/s]
  Sent sent_;
};

}  // namespace servosim
