// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/printable.h"
#include "bus/client/recorder.h"
#include "cli/arguments.h"
#include "cli/bus_port.h"
#include "cli/commands.h"
#include "run/signals.h"

namespace servosim {
namespace {

using bus::RecordedLog;
using bus::ServoRecorder;
using bus::TestTrajectory;

constexpr const char* kBusRecordHelp = R"(
Moves servos that turn a pendulum each, and writes logs for `servosim fit`. Mount the servo so that
a mass at the end of a rod turns about a horizontal axis, let it hang at rest, and keep clear: a
movement goes up to a third of a turn to both sides. The torque is off afterwards, and after Ctrl-C.

Trajectories, 6 s each:
  sin_sin          two sines, slow with a large and fast with a small amplitude
  sin_time_square  a sine that gets faster
  up_and_down      a slow lift and a slower way back
  lift_and_drop    a slow lift; then the torque is off, and the load drives the gear

The time of a row is that of this computer, so that a bus in lock-step is refused before anything
moves: serve it without --lockstep.

With several trajectories or servos the name of each log has them: log-1-sin_sin.csv.

Examples:
  servosim bus record /dev/ttyUSB0 --ids 1 --trajectory sin_sin --dry-run
  servosim bus record /dev/ttyUSB0 --ids 1 --trajectory sin_sin,lift_and_drop \
    --mass 0.49 --length 0.1 -o log.csv
  servosim fit log-1-*.csv -o mine.toml
)";

constexpr double kDegreesPerRadian = 180.0 / std::numbers::pi;

struct RecordArguments {
  BusPortArguments port;
  std::string ids = "1";
  std::vector<std::string> trajectories = {"sin_sin"};
  std::string output;
  bus::RecordOptions options;
  std::optional<double> mass;    // [kg]
  std::optional<double> length;  // [m]
  bool is_reverse = false;
  bool force = false;
  bool dry_run = false;
};

std::vector<const TestTrajectory*> chosen_trajectories(const RecordArguments& arguments) {
  std::vector<const TestTrajectory*> chosen;
  for (const std::string& name : arguments.trajectories) {
    chosen.push_back(bus::find_trajectory(name));
    if (chosen.back() == nullptr) {
      std::string names;
      for (const TestTrajectory& each : bus::test_trajectories()) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
      }
      throw std::invalid_argument(
          fmt::format("--trajectory: there is no '{}'; there are {}", printable(name), names));
    }
  }
  return chosen;
}

// The file of one log: that of -o, or with the ID and the trajectory in its name.
std::string path_of(const RecordArguments& arguments, bool is_only_one, int id,
                    const TestTrajectory& trajectory) {
  if (is_only_one) {
    return arguments.output;
  }
  const std::filesystem::path path(arguments.output);
  return (path.parent_path() / fmt::format("{}-{}-{}{}", path.stem().string(), id, trajectory.name,
                                           path.extension().string()))
      .string();
}

std::vector<std::string> log_header(const RecordArguments& arguments,
                                    const bus::RegisterTable& table, const RecordedLog& log,
                                    const TestTrajectory& trajectory) {
  std::vector<std::string> header = {fmt::format("motor = {}", table.model),
                                     fmt::format("trajectory = {}", trajectory.name)};
  if (log.gain) {
    header.push_back(fmt::format("kp = {}", *log.gain));
  }
  if (!log.rows.empty() && log.rows[0].voltage) {
    header.push_back(fmt::format("vin = {}", *log.rows[0].voltage));
  }
  if (arguments.mass) {
    header.push_back(fmt::format("mass = {}", *arguments.mass));
  }
  if (arguments.length) {
    header.push_back(fmt::format("length = {}", *arguments.length));
  }
  return header;
}

std::string plan_text(const ServoRecorder& recorder, const bus::RemoteServo& servo,
                      const TestTrajectory& trajectory, double scale) {
  const bus::GoalRange range = bus::goal_range(trajectory);
  return fmt::format(
      "servo {} ({}): {} moves it from {:.0f} to {:+.0f} degrees, from count {} to "
      "{}, in {} s: {}\n",
      servo.id(), servo.table().model, trajectory.name, scale * range.least * kDegreesPerRadian,
      scale * range.greatest * kDegreesPerRadian, recorder.count_of(range.least),
      recorder.count_of(range.greatest), trajectory.duration, trajectory.meaning);
}

