// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "experiments/identification.h"
#include "experiments/joint_test.h"

// Moves a joint so that identify() can determine its parameters. The effort is the sum of twelve
// sines that begin together. The joint must have settled with TestInput::Effort.

namespace servosim {

struct Sines {
  double from;     ///< lowest frequency [Hz]
  double to;       ///< highest frequency [Hz]
  double seconds;  ///< duration [s]
};

/// Applies sines whose sum is at most `amplitude` [N·m|N], without feedback.
/// @throws StepFailed; std::invalid_argument for an effort that the motor cannot exert, or that
/// does not move the joint
std::vector<JointSample> excite(JointTest& test, double amplitude, const Sines& sines);

/// Applies sines together with a spring and a damper in the control loop. These keep the joint near
/// its start: within four fifths of the way to the nearer end of its range, at most 1 rad or m, and
/// within the motor's limits. The amplitude is halved until the joint stays there.
/// @throws StepFailed; std::invalid_argument if the motor does not move the joint, or no
/// amplitude keeps it there
std::vector<JointSample> excite_near_start(JointTest& test, const Sines& sines);

}  // namespace servosim
