// SPDX-License-Identifier: Apache-2.0
#include "run/run.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "sim/trace/trace_writer.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

// A controller on a core of its own answers within a few microseconds, if it computes little.
constexpr auto kSpinTime = 50us;
constexpr auto kLookInterval = 100ms;
constexpr std::int64_t kStepsBetweenLooks = 64;  // so that the clock is not read in each

}  // namespace

std::size_t usable_cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set))
                                                       : 1;
}

Host::Host(Simulation& simulation, HostOptions options, Console& console)
    : simulation_(simulation), options_(std::move(options)), console_(console) {
  if (options_.realtime_factor) {
    pace_.emplace(*options_.realtime_factor);
  }
}

Host::~Host() = default;

int Host::run() {
  try {
    start_controllers();
  } catch (const std::exception&) {
    if (interrupting_signal() != 0) {
      return exit_code();  // it may have been the compiler that the signal ended
    }
    throw;
  }
  simulate();
  judge_pace();
  close_trace();
  wait_for_leavers();
  end_controllers();
  console_.clear_progress();
  return exit_code();
}

void Host::simulate() {
  last_heard_ = Clock::now();
  try {
    while (!over() && wait_for_requests()) {
      if (!obey() && !over()) {
        step();
      }
    }
  } catch (const std::runtime_error& error) {  // Diverged, or the trace's disk is full
    console_.log(LogLevel::Error, error.what());
    failed_ = true;
  }
}

bool Host::over() {
  if (interrupting_signal() != 0 || (steps_ && taken_ >= *steps_) || ends_by_failure()) {
    return true;
  }
  // The last one may have brought in a robot, which is still to get its controller.
  bool anyone = controllers_.empty() || steps_ || !extensions_.empty() ||
                tree_version_ != simulation_.tree_version();
  for (const auto& controller : controllers_) {
    if (controller->quit_status()) {
      return true;
    }
    anyone = anyone || controller->connected() || controller->awaited() || controller->wants_more();
  }
  return !anyone;
}

// A world whose supervisor never got to a step is not the one that its author meant.
bool Host::may_end_by(const HostedController& controller) const {
  return options_.stop_on_failure || (controller.is_supervisor() && !controller.asked_for_step());
}

bool Host::ends_by_failure() {
  if (stopped_) {
    return true;
  }
  for (const auto& controller : controllers_) {
    if (controller->failed() && may_end_by(*controller)) {
      stopped_ = true;
      console_.log(LogLevel::Error,
                   fmt::format("the run ends after {} steps, since the controller of robot '{}' "
                               "failed{}",
                               taken_, controller->robot_name(),
                               options_.stop_on_failure ? "" : " before its first step"));
      return true;
    }
  }
  if (options_.stop_on_failure && failed_) {  // one that was replaced, or could not be started
    stopped_ = true;
    console_.log(LogLevel::Error,
                 fmt::format("the run ends after {} steps, since a controller failed", taken_));
  }
  return stopped_;
}

// Whether someone has hung up whose exit status may end the run.
bool Host::anyone_may_fail() const {
  return std::any_of(controllers_.begin(), controllers_.end(), [this](const auto& controller) {
    return may_end_by(*controller) && controller->outcome_pending();
  });
}

// True when the world may take a step, false when the run is over.
bool Host::wait_for_requests() {
  Clock::time_point spin_end{};
  for (;;) {
    if (door_ && anyone_awaited()) {
      serve_door();
    }
    const bool heard = receive_all();
    for (RunExtension* const extension : extensions_) {
      extension->serve();
    }
    const bool ready = everyone_ready();
    const bool pending = ready && anyone_may_fail();
    if (over()) {
      return false;
    }
    if (pending) {
      block(1ms);
      continue;
    }
    if (ready && !pace_) {
      return true;
    }
    const Clock::time_point now = Clock::now();
    look_after(now);
    if (ready) {
      if (wait_for_pace(now)) {
        return true;
      }
      continue;
    }
    if (heard || spin_end == Clock::time_point{}) {
      spin_end = now + kSpinTime;
    }
    if (!heard && (!spin_ || now >= spin_end)) {
      block(kLookInterval);
    } else if (!heard) {
      ::sched_yield();  // the controller may have to share our core after all
    }
  }
}