void record_servo(const RecordArguments& arguments, bus::RemoteServo& servo,
                  const std::vector<const TestTrajectory*>& trajectories, bool is_only_one,
                  Console& console) {
  require_real_time(servo);
  ServoRecorder recorder(servo, arguments.options);
  for (const TestTrajectory* const each : trajectories) {
    if (const std::string refusal = recorder.refusal(*each); !refusal.empty()) {
      throw std::invalid_argument(fmt::format("servo {}: {}", servo.id(), refusal));
    }
    if (const std::string path = path_of(arguments, is_only_one, servo.id(), *each);
        !arguments.dry_run && !arguments.force && std::filesystem::exists(path)) {
      throw std::invalid_argument(
          fmt::format("'{}' exists already; --force replaces it", printable(path)));
    }
    console.print(plan_text(recorder, servo, *each, arguments.options.scale));
  }
  if (arguments.dry_run) {
    return;
  }
  for (const TestTrajectory* const each : trajectories) {
    const RecordedLog log = recorder.record(*each, throw_if_interrupted);
    const std::string path = path_of(arguments, is_only_one, servo.id(), *each);
    if (!log.rows.empty()) {
      const std::string text = bus::csv_text(log, log_header(arguments, servo.table(), log, *each));
      if (const auto error = write_file(path, text, arguments.force)) {
        throw std::runtime_error(
            fmt::format("{} cannot be written: {}", printable(path), error->reason));
      }
      console.print(fmt::format("{}: {} rows\n", printable(path), log.rows.size()));
    }
    if (!log.stopped_by.empty()) {
      throw std::runtime_error(fmt::format("servo {} is stopped: {}", servo.id(), log.stopped_by));
    }
  }
}

void record(RecordArguments arguments, Console& console) {
  if (arguments.output.empty() && !arguments.dry_run) {
    throw std::invalid_argument("-o FILE says where the log is written; --dry-run writes nothing");
  }
  arguments.options.direction = arguments.is_reverse ? -1 : 1;
  const auto trajectories = chosen_trajectories(arguments);
  const std::vector<std::uint8_t> ids = read_ids(arguments.ids);
  const bool is_only_one = trajectories.size() == 1 && ids.size() == 1;
  bus::SerialPort port = arguments.port.open();
  for (const std::uint8_t id : ids) {
    BusConnection connection(port, arguments.port, id);
    record_servo(arguments, connection.servo(), trajectories, is_only_one, console);
  }
}

}  // namespace

void add_bus_record(CLI::App& bus, Action& action) {
  const auto arguments = std::make_shared<RecordArguments>();
  CLI::App* const command = bus.add_subcommand("record", "Move servos, and write logs for `fit`");
  command->footer(kBusRecordHelp);
  add_bus_port(*command, arguments->port, true);
  command->add_option("--ids", arguments->ids, "IDs such as 1,4-9; default 1")->type_name("IDS");
  command
      ->add_option("--trajectory", arguments->trajectories,
                   "Trajectories, separated by commas; default sin_sin")
      ->delimiter(',')
      ->type_name("NAMES");
  command->add_option("-o,--output", arguments->output, "The log, CSV")->type_name("FILE");
  command->add_flag("--force", arguments->force, "Replace logs that exist");
  command->add_flag("--dry-run", arguments->dry_run, "Say what will move and how far, and end");
  command->add_option("--gain", arguments->options.gain,
                      "P gain, as the register has it; default: the one that it has");
  command->add_option("--scale", arguments->options.scale, "Factor of all angles; default 1")
      ->check(positive_number(2.0));
  command
      ->add_option("--zero", arguments->options.zero,
                   "Count at which the pendulum hangs; default: that of its position now")
      ->check(number_from_to(-2147483648.0, 2147483647.0));
  command->add_flag("--reverse", arguments->is_reverse, "A growing count lowers the angle");
  command
      ->add_option("--rate", arguments->options.rate,
                   "Rows per second [Hz], 1 to 10000; default 200")
      ->check(number_from_to(1.0, 10000.0));
  command
      ->add_option("--max-temperature", arguments->options.max_temperature,
                   "Beyond it the torque is switched off [degC]; default 60")
      ->check(any_finite_number());
  command
      ->add_option("--min-voltage", arguments->options.min_voltage,
                   "Below it, the same [V]; default: the limit of the servo's register")
      ->check(finite_number(true));
  command
      ->add_option("--max-voltage", arguments->options.max_voltage,
                   "Above it, the same [V]; default: the limit of the servo's register")
      ->check(finite_number(true));
  command->add_option("--mass", arguments->mass, "Mass of the pendulum, for `fit` [kg]")
      ->check(finite_number(false));
  command->add_option("--length", arguments->length, "Length of the pendulum, for `fit` [m]")
      ->check(finite_number(false));
  command->callback([&action, arguments] {
    action = [arguments] {
      return run_bus_client([arguments](Console& console) { record(*arguments, console); });
    };
  });
}

}  // namespace servosim
