// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "cli/commands.h"
#include "cli/experiment.h"
#include "cli/output.h"
#include "experiments/tuning.h"
#include "plot/chart.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

constexpr const char* kTuneHelp = R"(
Looks for the gains of the motor's position control, controlPID, with which a step of the target is
answered as specified: with the load of the world, and with the masses behind the joint lower and
higher by --load. Gains that the motor has and that meet this are kept. Else P alone is tried first,
then PD, PI and PID, and of the first that will do the gains with the least effort are taken.

Exit codes: 0 the specification is met; 1 it is not, and the closest gains are printed, or the
simulation failed; 2 the world or an argument is wrong; 3 the world lacks parts.

Examples:
  servosim tune worlds/arm.wbt --joint shoulder --settle 0.3 --overshoot 5%
  servosim tune worlds/arm.wbt --joint shoulder --settle 0.5 --by=-0.4 --load 50% -o tuned.svg
)";

struct TuneArguments {
  ExperimentArguments experiment;
  double settle_in = 0.0;
  std::string overshoot = "5%";
  std::string load = "20%";
  std::optional<double> by;
};

struct Load {
  std::string name;
  double share;  // factor of the masses
};

std::vector<Load> loads_of(double change) {
  std::vector<Load> loads{{"as in the world", 1.0}};
  if (change > 0.0) {
    loads.push_back({fmt::format("-{:.3g} %", 100.0 * change), 1.0 - change});
    loads.push_back({fmt::format("+{:.3g} %", 100.0 * change), 1.0 + change});
  }
  return loads;
}

void draw_tuning(const Tuning& tuning, const std::vector<Load>& loads, const std::string& joint,
                 JointType type, const std::string& output) {
  ChartPanel position{fmt::format("position [{}]", unit_of(TestInput::Position, type)), {}};
  ChartPanel effort{fmt::format("effort [{}]", unit_of(TestInput::Effort, type)), {}};
  for (std::size_t i = 0; i < loads.size(); ++i) {
    position.curves.push_back({loads[i].name, {}, ChartCurve::Style::Line});
    effort.curves.push_back({"", {}, ChartCurve::Style::Line});
    for (const StepTest::Row& row : tuning.answers[i].rows) {
      position.curves.back().points.emplace_back(row.time, row.joint.position);
      effort.curves.back().points.emplace_back(row.time, row.joint.effort);
    }
  }
  draw_chart({fmt::format("{}: controlPID {:.4g} {:.4g} {:.4g}", joint, tuning.gains.p,
                          tuning.gains.i, tuning.gains.d),
              "time since the step [s]",
              false,
              {position, effort}},
             output);
}

