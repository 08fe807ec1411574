// SPDX-License-Identifier: Apache-2.0
#include "host/host.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "sim/trace.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

constexpr double kDurationWithoutControllers = 10.0;  // [s]
// A controller on a core of its own answers within a few microseconds, if it computes little.
constexpr auto kSpinTime = 50us;
constexpr auto kLookInterval = 100ms;
constexpr std::int64_t kStepsBetweenLooks = 64;  // so that the clock is not read in each
constexpr auto kGrace = 1s;
constexpr auto kGraceAfterTerm = 500ms;

// Cores this process may use. usable_cores() counts the others too.
std::size_t usable_cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set))
                                                       : 1;
}

}  // namespace

Host::Host(Simulation& simulation, HostOptions options, Console& console)
    : simulation_(simulation), options_(std::move(options)), console_(console) {}

Host::~Host() = default;

int Host::run() {
  signals_ = std::make_unique<SignalWatch>();
  try {
    start_controllers();
  } catch (const std::exception&) {
    if (interrupting_signal() != 0) {
      return exit_code();  // it may have been the compiler that the signal ended
    }
    throw;
  }
  simulate();
  close_trace();
  end_controllers();
  console_.clear_progress();
  return exit_code();
}

void Host::start_controllers() {
  const std::vector<PlannedController> plans =
      plan_controllers(simulation_.scene(), options_.controllers, console_);
  if (!options_.trace_path.empty()) {
    try {
      trace_ = std::make_unique<Trace>(simulation_, options_.trace_path, options_.trace);
    } catch (const std::runtime_error& error) {
      throw InputError(error.what());
    }
  }
  steps_ = options_.steps;
  if (!steps_ && plans.empty()) {
    steps_ = std::llround(
        std::ceil(kDurationWithoutControllers * 1000.0 / simulation_.basic_time_step_ms() - 1e-9));
  }
  spin_ = plans.size() + 1 <= usable_cores();
  pump_ = std::make_unique<OutputPump>(console_);
  for (const PlannedController& plan : plans) {
    auto& controller = controllers_.emplace_back(
        std::make_unique<HostedController>(plan, simulation_, SessionOptions{spin_}, console_));
    const std::string prefix =
        plans.size() > 1 ? fmt::format("[{}] ", plan.robot_name) : std::string();
    pump_->add(controller->process().take_output(), STDOUT_FILENO, prefix);
    pump_->add(controller->process().take_errors(), STDERR_FILENO, prefix);
  }
  pump_->start();
  if (options_.on_start) {
    options_.on_start();
  }
}

void Host::simulate() {
  try {
    while (!over() && wait_for_requests()) {
      step();
    }
  } catch (const std::runtime_error& error) {  // Diverged, or the trace's disk is full
    console_.log(LogLevel::Error, error.what());
    failed_ = true;
  }
}

bool Host::over() const {
  if (interrupting_signal() != 0 || (steps_ && simulation_.step_count() >= *steps_)) {
    return true;
  }
  bool anyone = controllers_.empty() || steps_;
  for (const auto& controller : controllers_) {
    if (controller->quit_status()) {
      return true;
    }
    anyone = anyone || controller->connected();
  }
  return !anyone;
}

// True when the world may take a step, false when the run is over.
bool Host::wait_for_requests() {
  Clock::time_point spin_end{};
  for (;;) {
    const bool heard = receive_all();
    if (over()) {
      return false;
    }
    if (std::none_of(controllers_.begin(), controllers_.end(),
                     [](const auto& controller) { return controller->waited_for(); })) {
      return true;
    }
    const Clock::time_point now = Clock::now();
    look_after(now);
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

// One message of each controller at most, so that none can keep the others waiting.
bool Host::receive_all() {
  bool heard = false;
  for (const auto& controller : controllers_) {
    heard = (controller->may_ask() && controller->receive()) || heard;
  }
  return heard;
}

// Sleeps until a controller or a signal arrives.
void Host::block(std::chrono::milliseconds at_most) {
  queries_.clear();
  if (interrupting_signal() == 0) {
    queries_.push_back({signals_->descriptor(), POLLIN, 0});
  }
  for (const auto& controller : controllers_) {
    if (controller->may_ask()) {
      queries_.push_back({controller->descriptor(), POLLIN, 0});
    }
  }
  ::poll(queries_.data(), queries_.size(), static_cast<int>(at_most.count()));
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
    if (controller->ended()) {
      controller->take_leave();
    }
    controller->watch(now, timeout);
  }
}

void Host::step() {
  simulation_.step();
  // Answered first: the controllers compute while the rest is done here.
  for (const auto& controller : controllers_) {
    controller->after_step();
  }
  if (trace_) {
    trace_->row();
  }
  if (options_.on_step) {
    options_.on_step();
  }
  if (simulation_.step_count() % kStepsBetweenLooks == 0 && !controllers_.empty()) {
    look_after(Clock::now());
  }
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

void Host::end_controllers() {
  for (const auto& controller : controllers_) {
    controller->end();
  }
  if (!wait_until_ended(kGrace)) {
    stop_remaining(SIGTERM);
    if (!wait_until_ended(kGraceAfterTerm)) {
      stop_remaining(SIGKILL);
      wait_until_ended(Clock::duration::max());
    }
  }
  pump_->finish();
}

bool Host::wait_until_ended(Clock::duration at_most) {
  const Clock::time_point start = Clock::now();
  for (;;) {
    const bool heard = receive_all();
    bool all_ended = true;
    for (const auto& controller : controllers_) {
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

void Host::stop_remaining(int signal_number) {
  for (const auto& controller : controllers_) {
    if (!controller->ended()) {
      console_.log(
          LogLevel::Warning,
          fmt::format("robot '{}': its controller goes on after the end; sending {}",
                      controller->robot_name(), signal_number == SIGTERM ? "SIGTERM" : "SIGKILL"));
      controller->stop(signal_number);
    }
  }
}

int Host::exit_code() const {
  if (const int signal_number = interrupting_signal(); signal_number != 0) {
    return 128 + signal_number;
  }
  bool failed = failed_;
  int status = 0;
  for (const auto& controller : controllers_) {
    failed = failed || controller->failed();
    status = status != 0 ? status : controller->quit_status().value_or(0) & 0xff;
  }
  return status != 0 ? status : failed ? 1 : 0;
}

}  // namespace servosim
