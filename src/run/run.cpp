// SPDX-License-Identifier: Apache-2.0
#include "run/run.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "base/assert.h"
#include "base/shortage.h"
#include "scene/scene.h"
#include "sim/trace/trace_writer.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

constexpr double kDurationWithoutControllers = 10.0;  // [s]
// A controller on its own core answers within a few microseconds if it computes little.
constexpr auto kSpinTime = 50us;
constexpr auto kWatchInterval = 100ms;
constexpr std::int64_t kStepsBetweenWatches = 64;  // so that the clock is not read in each step
// The most rounds of requests that are followed by new ones before the next step, such as those of
// a controller that restarts itself. After them time advances in any case.
constexpr int kMostRounds = 10;

}  // namespace

Run::Run(Simulation& simulation, RunOptions options, Console& console)
    : simulation_(simulation),
      options_(std::move(options)),
      console_(console),
      realtime_factor_(options_.realtime_factor),
      controllers_(simulation, options_.controllers, console),
      lock_step_(controllers_, extensions_, signals_, options_.others_idle_limit) {
  if (realtime_factor_) {
    pace_.emplace(*realtime_factor_);
  }
}

int Run::execute() {
  try {
    start();
  } catch (const std::exception&) {
    if (interrupting_signal() != 0) {
      return exit_code();  // the signal may have ended the compiler
    }
    throw;
  }
  simulate();
  report_pace();
  close_trace();
  // A run without a limit lasts until all controllers have ended, including those that disconnected
  // earlier.
  if (!steps_ && !failed_ && !controllers_.failed_before() && !ended_by_failure_ &&
      !controllers_.supervisor_has_quit()) {
    controllers_.wait_for_remaining_processes();
  }
  controllers_.end();
  console_.clear_progress();
  return exit_code();
}

void Run::start() {
  check_overrides(WorldInspector(simulation_).scene(), options_.controllers.overrides);
  std::vector<PlannedController> plans = controllers_.plan_all();
  open_trace();
  steps_ = options_.steps;
  limit_without_controllers(!plans.empty());
  warn_of_conflicts(plans);
  controllers_.start(std::move(plans));
  for (RunExtension* const extension : extensions_) {
    extension->begin(realtime_factor_);
  }
  if (options_.on_start) {
    options_.on_start();
  }
}

void Run::open_trace() {
  if (options_.trace_path.empty()) {
    return;
  }
  try {
    TraceOptions options = options_.trace;
    options.given_up = signals_.descriptor();
    trace_ = std::make_unique<Trace>(simulation_, options_.trace_path, options);
  } catch (const std::runtime_error& error) {
    rethrow_if_short(error);
    throw InputError(error.what());
  }
}

// A world without a controller must also end.
void Run::limit_without_controllers(bool any_controller) {
  if (!steps_ && !any_controller && extensions_.empty() && !options_.endless) {
    steps_ = taken_ +
             std::llround(std::ceil(
                 kDurationWithoutControllers * 1000.0 / simulation_.basic_time_step_ms() - 1e-9));
  }
}

void Run::warn_of_conflicts(const std::vector<PlannedController>& plans) const {
  for (const PlannedController& plan : plans) {
    for (const RunExtension* const extension : extensions_) {
      if (extension->commands(plan.robot)) {
        console_.log(LogLevel::Warning,
                     fmt::format("robot '{0}': its controller and clients from outside both "
                                 "command its motors; --controller '{0}=<none>' leaves them to "
                                 "the clients",
                                 plan.robot_name));
      }
    }
  }
}

void Run::simulate() {
  lock_step_.begin();
  try {
    while (!over() && wait_for_step()) {
      if (!apply_round() && !over()) {
        rounds_ = 0;
        step();
      }
    }
  } catch (const std::runtime_error& error) {
    // The simulation has diverged, or the disk of the trace is full.
    console_.log(LogLevel::Error, error.what());
    failed_ = true;
  }
}

