// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/measured_log.h"

namespace servosim {

/// Which frequencies of a log are looked at.
struct LogFrequencies {
  std::optional<double> from;  ///< [Hz]; else the lowest one of which the log has enough periods
  std::optional<double> to;    ///< [Hz]; else the highest one of which a period has enough rows
  int points = 25;
  std::string answer;  ///< `position` or `velocity`
};

/// Returns the frequency response from goals to what was measured, and that of the world.
/// @throws InputError if the goals have none of these frequencies
ExperimentResult bode_of_log(const MeasuredLog& measured, const LogFrequencies& frequencies);

}  // namespace servosim
