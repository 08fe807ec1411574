// SPDX-License-Identifier: Apache-2.0
#include "run/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/shortage.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/run_arguments.h"
#include "cli/run_several.h"
#include "physics/step_memory.h"
#include "run/console.h"
#include "scene/scene.h"
#include "servosim/simulation.h"
#include "sim/simulation_core.h"

namespace servosim {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kProgressInterval = 100ms;

std::int64_t steps_for(double duration, double basic_time_step_ms) {
  const double steps = std::ceil(duration * 1000.0 / basic_time_step_ms - 1e-9);
  if (steps > 1e18) {
    throw InputError(fmt::format("a duration of {} s has too many steps", duration));
  }
  return std::max<std::int64_t>(0, std::llround(steps));
}

// [bytes]. At least one, which is too little for any step, since 0 means the default.
std::size_t step_memory_of(const std::optional<double>& gigabytes, std::size_t jobs) {
  return gigabytes ? static_cast<std::size_t>(std::max(1.0, 1e9 * *gigabytes))
                   : default_step_memory(jobs);
}

std::vector<ControllerOverride> overrides_of(const std::vector<std::string>& arguments) {
  std::vector<ControllerOverride> overrides;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) {
      throw InputError(fmt::format("--controller needs ROBOT=PROGRAM, not '{}'", argument));
    }
    overrides.push_back({argument.substr(0, equals), argument.substr(equals + 1)});
  }
  return overrides;
}