bool Run::over() {
  if (interrupting_signal() != 0 || (steps_ && taken_ >= *steps_) || ends_by_failure()) {
    return true;
  }
  // The last supervisor may have imported a robot whose controller is not started yet.
  bool anyone = steps_ || options_.endless || !extensions_.empty() || controllers_.tree_changed();
  for (const auto& controller : controllers_.all()) {
    const Session* const session = controller->session();
    if (session != nullptr && session->quit_status()) {
      return true;
    }
    anyone = anyone || controller->connected() || controller->awaits_connection() ||
             (session != nullptr && session->run_must_continue());
  }
  return !anyone;
}

// A supervisor that has never requested a step has not set up its world.
bool Run::may_end_by(const RunController& controller) const {
  return options_.stop_on_failure || (controller.is_supervisor() && !controller.asked_for_step());
}

bool Run::ends_by_failure() {
  if (ended_by_failure_) {
    return true;
  }
  for (const auto& controller : controllers_.all()) {
    if (controller->failed() && may_end_by(*controller)) {
      ended_by_failure_ = true;
      console_.log(LogLevel::Error,
                   fmt::format("the run ends after {} steps, since the controller of robot '{}' "
                               "failed{}",
                               taken_, controller->robot_name(),
                               options_.stop_on_failure ? "" : " before its first step"));
      return true;
    }
  }
  if (options_.stop_on_failure && (failed_ || controllers_.failed_before())) {
    ended_by_failure_ = true;
    console_.log(LogLevel::Error,
                 fmt::format("the run ends after {} steps, since a controller failed", taken_));
  }
  return ended_by_failure_;
}

// Returns whether a controller has disconnected and its exit status may end the run, or will be
// known soon.
bool Run::any_exit_pending() const {
  return std::any_of(
      controllers_.all().begin(), controllers_.all().end(),
      [this](const auto& controller) { return controller->exit_pending(may_end_by(*controller)); });
}

// Returns true if the world may take a step, false if the run is over. Neither a pause nor an
// absent controller delays the requests of supervisors: the controller may never come, and another
// world may lack its robot.
bool Run::wait_for_step() {
  Clock::time_point spin_end{};
  for (;;) {
    if (controllers_.awaits_connection()) {
      controllers_.accept_extern();
    }
    const bool received = lock_step_.receive();
    for (RunExtension* const extension : extensions_) {
      extension->serve();
      apply(extension->take_changes(), *extension);
    }
    const bool settled = lock_step_.settled();
    const bool ready = settled && !options_.paused && lock_step_.ready();
    const bool exit_pending = settled && any_exit_pending();
    if (over()) {
      return false;
    }
    if (exit_pending) {
      lock_step_.sleep(1ms);
      continue;
    }
    if (ready && !pace_) {
      return true;
    }
    if (settled && !ready && rounds_ < kMostRounds && apply_round()) {
      continue;
    }
    const Clock::time_point now = Clock::now();
    watch_controllers(now);
    if (ready) {
      if (wait_for_pace(now)) {
        return true;
      }
      continue;
    }
    if (received || spin_end == Clock::time_point{}) {
      spin_end = now + kSpinTime;
    }
    if (!received && (!controllers_.may_spin() || now >= spin_end)) {
      lock_step_.sleep(kWatchInterval);
    } else if (!received) {
      ::sched_yield();  // the controller may run on the same core
    }
  }
}

void Run::apply(const RunChanges& changes, const RunExtension& of) {
  reset_due_ = reset_due_ || changes.reset;
  if (!changes.speed) {
    return;
  }
  for (RunExtension* const extension : extensions_) {
    if (extension != &of) {
      extension->speed_changed(*changes.speed);
    }
  }
  realtime_factor_.reset();
  pace_.reset();
  last_step_.reset();
  if (std::isfinite(*changes.speed)) {
    realtime_factor_ = changes.speed;
    pace_.emplace(*changes.speed);
    begin_pace(Clock::now());
  }
}

