// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/fit_result.h"
#include "servosim/servo_model.h"

// The file of a servo that a fit reads and writes.

namespace servosim {

/// Reads the servo of a file.
/// @param of_bench  with the offset that its encoder has on the bench of the fit
/// @throws InputError
ServoModel servo_of_file(const std::string& path, bool of_bench);

/// Returns the servo of a result as other benches and worlds have it: with the offset of the
/// encoder that the start had.
ServoModel fitted_servo(const FitSummary& summary);

/// Returns the text of the file of a result, which servo_of_file() reads.
/// @param logs  how many were fitted
/// @throws InputError if it is no servo
std::string fitted_servo_text(const FitSummary& summary, std::size_t logs);

}  // namespace servosim
