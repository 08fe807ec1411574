// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <memory>

#include "physics/state.h"
#include "servosim/math.h"

namespace servosim {

struct JointSpec;

/// The two flanks of a joint with play, as two motor rows beside the joint; see Backlash. They are
/// told everything anew in each step, so they remember nothing.
class OdeBacklash {
 public:
  /// `parent` may be null; `axis` in the world's frame.
  OdeBacklash(dWorldID world, const JointSpec& spec, dBodyID parent, dBodyID child,
              const Vec3& axis, JointState& state);

  /// Takes over what the motor wants: the joint's own row is left with friction and direct force.
  /// A sleeping endpoint wakes when a flank would move it faster than `wake_threshold`.
  void before_step(double softness, double wake_threshold, double h);
  void after_step() { settle(state_->backlash, state_->position); }
  /// Adds what the flanks did in the last step to the efforts of the state.
  void measure() const;

  /// All that changes while the world runs, beside the bodies and the JointState.
  struct Memory {
    dJointFeedback feedback{};
  };
  Memory memory() const { return {*feedback_}; }
  void restore(const Memory& memory) { *feedback_ = memory.feedback; }

 private:
  double effort() const;

  JointState* state_;
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
