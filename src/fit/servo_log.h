// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fit/log_columns.h"
#include "servosim/joint_type.h"

namespace servosim {

/// What was commanded and measured at a moment. Values that a log does not have are NaN.
struct LogSample {
  double time;      ///< [s]
  double goal;      ///< from this moment to the next sample [rad|m]
  double position;  ///< [rad|m]
  double velocity;  ///< [rad/s|m/s]
  double current;   ///< [A]
  double voltage;   ///< [V]
  double effort;    ///< [N·m]
  bool on;          ///< whether the torque is on, from this moment to the next sample
};

/// A log of a servo.
struct ServoLog {
  std::string path;
  std::vector<LogSample> samples;  ///< at least kLeastSamples, in the order of time
  /// What the file says of the bench, by its keys: `kp`, `vin`, `mass`, `length`, …
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;  ///< `motor`, `trajectory`, …
  /// Whether its joint turns or slides; nothing if neither a trace nor a unit of a column says it.
  std::optional<JointType> type;
  double quantum = 0.0;  ///< the least difference of two positions [rad]; 0 if all have many digits
  std::vector<std::string> warnings;  ///< what a person should look at; without the path

  static constexpr std::size_t kLeastSamples = 20;

  /// Returns the time between the first and the last sample [s].
  double duration() const { return samples.back().time - samples.front().time; }
};

/// Makes sure that a log has the units of a joint. @throws std::invalid_argument
void check_type(const ServoLog& log, const std::string& joint, JointType type);

/// Returns whether the position moves by more than an encoder flickers at rest, or the goal by so
/// little that friction may hold the servo.
bool moves(const ServoLog& log);

/// Returns whether the goal moves by more than an encoder flickers at rest.
bool goal_moves(const ServoLog& log);

/// Returns the greatest speed over a tenth of a second or more, by the positions [rad/s].
double top_speed(const ServoLog& log);

/// How logs are read.
struct LogFormat {
  std::vector<LogColumn> columns;  ///< empty: by their usual names
  std::string joint;               ///< of a trace, `robot/joint` or `joint`; empty if it has one
  /// The quantities that a log must have in addition to time and position.
  std::vector<LogQuantity> needed{LogQuantity::Goal};
};

/// Reads a log: CSV with a header and, before or behind it, lines `# key = value`; JSON of BAM's
/// form (an object with `entries`); JSON lines, an object each; or a trace of servosim.
/// @throws std::invalid_argument with file, line and what is wrong, in one line
/// @throws std::runtime_error if the file cannot be read
ServoLog read_servo_log(const std::string& path, const LogFormat& format);

}  // namespace servosim
