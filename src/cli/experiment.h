// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "experiments/joint_test.h"

// What `step`, `bode`, `identify` and `tune` share: a world, a joint of it, and where the joint is
// at the start.

namespace servosim {

struct ExperimentArguments {
  std::string world;
  std::string joint;
  std::vector<std::string> proto_paths;
  std::vector<std::string> assets;
  std::vector<std::string> allow_missing;
  SettingArguments settings;
  std::optional<double> around;  // [rad|m]
  double settle = 1.0;           // [s]
  std::string output;            // a picture; empty: none
  bool json = false;
};

/// Declares all but `around` and `settle`.
void add_experiment(CLI::App& command, ExperimentArguments& arguments);
/// Declares `--around` and `--wait`.
void add_start(CLI::App& command, ExperimentArguments& arguments);
/// Declares `--input`.
void add_input(CLI::App& command, std::string& word);
TestInput input_of(const std::string& word);

/// What an experiment found out.
struct ExperimentResult {
  std::string text;  ///< whole lines
  nlohmann::ordered_json json;
  int exit_code = kExitOk;
  std::function<void()> picture = {};  ///< draws the output, if one is asked for
};

/// The world of an experiment.
class ExperimentWorld {
 public:
  /// Loads it and prints its diagnostics. @throws InputError
  ExperimentWorld(const ExperimentArguments& arguments, Console& console);
  /// A test of the joint, which has not settled. @throws InputError, std::invalid_argument
  JointTest test() const;
  /// The same with `share` of all masses that the joint moves. @throws InputError
  JointTest test_with_load(double share) const;
  const std::vector<Diagnostic>& diagnostics() const { return simulation_->diagnostics(); }

 private:
  LoadOptions options(const std::vector<FieldSetting>& more) const;

  const ExperimentArguments& arguments_;
  Console& console_;
  std::optional<Simulation> simulation_;
};

/// Draws the picture of a result, if it has one, and says so unless a JSON document was printed.
/// @throws std::runtime_error
void draw_picture(const ExperimentResult& result, const ExperimentArguments& arguments,
                  Console& console);

/// Runs an experiment and prints what it found out, as text or as JSON; then draws it. Returns the
/// exit code: kExitIncomplete where the world lacks parts.
int run_experiment(
    const ExperimentArguments& arguments,
    const std::function<ExperimentResult(const ExperimentWorld& world, Console& console)>& run);

/// `rad` or `m`; of velocities `rad/s` or `m/s`; of efforts `N m` or `N`.
const char* unit_of(TestInput quantity, JointType type);
/// The step that an experiment takes without being told: a twentieth of all the room there is, to
/// the side that has more; 0.1 where there is no limit.
double usual_step(const JointTest& test);
/// The same of an amplitude: a tenth of the room on the side that has less.
/// @throws InputError where the joint stands at a limit
double usual_amplitude(const JointTest& test);
/// Settles a test as the arguments say, and warns of a joint that does not come to rest.
/// @throws StepFailed, std::invalid_argument
void settle(JointTest& test, TestInput input, const ExperimentArguments& arguments,
            Console& console);
/// Refuses a picture that cannot be drawn before the work is done. @throws InputError
void check_picture(const ExperimentArguments& arguments);
/// Refuses frequencies that a test of that time step cannot have. @throws InputError
void check_frequencies(double from, double to, double time_step);
/// `5%` or `0.05` as 0.05, at most 1; `option` for the message. @throws InputError
double share_of(const std::string& text, const char* option);
/// Null for what is not finite.
nlohmann::ordered_json number_json(double value);

}  // namespace servosim