// Makes the present state of the simulation due now.
void Run::begin_pace(Clock::time_point now) {
  const RealTimePacer::Seconds passed(simulation_.time() / pace_->factor());
  pace_->begin(now - std::chrono::duration_cast<Clock::duration>(passed));
}

// Returns true if the next step is due. Otherwise sleeps until it is due, or until a message or a
// signal arrives.
bool Run::wait_for_pace(Clock::time_point now) {
  if (!pace_->begun()) {
    begin_pace(now);  // not earlier, since a controller may have taken long to start
  }
  const double next =
      static_cast<double>(simulation_.step_count() + 1) * simulation_.basic_time_step_ms() / 1000.0;
  const RealTimePacer::Seconds wait = pace_->until(next, now);
  if (wait > RealTimePacer::Seconds(0.0)) {
    lock_step_.sleep(
        std::chrono::ceil<Clock::duration>(std::min(wait, RealTimePacer::Seconds(kWatchInterval))));
    return false;
  }
  if (const auto report = pace_->step(next, now)) {
    console_.log(LogLevel::Warning, *report);
  }
  return true;
}

void Run::watch_controllers(Clock::time_point now) {
  if (now >= next_watch_) {
    next_watch_ = now + kWatchInterval;
    controllers_.watch(now);
  }
}

void Run::step() {
  for (RunExtension* const extension : extensions_) {
    extension->before_step();
  }
  simulation_.step();
  ++taken_;
  if (controllers_.has_supervisor()) {
    lock_step_.begin();
  }
  if (pace_) {
    last_step_ = Clock::now();
  }
  if (reset_due_) {
    reset();
  }
  // Answers are sent first, so that the controllers compute while the run does the rest.
  for (const auto& controller : controllers_.all()) {
    controller->after_step();
  }
  for (RunExtension* const extension : extensions_) {
    extension->after_step();
  }
  if (trace_) {
    trace_->row();
  }
  if (options_.on_step) {
    options_.on_step();
  }
  if (simulation_.step_count() % kStepsBetweenWatches == 0 && !controllers_.empty()) {
    watch_controllers(Clock::now());
  }
}

// Returns true if controllers may send further requests before the next step.
bool Run::apply_round() { return apply_requests() && ++rounds_ < kMostRounds; }

// Returns true if something was done after which controllers may send further requests.
bool Run::apply_requests() {
  for (const auto& controller : controllers_.all()) {
    if (Session* const session = controller->session()) {
      session->settle();  // includes sessions that this step does not wait for
    }
  }
  RunRequests requests;
  bool done = collect_requests(requests);
  if ((requests.load_world || requests.reload_world) &&
      load_world(requests.load_world.value_or(WorldInspector(simulation_).scene().world_path))) {
    return true;
  }
  reset_due_ = reset_due_ || requests.reset;
  done = (controllers_.tree_changed() && controllers_.follow_tree(requests.restart_controllers)) ||
         done;
  if (!requests.restart_controllers.empty()) {
    controllers_.restart(requests.restart_controllers);
  }
  return done;
}

// Collects the requests of all supervisors. If several request a world, the last one is loaded.
bool Run::collect_requests(RunRequests& requests) {
  bool any = requests_.has_value();
  requests = std::exchange(requests_, std::nullopt).value_or(RunRequests{});
  for (const auto& controller : controllers_.all()) {
    Session* const session = controller->session();
    std::optional<RunRequests> its = session != nullptr ? session->take_requests() : std::nullopt;
    if (!its) {
      continue;
    }
    any = true;
    for (const TraceLabel& label : its->labels) {
      if (trace_ && !trace_->label(label) && !told_of_labels_) {
        told_of_labels_ = true;
        console_.log(LogLevel::Info,
                     fmt::format("the labels of supervisors are not in {}: --trace-comments writes "
                                 "them there, and a .jsonl trace has them",
                                 trace_->path()));
      }
    }
    requests.load_world = its->load_world ? its->load_world : requests.load_world;
    requests.reload_world = requests.reload_world || its->reload_world;
    requests.reset = requests.reset || its->reset;
    std::vector<Robot*>& restart = requests.restart_controllers;
    for (Robot* const robot : its->restart_controllers) {
      if (std::find(restart.begin(), restart.end(), robot) == restart.end()) {
        restart.push_back(robot);
      }
    }
  }
  return any;
}

