// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "control/step_response.h"
#include "experiments/joint_test.h"

namespace servosim {

/// How a joint answers a step of its input.
struct StepTest {
  struct Row {
    double time;   ///< since the step [s]
    double input;  ///< that led here
    JointReading joint;
  };

  std::vector<Row> rows;  ///< the first one is the start
  /// Of the position for TestInput::Position, of the velocity for TestInput::Velocity; for
  /// TestInput::Effort of the position on its way to where it ends. Nothing for a way of less than
  /// a thousandth of the step.
  std::optional<StepMarks> marks;
  /// Where the answer was to end less where it is, as the mean of the last tenth of the rows; 0 for
  /// TestInput::Effort.
  double steady_error = 0.0;
};

/// Goes back to the start, changes the input by `change`, which is not 0, and looks on for
/// `seconds`. @throws StepFailed; std::invalid_argument for an input that the motor does not take,
/// and for more steps than kMaxTestSteps
StepTest step_test(JointTest& test, double change, double seconds);
/// The same from where it is, which is the start but for the motor's settings.
StepTest step_test_from_here(JointTest& test, double change, double seconds);

}  // namespace servosim
