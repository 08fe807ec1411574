// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/measured_log.h"

namespace servosim {

/// Returns how the joint of a log has answered the greatest step of its goal, and how that of the
/// world answers it. @throws InputError if the goal does not step
ExperimentResult step_of_log(const MeasuredLog& measured);

}  // namespace servosim
