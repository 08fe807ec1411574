// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fit/fit_rig.h"

// How far a simulated position is from the measured one, which is what a fit minimizes.

namespace servosim {

/// A part of a log: what a fit compares.
struct LogPart {
  std::size_t log = 0;
  std::size_t first = 0;  ///< the first sample
  std::size_t end = 0;    ///< one more than the last
};

/// Returns the whole of each log.
std::vector<LogPart> whole_logs(const FitRig& rig);

/// Returns the mean |position error| of each part over time [rad], for each of up to kBenchModels
/// models: of model m for part i at [m * parts.size() + i].
std::vector<double> mean_errors(const FitRig& rig, std::span<const LogPart> parts,
                                std::span<const ServoModel> models);

/// Returns the greatest |position error| of a log at its samples [rad]; NaN if one of them cannot
/// be simulated.
double greatest_error(const FitRig& rig, std::size_t log, const ServoModel& model);

}  // namespace servosim
