// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/commands.h"
#include "cli/experiment.h"
#include "cli/step_log.h"
#include "cli/step_marks.h"
#include "experiments/step_test.h"
#include "plot/chart.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

constexpr const char* kStepHelp = R"(
The joint is brought to its start and held there (--wait). Then what the motor is told steps, and
the table says how the joint answers: of --input position and velocity how it comes to what is
commanded, of effort how its position comes to where it ends. No controllers run: all other motors
hold what they hold at the beginning.

Rise time: from a tenth to nine tenths of the way. Overshoot: how far it goes beyond the end, of
the way. Settling time: until it stays within 2 % of the way. Steady error: the command less the
mean of the last tenth of --duration.

LOG in place of WORLD, or --log with it: the greatest step of a log's goal before and after which it
holds, how the real joint has answered, and how that of the world answers the same goals. `step` and
`bode` show how a joint follows its goals, `fit` finds the numbers of a servo from the same logs,
and `identify` those of a joint whose effort was measured.

Exit codes: 0 done; 1 the simulation failed or a file cannot be written; 2 the world or an argument
is wrong; 3 the world lacks parts.

Examples:
  servosim step worlds/arm.wbt --joint shoulder
  servosim step worlds/arm.wbt --joint shoulder --by=-0.5 --duration 3 -o step.svg
  servosim step worlds/arm.wbt --joint elbow --input effort --by 2 --around 0.3 --json
  servosim run worlds/arm.wbt --duration 4 --trace arm.csv && servosim step arm.csv --joint reach
  servosim step worlds/arm.wbt --joint reach --log arm.csv -o both.svg
)";

struct StepArguments {
  ExperimentArguments experiment;
  MeasuredArguments measured;
  std::string input;
  std::optional<double> by;
  double duration = 2.0;
};

void draw_step(const StepTest& test, const std::string& joint, JointType type, TestInput input,
               const std::string& output) {
  ChartCurve command{"commanded", {}, ChartCurve::Style::Dashed};
  ChartCurve position{"measured", {}, ChartCurve::Style::Line};
  ChartCurve velocity{"measured", {}, ChartCurve::Style::Line};
  ChartCurve effort{"measured", {}, ChartCurve::Style::Line};
  for (const StepTest::Row& row : test.rows) {
    command.points.emplace_back(row.time, row.input);
    position.points.emplace_back(row.time, row.joint.position);
    velocity.points.emplace_back(row.time, row.joint.velocity);
    effort.points.emplace_back(row.time, row.joint.effort);
  }
  const TestInput answer = input == TestInput::Velocity ? input : TestInput::Position;
  Chart chart{joint, "time since the step [s]", false, {}};
  for (const auto& [quantity, curve] : {std::pair{TestInput::Position, &position},
                                        {TestInput::Velocity, &velocity},
                                        {TestInput::Effort, &effort}}) {
    ChartPanel panel{fmt::format("{} [{}]", name_of(quantity), unit_of(quantity, type)), {*curve}};
    if (quantity == input) {
      panel.curves.push_back(command);
    }
    if (quantity == answer && test.marks) {
      add_step_marks(test, panel);
    }
    chart.panels.push_back(std::move(panel));
  }
  draw_chart(chart, output);
}

ExperimentResult run_step(const StepArguments& arguments, const ExperimentWorld& world,
                          Console& console) {
  check_picture(arguments.experiment);
  const TestInput input = input_of(arguments.input);
  JointTest test = world.test();
  settle(test, input, arguments.experiment, console);
  const double by = arguments.by.value_or(usual_step(test));
  if (by == 0.0) {
    throw InputError("--by 0 is no step");
  }
  const StepTest answer = step_test(test, by, arguments.duration);

  const JointType type = test.joint().type();
  double velocity = 0.0;
  double effort = 0.0;
  for (const StepTest::Row& row : answer.rows) {
    velocity = std::max(velocity, std::abs(row.joint.velocity));
    effort = std::max(effort, std::abs(row.joint.effort));
  }
  ExperimentResult result;
  const char* const unit = unit_of(input, type);
  result.text = fmt::format("{}: {} from {:.6g} to {:.6g} {}\n", test.joint().name(),
                            name_of(input), test.offset(), test.offset() + by, unit);
  auto& json = result.json;
  json = {{"schema", "servosim-step-1"},  {"world", arguments.experiment.world},
          {"joint", test.joint().name()}, {"input", name_of(input)},
          {"from", test.offset()},        {"to", test.offset() + by}};
  const auto line = [&](const char* name, const char* key, const std::string& text, double value) {
    result.text += fmt::format("  {:<14} {}\n", name, text);
    json[key] = number_json(value);
  };
  const char* const of = input == TestInput::Velocity ? unit_of(TestInput::Velocity, type)
                                                      : unit_of(TestInput::Position, type);
  if (answer.marks) {
    const StepMarks& marks = *answer.marks;
    const auto seconds = [](double value) {
      return std::isnan(value) ? std::string("never") : fmt::format("{:.4g} s", value);
    };
    line("rise time", "rise_time", seconds(marks.rise_time()), marks.rise_time());
    line("overshoot", "overshoot", fmt::format("{:.3g} %", 100.0 * marks.overshoot()),
         marks.overshoot());
    line("settling time", "settling_time", seconds(marks.settling_time()), marks.settling_time());
  } else {
    result.text += "  it moves by less than a thousandth of the step\n";
    for (const char* key : {"rise_time", "overshoot", "settling_time"}) {
      json[key] = nullptr;
    }
  }
  if (input != TestInput::Effort) {
    line("steady error", "steady_error", fmt::format("{:.3g} {}", answer.steady_error, of),
         answer.steady_error);
  }
  line("max velocity", "max_velocity",
       fmt::format("{:.4g} {}", velocity, unit_of(TestInput::Velocity, type)), velocity);
  line("max effort", "max_effort",
       fmt::format("{:.4g} {}", effort, unit_of(TestInput::Effort, type)), effort);
  if (!arguments.experiment.output.empty()) {
    result.picture = [answer, &arguments, name = test.joint().name(), type, input] {
      draw_step(answer, name, type, input, arguments.experiment.output);
    };
  }
  return result;
}

}  // namespace

void add_step(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("step", "Measure how a joint answers a step");
  const auto arguments = std::make_shared<StepArguments>();
  command->footer(kStepHelp);
  add_experiment(*command, arguments->experiment);
  add_start(*command, arguments->experiment);
  add_input(*command, arguments->input);
  command
      ->add_option("--by", arguments->by,
                   "Height of the step; else a twentieth of what the motor or the range allows")
      ->type_name("NUMBER")
      ->check(any_finite_number());
  command->add_option("--duration", arguments->duration, "How long the answer is looked at")
      ->type_name("S")
      ->check(finite_number(false).description(""))
      ->capture_default_str();
  add_measured(*command, arguments->measured);
  command->callback([&action, arguments, command] {
    const std::vector<std::string> unused =
        given_options(*command, {"--around", "--wait", "--input", "--by", "--duration"});
    action = [arguments, unused, of_world = given_world_options(*command)] {
      return run_measured(arguments->experiment, arguments->measured, {LogQuantity::Goal}, unused,
                          of_world, step_of_log,
                          [&](const ExperimentWorld& world, Console& console) {
                            return run_step(*arguments, world, console);
                          });
    };
  });
}

}  // namespace servosim
