// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "base/shortage.h"
#include "base/toml_error.h"
#include "cli/arguments.h"
#include "cli/bus_map_table.h"
#include "cli/commands.h"
#include "cli/completeness.h"
#include "cli/info.h"
#include "cli/output.h"
#include "cli/project_file.h"
#include "cli/run_arguments.h"
#include "run/console.h"
#include "run/controller_finder.h"
#include "run/launch_plan.h"
#include "scene/scene.h"
#include "scene/world_hints.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

constexpr const char* kCheckHelp = R"(
Prints `file:line:column: severity: message` for each fault, then a count. The exit
code is 2 when a world cannot be simulated, 1 when the output cannot be written, 3 when a world
lacks something without which it may move otherwise than its author meant, such as a PROTO, a mesh
or a controller (the last lines list it), otherwise 0.

Examples:
  servosim check worlds/*.wbt
  servosim check --strict --proto-path protos worlds/arm.wbt
)";

constexpr int kMaxOverlaps = 500;  // a step with more overlapping shapes may take minutes

struct CheckArguments {
  std::vector<std::string> worlds;
  std::vector<std::string> proto_paths;
  std::vector<std::string> servo_paths;
  std::vector<std::string> allow_missing;
  bool no_stand_ins = false;
  std::vector<std::string> assets;
  SettingArguments settings;
  RobotFileOptions robot_file;
  bool strict = false;  // warnings count as errors
  bool verbose = false;
  bool json = false;
};

/// What the project's file sets for a run.
struct ProjectOptions {
  std::vector<std::string> proto_paths;
  std::vector<std::string> assets;
  std::vector<std::string> allow_missing;
  std::vector<std::string> controllers;  // ROBOT=PROGRAM
};

// Returns the options that a run of the world takes from the project's file. @throws
// ProjectFileError as a run does
ProjectOptions project_options(const std::string& world) {
  CLI::App run;
  RunArguments arguments;
  add_run_arguments(run, arguments);
  ProjectFile::of_world(world).apply_to(run);
  return {arguments.proto_paths, arguments.assets, arguments.allow_missing,
          arguments.controllers.overrides};
}

// Returns the last program that the project's file names for a robot; empty if there is none.
std::string program_of(const std::string& robot, const ProjectOptions& project) {
  std::string program;
  for (const std::string& each : project.controllers) {
    const std::size_t equals = std::min(each.find('='), each.size());
    program = each.substr(0, equals) == robot ? each.substr(std::min(equals + 1, each.size()))
                                              : std::move(program);
  }
  return program;
}

// Returns a diagnostic at the node of the robot.
Diagnostic at_robot(const RobotSpec& robot, Simulation& simulation, Severity severity,
                    std::string message) {
  Diagnostic diagnostic = WorldInspector(simulation).sources().resolve(robot.where);
  diagnostic.severity = severity;
  diagnostic.message = std::move(message);
  return diagnostic;
}

// Adds a diagnostic for each robot whose controller a run would not find.
void add_missing_controllers(Simulation& simulation, const ProjectOptions& project,
                             std::vector<Diagnostic>& list) {
  const Scene& scene = WorldInspector(simulation).scene();
  for (const RobotSpec& robot : scene.robots) {
    const ControllerQuery query{robot.name, robot.controller, scene.project, robot.proto_project};
    if (const std::string program = program_of(robot.name, project); !program.empty()) {
      try {
        static_cast<void>(choose_controller(program, query));
      } catch (const std::invalid_argument& error) {
        list.push_back(at_robot(robot, simulation, Severity::Error,
                                fmt::format("robot '{}': {}", robot.name, error.what())));
      }
      continue;
    }
    const ControllerChoice choice = find_controller(query);
    if (choice.missing) {
      list.push_back(at_robot(robot, simulation, Severity::Warning, choice.warning));
      list.back().missing = choice.missing;
    }
  }
}

const std::vector<std::string>& given_or(const std::vector<std::string>& given,
                                         const std::vector<std::string>& otherwise) {
  return given.empty() ? otherwise : given;
}

// Adds an error if a run could not serve the buses.
void add_buses(Simulation& simulation, const std::string& world, std::vector<Diagnostic>& list) {
  const std::vector<bus::BusSetup> setups = bus_setups_of_world(world);
  try {
    static_cast<void>(bus::map_buses(simulation, setups));
  } catch (const TomlError& error) {
    list.push_back({error.path, error.line, error.column, Severity::Error, error.reason});
  } catch (const std::invalid_argument& error) {
    list.push_back({world, 0, 0, Severity::Error, error.what()});
  }
}

// Adds hints about what is allowed but may be the reason why nothing moves.
void add_hints(Simulation& simulation, std::vector<Diagnostic>& list) {
  const WorldInspector inspector(simulation);
  std::vector<Hint> hints = contact_hints(*inspector.world_file(), inspector.scene());
  const std::vector<Hint> of_motors = motor_hints(inspector.scene());
  hints.insert(hints.end(), of_motors.begin(), of_motors.end());
  for (Hint& hint : hints) {
    Diagnostic& diagnostic = list.emplace_back(inspector.sources().resolve(hint.where));
    diagnostic.severity = Severity::Info;
    diagnostic.message = std::move(hint.message);
  }
}

std::vector<Diagnostic> diagnose(const std::string& world, const ProjectOptions& project,
                                 const CheckArguments& arguments) {
  LoadOptions options;
  options.proto_paths = given_or(arguments.proto_paths, project.proto_paths);
  options.servo_paths = arguments.servo_paths;
  options.use_stand_ins = !arguments.no_stand_ins;
  options.assets = given_or(arguments.assets, project.assets);
  options.notice = [](std::string_view) {};
  try {
    options.settings = arguments.settings.read();
    options.robot_file = arguments.robot_file;
    Simulation simulation = load(world, options);
    std::vector<Diagnostic> list = simulation.diagnostics();
    add_missing_controllers(simulation, project, list);
    add_buses(simulation, world, list);
    add_hints(simulation, list);
    if (const OverlappingShapes overlaps = WorldInspector(simulation).overlapping_shapes();
        overlaps.count > kMaxOverlaps) {
      const Vec3 at = simulation.solid(overlaps.solid).pose().translation;
      list.push_back(
          {world, 0, 0, Severity::Warning,
           fmt::format("{} shapes overlap each other at the start, around Solid \"{}\" at {:.3g} "
                       "{:.3g} {:.3g}; a step takes memory by the square of their number, and time "
                       "by its cube",
                       overlaps.count, simulation.solid(overlaps.solid).name(), at.x, at.y, at.z)});
    }
    return list;
  } catch (const LoadError& error) {
    return error.list();
  } catch (const std::exception& error) {
    rethrow_if_short(error);
    return {{world, 0, 0, Severity::Error, error.what()}};
  }
}

/// The sums over all worlds.
struct CheckResult {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t strict = 0;  // warnings that --strict counts
  bool complete = true;
};

// Checks one world. Prints text, or returns an object for --json.
nlohmann::ordered_json check_one(const std::string& world, const CheckArguments& arguments,
                                 Console& console, CheckResult& result) {
  ProjectOptions project;
  std::vector<Diagnostic> list;
  try {
    project = project_options(world);
    list = diagnose(world, project, arguments);
  } catch (const ProjectFileError& error) {
    list = {error.fault()};
  }
  Completeness completeness(given_or(arguments.allow_missing, project.allow_missing));
  completeness.add(list, true);
  result.complete = result.complete && completeness.holds();
  bool any_error = false;
  for (const Diagnostic& diagnostic : list) {
    result.errors += diagnostic.severity == Severity::Error ? 1 : 0;
    const bool is_warning = diagnostic.severity == Severity::Warning;
    result.warnings += is_warning ? 1 : 0;
    result.strict += is_warning && !diagnostic.only_looks ? 1 : 0;
    any_error = any_error || diagnostic.severity == Severity::Error;
  }
  if (!arguments.json) {
    for (const Diagnostic& diagnostic : grouped(list, arguments.verbose)) {
      console.write(STDOUT_FILENO, diagnostic);
    }
    console.print(completeness.summary());
    return {};
  }
  auto diagnostics = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : list) {
    diagnostics.push_back(diagnostic_json(diagnostic));
  }
  return {{"world", world},
          {"simulated", !any_error},
          {"complete", !any_error && completeness.holds()},
          {"missing", with_places(completeness.json(), list)},
          {"diagnostics", std::move(diagnostics)}};
}

int check(const CheckArguments& arguments) {
  Console console;
  CheckResult result;
  auto worlds = nlohmann::ordered_json::array();
  for (const std::string& world : arguments.worlds) {
    worlds.push_back(check_one(world, arguments, console, result));
  }
  if (arguments.json) {
    console.write(STDOUT_FILENO, json_text({{"schema", "servosim-check-1"},
                                            {"servosim", SERVOSIM_VERSION},
                                            {"worlds", std::move(worlds)}}));
  } else {
    console.print(fmt::format("{}: {}, {}\n", counted(arguments.worlds.size(), "world"),
                              counted(result.errors, "error"),
                              counted(result.warnings, "warning")));
  }
  if (result.errors > 0 || (arguments.strict && result.strict > 0)) {
    return kExitBadInput;
  }
  return console.output_lost() ? kExitFailed : result.complete ? kExitOk : kExitIncomplete;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Check world files: report errors and warnings");
  const auto arguments = std::make_shared<CheckArguments>();
  command->callback([&action, arguments] { action = [arguments] { return check(*arguments); }; });
  command->footer(kCheckHelp);
  add_worlds(*command, arguments->worlds);
  command->add_flag("--strict", arguments->strict,
                    "Warnings count as errors, but for missing looks");
  command->add_flag("--json", arguments->json, "One JSON document instead of lines");
  command->add_flag("--no-stand-ins", arguments->no_stand_ins,
                    "Show what is missing without servosim's own PROTOs");
  add_robot_file(*command, arguments->robot_file);
  add_settings(*command, arguments->settings);
  add_verbose(*command, arguments->verbose);
  add_allow_missing(*command, arguments->allow_missing);
  add_proto_path(*command, arguments->proto_paths);
  add_servo_path(*command, arguments->servo_paths);
  add_assets(*command, arguments->assets);
}

}  // namespace servosim
