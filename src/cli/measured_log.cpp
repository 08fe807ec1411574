// SPDX-License-Identifier: Apache-2.0
#include "cli/measured_log.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <utility>

#include "cli/commands.h"
#include "cli/output.h"
#include "fit/log_follower.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

MeasuredLog log_of(ServoLog log, const ExperimentArguments& experiment) {
  MeasuredLog result;
  const auto joint = log.words.find("joint");
  result.joint = joint != log.words.end() ? joint->second : std::string();
  result.type = log.type.value_or(JointType::Rotational);
  result.log = std::move(log);
  result.picture = experiment.output;
  return result;
}

// The joint of the world follows the log.
MeasuredLog log_in_world(ServoLog log, const ExperimentArguments& experiment,
                         const ExperimentWorld& world) {
  MeasuredLog result = log_of(std::move(log), experiment);
  const JointTest test = world.test();  // a joint that a motor moves
  result.joint = test.joint().name();
  result.type = test.joint().type();
  check_type(result.log, result.joint, result.type);
  result.world = experiment.world;
  Simulation simulation = world.simulation();
  result.simulated = follow_log(simulation, result.joint, result.log, 0.0);
  return result;
}

}  // namespace

void add_columns(CLI::App& command, std::string& columns) {
  command.get_option("WORLD")->description(
      "A Webots world (.wbt), or a log or trace (.csv, .json, .jsonl)");
  command.get_option("--joint")->required(false)->description(
      "The joint of a world or a trace: its name or robot/joint");
  command.add_option("--columns", columns, "Columns of a log, as quantity=name[unit], as for fit")
      ->type_name("LIST");
}

void add_measured(CLI::App& command, MeasuredArguments& arguments) {
  add_columns(command, arguments.columns);
  command.add_option("--log", arguments.log, "A log whose goals the world follows, for comparison")
      ->type_name("LOG");
}

std::vector<std::string> given_options(const CLI::App& command,
                                       std::initializer_list<const char*> names) {
  std::vector<std::string> given;
  for (const char* name : names) {
    if (command.get_option(name)->count() > 0) {
      given.emplace_back(name);
    }
  }
  return given;
}

std::vector<std::string> given_world_options(const CLI::App& command) {
  return given_options(command, {"--set", "--set-file", "--proto-path", "--servo-path", "--assets",
                                 "--allow-missing"});
}

bool is_log(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".csv" || extension == ".jsonl" || extension == ".json";
}

ServoLog read_measured_log(const std::string& path, const std::string& joint,
                           const std::string& columns, std::vector<LogQuantity> needed,
                           Console& console) {
  LogFormat format;
  format.joint = joint;
  format.needed = std::move(needed);
  if (!columns.empty()) {
    format.columns = parse_log_columns(columns);
  }
  ServoLog log = read_servo_log(path, format);
  for (const std::string& warning : log.warnings) {
    console.warn(fmt::format("{}: {}", path, warning));
  }
  return log;
}

int show_log_result(const ExperimentResult& result, const ExperimentArguments& arguments,
                    Console& console) {
  console.print(arguments.json ? json_text(result.json) + "\n" : result.text);
  draw_picture(result, arguments, console);
  return result.exit_code;
}

int run_measured(
    const ExperimentArguments& experiment, const MeasuredArguments& measured,
    const std::vector<LogQuantity>& needed, const std::vector<std::string>& unused,
    const std::vector<std::string>& of_world,
    const std::function<ExperimentResult(const MeasuredLog&)>& run_log,
    const std::function<ExperimentResult(const ExperimentWorld&, Console&)>& run_world) {
  const bool alone = is_log(experiment.world);
  const auto refuse = [&](const std::string& what) {
    return run_writer([&](Console&) { throw InputError(what); });
  };
  if (alone && (!of_world.empty() || !measured.log.empty())) {
    return refuse(fmt::format("{} is for a world, and '{}' is a log",
                              of_world.empty() ? "--log" : of_world.front(), experiment.world));
  }
  if (!alone && experiment.joint.empty()) {
    return refuse("--joint is required for a world");
  }
  if ((alone || !measured.log.empty()) && !unused.empty()) {
    return refuse(fmt::format("{} is for an experiment with a world alone: a log says it itself",
                              unused.front()));
  }
  if (!alone && measured.log.empty()) {
    return measured.columns.empty()
               ? run_experiment(experiment, run_world)
               : refuse(
                     fmt::format("--columns is for a log, and '{}' is a world", experiment.world));
  }
  if (!alone) {
    return run_experiment(experiment, [&](const ExperimentWorld& world, Console& console) {
      check_picture(experiment);
      return run_log(log_in_world(
          read_measured_log(measured.log, experiment.joint, measured.columns, needed, console),
          experiment, world));
    });
  }
  int exit_code = kExitOk;
  const int written = run_writer([&](Console& console) {
    check_picture(experiment);
    const MeasuredLog log = log_of(
        read_measured_log(experiment.world, experiment.joint, measured.columns, needed, console),
        experiment);
    if (log.joint.empty() && !experiment.joint.empty()) {
      throw InputError(
          fmt::format("--joint is for a world or a trace, and {} is no trace", experiment.world));
    }
    exit_code = show_log_result(run_log(log), experiment, console);
  });
  return written != kExitOk ? written : exit_code;
}

}  // namespace servosim
