// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/experiment.h"
#include "cli/measured_log.h"
#include "cli/output.h"
#include "experiments/excitation.h"
#include "experiments/identification.h"
#include "fit/servo_log.h"
#include "plot/chart.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

constexpr const char* kIdentifyHelp = R"(
Finds by least squares what a joint is like:

  effort = inertia * acceleration + damping * velocity + friction * sign(velocity) + load

The load is that of gravity, sine * sin(position) + cosine * cos(position) of a rotational joint and
constant for a linear one; with --stiffness it is a spring. Of a world, the motor's effort is twelve
sines between --from and --to at once, around what holds the joint at its start. A control loop
keeps it near there, off its stops; with --amplitude there is none. Of a log, the effort is the one
in it: all that the joint put on its endpoint, or what a real one measured. --columns names its
columns; without a velocity, positions are subtracted. `servosim fit` is for logs of a servo that
have what was commanded and no effort; `step` and `bode` show how a joint follows its goals.

Measured rows go through a zero-phase filter; those of a simulation do not.

The first half of the rows is fitted, the second half predicted: `explained` is the share of its
effort that the parameters predict. ± is the interval of 95 % confidence.

Exit codes: 0 done; 1 the parameters explain less than half of the effort, the simulation failed or
a file cannot be written; 2 the world, the log or an argument is wrong, or the joint hardly moves;
3 the world lacks parts.

Examples:
  servosim identify worlds/arm.wbt --joint shoulder --amplitude 3
  servosim identify measured.csv --joint arm/shoulder -o fit.svg
  servosim identify log.csv --columns 'time=t[ms], position=q[deg], effort=torque[mN m]'
)";

constexpr double kWellExplained = 0.9;
constexpr double kHardlyExplained = 0.5;

struct IdentifyArguments {
  ExperimentArguments experiment;
  std::optional<double> amplitude;
  double from = 0.2;
  double to = 5.0;
  double duration = 20.0;
  bool stiffness = false;
  std::optional<double> filter;  // [Hz]
  std::string columns;           // of a log
};

struct Rows {
  std::string joint;
  JointType type = JointType::Rotational;
  std::vector<JointSample> samples;
  bool is_simulated = false;
};

// Where a log has no velocity, it is the difference of positions, which the fit takes for that of a
// step.
Rows rows_of_log(const IdentifyArguments& arguments, Console& console) {
  const ExperimentArguments& experiment = arguments.experiment;
  const ServoLog log = read_measured_log(experiment.world, experiment.joint, arguments.columns,
                                         {LogQuantity::Effort}, console);
  const auto joint = log.words.find("joint");
  Rows rows{joint != log.words.end() ? joint->second : experiment.joint,
            log.type.value_or(JointType::Rotational),
            {}};
  const bool has_velocity = std::isfinite(log.samples.front().velocity);
  for (std::size_t i = has_velocity ? 0 : 1; i < log.samples.size(); ++i) {
    const LogSample& sample = log.samples[i];
    const double velocity = has_velocity ? sample.velocity
                                         : (sample.position - log.samples[i - 1].position) /
                                               (sample.time - log.samples[i - 1].time);
    rows.samples.push_back({sample.time, sample.position, velocity, sample.effort});
  }
  return rows;
}

// By default a joint with two stops starts in the middle half of its range.
ExperimentArguments start_of(const IdentifyArguments& arguments, const JointTest& test) {
  ExperimentArguments start = arguments.experiment;
  const std::optional<JointRange> range = test.range();
  if (!arguments.amplitude && !start.around && range &&
      std::isfinite(range->upper - range->lower)) {
    const double quarter = (range->upper - range->lower) / 4.0;
    const double target = test.motor().targets().position;
    start.around = std::clamp(std::isfinite(target) ? target : test.joint().position(),
                              range->lower + quarter, range->upper - quarter);
  }
  return start;
}

Rows rows_of_world(const IdentifyArguments& arguments, const ExperimentWorld& world,
                   Console& console) {
  JointTest test = world.test();
  check_frequencies(arguments.from, arguments.to, test.time_step());
  settle(test, TestInput::Effort, start_of(arguments, test), console);
  const Sines sines{arguments.from, arguments.to, arguments.duration};
  return {test.joint().name(), test.joint().type(),
          arguments.amplitude ? excite(test, *arguments.amplitude, sines)
                              : excite_near_start(test, sines),
          true};
}

void draw_rows(const Rows& rows, const std::string& output) {
  ChartCurve position;
  ChartCurve velocity;
  ChartCurve effort;
  for (const JointSample& sample : rows.samples) {
    position.points.emplace_back(sample.time, sample.position);
    velocity.points.emplace_back(sample.time, sample.velocity);
    effort.points.emplace_back(sample.time, sample.effort);
  }
  draw_chart({rows.joint,
              "time [s]",
              false,
              {{fmt::format("position [{}]", unit_of(TestInput::Position, rows.type)), {position}},
               {fmt::format("velocity [{}]", unit_of(TestInput::Velocity, rows.type)), {velocity}},
               {fmt::format("effort [{}]", unit_of(TestInput::Effort, rows.type)), {effort}}}},
             output);
}

