// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/joint_type.h"

namespace servosim {

struct JointState;

/// A Brake: adds damping to its joint, next to the joint's own dampingConstant.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Brake {
 public:
  /// @param type  the kind of the joint
  /// @param joint  the joint that it brakes; null for a brake whose joint is not simulated, which
  ///   does nothing. It must outlive the brake or the next rebind().
  Brake(JointType type, JointState* joint) : type_(type), joint_(joint) {}

  /// Tells the unit of the damping: N·m·s/rad or N·s/m.
  JointType type() const { return type_; }
  /// Sets the damping that acts from the next step on [N·m·s/rad | N·s/m], and wakes the joint's
  /// bodies. It replaces the last value; 0 releases the brake.
  /// @throws std::invalid_argument for NaN
  void set_damping_constant(double damping);
  /// The value that was set last [N·m·s/rad | N·s/m]; 0 at the start.
  double damping_constant() const { return state_.damping; }

  // Only Simulation uses what follows.
  /// Binds the brake to another joint, which has this brake's damping already, or to none (null).
  void rebind(JointType type, JointState* joint) {
    type_ = type;
    joint_ = joint;
  }
  /// The node is gone: the brake acts on nothing.
  void detach(JointType type) { rebind(type, nullptr); }

  /// Everything that changes while the brake runs. The joint stores the damping that acts, so that
  /// set_state() does not change the joint.
  struct State {
    double damping = 0.0;
  };
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  JointType type_;
  JointState* joint_;  // nullptr for a brake without a joint
  State state_;
};

}  // namespace servosim