Watch watched_by(const std::vector<std::string>& globs, const Simulation& simulation) {
  try {
    return watch(simulation, globs);
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

// Start, end and extremes of the watched joints during a run.
class JointSummary {
 public:
  /// `simulation` must outlive it; the positions now are the start.
  JointSummary(const Simulation& simulation, const Watch& watched);
  /// Call it after each step.
  void update();
  /// A table with a line for each joint; one sentence without any.
  std::string table() const;

 private:
  struct Extremes {
    int joint;
    double start;
    double min;
    double max;
    double velocity = 0.0;  // largest magnitude
    double effort = 0.0;    // largest magnitude
  };

  const Simulation& simulation_;
  std::vector<Extremes> joints_;
  std::size_t propellers_;
};

// Rounding noise is shown as 0; the trace has every digit.
double without_noise(double value) { return std::abs(value) < 1e-9 ? 0.0 : value; }

JointSummary::JointSummary(const Simulation& simulation, const Watch& watched)
    : simulation_(simulation), propellers_(watched.propellers.size()) {
  for (const int j : watched.joints) {
    const double position = simulation.joint(j).position();
    joints_.push_back({j, position, position, position});
  }
}

void JointSummary::update() {
  for (Extremes& e : joints_) {
    const JointReading reading = simulation_.joint(e.joint).reading();
    e.min = std::min(e.min, reading.position);
    e.max = std::max(e.max, reading.position);
    e.velocity = std::max(e.velocity, std::abs(reading.velocity));
    e.effort = std::max(e.effort, std::abs(reading.effort));
  }
}

std::string JointSummary::table() const {
  if (joints_.empty()) {
    const char* where = simulation_.joints().size() == 0 ? "the world has" : "--watch chose";
    return propellers_ == 0 ? "the world has no joints\n"
                            : fmt::format("{} no joints, but {} propeller{}: see --trace\n", where,
                                          propellers_, propellers_ == 1 ? "" : "s");
  }
  std::size_t name_width = 5;
  for (const Extremes& e : joints_) {
    name_width = std::max(name_width, display_width(simulation_.joint(e.joint).name()));
  }
  std::string text = fmt::format("{}  {:<10} {:<13}", padded("joint", name_width), "type", "units");
  for (const char* column : {"start", "final", "min", "max", "|velocity|", "|effort|"}) {
    text += fmt::format(" {:>12}", column);
  }
  text += '\n';
  for (const Extremes& e : joints_) {
    const bool turns = simulation_.joint(e.joint).type() == JointType::Rotational;
    fmt::format_to(std::back_inserter(text), "{}  {:<10} {:<13}",
                   padded(simulation_.joint(e.joint).name(), name_width),
                   turns ? "rotational" : "linear", turns ? "rad rad/s N m" : "m m/s N");
    for (const double value :
         {e.start, simulation_.joint(e.joint).position(), e.min, e.max, e.velocity, e.effort}) {
      fmt::format_to(std::back_inserter(text), " {:>12.6g}", without_noise(value));
    }
    text += '\n';
  }
  return text;
}

class RunCommand {
 public:
  RunCommand(const RunArguments& arguments, const PlannedRun& planned, const WorldTask* task,
             Console& console)
      : arguments_(arguments),
        console_(console),
        task_(task),
        planned_(planned),
        trace_(arguments.trace.file_of(planned)),
        simulation_(planned.world, load_options()),
        summary_(std::in_place, simulation_, watched_by(arguments.watch, simulation_)),
        run_(simulation_, run_options(), console),
        show_progress_(!arguments.quiet && ::isatty(STDERR_FILENO) != 0) {}

  int execute() {
    print_diagnostics(simulation_.diagnostics(), console_);
    arguments_.trace.make_folder();
    extensions_ = open_extensions(arguments_.interfaces, simulation_, console_);
    for (const auto& extension : extensions_) {
      run_.add(*extension);
    }
    const int exit_code = run_.execute();
    const double elapsed = seconds_since_start();
    if (task_ != nullptr) {
      report_to_task(exit_code, elapsed);
      return exit_code;
    }
    if (!arguments_.quiet) {
      console_.print(summary_->table() + last_lines(elapsed));
    }
    console_.print(fmt::format("state_hash: {:016x}\n", simulation_.state_hash()));
    if (const int number = interrupting_signal(); number != 0) {
      return 128 + number;  // the signal may come while this is printed
    }
    return exit_code == kExitOk && console_.output_lost() ? kExitFailed : exit_code;
  }

 private:
  LoadOptions load_options() {
    LoadOptions options;
    options.proto_paths = arguments_.proto_paths;
    options.assets = arguments_.assets;
    options.random_seed = arguments_.seed;
    options.random_seed_offset = static_cast<std::int64_t>(planned_.copy);
    options.compat_webots = arguments_.compat == "webots";
    options.step_memory =
        step_memory_of(arguments_.step_memory, task_ != nullptr ? task_->jobs : 1);
    options.notice = [this](std::string_view message) { console_.log(LogLevel::Warning, message); };
    return options;
  }

  RunOptions run_options() {
    RunOptions options;
    options.steps = arguments_.steps;
    if (arguments_.duration) {
      options.steps = steps_for(*arguments_.duration, simulation_.basic_time_step_ms());
    }
    options.controllers.overrides = overrides_of(arguments_.controllers);
    if (task_ != nullptr) {
      options.controllers.cores = task_->cores;
      drop_overrides_of_other_worlds(options.controllers.overrides);
    }
    options.realtime_factor = arguments_.factor();
    options.controllers.timeout = arguments_.controller_timeout;
    options.controllers.end_timeout = arguments_.end_timeout;
    options.stop_on_failure = arguments_.stop_on_failure;
    options.controllers.extern_controllers = extern_options(arguments_.extern_controllers);
    options.trace_path = trace_;
    options.trace = {arguments_.watch, planned_.world};
    options.on_start = [this] { start_ = next_progress_ = Clock::now(); };
    options.on_step = [this] { after_step(); };
    options.load_world = [this](const std::string& path) {
      return Simulation(path, load_options());
    };
    options.on_load = [this] {
      print_diagnostics(simulation_.diagnostics(), console_);
      summary_.emplace(simulation_, watched_by(arguments_.watch, simulation_));
    };
    return options;
  }

  void drop_overrides_of_other_worlds(std::vector<ControllerOverride>& overrides) const {
    std::set<std::string> here;
    for (const RobotSpec& robot : core_of(simulation_).scene().robots) {
      here.insert(robot.name);
    }
    const auto elsewhere = [&](const ControllerOverride& asked) {
      return here.count(asked.robot) == 0;
    };
    overrides.erase(std::remove_if(overrides.begin(), overrides.end(), elsewhere), overrides.end());
  }

  void report_to_task(int exit_code, double elapsed) const {
    if (exit_code != kExitOk) {
      return report(*task_, Outcome::Failed, reason_of(exit_code));
    }
    if (arguments_.quiet) {
      return report(*task_, Outcome::Ok,
                    fmt::format("state_hash: {:016x}", simulation_.state_hash()));
    }
    std::string text = fmt::format(
        "ok, {} steps, {:.6g} s simulated in {:.3f} s, state_hash {:016x}", run_.steps_taken(),
        run_.seconds_simulated(), elapsed, simulation_.state_hash());
    if (const auto& report = run_.late_report()) {
      text += ", " + *report;
    }
    report(*task_, Outcome::Ok, text);
  }

  std::string reason_of(int exit_code) const {
    return exit_code == run_.quit_status()
               ? fmt::format("the supervisor quit with status {}", exit_code)
               : console_.last_error();
  }

  void after_step() {
    if (!arguments_.quiet) {
      summary_->update();
    }
    if (show_progress_ && Clock::now() >= next_progress_) {
      next_progress_ = Clock::now() + kProgressInterval;
      console_.progress(progress_line());
    }
  }

  double seconds_since_start() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  std::string progress_line() const {
    const double simulated = run_.seconds_simulated();
    const double factor = simulated / seconds_since_start();
    std::string line = fmt::format("{:.2f} s simulated, {:.1f} x real time", simulated,
                                   std::isfinite(factor) ? factor : 0.0);
    if (const double late = run_.seconds_late().value_or(0.0); late >= 0.01) {
      line += fmt::format(", {:.2f} s late", late);
    }
    if (const auto planned = run_.planned_steps()) {
      const double left = static_cast<double>(*planned - run_.steps_taken()) *
                          simulation_.basic_time_step_ms() / 1000.0;
      line += fmt::format(", {:.2f} s left", left);
    } else {
      line += arguments_.has_clients() ? ", until Ctrl-C" : ", until the controllers end";
    }
    return line;
  }

  std::string last_lines(double elapsed) const {
    std::string lines;
    if (!trace_.empty()) {
      lines += fmt::format("trace: {}\n", trace_);
    }
    return lines +
           fmt::format("{} steps of {} ms: {:.6g} s simulated in {:.3f} s, {:.1f} x real time\n",
                       run_.steps_taken(), simulation_.basic_time_step_ms(),
                       run_.seconds_simulated(), elapsed, run_.seconds_simulated() / elapsed);
  }

  const RunArguments& arguments_;
  Console& console_;
  const WorldTask* task_;  // null when this is the only world
  const PlannedRun& planned_;
  std::string trace_;
  Simulation simulation_;
  std::optional<JointSummary> summary_;
  std::vector<std::unique_ptr<RunExtension>> extensions_;  // which run_ refers to
  Run run_;
  bool show_progress_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_progress_ = start_;
};

int run_one(const RunArguments& arguments, const PlannedRun& planned, const WorldTask* task) {
  Console console(arguments.wanted_log_level());
  try {
    return RunCommand(arguments, planned, task, console).execute();
  } catch (const LoadError& error) {
    print_diagnostics(error.list(), console);
  } catch (const InputError& error) {
    console.log(LogLevel::Error, error.what());
  } catch (const std::exception& error) {
    console.log(LogLevel::Error, error.what());
    if (task != nullptr) {
      report(*task, Outcome::Failed, error.what());
    }
    return kExitFailed;
  }
  if (task != nullptr) {
    report(*task, Outcome::BadInput, console.last_error());
  }
  return kExitBadInput;
}

int run_all(const RunArguments& arguments, std::vector<PlannedRun> runs) {
  Console console(arguments.wanted_log_level());
  try {
    for (const auto& interface : arguments.interfaces) {
      interface->check_worlds(arguments.worlds);
    }
    if (arguments.has_clients()) {
      throw InputError(
          "clients can take part in the run of one world only; name one world, or remove the "
          "options "
          "for clients");
    }
    SeveralWorlds several;
    several.runs = std::move(runs);
    several.jobs = static_cast<std::size_t>(arguments.jobs.value_or(0));
    several.quiet = arguments.quiet;
    several.trace = arguments.trace;
    several.proto_paths = arguments.proto_paths;
    several.assets = arguments.assets;
    for (const ControllerOverride& asked : overrides_of(arguments.controllers)) {
      several.robots.push_back(asked.robot);
    }
    arguments.factor();  // throws if it contradicts the mode
    return run_several(several, console);
  } catch (const std::runtime_error& error) {  // also: the folder cannot be made
    rethrow_if_short(error);
    console.log(LogLevel::Error, error.what());
  }
  return kExitBadInput;
}

int run(const RunArguments& arguments) {
  std::vector<PlannedRun> runs =
      expand(arguments.worlds, static_cast<std::size_t>(arguments.copies.value_or(1)));
  if (const auto task = take_world_task(); task && task->number < runs.size()) {
    return run_one(arguments, runs[task->number], &*task);
  }
  // For a single run; each of several runs has its own. It fails only without memory.
  if (::setenv("SERVOSIM_INDEX", "0", 1) != 0) {
    throw std::bad_alloc();
  }
  return runs.size() == 1 ? run_one(arguments, runs[0], nullptr)
                          : run_all(arguments, std::move(runs));
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Simulate worlds with their controllers");
  const auto arguments = std::make_shared<RunArguments>();
  command->callback([&action, arguments] { action = [arguments] { return run(*arguments); }; });
  add_run_arguments(*command, *arguments);
}

}  // namespace servosim
