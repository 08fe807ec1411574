// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "experiments/joint_test.h"
#include "motor_laws/step_response.h"

namespace servosim {

/// The response of a joint to a step of its input.
struct StepTest {
  struct Row {
    double time;   ///< since the step [s]
    double input;  ///< input during the step that led to this row
    JointReading joint;
  };

  std::vector<Row> rows;  ///< the first one is the start
  /// Marks of the position for TestInput::Position and of the velocity for TestInput::Velocity. For
  /// TestInput::Effort they are marks of the position on its way to its final value. Nothing if
  /// that way is less than a thousandth of the step.
  std::optional<StepMarks> marks;
  /// The target minus the mean response in the last tenth of the rows; 0 for TestInput::Effort.
  double steady_error = 0.0;
};

/// Finds the marks and the steady error of rows, of which the first one is the start.
/// @param change  height of the step of the input; not 0
/// @param target  the value to which the response should go; nothing: where it ends
void mark_step(StepTest& test, TestInput input, double change, std::optional<double> target);

/// Goes back to the start, changes the input by `change`, which must not be 0, and records the
/// response for `seconds`. @throws StepFailed; std::invalid_argument for an input that the motor
/// does not accept, and for more steps than kMaxTestSteps
StepTest step_test(JointTest& test, double change, double seconds);
/// Does the same from the present state, which must be the start except for the motor's settings.
StepTest step_test_from_here(JointTest& test, double change, double seconds);

}  // namespace servosim
