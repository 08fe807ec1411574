// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <numbers>

#include "cli/bode_log.h"
#include "cli/bode_picture.h"
#include "cli/commands.h"
#include "cli/experiment.h"
#include "cli/output.h"
#include "experiments/frequency_response.h"
#include "plot/chart.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

constexpr const char* kBodeHelp = R"(
The motor gets a sine of each frequency, on top of what holds the joint at its start; gain and phase
are those of the sine in the answer once it repeats. The amplitude is halved, up to six times, as
long as half of it gives another gain: a motor at its limit, for example. `coherence` is the share
of the answer that is a sine of this frequency; `!` marks what stays nonlinear, as by friction, `~`
what does not come to repeat itself.

With --input position the response is that of the closed loop from target to position, and the
margins are those of the open loop L = T / (1 - T) inside. With velocity or effort the margins are
those of a loop that feeds the answer back with a gain of 1.

LOG in place of WORLD, or --log with it: the response that was measured, estimated from goals of any
form in which these frequencies are, and that of the world to the same goals. `bode` and `step` show
how a joint follows its goals, `fit` finds the numbers of a servo from the same logs, and `identify`
those of a joint whose effort was measured.

Exit codes: 0 done; 1 the simulation failed or a file cannot be written; 2 the world or an argument
is wrong; 3 the world lacks parts.

Examples:
  servosim bode worlds/arm.wbt --joint shoulder -o bode.svg
  servosim bode worlds/arm.wbt --joint shoulder --input effort --around 0.3 --from 0.5 --to 20
  servosim run worlds/pan_tilt.wbt --duration 12 --trace h.csv && servosim bode h.csv --joint pan
  servosim bode worlds/pan_tilt.wbt --joint pan --log h.csv -o both.svg
)";

struct BodeArguments {
  ExperimentArguments experiment;
  MeasuredArguments measured;
  std::string input;
  std::string answer;
  double from = 0.1;
  std::optional<double> to;
  std::optional<double> amplitude;
  int points = 25;
};

ExperimentResult run_bode(const BodeArguments& arguments, const ExperimentWorld& world,
                          Console& console) {
  check_picture(arguments.experiment);
  const TestInput input = input_of(arguments.input);
  JointTest test = world.test();
  const double to = arguments.to.value_or(0.25 / test.time_step());
  check_frequencies(arguments.from, to, test.time_step());
  settle(test, input, arguments.experiment, console);
  const double around = test.joint().position();
  const double amplitude = arguments.amplitude.value_or(usual_amplitude(test));
  FrequencyResponse response(
      test, arguments.answer == "velocity" ? TestOutput::Velocity : TestOutput::Position);
  std::vector<FrequencyPoint> points;
  for (const double frequency : spaced_frequencies(arguments.from, to, arguments.points)) {
    points.push_back(response.measure(frequency, amplitude));
  }
  const std::string name = test.joint().name();

  const bool closed = input == TestInput::Position && arguments.answer == "position";
  std::vector<BodeCurves> responses{{closed ? "closed loop" : "", points}};
  if (closed) {
    responses.push_back({"open loop", opened(points)});
  }
  const LoopMargins margins = loop_margins(responses.back().points);
  const std::vector<double> phases = unwrapped_phases(points);
  ExperimentResult result;
  TextTable table({{"frequency [Hz]", true},
                   {"gain [dB]", true},
                   {"phase [°]", true},
                   {"amplitude", true},
                   {"coherence", true},
                   {""}});
  auto list = nlohmann::ordered_json::array();
  bool nonlinear = false;
  bool unsettled = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const FrequencyPoint& point = points[i];
    nonlinear = nonlinear || !point.linear;
    unsettled = unsettled || !point.settled;
    table.add({fmt::format("{:.4g}", point.frequency), fmt::format("{:.2f}", point.gain_db()),
               fmt::format("{:.1f}", phases[i]), fmt::format("{:.3g}", point.amplitude),
               fmt::format("{:.4f}", point.coherence),
               std::string(point.linear ? "" : "!") + (point.settled ? "" : "~")});
    list.push_back({{"frequency", point.frequency},
                    {"gain", std::abs(point.gain)},
                    {"phase", phases[i]},
                    {"amplitude", point.amplitude},
                    {"coherence", point.coherence},
                    {"linear", point.linear},
                    {"settled", point.settled}});
  }
  const JointType type = test.joint().type();
  result.text = fmt::format(
      "{}: from {} [{}] to {} [{}]\n{}", name, name_of(input), unit_of(input, type),
      arguments.answer,
      unit_of(arguments.answer == "velocity" ? TestInput::Velocity : TestInput::Position, type),
      table.text("  "));
  if (nonlinear) {
    result.text += "  ! the gain depends on the amplitude here\n";
  }
  if (unsettled) {
    result.text += "  ~ the answer has not come to repeat itself\n";
  }
  const double bandwidth = bandwidth_of(points);
  result.text += bandwidth > 0.0 ? fmt::format("bandwidth: {:.4g} Hz\n", bandwidth) : "";
  result.text += margin_text("gain margin", margins.gain, "dB");
  result.text += margin_text("phase margin", margins.phase, "°");
  if (!arguments.experiment.output.empty()) {
    BodePicture picture{fmt::format("{}: {} to {}", name, arguments.input, arguments.answer),
                        responses, bandwidth, margins};
    result.picture = [picture, &arguments] { draw_bode(picture, arguments.experiment.output); };
  }
  result.json = {{"schema", "servosim-bode-1"},
                 {"world", arguments.experiment.world},
                 {"joint", name},
                 {"input", name_of(input)},
                 {"answer", arguments.answer},
                 {"around", around},
                 {"points", list},
                 {"bandwidth", bandwidth > 0.0 ? number_json(bandwidth) : nullptr},
                 {"gain_margin", margin_json(margins.gain)},
                 {"phase_margin", margin_json(margins.phase)}};
  return result;
}

}  // namespace

