// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comparison/row_comparison.h"
#include "control/step_response.h"

// What `servosim test` reads: a world, how to run it, and how it shall behave. The keys are on
// docs/reference/specification.md.

namespace servosim {

enum class Expected {
  SettlingTime,      ///< [s], at most `high`
  Overshoot,         ///< part of the way, at most `high`
  RiseTime,          ///< [s], at most `high`
  SteadyStateError,  ///< [rad|m], at most `high`
  Position,          ///< [rad|m], from `low` to `high`
  Velocity,          ///< [rad/s|m/s], likewise
  Effort,            ///< [N·m|N], likewise
  Final,             ///< the last position [rad|m], likewise
  Upright,           ///< tilt [rad], at most `high`
  NoContact,         ///< of `name` and `other`
  Golden,            ///< the trace `name`, within `tolerance`
  Exit               ///< the controller of the robot `name` ends with status `high`
};

/// One expectation.
struct Expectation {
  Expected kind = Expected::Position;
  std::string name;   ///< of the joint, body or robot; the path of a golden trace
  std::string other;  ///< the second body of NoContact
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double from = 0.0;  ///< [s]
  double to = std::numeric_limits<double>::infinity();
  double band = StepMarks::kBand;  ///< of SettlingTime, part of the way
  /// Of the step [rad|m], from the beginning of the window on; NaN: the target of the motor
  double target = std::numeric_limits<double>::quiet_NaN();
  Tolerance tolerance = {};
  std::string place;  ///< `arm.toml:12:1`

  /// `arm/shoulder settling_time`
  std::string title() const;
};

struct Specification {
  std::string path;
  std::string world;               ///< a path that holds from the present folder
  std::optional<double> duration;  ///< [s]
  std::optional<std::int64_t> steps;
  std::vector<std::string> options;      ///< of `run`, as on its command line
  std::optional<std::int64_t> warnings;  ///< that are allowed; any number without
  int exit = 0;                          ///< of the run: a supervisor may quit with another
  std::vector<Expectation> expectations;
};

/// Reads a file. @throws InputError with file, line and column for what is no TOML, an unknown key,
/// a value out of range, and for expectations that contradict each other
Specification read_specification(const std::string& path);

}  // namespace servosim