bool Host::everyone_ready() const {
  return std::none_of(controllers_.begin(), controllers_.end(),
                      [](const auto& controller) { return controller->waited_for(); }) &&
         std::all_of(extensions_.begin(), extensions_.end(),
                     [](const RunExtension* extension) { return extension->ready(); });
}

// One message of each controller at most, so that none can keep the others waiting.
bool Host::receive_all() {
  bool heard = false;
  for (const auto& controller : controllers_) {
    const bool out_of_turn = comes_later(*controller);
    if (!(out_of_turn && is_patient()) && controller->may_ask() && controller->receive()) {
      heard = true;
      if (has_supervisor_ && !out_of_turn) {
        last_heard_ = Clock::now();
      }
    }
  }
  return heard;
}

// Supervisors come last, one after the other, so that what they find does not depend on who is
// faster. Should somebody wait for a supervisor instead of stepping, it is heard after a while.
bool Host::is_patient() const { return Clock::now() - last_heard_ < options_.patience_with_others; }

bool Host::comes_later(const HostedController& controller) const {
  if (!has_supervisor_ || !controller.is_supervisor() || !controller.started()) {
    return false;
  }
  bool is_before = true;
  for (const auto& other : controllers_) {
    if (other.get() == &controller) {
      is_before = false;
    } else if ((is_before || !other->is_supervisor()) && other->is_working()) {
      return true;
    }
  }
  return false;
}

// True when the next step is due; else sleeps until it is, a message or a signal arrives.
bool Host::wait_for_pace(Clock::time_point now) {
  if (!pace_->begun()) {
    pace_->begin(now);  // only now: a controller may have taken long to start
  }
  const double next =
      static_cast<double>(simulation_.step_count() + 1) * simulation_.basic_time_step_ms() / 1000.0;
  const RealTimePacer::Seconds wait = pace_->until(next, now);
  if (wait > RealTimePacer::Seconds(0.0)) {
    block(
        std::chrono::ceil<Clock::duration>(std::min(wait, RealTimePacer::Seconds(kLookInterval))));
    return false;
  }
  if (const auto report = pace_->step(next, now)) {
    console_.log(LogLevel::Warning, *report);
  }
  return true;
}

// Sleeps until a controller, a front end's client or a signal arrives.
void Host::block(Clock::duration at_most) {
  queries_.clear();
  if (interrupting_signal() == 0) {
    queries_.push_back({signals_.descriptor(), POLLIN, 0});
  }
  for (const auto& controller : controllers_) {
    if (controller->may_ask() && !(comes_later(*controller) && is_patient())) {
      queries_.push_back({controller->descriptor(), POLLIN, 0});
    }
  }
  if (door_ && anyone_awaited()) {
    door_->add_queries(queries_);
  }
  for (RunExtension* const extension : extensions_) {
    const int descriptor = extension->wake_descriptor();
    if (descriptor == -1) {
      return;
    }
    queries_.push_back({descriptor, POLLIN, 0});
  }
  const auto ns = std::chrono::nanoseconds(at_most).count();
  const timespec timeout{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
  static_cast<void>(  // all are looked at anyway
      ::ppoll(queries_.data(), queries_.size(), &timeout, nullptr));
}

void Host::look_after(Clock::time_point now) {
  if (now < next_look_) {
    return;
  }
  next_look_ = now + kLookInterval;
  std::optional<Clock::duration> timeout;
  if (options_.controller_timeout) {
    timeout = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(*options_.controller_timeout));
  }
  for (const auto& controller : controllers_) {
    if (!controller->is_extern() && controller->ended()) {
      controller->take_leave();
    }
    controller->watch(now, timeout);
  }
  if (door_) {
    serve_door();
  }
}

void Host::step() {
  for (RunExtension* const extension : extensions_) {
    extension->before_step();
  }
  simulation_.step();
  ++taken_;
  if (has_supervisor_) {
    last_heard_ = Clock::now();
  }
  if (pace_) {
    last_step_ = Clock::now();
  }
  if (reset_due_) {
    reset();
  }
  // Answered first: the controllers compute while the rest is done here.
  for (const auto& controller : controllers_) {
    controller->after_step();
  }
  for (RunExtension* const extension : extensions_) {
    extension->after_step();
  }
  if (trace_ && !traced_) {
    trace_->row();
  }
  traced_ = false;
  if (options_.on_step) {
    options_.on_step();
  }
  if (simulation_.step_count() % kStepsBetweenLooks == 0 && !controllers_.empty()) {
    look_after(Clock::now());
  }
}

