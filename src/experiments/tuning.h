// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "experiments/joint_test.h"
#include "experiments/step_test.h"

namespace servosim {

/// What a joint's answer to a step of its target position is to do.
struct StepSpecification {
  double settling_time = 0.3;  ///< at most [s]
  double overshoot = 0.05;     ///< at most, of the step
  double change = 0.1;         ///< the step [rad|m]

  /// 1 where the specification is just met, less where it is met with room, more where it is not.
  double rating(const StepTest& test) const;
};

/// The gains of a motor that were found.
struct Tuning {
  PidGains gains;
  bool met = false;               ///< for all loads
  bool kept = false;              ///< the motor has them already, and they meet it
  std::vector<StepTest> answers;  ///< with these gains, of each load
  int simulations = 0;
};

/// Looks for gains of the motor's position control with which the specification is met for all
/// loads: those that it has, else the simplest: P alone, then PD, PI and PID, and of these the ones
/// with the least effort, as the root mean square for the load that takes most. If none meet it,
/// those that come closest. Each load is a test of the same joint that has settled with
/// TestInput::Position; there is at least one. The same tests give the same gains.
/// @throws StepFailed
Tuning tune(std::vector<JointTest>& loads, const StepSpecification& specification);

}  // namespace servosim
