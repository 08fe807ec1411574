// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "cli/experiment.h"
#include "fit/bench.h"
#include "fit/servo_log.h"

// `step`, `bode` and `identify` take a measured log in place of a world, and `step` and `bode` also
// next to one.

namespace servosim {

struct MeasuredArguments {
  std::string log;      // next to a world
  std::string columns;  // as for `fit`
};

/// Declares `--log` and `--columns`, and that the first argument may be a log, which needs no
/// `--joint`.
void add_measured(CLI::App& command, MeasuredArguments& arguments);
/// Declares `--columns` alone, and the same of the first argument.
void add_columns(CLI::App& command, std::string& columns);

/// Returns those of the options that the user has given.
std::vector<std::string> given_options(const CLI::App& command,
                                       std::initializer_list<const char*> names);
/// Returns those that the user has given of the options that only a world has.
std::vector<std::string> given_world_options(const CLI::App& command);

/// Returns whether a path has the extension of a log.
bool is_log(const std::string& path);

/// Reads a log, and warns of what is doubtful in it. @throws InputError, std::invalid_argument
/// @param joint  of a trace; may be empty
ServoLog read_measured_log(const std::string& path, const std::string& joint,
                           const std::string& columns, std::vector<LogQuantity> needed,
                           Console& console);

/// A log, and what a world has done with its goals.
struct MeasuredLog {
  ServoLog log;
  std::string joint;  ///< its name; empty if nothing says it
  JointType type = JointType::Rotational;
  std::string world;                  ///< empty: there is none
  std::vector<BenchState> simulated;  ///< at the samples of the log; empty without a world
  std::string picture;                ///< the file to draw; empty if there is none

  bool has_world() const { return !world.empty(); }
  /// Returns a name for a document: null if it is empty.
  static nlohmann::ordered_json name_json(const std::string& name) {
    return name.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(name);
  }
};

/// Runs an experiment with a world, or with a log if the arguments name one.
/// @param needed  what the log must have in addition to time and position
/// @param unused  options that the user has given and that a log has no use for
/// @param of_world  options that only a world has
int run_measured(
    const ExperimentArguments& experiment, const MeasuredArguments& measured,
    const std::vector<LogQuantity>& needed, const std::vector<std::string>& unused,
    const std::vector<std::string>& of_world,
    const std::function<ExperimentResult(const MeasuredLog&)>& run_log,
    const std::function<ExperimentResult(const ExperimentWorld&, Console&)>& run_world);

/// Prints the result of a log and draws it. Returns its exit code.
int show_log_result(const ExperimentResult& result, const ExperimentArguments& arguments,
                    Console& console);

}  // namespace servosim
