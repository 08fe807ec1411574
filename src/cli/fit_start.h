// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/fit_arguments.h"
#include "cli/fit_bench.h"
#include "fit/fit_rig.h"
#include "servosim/servo_model.h"

namespace servosim {

/// The servo from which a fit starts.
struct FitStart {
  std::string name;  ///< of the catalogue, or the path of a file
  ServoModel model;
  std::vector<std::string> warnings;  ///< what a person should look at
};

/// Returns the servo of a file whose name ends with .toml, else the one of the catalogue with this
/// name.
/// @param of_bench  of a file with the offset that its encoder has on the bench of the fit
/// @throws InputError if there is no such servo
ServoModel servo_called(const std::string& name, const FitArguments& arguments, bool of_bench);

/// Returns what counts where the logs do not say it, such as a supply, and what looks like a wrong
/// unit: a warning each.
/// @param name  that of the servo
std::vector<std::string> doubts_of_logs(const FitArguments& arguments, const FitBench& bench,
                                        const FitRig& rig, const std::string& name,
                                        const ServoModel& model);

/// Returns the servo that the command line names, else the one of the catalogue that the logs name,
/// with the gains and the supply that the logs have in common and the values of `--fix`.
/// @throws InputError if the logs are of several servos, or if there is no such servo
FitStart start_of_fit(const FitArguments& arguments, const FitBench& bench, const FitRig& rig);

}  // namespace servosim
