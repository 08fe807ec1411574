// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/fit_arguments.h"
#include "run/console.h"

namespace servosim {

/// Fits a servo, or checks one, as the command line says, and prints and writes the result.
/// Returns the exit code: kExitIncomplete if the rig is a world that lacks parts.
/// @throws InputError, std::invalid_argument; std::runtime_error if a file cannot be written
int run_fit(const FitArguments& arguments, Console& console);

}  // namespace servosim
