// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comparison/row_comparison.h"
#include "motor_laws/step_response.h"

// `servosim test` reads a specification: a world, how to run it, and how it must behave.
// docs/reference/specification.md describes the keys.

namespace servosim {

enum class Expected {
  SettlingTime,      ///< [s], at most `high`
  Overshoot,         ///< share of the way, at most `high`
  RiseTime,          ///< [s], at most `high`
  SteadyStateError,  ///< [rad|m], at most `high`
  Position,          ///< [rad|m], from `low` to `high`
  Velocity,          ///< [rad/s|m/s], from `low` to `high`
  Effort,            ///< [N·m|N], from `low` to `high`
  Final,             ///< the last position [rad|m], from `low` to `high`
  Upright,           ///< tilt [rad], at most `high`
  NoContact,         ///< between `name` and `other`
  Golden,            ///< the trace `name`, within `tolerance`
  Exit               ///< the controller of the robot `name` ends with status `high`
};

struct Expectation {
  Expected kind = Expected::Position;
  std::string name;   ///< name of the joint, body or robot, or path of a golden trace
  std::string other;  ///< the second body of NoContact
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double from = 0.0;  ///< [s]
  double to = std::numeric_limits<double>::infinity();
  double band = StepMarks::kBand;  ///< for SettlingTime, as a share of the way
  /// Target of the step [rad|m] from the beginning of the window on; NaN means the target of the
  /// motor.
  double target = std::numeric_limits<double>::quiet_NaN();
  Tolerance tolerance = {};
  std::string place;  ///< location, such as `arm.toml:12:1`

  /// Returns a title such as `arm/shoulder settling_time`.
  std::string title() const;
};

struct Specification {
  std::string path;
  std::string world;               ///< path relative to the current folder
  std::string place;               ///< location of the key `world`, such as `arm.toml:1:9`
  std::optional<double> duration;  ///< [s]
  std::optional<std::int64_t> steps;
  std::vector<std::string> options;      ///< options of `run`, as on its command line
  std::optional<std::int64_t> warnings;  ///< allowed number; nothing means any number
  int exit = 0;  ///< exit code of the run; a supervisor may quit with another one than 0
  std::vector<Expectation> expectations;
};

/// Reads a file. @throws InputError with file, line and column for a file that is no TOML, an
/// unknown key, a value out of range, and expectations that contradict each other
Specification read_specification(const std::string& path);

}  // namespace servosim
