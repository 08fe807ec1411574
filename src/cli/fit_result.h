// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/fit_apply.h"
#include "fit/fit.h"

// What `servosim fit` tells of its result, as text, as JSON and as a page.

namespace servosim {

/// How well a servo predicts a log.
struct LogScore {
  const BenchLog* log = nullptr;
  bool is_kept = false;  ///< it was not fitted
  double before = 0.0;   ///< mean |error| of the start [rad]; NaN where nothing was fitted
  double after = 0.0;    ///< [rad]
  double most = 0.0;     ///< the greatest |error| afterwards [rad]
};

/// All that `fit` has found.
struct FitSummary {
  std::string servo;   ///< what it started from
  std::string output;  ///< the file of the result; empty if there is none
  std::string report;  ///< the page; empty if there is none
  Fit fit;
  std::vector<LogScore> logs;
  std::optional<AppliedServo> applied;  ///< the line of a world
};

/// Returns the mean of the errors of the logs that are kept back, or of the others [rad]; NaN if
/// there are none.
double mean_after(const std::vector<LogScore>& logs, bool kept);
double mean_before(const std::vector<LogScore>& logs, bool kept);

/// Returns sentences on what a user should know of a fit: parameters at bounds, unknown ones, those
/// that are alike, and the rod.
std::vector<std::string> remarks_on(const Fit& fit);

/// Returns a sentence on the mass of the rod if the data do not tell it, else an empty text.
std::string rod_remark(const Fit& fit, const PendulumRig& rig);

/// Returns what is written after ±: half of the interval, or with a sign the one side that a value
/// at a bound has.
std::string interval_text(const FittedParameter& found);

std::string fit_text(const FitSummary& summary);
nlohmann::ordered_json fit_json(const FitSummary& summary);
/// Returns the scores of logs as text and as JSON, as `--check` shows them.
std::string scores_text(const std::vector<LogScore>& logs);
nlohmann::ordered_json scores_json(const std::vector<LogScore>& logs);

/// Returns the result as one page of HTML with pictures that gnuplot draws.
/// @throws std::runtime_error if gnuplot is missing or fails
std::string fit_report(const FitSummary& summary, const FitRig& fitted, const FitRig* kept);

}  // namespace servosim