void add_bode(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("bode", "Measure the frequency response of a joint");
  const auto arguments = std::make_shared<BodeArguments>();
  command->footer(kBodeHelp);
  add_experiment(*command, arguments->experiment);
  add_start(*command, arguments->experiment);
  add_input(*command, arguments->input);
  arguments->answer = "position";
  add_choice(*command, "--answer", arguments->answer, {"position", "velocity"},
             "What of the joint is measured");
  command->add_option("--from", arguments->from, "Lowest frequency")
      ->type_name("HZ")
      ->check(finite_number(false).description(""))
      ->capture_default_str();
  command
      ->add_option("--to", arguments->to,
                   "Highest frequency; else a quarter of the steps per second")
      ->type_name("HZ")
      ->check(finite_number(false).description(""));
  command->add_option("--points", arguments->points, "How many frequencies, at equal ratios")
      ->type_name("N")
      ->check(number_between(2, 1000, "number of points").description(""))
      ->capture_default_str();
  command
      ->add_option("--amplitude", arguments->amplitude,
                   "Of the sine; else a tenth of what the motor or the range allows")
      ->type_name("NUMBER")
      ->check(finite_number(false).description(""));
  add_measured(*command, arguments->measured);
  command->callback([&action, arguments, command] {
    const std::vector<std::string> unused =
        given_options(*command, {"--around", "--wait", "--input", "--amplitude"});
    LogFrequencies frequencies{std::nullopt, arguments->to, arguments->points, arguments->answer};
    if (command->count("--from") > 0) {
      frequencies.from = arguments->from;
    }
    std::vector<LogQuantity> needed{LogQuantity::Goal};
    if (arguments->answer == "velocity") {
      needed.push_back(LogQuantity::Velocity);
    }
    action = [arguments, needed, unused, frequencies, of_world = given_world_options(*command)] {
      return run_measured(
          arguments->experiment, arguments->measured, needed, unused, of_world,
          [&](const MeasuredLog& log) { return bode_of_log(log, frequencies); },
          [&](const ExperimentWorld& world, Console& console) {
            return run_bode(*arguments, world, console);
          });
    };
  });
}

}  // namespace servosim
