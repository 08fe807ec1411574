// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/step_test.h"
#include "plot/chart.h"

namespace servosim {

/// Adds marks of how the response settles, and the band within which it has settled. The test has
/// marks.
void add_step_marks(const StepTest& test, ChartPanel& panel);

}  // namespace servosim
