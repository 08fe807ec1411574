// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "experiments/joint_test.h"

// `step`, `bode`, `identify` and `tune` share these: a world, a joint of it, and the position of
// the joint at the start.

namespace servosim {

struct ExperimentArguments {
  std::string world;
  std::string joint;
  std::vector<std::string> proto_paths;
  std::vector<std::string> servo_paths;
  std::vector<std::string> assets;
  std::vector<std::string> allow_missing;
  SettingArguments settings;
  RobotFileOptions robot_file;
  std::optional<double> around;  // [rad|m]
  double settle = 1.0;           // [s]
  std::string output;            // file of a picture; empty if there is none
  bool json = false;
};

/// Declares all arguments but `around` and `settle`.
void add_experiment(CLI::App& command, ExperimentArguments& arguments);
/// Declares `--around` and `--wait`.
void add_start(CLI::App& command, ExperimentArguments& arguments);
/// Declares `--input`.
void add_input(CLI::App& command, std::string& word);
TestInput input_of(const std::string& word);

/// The result of an experiment.
struct ExperimentResult {
  std::string text;  ///< whole lines
  nlohmann::ordered_json json;
  int exit_code = kExitOk;
  std::function<void()> picture = {};  ///< draws the picture if the user wants one
};

class ExperimentWorld {
 public:
  /// Loads the world and prints its diagnostics. @throws InputError
  ExperimentWorld(const ExperimentArguments& arguments, Console& console);
  /// Returns a test of the joint, which has not settled yet. @throws InputError,
  /// std::invalid_argument
  JointTest test() const;
  /// Returns the world as it was loaded.
  Simulation simulation() const { return simulation_->clone(); }
  /// Returns the same with all masses that the joint moves multiplied by `share`. @throws
  /// InputError
  JointTest test_with_load(double share) const;
  const std::vector<Diagnostic>& diagnostics() const { return simulation_->diagnostics(); }

 private:
  LoadOptions options(const std::vector<FieldSetting>& more) const;

  const ExperimentArguments& arguments_;
  Console& console_;
  std::optional<Simulation> simulation_;
};

/// Draws the picture of a result, if it has one, and reports it unless a JSON document was printed.
/// @throws std::runtime_error
void draw_picture(const ExperimentResult& result, const ExperimentArguments& arguments,
                  Console& console);

/// Runs an experiment, prints its result as text or as JSON, then draws it. Returns the exit code:
/// kExitIncomplete if the world lacks parts.
int run_experiment(
    const ExperimentArguments& arguments,
    const std::function<ExperimentResult(const ExperimentWorld& world, Console& console)>& run);

/// Returns the unit of a quantity: `rad` or `m`, `rad/s` or `m/s`, `N m` or `N`.
const char* unit_of(TestInput quantity, JointType type);
/// Returns the default step of an experiment: a twentieth of the whole range, towards the side with
/// more room; 0.1 if there is no limit.
double usual_step(const JointTest& test);
/// Returns the default amplitude: a tenth of the room on the side with less room.
/// @throws InputError if the joint is at a limit
double usual_amplitude(const JointTest& test);
/// Settles a test according to the arguments, and warns if the joint does not come to rest.
/// @throws StepFailed, std::invalid_argument
void settle(JointTest& test, TestInput input, const ExperimentArguments& arguments,
            Console& console);
/// Refuses a picture that cannot be drawn, before the work is done. @throws InputError
void check_picture(const ExperimentArguments& arguments);
/// Refuses frequencies that a test with this time step cannot have. @throws InputError
void check_frequencies(double from, double to, double time_step);
/// Reads `5%` or `0.05` as 0.05; the maximum is 1. `option` is for the message. @throws InputError
double share_of(const std::string& text, const char* option);
/// Returns null for a number that is not finite.
nlohmann::ordered_json number_json(double value);

}  // namespace servosim