ExperimentResult run_tune(const TuneArguments& arguments, const ExperimentWorld& world,
                          Console& console) {
  check_picture(arguments.experiment);
  const double change = share_of(arguments.load, "--load");
  if (change >= 1.0) {
    throw InputError(
        fmt::format("--load {} would leave no mass; give less than 100%", arguments.load));
  }
  StepSpecification specification;
  specification.settling_time = arguments.settle_in;
  specification.overshoot = share_of(arguments.overshoot, "--overshoot");
  const std::vector<Load> loads = loads_of(change);
  std::vector<JointTest> tests;
  for (const Load& load : loads) {
    tests.push_back(load.share == 1.0 ? world.test() : world.test_with_load(load.share));
    settle(tests.back(), TestInput::Position, arguments.experiment, console);
  }
  JointTest& test = tests.front();
  specification.change = arguments.by.value_or(usual_step(test));
  if (specification.change == 0.0) {
    throw InputError("--by 0 is no step");
  }
  const PidGains before = test.motor().targets().gains;
  const Tuning tuning = tune(tests, specification);

  ExperimentResult result;
  result.exit_code = tuning.met ? kExitOk : kExitFailed;
  const char* const unit = unit_of(TestInput::Position, test.joint().type());
  result.text = fmt::format(
      "{}: a step of {:.4g} {}, to settle in {:.4g} s with an overshoot of at most {:.3g} %\n"
      "controlPID {:.5g} {:.5g} {:.5g}    {}\n",
      test.joint().name(), specification.change, unit, specification.settling_time,
      100.0 * specification.overshoot, tuning.gains.p, tuning.gains.i, tuning.gains.d,
      tuning.kept ? std::string("(as before, which meets it)")
                  : fmt::format("(before: {:.5g} {:.5g} {:.5g})", before.p, before.i, before.d));
  TextTable table({{"load"}, {"rise time", true}, {"overshoot", true}, {"settles in", true}, {""}});
  auto list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const StepTest& answer = tuning.answers[i];
    const bool met = specification.rating(answer) <= 1.0;
    const StepMarks marks = answer.marks.value_or(StepMarks{});
    const auto seconds = [](double value) {
      return std::isnan(value) ? std::string("never") : fmt::format("{:.4g} s", value);
    };
    table.add({loads[i].name, seconds(marks.rise_time()),
               fmt::format("{:.3g} %", 100.0 * marks.overshoot()), seconds(marks.settling_time()),
               met ? "met" : "not met"});
    list.push_back({{"mass_factor", loads[i].share},
                    {"rise_time", number_json(marks.rise_time())},
                    {"overshoot", number_json(marks.overshoot())},
                    {"settling_time", number_json(marks.settling_time())},
                    {"met", met}});
  }
  result.text += table.text("  ");
  if (!tuning.met) {
    const double fastest = specification.change / test.motor().limits().max_velocity;
    result.text += fmt::format(
        "no gains meet it{}\n",
        std::isfinite(fastest) && std::abs(fastest) > specification.settling_time
            ? fmt::format(": at its maxVelocity the motor needs {:.4g} s for the step",
                          std::abs(fastest))
            : std::string("; the limits of the motor, its acceleration or its effort, may forbid "
                          "it"));
  }
  if (!arguments.experiment.output.empty()) {
    result.picture = [tuning, loads, name = test.joint().name(), type = test.joint().type(),
                      &arguments] {
      draw_tuning(tuning, loads, name, type, arguments.experiment.output);
    };
  }
  result.json = {{"schema", "servosim-tune-1"},
                 {"world", arguments.experiment.world},
                 {"joint", test.joint().name()},
                 {"step", specification.change},
                 {"settling_time", specification.settling_time},
                 {"overshoot", specification.overshoot},
                 {"control_pid", {tuning.gains.p, tuning.gains.i, tuning.gains.d}},
                 {"met", tuning.met},
                 {"kept", tuning.kept},
                 {"loads", list},
                 {"simulations", tuning.simulations}};
  return result;
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("tune", "Find gains of a joint that meet a specification");
  const auto arguments = std::make_shared<TuneArguments>();
  command->footer(kTuneHelp);
  add_experiment(*command, arguments->experiment);
  add_start(*command, arguments->experiment);
  command
      ->add_option("--settle", arguments->settle_in,
                   "From when on it stays within 2 % of the way, at most")
      ->type_name("S")
      ->check(finite_number(false).description(""))
      ->required();
  command->add_option("--overshoot", arguments->overshoot, "At most, of the way")
      ->type_name("SHARE")
      ->capture_default_str();
  command->add_option("--load", arguments->load, "By how much the masses behind the joint vary")
      ->type_name("SHARE")
      ->capture_default_str();
  command->add_option("--by", arguments->by, "Height of the step; else a twentieth of the range")
      ->type_name("RAD|M")
      ->check(any_finite_number());
  command->callback([&action, arguments] {
    action = [arguments] {
      return run_experiment(arguments->experiment,
                            [&](const ExperimentWorld& world, Console& console) {
                              return run_tune(*arguments, world, console);
                            });
    };
  });
}

}  // namespace servosim
