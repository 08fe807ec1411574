// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "experiments/identification.h"
#include "experiments/joint_test.h"

// How a joint is moved so that identify() can tell its parameters: by an effort that is the sum of
// twelve sines, which begin together. The joint must have settled with TestInput::Effort.

namespace servosim {

struct Sines {
  double from;     ///< lowest frequency [Hz]
  double to;       ///< highest frequency [Hz]
  double seconds;  ///< how long
};

/// Sines of `amplitude` together [N·m|N] at most, whatever the joint does.
/// @throws StepFailed; std::invalid_argument for an effort that the motor does not have, or that
/// does not move the joint
std::vector<JointSample> excite(JointTest& test, double amplitude, const Sines& sines);

/// Sines on top of a spring and a damper of the control loop, which keep the joint near its start:
/// within four fifths of the way to the nearer end of its range, at most 1 rad or m, and within the
/// motor's limits. The amplitude is the greatest one for which it stays there, but for halves.
/// @throws StepFailed; std::invalid_argument where the motor does not move the joint, or no
/// amplitude keeps it there
std::vector<JointSample> excite_near_start(JointTest& test, const Sines& sines);

}  // namespace servosim