// By when the last step was taken: what an interrupted run waited for since was not late.
void Host::judge_pace() {
  if (last_step_) {
    pace_verdict_ = pace_->verdict(simulation_.time(), *last_step_);
  }
  if (pace_verdict_) {
    console_.log(LogLevel::Warning, *pace_verdict_);
  }
}

std::optional<double> Host::seconds_late() const {
  if (!pace_) {
    return std::nullopt;
  }
  return std::max(0.0, pace_->late(simulation_.time(), Clock::now()).count());
}

void Host::close_trace() {
  try {
    if (trace_) {
      trace_->close();
    }
  } catch (const std::runtime_error& error) {
    console_.log(LogLevel::Error, error.what());
    failed_ = true;
  }
}

int Host::exit_code() const {
  if (const int signal_number = interrupting_signal(); signal_number != 0) {
    return 128 + signal_number;
  }
  bool failed = failed_;
  for (const auto& controller : controllers_) {
    failed = failed || controller->failed();
  }
  const int status = quit_status();
  return status != 0 ? status : failed ? 1 : 0;
}

int Host::quit_status() const {
  int status = 0;
  for (const auto& controller : controllers_) {
    status = status != 0 ? status : controller->quit_status().value_or(0) & 0xff;
  }
  return status;
}

// How a host ends controllers, all or some.
namespace {

using namespace std::chrono_literals;

constexpr auto kGraceAfterTerm = 500ms;

}  // namespace

std::vector<HostedController*> Host::everyone() const {
  std::vector<HostedController*> all;
  for (const auto& controller : controllers_) {
    all.push_back(controller.get());
  }
  return all;
}

// A run without a limit lasts until all have ended, also those that left the simulation before.
void Host::wait_for_leavers() {
  if (steps_ || failed_ || stopped_) {
    return;
  }
  std::vector<HostedController*> leavers;
  for (HostedController* const controller : everyone()) {
    if (controller->quit_status()) {
      return;
    }
    if (controller->lingers()) {
      leavers.push_back(controller);
    }
  }
  while (interrupting_signal() == 0 && !wait_until_ended(leavers, 100ms)) {
  }
}

void Host::end_controllers() {
  end_these(everyone());
  pump_->finish();
}

// Waits until they have ended, whatever that takes.
void Host::end_these(const std::vector<HostedController*>& controllers) {
  for (HostedController* const controller : controllers) {
    controller->end();
  }
  const std::chrono::duration<double> grace(std::min(options_.end_timeout, 1e9));
  if (!wait_until_ended(controllers, std::chrono::duration_cast<Clock::duration>(grace))) {
    stop_remaining(controllers, SIGTERM);
    if (!wait_until_ended(controllers, kGraceAfterTerm)) {
      stop_remaining(controllers, SIGKILL);
      wait_until_ended(controllers, Clock::duration::max());
    }
  }
}

bool Host::wait_until_ended(const std::vector<HostedController*>& controllers,
                            Clock::duration at_most) {
  const Clock::time_point start = Clock::now();
  for (;;) {
    bool heard = false;
    bool all_ended = true;
    for (HostedController* const controller : controllers) {
      heard = (controller->may_ask() && controller->receive()) || heard;
      all_ended = controller->ended() && all_ended;
    }
    if (all_ended || Clock::now() - start >= at_most) {
      return all_ended;
    }
    if (!heard) {
      block(1ms);
    }
  }
}

void Host::stop_remaining(const std::vector<HostedController*>& controllers, int signal_number) {
  for (HostedController* const controller : controllers) {
    if (!controller->ended() && controller->is_extern()) {
      controller->stop(signal_number);
    } else if (!controller->ended()) {
      console_.log(
          LogLevel::Warning,
          fmt::format("robot '{}': its controller goes on after the end; sending {}{}",
                      controller->robot_name(), signal_number == SIGTERM ? "SIGTERM" : "SIGKILL",
                      signal_number == SIGTERM ? " (--end-timeout S gives it more time)" : ""));
      controller->stop(signal_number);
    }
  }
}

}  // namespace servosim
