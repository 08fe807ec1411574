// SPDX-License-Identifier: Apache-2.0
#include "run/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/helper_program.h"
#include "base/shortage.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/completeness.h"
#include "cli/output.h"
#include "cli/performance_log.h"
#include "cli/project_file.h"
#include "cli/run_arguments.h"
#include "cli/run_several.h"
#include "cli/run_summary.h"
#include "physics/physics_world.h"
#include "run/console.h"
#include "run/motion_monitor.h"
#include "scene/scene.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kProgressInterval = 100ms;

std::int64_t planned_steps(double duration, double basic_time_step_ms) {
  try {
    return steps_for(duration, basic_time_step_ms);
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

class RunCommand {
 public:
  RunCommand(const RunArguments& arguments, const PlannedRun& planned, const WorldTask* task,
             Console& console)
      : arguments_(arguments),
        console_(console),
        task_(task),
        planned_(planned),
        settings_(arguments.settings.read()),
        trace_(arguments.output.trace.file_of(planned)),
        recording_(arguments.output.recording.file_of(planned)),
        simulation_(load_as_set(planned.world, load_options())),
        summary_(std::in_place, simulation_, arguments.output.watch),
        run_(simulation_, run_options(), console),
        show_progress_(!arguments.output.quiet && ::isatty(STDERR_FILENO) != 0) {}

  int execute() {
    take_diagnostics();
    monitor_.emplace(simulation_, [this](const std::string& text) { console_.warn(text); });
    arguments_.output.trace.make_folder();
    arguments_.output.recording.make_folder();
    begin_recording();
    if (!arguments_.as_webots.performance_log.empty()) {
      performance_.emplace(arguments_.as_webots.performance_log);
    }
    extensions_ = open_extensions(arguments_.interfaces, simulation_, console_);
    for (const auto& extension : extensions_) {
      run_.add(*extension);
    }
    int exit_code = run_.execute();
    monitor_->finish();
    exit_code = end_recording(exit_code);
    const double elapsed = seconds_since_start();
    completeness_.add(run_.missing());
    completeness_.add(WorldControl(simulation_).take_missing());
    if (arguments_.as_webots.wanted) {
      return end_as_webots(exit_code);
    }
    exit_code = completeness_.exit_code(exit_code);
    if (task_ != nullptr) {
      report_to_task(exit_code, elapsed);
      return exit_code;
    }
    if (arguments_.output.json) {
      console_.write(
          STDOUT_FILENO,
          json_text(runs_json(nlohmann::ordered_json::array({json(exit_code, elapsed)}))));
    } else {
      print_end(elapsed, exit_code);
    }
    if (const int number = interrupting_signal(); number != 0) {
      return 128 + number;  // the signal may come while this is printed
    }
    return exit_code == kExitOk && console_.output_lost() ? kExitFailed : exit_code;
  }

 private:
  void begin_recording() {
    if (recording_.empty()) {
      return;
    }
    try {
      recorder_.emplace(simulation_, recording_,
                        RecordingOptions{arguments_.output.record_rate, planned_.world,
                                         arguments_.output.pictures()});
    } catch (const std::runtime_error& error) {
      rethrow_if_short(error);
      throw InputError(error.what());
    }
  }

  // @returns the exit code: that of a failure if the recording cannot be written.
  int end_recording(int exit_code) {
    if (!recorder_) {
      return exit_code;
    }
    if (const auto& left_out = recorder_->recorder().pictures().left_out(); !left_out.empty()) {
      console_.warn(fmt::format("{}: has the pictures of at most {} sensors, not those of {}",
                                recording_, PictureSource::kMaxSensors, fmt::join(left_out, ", ")));
    }
    const int number = interrupting_signal();
    try {
      recorder_->end(run_.seconds_simulated(), number != 0
                                                   ? fmt::format("signal {} ended the run", number)
                                               : exit_code == kExitOk ? "the run is over"
                                                                      : reason_of(exit_code));
      return exit_code;
    } catch (const std::runtime_error& error) {
      console_.log(LogLevel::Error, error.what());
      recording_lost_ = true;
      return exit_code != kExitOk ? exit_code : kExitFailed;
    }
  }

  LoadOptions load_options() {
    LoadOptions options;
    options.proto_paths = arguments_.proto_paths;
    options.servo_paths = arguments_.servo_paths;
    options.assets = arguments_.assets;
    options.random_seed = arguments_.seed;
    options.random_seed_offset = static_cast<std::int64_t>(planned_.copy);
    arguments_.solving.apply_to(options, task_ != nullptr ? task_->jobs : 1);
    options.settings = settings_;
    options.robot_file = arguments_.robot_file;
    options.notice = [this](std::string_view message) { console_.log(LogLevel::Warning, message); };
    options.remark = [this](std::string_view message) { console_.remark(message); };
    return options;
  }

  void take_diagnostics() {
    const std::vector<Diagnostic>& list = simulation_.diagnostics();
    print_diagnostics(list, arguments_.output.verbose, console_);
    completeness_.add(list, console_.wants(LogLevel::Warning));
    diagnostics_.insert(diagnostics_.end(), list.begin(), list.end());
  }

  void print_end(double elapsed, int exit_code) {
    const int number = interrupting_signal();
    const bool failed = exit_code == kExitFailed && exit_code != run_.quit_status() && number == 0;
    if (!arguments_.output.quiet) {
      const bool shows_tables = !failed || summary_->shows_motion();
      console_.print((shows_tables ? summary_->tables() : "") + last_lines(elapsed) +
                     solver_line());
    } else if (const auto counts = WorldInspector(simulation_).physics().solver_counts();
               counts && counts->has_failures()) {
      console_.print(solver_line());
    }
    console_.print(hash_line() + '\n');
    console_.print(completeness_.summary(number != 0 ? 128 + number : exit_code) +
                   completeness_.idle_choice());
    if (failed) {
      console_.print(fmt::format("FAILED: {}\n", failure()));
    }
  }

  // Returns why the run has failed: because of the first controller that has failed, else the last
  // error.
  std::string failure() const {
    const std::vector<ControllerEnd> ends = run_.controller_ends();
    const auto has_failed = [](const ControllerEnd& end) { return end.failed; };
    const auto first = std::find_if(ends.begin(), ends.end(), has_failed);
    if (first == ends.end() || run_.failed()) {
      const std::string error = console_.last_error();
      return error.substr(0, error.find('\n'));
    }
    const auto count = std::count_if(ends.begin(), ends.end(), has_failed);
    return fmt::format("robot '{}': its controller {}{}", first->robot, first->how,
                       count > 1 ? fmt::format(", and {} more failed", count - 1) : "");
  }

  // The exit code is that of Webots, which considers neither missing parts nor failed controllers,
  // unless SERVOSIM_STRICT requests ours. The last line on standard error tells what it hides.
  int end_as_webots(int exit_code) {
    exit_code = end_performance_log(exit_code);
    const int ours = completeness_.exit_code(exit_code);
    const bool by_webots_too = run_.failed() || run_.ended_by_failure() || recording_lost_ ||
                               performance_lost_ || interrupting_signal() != 0;
    const char* const set = std::getenv("SERVOSIM_STRICT");
    const std::string_view strict = set != nullptr ? set : "";
    const bool is_strict = !strict.empty() && strict != "0";
    const int code = is_strict || by_webots_too ? ours : run_.quit_status();
    std::string said = !completeness_.holds()
                           ? "INCOMPLETE: the world may move otherwise than its author meant: " +
                                 completeness_.short_summary()
                           : std::string(ours != code ? "a controller has failed" : "");
    if (ours != code) {
      said += fmt::format("; exit code {}, as Webots: SERVOSIM_STRICT=1 makes it {}", code, ours);
    }
    console_.warn(said);
    return code == kExitOk && console_.output_lost() ? kExitFailed : code;
  }

  // @returns the exit code: that of a failure if the log cannot be written.
  int end_performance_log(int exit_code) {
    const std::string error =
        performance_ ? performance_->write(planned_.world, simulation_.basic_time_step_ms()) : "";
    if (error.empty()) {
      return exit_code;
    }
    console_.log(LogLevel::Error, error);
    performance_lost_ = true;
    return exit_code != kExitOk ? exit_code : kExitFailed;
  }

  // Returns how often each solver was used, and why ODE was.
  std::string solver_line() const {
    const auto counts = WorldInspector(simulation_).physics().solver_counts();
    return counts && counts->any() ? "solver: " + to_string(*counts) + '\n' : "";
  }

  // The hash is the same after each run of this binary, unless a controller runs in parallel with
  // the simulation.
  std::string hash_line() const {
    const std::string unsynchronized = robot_without_synchronization();
    return fmt::format(
        "state_hash: {:016x}{}", simulation_.state_hash(),
        unsynchronized.empty()
            ? ""
            : fmt::format(" (not reproducible: robot '{}' has synchronization FALSE)",
                          unsynchronized));
  }

  // Returns the first robot whose controller is not synchronized; empty if there is none.
  std::string robot_without_synchronization() const {
    const std::vector<ControllerEnd> ends = run_.controller_ends();
    for (const RobotSpec& robot : WorldInspector(simulation_).scene().robots) {
      const auto is_its = [&](const ControllerEnd& end) { return end.robot == robot.name; };
      if (!robot.synchronization && std::any_of(ends.begin(), ends.end(), is_its)) {
        return robot.name;
      }
    }
    return {};
  }

  nlohmann::ordered_json json(int exit_code, double elapsed) {
    nlohmann::ordered_json json{
        {"world", planned_.world},
        {"parameters", parameters_json()},
        {"webots_version", WorldInspector(simulation_).scene().version},
        {"exit_code", exit_code},
        {"failed", run_.failed() || recording_lost_},
        {"complete", completeness_.holds()},
        {"missing", with_places(completeness_.json(), diagnostics_)},
        {"steps", run_.steps_taken()},
        {"time_step", simulation_.basic_time_step_ms() / 1000.0},
        {"simulated_time", run_.seconds_simulated()},
        {"wall_time", elapsed},
        {"real_time_factor", run_.seconds_simulated() / elapsed},
        {"seed", seed_json()},
        {"state_hash", fmt::format("{:016x}", simulation_.state_hash())},
        {"reproducible", robot_without_synchronization().empty()},
        {"solver", solver_json(WorldInspector(simulation_).physics().solver_counts())},
        {"joints", summary_->joints_json()},
        {"robots", robots_json()},
        {"notices", notices_json(diagnostics_, console_.notices())},
        {"infos", infos_json(diagnostics_, console_.notices())}};
    if (planned_.is_repeated) {
      json["copy"] = planned_.copy;
    }
    if (!trace_.empty()) {
      json["trace"] = trace_;
    }
    if (!recording_.empty()) {
      json["recording"] = recording_;
    }
    return json;
  }

  // Null means that the clock seeds the generator.
  nlohmann::ordered_json seed_json() const {
    const std::optional<std::int64_t> seed = WorldInspector(simulation_).seed();
    return seed ? nlohmann::ordered_json(*seed) : nlohmann::ordered_json();
  }

  nlohmann::ordered_json parameters_json() const {
    auto object = nlohmann::ordered_json::object();
    for (const FieldSetting& setting : settings_) {
      object[std::string(trimmed(setting.path))] = trimmed(setting.value);
    }
    return object;
  }

  nlohmann::ordered_json robots_json() const {
    auto list = nlohmann::ordered_json::array();
    const std::vector<ControllerEnd> ends = run_.controller_ends();
    for (int r = 0; r < simulation_.robots().size(); ++r) {
      const Robot& robot = simulation_.robots()[r];
      nlohmann::ordered_json controllers = nlohmann::ordered_json::array();
      for (const ControllerEnd& end : ends) {
        if (end.robot == robot.name()) {
          controllers.push_back({{"end", end.how}, {"failed", end.failed}});
        }
      }
      list.push_back({{"name", robot.name()},
                      {"controller", robot.spec().controller},
                      {"synchronization", robot.spec().synchronization},
                      {"controllers", controllers},
                      {"motion", summary_->motion_json(robot)}});
    }
    return list;
  }

  RunOptions run_options() {
    RunOptions options;
    options.steps = arguments_.time.steps;
    if (arguments_.time.duration) {
      options.steps = planned_steps(*arguments_.time.duration, simulation_.basic_time_step_ms());
    }
    options.controllers.overrides = overrides_of(arguments_.controllers.overrides);
    if (task_ != nullptr) {
      options.controllers.cores = task_->cores;
      drop_overrides_of_other_worlds(options.controllers.overrides);
    }
    options.realtime_factor = arguments_.factor();
    options.endless = arguments_.as_webots.wanted;
    options.paused = arguments_.as_webots.paused;
    options.controllers.timeout = arguments_.controllers.timeout;
    options.controllers.end_timeout = arguments_.controllers.end_timeout;
    options.controllers.extern_timeout = arguments_.controllers.extern_timeout;
    options.controllers.output_to_stderr = arguments_.output.json;
    options.stop_on_failure = arguments_.controllers.stop_on_failure;
    options.controllers.extern_controllers =
        extern_options(arguments_.controllers.extern_controllers);
    options.controllers.extern_controllers.as_webots = arguments_.as_webots.wanted;
    options.trace_path = trace_;
    options.trace = {arguments_.output.watch, planned_.world, arguments_.output.trace_comments};
    options.on_start = [this] { start_ = next_progress_ = Clock::now(); };
    options.on_step = [this] { after_step(); };
    options.load_world = [this](const std::string& path) {
      completeness_.add(WorldControl(simulation_).take_missing());
      LoadOptions of_world = load_options();
      if (!settings_.empty() && !is_same_file(path, planned_.world)) {
        console_.warn(
            fmt::format("--set and --set-file are for {}, not for {}, which a supervisor "
                        "has loaded",
                        planned_.world, path));
        of_world.settings.clear();
      }
      return Simulation(path, std::move(of_world));
    };
    options.on_load = [this] {
      take_diagnostics();
      summary_.emplace(simulation_, arguments_.output.watch);
      monitor_.emplace(simulation_, [this](const std::string& text) { console_.warn(text); });
      if (recorder_) {
        recorder_->go_on_with(simulation_);
      }
    };
    return options;
  }

  void drop_overrides_of_other_worlds(std::vector<ControllerOverride>& overrides) const {
    std::set<std::string> here;
    for (const RobotSpec& robot : WorldInspector(simulation_).scene().robots) {
      here.insert(robot.name);
    }
    const auto elsewhere = [&](const ControllerOverride& asked) {
      return here.count(asked.robot) == 0;
    };
    overrides.erase(std::remove_if(overrides.begin(), overrides.end(), elsewhere), overrides.end());
  }

  void report_to_task(int exit_code, double elapsed) {
    if (arguments_.output.json) {
      return report(*task_, outcome_of(exit_code),
                    json(exit_code, elapsed)
                        .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    }
    if (exit_code != kExitOk && (exit_code != kExitIncomplete || completeness_.holds())) {
      return report(*task_, Outcome::Failed, reason_of(exit_code));
    }
    std::string text = hash_line();
    if (!arguments_.output.quiet) {
      text = fmt::format("{} steps, {:.6g} s simulated in {:.3f} s, state_hash {}",
                         run_.steps_taken(), run_.seconds_simulated(), elapsed,
                         hash_line().substr(std::string_view("state_hash: ").size()));
      if (const auto& late = run_.late_report()) {
        text += ", " + *late;
      }
    }
    if (completeness_.holds()) {
      report(*task_, Outcome::Ok, (arguments_.output.quiet ? "" : "ok, ") + text);
    } else {
      report(*task_, Outcome::Incomplete,
             fmt::format("INCOMPLETE, {}; {}", completeness_.short_summary(), text));
    }
  }

  Outcome outcome_of(int exit_code) const {
    return exit_code == kExitOk                                     ? Outcome::Ok
           : exit_code == kExitIncomplete && !completeness_.holds() ? Outcome::Incomplete
                                                                    : Outcome::Failed;
  }

  std::string reason_of(int exit_code) const {
    return exit_code == run_.quit_status()
               ? fmt::format("the supervisor quit with status {}", exit_code)
               : console_.last_error();
  }

  void after_step() {
    if (!arguments_.output.quiet || arguments_.output.json) {
      summary_->update(run_.seconds_simulated());
    }
    monitor_->update();
    if (performance_) {
      performance_->step(run_.seconds_simulated(), seconds_since_start());
    }
    if (recorder_) {
      try {
        recorder_->step(run_.seconds_simulated());
      } catch (...) {
        recorder_.reset();  // this ends the run
        throw;
      }
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
    for (const FieldSetting& setting : settings_) {
      lines += fmt::format("set: {} = {}\n", trimmed(setting.path), trimmed(setting.value));
    }
    if (!trace_.empty()) {
      lines += fmt::format("trace: {}\n", trace_);
    }
    if (!recording_.empty()) {
      lines += fmt::format("recording: {}\n", recording_);
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
  std::vector<FieldSetting> settings_;
  std::string trace_;
  std::string recording_;
  Simulation simulation_;
  std::optional<RunSummary> summary_;
  std::optional<MotionMonitor> monitor_;
  std::optional<FileRecorder> recorder_;  // exists while it records
  bool recording_lost_ = false;
  std::optional<PerformanceLog> performance_;
  bool performance_lost_ = false;
  Completeness completeness_{arguments_.allow_missing};
  std::vector<Diagnostic> diagnostics_;  // diagnostics of all worlds that were loaded
  std::vector<std::unique_ptr<RunExtension>> extensions_;  // run_ refers to them
  Run run_;
  bool show_progress_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_progress_ = start_;
};

int run_one(const RunArguments& arguments, const PlannedRun& planned, const WorldTask* task) {
  Console console(arguments.output.wanted_log_level(),
                  arguments.output.json ? STDERR_FILENO : STDOUT_FILENO);
  try {
    return RunCommand(arguments, planned, task, console).execute();
  } catch (const LoadError& error) {
    print_diagnostics(error.list(), arguments.output.verbose, console);
  } catch (const InputError& error) {
    console.log(LogLevel::Error, error.what());
  } catch (const std::exception& error) {
    console.log(LogLevel::Error, error.what());
    if (task != nullptr) {
      report(*task, Outcome::Failed, error.what());
    } else if (arguments.output.json) {
      print_failure({planned}, error.what(), console);
    }
    return kExitFailed;
  }
  if (task != nullptr) {
    report(*task, Outcome::BadInput, console.last_error());
  } else if (arguments.output.json) {
    print_failure({planned}, console.last_error(), console);
  }
  return kExitBadInput;
}

int run_all(const RunArguments& arguments, const std::vector<PlannedRun>& runs) {
  Console console(arguments.output.wanted_log_level(),
                  arguments.output.json ? STDERR_FILENO : STDOUT_FILENO);
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
    if (std::find(arguments.worlds.begin(), arguments.worlds.end(), "-") !=
        arguments.worlds.end()) {
      throw InputError("standard input, '-', can be the only world of a run; write it to a file");
    }
    SeveralWorlds several;
    several.runs = runs;
    several.jobs = static_cast<std::size_t>(arguments.jobs.value_or(0));
    several.quiet = arguments.output.quiet;
    several.json = arguments.output.json;
    for (const OutputTarget* output : {&arguments.output.trace, &arguments.output.recording}) {
      if (!output->path.empty()) {
        several.outputs.push_back(*output);
      }
    }
    several.proto_paths = arguments.proto_paths;
    several.assets = arguments.assets;
    for (const ControllerOverride& asked : overrides_of(arguments.controllers.overrides)) {
      several.robots.push_back(asked.robot);
    }
    arguments.factor();  // throws if it contradicts the mode
    return run_several(several, console);
  } catch (const std::runtime_error& error) {
    // The folder cannot be made, or a value contradicts another.
    rethrow_if_short(error);
    console.log(LogLevel::Error, error.what());
    if (arguments.output.json) {
      print_failure(runs, error.what(), console);
    }
  }
  return kExitBadInput;
}

// Applies the options of the world's project to a run of one world.
int run_one_in_project(CLI::App& command, RunArguments& arguments, const PlannedRun& planned,
                       const WorldTask* task) {
  try {
    ProjectFile::of_world(planned.world).apply_to(command);
    for (const auto& interface : arguments.interfaces) {
      for (const std::string& warning : interface->read_project(planned.world, task == nullptr)) {
        Console(arguments.output.wanted_log_level(),
                arguments.output.json ? STDERR_FILENO : STDOUT_FILENO)
            .log(LogLevel::Warning, warning);
      }
    }
  } catch (const InputError& error) {
    Console console(arguments.output.wanted_log_level(),
                    arguments.output.json ? STDERR_FILENO : STDOUT_FILENO);
    console.log(LogLevel::Error, error.what());
    if (task != nullptr) {
      report(*task, Outcome::BadInput, error.what());
    } else if (arguments.output.json) {
      print_failure({planned}, error.what(), console);
    }
    return kExitBadInput;
  }
  return run_one(arguments, planned, task);
}

// The run itself reports files that cannot be downloaded as missing, and it reports a faulty world.
// @returns the exit code of a run that cannot begin, or kExitOk
int fetch_first(const RunArguments& arguments) {
  if (!arguments.fetch.wanted) {
    return kExitOk;
  }
  Console console(arguments.output.wanted_log_level(),
                  arguments.output.json ? STDERR_FILENO : STDOUT_FILENO);
  if (std::find(arguments.worlds.begin(), arguments.worlds.end(), "-") != arguments.worlds.end()) {
    console.log(LogLevel::Error, "--fetch needs the file of a world, not standard input");
    return kExitBadInput;
  }
  const int fetched = fetch_before_run(arguments.fetch, arguments.worlds, arguments.proto_paths,
                                       arguments.assets, arguments.output.quiet, console);
  return fetched > 128 ? fetched : kExitOk;
}

int run(CLI::App& command, RunArguments& arguments) {
  if (arguments.parent && !end_with_parent(static_cast<pid_t>(*arguments.parent), SIGTERM)) {
    return 128 + SIGTERM;
  }
  const std::vector<PlannedRun> runs =
      expand(arguments.worlds, static_cast<std::size_t>(arguments.copies.value_or(1)));
  if (const auto task = take_world_task(); task && task->number < runs.size()) {
    return run_one_in_project(command, arguments, runs[task->number], &*task);
  }
  if (const int code = fetch_first(arguments); code != kExitOk) {
    return code;
  }
  // This is for a single run; each of several runs has its own index. The call fails only without
  // memory.
  if (::setenv("SERVOSIM_INDEX", "0", 1) != 0) {
    throw std::bad_alloc();
  }
  return runs.size() == 1 ? run_one_in_project(command, arguments, runs[0], nullptr)
                          : run_all(arguments, runs);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Simulate worlds with their controllers");
  const auto arguments = std::make_shared<RunArguments>();
  command->callback([&action, command, arguments] {
    action = [command, arguments] { return run(*command, *arguments); };
  });
  add_run_arguments(*command, *arguments);
}

}  // namespace servosim