// This follows a step whose row in a trace still belongs to the previous episode, since the state
// that it led to is the last of that episode. step() then writes the row of the start.
void Run::reset() {
  reset_due_ = false;
  if (trace_) {
    trace_->row();
    trace_->episode();
  }
  const double before = simulation_.time();
  WorldControl(simulation_).restart();
  begin_episode(before);
  for (const auto& controller : controllers_.all()) {
    if (Session* const session = controller->session()) {
      session->after_reset();
    }
  }
  for (RunExtension* const extension : extensions_) {
    extension->after_reset();
  }
}

// Time starts again, after `seconds` of the previous episode. A reset takes the place of a step.
void Run::begin_episode(double seconds) {
  SERVOSIM_ASSERT(seconds >= simulation_.time(), "an episode of {} s", seconds);
  seconds_before_ += seconds - simulation_.time();
  if (pace_) {
    pace_.emplace(*realtime_factor_);
    last_step_.reset();
  }
}

bool Run::load_world(const std::string& path) {
  const auto refuse = [this](const std::string& why) {
    console_.log(LogLevel::Error, why);
    failed_ = true;
    return false;
  };
  const bool all_follow =
      std::all_of(extensions_.begin(), extensions_.end(),
                  [](const RunExtension* extension) { return extension->follows_worlds(); });
  if (!options_.load_world || !all_follow) {
    return refuse(fmt::format("a supervisor asks for the world '{}': {}", path,
                              all_follow ? "this run can have no other world"
                                         : "no other world can be loaded while clients take part"));
  }
  try {
    Simulation next = options_.load_world(path);
    controllers_.stop_all();
    const double before = simulation_.time();
    simulation_ = std::move(next);
    begin_episode(before);
  } catch (const LoadError& error) {
    for (const Diagnostic& diagnostic : error.list()) {
      console_.log(diagnostic);
    }
    return refuse(fmt::format("the world '{}' cannot be loaded; the present one goes on", path));
  }
  if (trace_) {
    trace_->go_on_with(simulation_);
  }
  reset_due_ = false;
  for (RunExtension* const extension : extensions_) {
    extension->after_load();
  }
  if (options_.on_load) {
    options_.on_load();
  }
  controllers_.start(controllers_.plan_all());
  limit_without_controllers(!controllers_.empty());
  return true;
}

// This uses the time of the last step, since the wait of an interrupted run after it is no delay.
void Run::report_pace() {
  if (last_step_) {
    late_report_ = pace_->late_report(simulation_.time(), *last_step_);
  }
  if (late_report_) {
    console_.log(LogLevel::Warning, *late_report_);
  }
}

std::optional<double> Run::seconds_late() const {
  if (!pace_) {
    return std::nullopt;
  }
  return std::max(0.0, pace_->late(simulation_.time(), Clock::now()).count());
}

void Run::close_trace() {
  try {
    if (trace_) {
      trace_->close();
    }
  } catch (const std::runtime_error& error) {
    console_.log(LogLevel::Error, error.what());
    failed_ = true;
  }
}

int Run::exit_code() const {
  if (const int signal_number = interrupting_signal(); signal_number != 0) {
    return 128 + signal_number;
  }
  const int status = quit_status();
  return status != 0 ? status : failed_ || controllers_.failed() ? 1 : 0;
}

}  // namespace servosim
