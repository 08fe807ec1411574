// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "experiments/joint_test.h"
#include "experiments/step_test.h"

namespace servosim {

/// What the response of a joint to a step of its target position must satisfy.
struct StepSpecification {
  double settling_time = 0.3;  ///< upper limit [s]
  double overshoot = 0.05;     ///< upper limit, as a share of the step
  double change = 0.1;         ///< the step [rad|m]

  /// Returns 1 if the specification is just met, less if it is met with room to spare, and more if
  /// it is not met.
  double rating(const StepTest& test) const;
};

/// The gains that were found for a motor.
struct Tuning {
  PidGains gains;
  bool met = false;   ///< for all loads
  bool kept = false;  ///< the motor has these gains already, and they meet the specification
  std::vector<StepTest> answers;  ///< responses with these gains, one for each load
  int simulations = 0;
};

/// Searches for gains of the motor's position control that meet the specification for all loads. It
/// tries the present gains first, then the simplest structure: P, then PD, PI and PID. Within a
/// structure it chooses the gains with the least effort: the root mean square for the load with the
/// largest effort. If no gains meet the specification, it returns those that come closest. Each
/// load is a test of the same joint that has settled with TestInput::Position; there is at least
/// one. Equal tests result in equal gains.
/// @throws StepFailed
Tuning tune(std::vector<JointTest>& loads, const StepSpecification& specification);

}  // namespace servosim