ExperimentResult report(const IdentifyArguments& arguments, const Rows& rows) {
  IdentificationOptions options{arguments.stiffness, arguments.filter};
  if (!options.cutoff && rows.is_simulated) {
    options.cutoff = 0.0;
  }
  const Identification found = identify(rows.samples, rows.type, options);
  ExperimentResult result;
  result.text = rows.joint + "\n";
  TextTable table({{"parameter"}, {"value", true}, {"±", true}, {"unit"}});
  auto list = nlohmann::ordered_json::array();
  bool unknown = false;
  for (const IdentifiedParameter& parameter : found.parameters) {
    unknown = unknown || !parameter.known;
    table.add({parameter.name, parameter.known ? fmt::format("{:.5g}", parameter.value) : "unknown",
               parameter.known ? fmt::format("{:.2g}", parameter.confidence) : "", parameter.unit});
    list.push_back({{"name", parameter.name},
                    {"value", parameter.known ? number_json(parameter.value) : nullptr},
                    {"confidence", parameter.known ? number_json(parameter.confidence) : nullptr},
                    {"unit", parameter.unit}});
  }
  result.text += table.text("  ");
  if (unknown) {
    result.text +=
        "unknown: this movement does not tell it; move the joint faster, farther or both ways\n";
  }
  result.text += fmt::format(
      "explained: {:.2f} % of the effort of {} rows that were not fitted; {:.3g} {} are left\n",
      100.0 * found.explained, found.validated, found.residual,
      unit_of(TestInput::Effort, rows.type));
  if (found.cutoff > 0.0) {
    result.text += fmt::format("measured: all of it is filtered below {:.4g} Hz\n", found.cutoff);
  }
  if (found.explained < kWellExplained) {
    const bool hardly = found.explained < kHardlyExplained;
    result.text +=
        fmt::format("these parameters {}: the joint touches something, spins, or moves others\n",
                    hardly ? "do not describe it" : "describe it in part only");
    result.exit_code = hardly ? kExitFailed : kExitOk;
  }
  if (!arguments.experiment.output.empty()) {
    result.picture = [rows, &arguments] { draw_rows(rows, arguments.experiment.output); };
  }
  result.json = {{"schema", "servosim-identify-1"},
                 {"world", arguments.experiment.world},
                 {"joint", rows.joint},
                 {"parameters", list},
                 {"fitted_rows", found.fitted},
                 {"validated_rows", found.validated},
                 {"filter", found.cutoff > 0.0 ? number_json(found.cutoff) : nullptr},
                 {"explained", found.explained},
                 {"residual", found.residual}};
  return result;
}

int run_identify(const IdentifyArguments& arguments, const std::vector<std::string>& of_worlds) {
  const ExperimentArguments& experiment = arguments.experiment;
  if (!is_log(experiment.world)) {
    if (!arguments.columns.empty()) {
      return run_writer([&](Console&) {
        throw InputError(
            fmt::format("--columns is for a log, and '{}' is a world", experiment.world));
      });
    }
    if (experiment.joint.empty()) {
      return run_writer([](Console&) { throw InputError("--joint is required for a world"); });
    }
    return run_experiment(experiment, [&](const ExperimentWorld& world, Console& console) {
      check_picture(experiment);
      return report(arguments, rows_of_world(arguments, world, console));
    });
  }
  int exit_code = kExitOk;
  const int written = run_writer([&](Console& console) {
    if (!of_worlds.empty()) {
      throw InputError(
          fmt::format("{} is for a world, and '{}' is a log", of_worlds.front(), experiment.world));
    }
    check_picture(experiment);
    exit_code =
        show_log_result(report(arguments, rows_of_log(arguments, console)), experiment, console);
  });
  return written != kExitOk ? written : exit_code;
}

}  // namespace

void add_identify(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("identify", "Find inertia, damping and friction of a joint");
  const auto arguments = std::make_shared<IdentifyArguments>();
  command->footer(kIdentifyHelp);
  add_experiment(*command, arguments->experiment);
  add_columns(*command, arguments->columns);
  command->get_option("--joint")->description(
      "The joint of a world or a trace, or robot/joint; of another log only what it is called");
  add_start(*command, arguments->experiment);
  command->add_option("--amplitude", arguments->amplitude, "Of the effort, without a control loop")
      ->type_name("NM|N")
      ->check(finite_number(false).description(""));
  command->add_option("--from", arguments->from, "Lowest frequency of the effort")
      ->type_name("HZ")
      ->check(finite_number(false).description(""))
      ->capture_default_str();
  command->add_option("--to", arguments->to, "Highest frequency")
      ->type_name("HZ")
      ->check(finite_number(false).description(""))
      ->capture_default_str();
  command->add_option("--duration", arguments->duration, "How long the joint is moved")
      ->type_name("S")
      ->check(finite_number(false).description(""))
      ->capture_default_str();
  command
      ->add_option("--filter", arguments->filter,
                   "Of measured rows, the frequency to which they count; 0: no filter")
      ->type_name("HZ")
      ->check(finite_number(true).description(""));
  command->add_flag("--stiffness", arguments->stiffness, "The load is a spring");
  command->callback([&action, arguments, command] {
    // Given options that do not apply to a log.
    std::vector<std::string> of_worlds = given_world_options(*command);
    for (std::string& name : given_options(
             *command, {"--around", "--wait", "--amplitude", "--from", "--to", "--duration"})) {
      of_worlds.push_back(std::move(name));
    }
    action = [arguments, of_worlds] { return run_identify(*arguments, of_worlds); };
  });
}

}  // namespace servosim
