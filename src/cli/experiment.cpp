// SPDX-License-Identifier: Apache-2.0
#include "cli/experiment.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "cli/completeness.h"
#include "cli/output.h"
#include "cli/project_file.h"
#include "experiments/frequency_response.h"
#include "plot/gnuplot.h"
#include "run/launch_plan.h"
#include "scene/scene.h"
#include "sim/report.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

constexpr double kUsualShare = 0.1;
constexpr double kUsualChange = 0.1;  // [rad|m] and so on, for a joint without limits

}  // namespace

void add_experiment(CLI::App& command, ExperimentArguments& arguments) {
  command.add_option("WORLD", arguments.world, "A Webots world (.wbt)")->type_name("")->required();
  command.add_option("--joint", arguments.joint, "The joint: its name or robot/joint")
      ->type_name("JOINT")
      ->required();
  add_settings(command, arguments.settings);
  add_proto_path(command, arguments.proto_paths);
  add_servo_path(command, arguments.servo_paths);
  add_assets(command, arguments.assets);
  add_robot_file(command, arguments.robot_file);
  add_allow_missing(command, arguments.allow_missing);
  command.add_option("-o,--output", arguments.output, "Draw what was found")
      ->type_name("FILE.svg|.png|.pdf");
  command.add_flag("--json", arguments.json, "Print a JSON document");
}

void add_start(CLI::App& command, ExperimentArguments& arguments) {
  command
      .add_option("--around", arguments.around,
                  "Where the joint is at the start; else where its motor holds it")
      ->type_name("RAD|M")
      ->check(any_finite_number());
  command.add_option("--wait", arguments.settle, "How long the world runs before the start")
      ->type_name("S")
      ->check(finite_number(true).description(""))
      ->capture_default_str();
}

void add_input(CLI::App& command, std::string& word) {
  word = "position";
  add_choice(command, "--input", word, {"position", "velocity", "effort"},
             "What of the motor is commanded");
}

TestInput input_of(const std::string& word) {
  return word == "velocity" ? TestInput::Velocity
         : word == "effort" ? TestInput::Effort
                            : TestInput::Position;
}

ExperimentWorld::ExperimentWorld(const ExperimentArguments& arguments, Console& console)
    : arguments_(arguments), console_(console) {
  try {
    simulation_ = load_as_set(arguments.world, options({}));
  } catch (const LoadError& error) {
    print_diagnostics(error.list(), false, console);
    throw InputError(fmt::format("{}: the world cannot be simulated", arguments.world));
  }
  print_diagnostics(simulation_->diagnostics(), false, console);
}

LoadOptions ExperimentWorld::options(const std::vector<FieldSetting>& more) const {
  const ProjectFile project = ProjectFile::of_world(arguments_.world);
  LoadOptions options;
  options.proto_paths = project.values_unless(arguments_.proto_paths, "proto_path");
  options.servo_paths = arguments_.servo_paths;
  options.assets = project.values_unless(arguments_.assets, "assets");
  options.robot_file = arguments_.robot_file;
  options.settings = arguments_.settings.read();
  options.settings.insert(options.settings.end(), more.begin(), more.end());
  options.notice = [console = &console_](std::string_view text) {
    console->log(LogLevel::Warning, text);
  };
  options.remark = [console = &console_](std::string_view text) { console->remark(text); };
  return options;
}

JointTest ExperimentWorld::test() const {
  try {
    return JointTest(simulation_->clone(), arguments_.joint);
  } catch (const std::out_of_range& error) {
    throw InputError(fmt::format("{}: {}", arguments_.world, error.what()));
  }
}

// Scales the mass or density of each Solid behind the joint, and its inertia matrix, by settings.
JointTest ExperimentWorld::test_with_load(double share) const {
  const WorldInspector inspector(*simulation_);
  const Scene& scene = inspector.scene();
  const int joint = inspector.joint_in_scene(simulation_->joint(arguments_.joint).index());
  const std::vector<std::string> names = body_names(scene);
  std::vector<bool> moved(scene.solids.size(), false);
  std::vector<FieldSetting> settings;
  for (std::size_t i = 0; i < scene.solids.size(); ++i) {
    const SolidSpec& solid = scene.solids[i];
    moved[i] = static_cast<int>(i) == scene.joints[joint].child ||
               (solid.parent >= 0 && moved[solid.parent]);
    if (!moved[i] || !solid.physics) {
      continue;
    }
    const MassSpec& mass = *solid.physics;
    const auto set = [&](const std::string& field, const std::string& value) {
      settings.push_back({names[i] + ".physics." + field, value, "--load"});
    };
    if (mass.mass > 0.0) {
      set("mass", fmt::format("{}", mass.mass * share));
    } else {
      set("density", fmt::format("{}", mass.density * share));
    }
    if (mass.inertia) {
      const Mat3& m = *mass.inertia;
      set("inertiaMatrix[0]",
          fmt::format("{} {} {}", m(0, 0) * share, m(1, 1) * share, m(2, 2) * share));
      set("inertiaMatrix[1]",
          fmt::format("{} {} {}", m(0, 1) * share, m(0, 2) * share, m(1, 2) * share));
    }
  }
  if (settings.empty()) {
    throw InputError(fmt::format(
        "{}: '{}' moves no Solid with Physics of its own, so its load cannot be changed; with "
        "--load 0% only that of the world is looked at",
        arguments_.world, arguments_.joint));
  }
  try {
    return JointTest(load_as_set(arguments_.world, options(settings)), arguments_.joint);
  } catch (const LoadError& error) {
    print_diagnostics(error.list(), false, console_);
    throw InputError(fmt::format(
        "{}: the load cannot be changed; with --load 0% only that of the world is looked at",
        arguments_.world));
  }
}

