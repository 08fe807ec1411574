// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/joint_type.h"

namespace servosim {

struct JointState;

/// A Brake: adds damping to its joint.
/// Threads: one at a time, with the whole Simulation it is part of.
class Brake {
 public:
  Brake(JointType type, JointState* joint) : type_(type), joint_(joint) {}

  JointType type() const { return type_; }
  /// [N·m·s/rad | N·s/m]; replaces the last value. @throws std::invalid_argument for NaN.
  void set_damping_constant(double damping);
  double damping_constant() const { return state_.damping; }

  // Used by Simulation.
  /// Binds it to another joint, which has its damping already; null: to none.
  void rebind(JointType type, JointState* joint) {
    type_ = type;
    joint_ = joint;
  }
  /// Its node is gone: it brakes nothing.
  void detach(JointType type) { rebind(type, nullptr); }

  /// Everything that changes while the brake runs. The joint stores its damping.
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
