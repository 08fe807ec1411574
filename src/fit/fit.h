// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fit/fit_parameters.h"
#include "fit/fit_rig.h"

// Finds the numbers of a servo with which simulations of whole logs, from the commanded position
// on, come closest to what was measured.

namespace servosim {

struct FitOptions {
  /// Friction models to try, in any order; at least one.
  std::vector<std::string> models{"M1", "M2", "M3", "M4", "M5", "M6"};
  std::vector<std::string> free;   ///< further fields to look for
  std::vector<std::string> fixed;  ///< fields that keep the value of the start
  /// Fields that the chosen friction model gets too if they make its validation better.
  std::vector<std::string> optional{"supply.resistance", "firmware.max_current"};
  /// Which load torque the friction of the result reads.
  ServoLoad load = ServoLoad::Transmitted;
  int starts = 3;         ///< searches of each model with all logs; >= 1
  int generations = 300;  ///< of each search; >= 1
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  /// Called once, when all arguments are found right and the searches begin.
  std::function<void()> begin;
  /// Called by any thread when a search has ended, with the share of the work that is done.
  std::function<void(double share)> progress;
};

/// A parameter and what the data say about it.
struct FittedParameter {
  FitParameter parameter;
  double value = 0.0;
  /// Half of the 95 % interval: what the scatter of the residuals, the encoder's steps and the
  /// spread of the searches allow. A value at a bound has one side of it.
  double interval = 0.0;
  double from = 0.0;  ///< the ends of the interval, within the bounds
  double to = 0.0;
  bool is_at_low = false;
  bool is_at_high = false;
  /// False: the interval is as wide as the bounds, or the value is at one of them.
  bool is_known = true;
};

/// How a model does, tried with all logs and with a part of them kept back.
struct FitCandidate {
  std::string name;            ///< "M4", "M4 + supply.resistance"
  std::size_t parameters = 0;  ///< how many
  double training = 0.0;       ///< mean over the logs of their mean |error| [rad]
  double validation = 0.0;     ///< the same of the parts kept back, fitted without them
  bool is_chosen = false;
};

/// One search: the least mean error after each generation [rad], of which a model that is far from
/// the start counts slightly more.
struct FitSearch {
  std::vector<double> way;
  ServoModel model;
};

struct Fit {
  ServoModel start;    ///< what the searches started from
  ServoModel model;    ///< the result
  std::string choice;  ///< the name of its candidate
  std::vector<FittedParameter> parameters;
  std::vector<FitCandidate> candidates;
  std::string validation;           ///< what was kept back, in words
  std::vector<FitSearch> searches;  ///< of the choice
  /// Groups of parameters that the data do not tell apart: a change of one is made good by others.
  std::vector<std::vector<std::string>> alike;
  /// How exactly the data would tell the rod's mass if it were looked for, half of the 95 %
  /// interval [kg]; infinite if not at all, NaN where there is no rod.
  double rod_interval = 0.0;
  std::uint64_t simulations = 0;  ///< of one log with one model
};

/// Fits a servo to the logs of a rig. Equal arguments give equal results, on any number of threads.
/// @param start  the servo to start from; its friction model does not matter
/// @throws std::invalid_argument for an unknown field or friction model, and for a log in which
/// neither the goal nor the position moves
Fit fit_servo(const FitRig& rig, const ServoModel& start, const FitOptions& options);

}  // namespace servosim