void draw_picture(const ExperimentResult& result, const ExperimentArguments& arguments,
                  Console& console) {
  if (result.picture) {
    result.picture();
    if (!arguments.json) {
      console.print(arguments.output + "\n");
    }
  }
}

int run_experiment(const ExperimentArguments& arguments,
                   const std::function<ExperimentResult(const ExperimentWorld&, Console&)>& run) {
  Completeness completeness(arguments.allow_missing);
  int exit_code = kExitOk;
  const int written = run_writer([&](Console& console) {
    const ExperimentWorld world(arguments, console);
    completeness.add(world.diagnostics(), console.wants(LogLevel::Warning));
    ExperimentResult result = run(world, console);
    exit_code = completeness.exit_code(result.exit_code);
    if (arguments.json) {
      result.json["complete"] = completeness.holds();
      result.json["missing"] = with_places(completeness.json(), world.diagnostics());
      console.print(json_text(result.json) + "\n");
    } else {
      console.print(result.text + completeness.summary(exit_code));
    }
    draw_picture(result, arguments, console);
  });
  return written != kExitOk ? written : exit_code;
}

const char* unit_of(TestInput quantity, JointType type) {
  const bool rotational = type == JointType::Rotational;
  switch (quantity) {
    case TestInput::Position:
      return rotational ? "rad" : "m";
    case TestInput::Velocity:
      return rotational ? "rad/s" : "m/s";
    case TestInput::Effort:
      break;
  }
  return rotational ? "N m" : "N";
}

double usual_step(const JointTest& test) {
  const auto [below, above] = test.room();
  const double all = below + above;
  const double size = std::isfinite(all) && all > 0.0 ? kUsualShare * all / 2.0 : kUsualChange;
  return above >= below ? size : -size;
}

double usual_amplitude(const JointTest& test) {
  const auto [below, above] = test.room();
  const double least = std::min(below, above);
  if (least <= 0.0) {
    throw InputError(fmt::format(
        "'{}' stands at a limit, so it cannot go to both sides; choose another place by --around",
        test.joint().name()));
  }
  return std::isfinite(least) ? kUsualShare * least : kUsualChange;
}

void settle(JointTest& test, TestInput input, const ExperimentArguments& arguments,
            Console& console) {
  test.settle(input, arguments.around, arguments.settle);
  if (!test.has_settled()) {
    const JointReading reading = test.joint().reading();
    console.warn(fmt::format(
        "'{}' is not at rest in its place after {:.4g} s: it is at {:.4g} and moves at {:.3g} per "
        "second; --wait longer",
        test.joint().name(), arguments.settle, reading.position, reading.velocity));
  }
}

void check_picture(const ExperimentArguments& arguments) {
  if (!arguments.output.empty()) {
    static_cast<void>(gnuplot_terminal(arguments.output));
  }
}

void check_frequencies(double from, double to, double time_step) {
  const double highest = 0.5 / time_step;
  const double lowest = FrequencyResponse::kLeastFrequency / time_step;
  if (!(from >= lowest && from < to && to < highest)) {
    throw InputError(
        fmt::format("the frequencies go from {:.6g} to {:.6g} Hz; they must grow, from {:.3g} Hz "
                    "on and to less than {:.6g} Hz, half of the steps per second",
                    from, to, lowest, highest));
  }
}

double share_of(const std::string& text, const char* option) {
  const bool is_percent = text.ends_with('%');
  const std::string digits = is_percent ? text.substr(0, text.size() - 1) : text;
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  const double share = is_percent ? number / 100.0 : number;
  if (digits.empty() || *end != '\0' || !(share >= 0.0 && share <= 1.0)) {
    throw InputError(
        fmt::format("{} is a share such as 5% or 0.05, up to 1, not '{}'", option, text));
  }
  return share;
}

nlohmann::ordered_json number_json(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

}  // namespace servosim
