// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/joint_summary.h"
#include "cli/output.h"
#include "cli/run_extern.h"
#include "cli/run_several.h"
#include "host/console.h"
#include "host/host.h"
#include "scene/scene.h"
#include "servosim/simulation.h"

namespace servosim {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kProgressInterval = 100ms;

constexpr const char* kRunHelp = R"(
Each robot's controller runs as a process of its own; one that consists of C or C++ sources is
compiled first, by make if it has a Makefile. For one that is "<extern>" the simulation waits until
somebody starts it, with `servosim controller`. Without --duration and --steps the run lasts until
all controllers have ended or, when there are none, for 10 simulated seconds.

With --mode realtime, or --realtime-factor, no step is taken before its time has come; a simulation
that cannot keep up is told of. What comes late is made up for by 0.05 s at most.

Several worlds run beside each other, each in a process of its own, --jobs of them at a time, and
print one line each on standard output, in the order given; what else they print comes after
[WORLD]. --trace then names a folder, ending in '/' or there already: world.wbt writes world.csv
there, or world.jsonl with --trace-format jsonl. --controller is for the worlds that have such a
robot.

A trace overwrites nothing but another trace.

Exit codes: 0 done; 1 a controller failed, the simulation diverged or the output cannot be written;
2 the input or an argument is wrong, or a controller does not compile (nothing is simulated then);
the status a supervisor quits with; 130 or 143 after SIGINT or SIGTERM. Of several worlds: 0 all
are done; 2 the input of one is wrong; 1 another failure, or a supervisor quit with a status.

Examples:
  servosim run worlds/arm.wbt
  servosim run worlds/arm.wbt --duration 5 --trace arm.csv
  servosim run worlds/arm.wbt --trace arm.jsonl --watch 'arm/*' --watch elbow
  servosim run worlds/arm.wbt --steps 100 --controller arm=controllers/arm/arm.c
  servosim run worlds/rover.wbt --steps 100 --controller rover='<none>'
  servosim run worlds/arm.wbt --duration 1 --realtime-factor 0.5
  servosim run worlds/*.wbt --duration 5 --trace traces/ --trace-format jsonl --jobs 4
)";

const std::vector<std::string> kLogLevels{"error", "warning", "info", "debug"};  // as LogLevel

struct RunArguments {
  std::vector<std::string> worlds;
  std::optional<double> duration;  // [s]; finite, >= 0
  std::optional<std::int64_t> steps;
  std::vector<std::string> controllers;      // ROBOT=PROGRAM
  std::optional<double> controller_timeout;  // [s]; finite, > 0
  ExternArguments extern_controllers;
  TraceTarget trace;
  std::vector<std::string> watch;  // globs
  std::vector<std::string> proto_paths;
  std::optional<std::int64_t> seed;
  std::string compat;  // "webots" or empty
  std::optional<std::int64_t> jobs;
  std::string mode;                       // "realtime", "fast" or empty
  std::optional<double> realtime_factor;  // finite, > 0
  bool quiet = false;
  std::string log_level;  // a name, or empty

  std::optional<double> factor() const {
    if (realtime_factor && mode == "fast") {
      throw InputError("--mode fast and --realtime-factor exclude each other");
    }
    return realtime_factor || mode != "realtime" ? realtime_factor : 1.0;
  }
  LogLevel wanted_log_level() const {
    const auto named = std::find(kLogLevels.begin(), kLogLevels.end(), log_level);
    return named != kLogLevels.end() ? static_cast<LogLevel>(named - kLogLevels.begin())
           : quiet                   ? LogLevel::Warning
                                     : LogLevel::Info;
  }
};

std::int64_t steps_for(double duration, double basic_time_step_ms) {
  const double steps = std::ceil(duration * 1000.0 / basic_time_step_ms - 1e-9);
  if (steps > 1e18) {
    throw InputError(fmt::format("a duration of {} s has too many steps", duration));
  }
  return std::max<std::int64_t>(0, std::llround(steps));
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

class Run {
 public:
  Run(const RunArguments& arguments, const std::string& world, const WorldTask* task,
      Console& console)
      : arguments_(arguments),
        console_(console),
        task_(task),
        world_(world),
        trace_(arguments.trace.file_of(world)),
        simulation_(world, load_options()),
        summary_(simulation_, watched_by(arguments.watch, simulation_)),
        host_(simulation_, host_options(), console),
        show_progress_(!arguments.quiet && ::isatty(STDERR_FILENO) != 0) {}

  int execute() {
    print_diagnostics(simulation_.diagnostics(), console_);
    arguments_.trace.make_folder();
    const int exit_code = host_.run();
    const double elapsed = seconds_since_start();
    if (task_ != nullptr) {
      report_to_task(exit_code, elapsed);
      return exit_code;
    }
    if (!arguments_.quiet) {
      console_.write(STDOUT_FILENO, summary_.table() + last_lines(elapsed));
    }
    console_.write(STDOUT_FILENO, fmt::format("state_hash: {:016x}\n", simulation_.state_hash()));
    if (const int number = interrupting_signal(); number != 0) {
      return 128 + number;  // perhaps only while this was printed
    }
    return exit_code == kExitOk && console_.output_lost() ? kExitFailed : exit_code;
  }

 private:
  LoadOptions load_options() {
    LoadOptions options;
    options.proto_paths = arguments_.proto_paths;
    options.random_seed = arguments_.seed;
    options.compat_webots = arguments_.compat == "webots";
    options.notice = [this](std::string_view message) { console_.log(LogLevel::Warning, message); };
    return options;
  }

  HostOptions host_options() {
    HostOptions options;
    options.steps = arguments_.steps;
    if (arguments_.duration) {
      options.steps = steps_for(*arguments_.duration, simulation_.basic_time_step_ms());
    }
    options.controllers = overrides_of(arguments_.controllers);
    if (task_ != nullptr) {
      options.cores = task_->cores;
      drop_overrides_of_other_worlds(options.controllers);
    }
    options.realtime_factor = arguments_.factor();
    options.controller_timeout = arguments_.controller_timeout;
    options.extern_controllers = extern_options(arguments_.extern_controllers);
    options.trace_path = trace_;
    options.trace = {arguments_.watch, world_};
    options.on_start = [this] { start_ = next_progress_ = Clock::now(); };
    options.on_step = [this] { after_step(); };
    return options;
  }

  void drop_overrides_of_other_worlds(std::vector<ControllerOverride>& overrides) const {
    std::set<std::string> here;
    for (const RobotSpec& robot : simulation_.scene().robots) {
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
    std::string text = fmt::format("{} steps, {:.6g} s simulated in {:.3f} s, state_hash {:016x}",
                                   simulation_.step_count(), simulation_.time(), elapsed,
                                   simulation_.state_hash());
    if (const auto& verdict = host_.pace_verdict()) {
      text += ", " + *verdict;
    }
    report(*task_, Outcome::Ok, text);
  }

  std::string reason_of(int exit_code) const {
    return exit_code == host_.quit_status()
               ? fmt::format("the supervisor quit with status {}", exit_code)
               : console_.last_error();
  }

  void after_step() {
    if (!arguments_.quiet) {
      summary_.update();
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
    const double factor = simulation_.time() / seconds_since_start();
    std::string line = fmt::format("{:.2f} s simulated, {:.1f} x real time", simulation_.time(),
                                   std::isfinite(factor) ? factor : 0.0);
    if (const double late = host_.seconds_late().value_or(0.0); late >= 0.01) {
      line += fmt::format(", {:.2f} s late", late);
    }
    if (const auto planned = host_.planned_steps()) {
      const double left = static_cast<double>(*planned - simulation_.step_count()) *
                          simulation_.basic_time_step_ms() / 1000.0;
      line += fmt::format(", {:.2f} s left", left);
    } else {
      line += ", until the controllers end";
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
                       simulation_.step_count(), simulation_.basic_time_step_ms(),
                       simulation_.time(), elapsed, simulation_.time() / elapsed);
  }

  const RunArguments& arguments_;
  Console& console_;
  const WorldTask* task_;  // null when this is the only world
  std::string world_;
  std::string trace_;
  Simulation simulation_;
  JointSummary summary_;
  Host host_;
  bool show_progress_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_progress_ = start_;
};

int run_one(const RunArguments& arguments, const std::string& world, const WorldTask* task) {
  Console console(arguments.wanted_log_level());
  try {
    return Run(arguments, world, task, console).execute();
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

int run_all(const RunArguments& arguments) {
  Console console(arguments.wanted_log_level());
  try {
    SeveralWorlds several;
    several.worlds = arguments.worlds;
    several.jobs = static_cast<std::size_t>(arguments.jobs.value_or(0));
    several.quiet = arguments.quiet;
    several.trace = arguments.trace;
    several.proto_paths = arguments.proto_paths;
    for (const ControllerOverride& asked : overrides_of(arguments.controllers)) {
      several.robots.push_back(asked.robot);
    }
    arguments.factor();  // throws if it contradicts the mode
    return run_several(several, console);
  } catch (const std::runtime_error& error) {  // also: the folder cannot be made
    console.log(LogLevel::Error, error.what());
  }
  return kExitBadInput;
}

int run(const RunArguments& arguments) {
  if (const auto task = take_world_task(); task && task->number < arguments.worlds.size()) {
    return run_one(arguments, arguments.worlds[task->number], &*task);
  }
  return arguments.worlds.size() == 1 ? run_one(arguments, arguments.worlds[0], nullptr)
                                      : run_all(arguments);
}

void add_time(CLI::App& command, RunArguments& arguments) {
  CLI::Option* duration =
      command.add_option("--duration", arguments.duration, "Simulated seconds")->type_name("S");
  duration->check(finite_number(true).description(""));
  command.add_option("--steps", arguments.steps, "Basic steps, instead of a duration")
      ->type_name("N")
      ->check(whole_number().description(""))
      ->excludes(duration);
  add_choice(command, "--mode", arguments.mode, {"realtime", "fast"},
             "By the clock, or as fast as possible (fast, as it is without)");
  command
      .add_option("--realtime-factor", arguments.realtime_factor,
                  "Simulated seconds per second of the clock; --mode realtime: 1")
      ->type_name("X")
      ->check(finite_number(false).description(""));
}

void add_simulation(CLI::App& command, RunArguments& arguments) {
  command.add_option("--jobs", arguments.jobs, "Worlds at a time, instead of one per core")
      ->type_name("N")
      ->check(whole_number(1).description(""));
  command.add_option("--seed", arguments.seed, "Instead of WorldInfo.randomSeed")
      ->type_name("N")
      ->check(whole_number().description(""));
  add_choice(command, "--compat", arguments.compat, {"webots"},
             "Do as Webots' engine also where it gains energy (gyroscopic torque)");
  add_proto_path(command, arguments.proto_paths);
}

void add_controllers(CLI::App& command, RunArguments& arguments) {
  add_repeatable(command, "--controller", arguments.controllers,
                 "Run PROGRAM (an executable, a C, C++ or Python file, a controller folder, or "
                 "'<extern>': somebody else's) for ROBOT")
      ->type_name("ROBOT=PROGRAM");
  command
      .add_option("--controller-timeout", arguments.controller_timeout,
                  "Remove a controller that lets the simulation wait this many seconds")
      ->type_name("S")
      ->check(finite_number(false).description(""));
  add_extern(command, arguments.extern_controllers);
}

void add_output(CLI::App& command, RunArguments& arguments) {
  CLI::Option* trace = command.add_option("--trace", arguments.trace.path,
                                          "Write what joints and propellers do at each step");
  trace->type_name("FILE.csv|FILE.jsonl|DIR/");
  add_choice(command, "--trace-format", arguments.trace.format, {"csv", "jsonl"},
             "Of the traces in DIR/ (csv, as it is without); a FILE is what it is called")
      ->needs(trace);
  add_repeatable(command, "--watch", arguments.watch,
                 "Only these in the trace and the table: a joint or robot/joint, with * and ?")
      ->type_name("GLOB");
  command.add_flag("--quiet", arguments.quiet, "Print the state hash only; warn, but tell no more");
  add_choice(command, "--log-level", arguments.log_level, kLogLevels, "What to tell on stderr");
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Simulate worlds with their controllers");
  const auto arguments = std::make_shared<RunArguments>();
  command->callback([&action, arguments] { action = [arguments] { return run(*arguments); }; });
  command->footer(kRunHelp);
  command->add_option("WORLD", arguments->worlds, "World files (.wbt)")->required();
  // New options take the default group of the command at that time.
  const auto add_group = [&](const char* group, const auto& add_options) {
    command->option_defaults()->group(group);
    add_options(*command, *arguments);
  };
  add_group("Time", add_time);
  add_group("Controllers", add_controllers);
  add_group("Output", add_output);
  add_group("Simulation", add_simulation);
}

}  // namespace servosim
