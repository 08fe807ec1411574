// SPDX-License-Identifier: Apache-2.0
#include "run/controller_set.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "base/assert.h"
#include "base/printable.h"
#include "base/shortage.h"
#include "run/controller_finder.h"
#include "run/signals.h"
#include "scene/scene.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeAfterTerm = 500ms;

bool is_extern(const PlannedController& plan) { return plan.is_extern; }

void set_instance_path(const std::string& path, std::vector<PlannedController>& plans) {
  for (PlannedController& plan : plans) {
    if (!plan.is_extern) {
      plan.launch.environment.emplace_back("WEBOTS_INSTANCE_PATH", path);
    }
  }
}

}  // namespace

std::size_t usable_cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set))
                                                       : 1;
}

ControllerSet::ControllerSet(Simulation& simulation, const ControllerOptions& options,
                             Console& console)
    : simulation_(simulation), options_(options), console_(console) {}

// Returns the override for the robot's first name, even if it was renamed since; or null.
const ControllerOverride* ControllerSet::override_for(const Robot& robot) {
  const auto [known, is_new] = overrides_.try_emplace(&robot, nullptr);
  if (is_new) {
    known->second = find_override(options_.overrides, robot.name());
  }
  return known->second;
}

// An override takes precedence over the field.
ControllerSet::ControllerBinding ControllerSet::binding_of(const Robot& robot) {
  const ControllerOverride* const asked = override_for(robot);
  return {&robot, asked != nullptr ? asked->program : robot.spec().controller};
}

std::vector<PlannedController> ControllerSet::plan_all() {
  std::vector<int> robots(static_cast<std::size_t>(simulation_.robots().size()));
  std::iota(robots.begin(), robots.end(), 0);
  return plan(robots);
}

std::vector<PlannedController> ControllerSet::plan(const std::vector<int>& robots) {
  std::vector<Candidate> candidates;
  for (const int r : robots) {
    candidates.push_back({r, override_for(simulation_.robot(r))});
  }
  return plan_controllers(WorldInspector(simulation_).scene(), candidates, console_, missing_,
                          [this](const std::runtime_error& error) {
                            if (!continues_without(error)) {
                              throw;
                            }
                          });
}

// Returns whether the run continues without a controller that cannot be found or built, and fails
// at its end. It does so only after its start.
bool ControllerSet::continues_without(const std::runtime_error& error) {
  if (!under_way_) {
    return false;
  }
  console_.log(LogLevel::Error, error.what());
  failed_before_ = lacks_any_ = true;
  return true;
}

void ControllerSet::start(std::vector<PlannedController> plans) {
  if (!pump_) {
    pump_.emplace(console_);
  }
  tree_version_ = WorldInspector(simulation_).tree_version();
  bindings_.clear();
  for (int r = 0; r < simulation_.robots().size(); ++r) {
    bindings_.push_back(binding_of(simulation_.robot(r)));
  }
  const std::size_t count = controllers_.size() + plans.size();
  may_spin_ = count + 1 <= (options_.cores != 0 ? options_.cores : usable_cores());
  open_listener(plans);
  for (const PlannedController& plan : plans) {
    start_one(plan, count > 1 ? fmt::format("[{}] ", plan.robot_name) : std::string());
  }
  std::stable_sort(controllers_.begin(), controllers_.end(), [](const auto& a, const auto& b) {
    return a->robot().index() < b->robot().index();
  });
  SERVOSIM_ASSERT(std::adjacent_find(controllers_.begin(), controllers_.end(),
                                     [](const auto& a, const auto& b) {
                                       return &a->robot() == &b->robot();
                                     }) == controllers_.end(),
                  "one robot has two of {} controllers", controllers_.size());
  has_supervisor_ = std::any_of(controllers_.begin(), controllers_.end(),
                                [](const auto& controller) { return controller->is_supervisor(); });
  if (!under_way_) {
    under_way_ = true;
    pump_->start();
  }
}

// Returns whether a robot's controllers have delayed the run for too long by being stopped before
// their first step. The robot then gets no further controller.
bool ControllerSet::restarts_for_too_long(const PlannedController& plan) {
  const auto restarts = restarts_.find(plan.robot_name);
  if (restarts == restarts_.end() || !options_.timeout ||
      Clock::now() - restarts->second.since < std::chrono::duration<double>(*options_.timeout)) {
    return false;
  }
  const std::string how =
      fmt::format("was stopped {} times before its first step, for {:g} s, and is started no more",
                  restarts->second.count, *options_.timeout);
  console_.log(LogLevel::Error, fmt::format("robot '{}': its controller {}", plan.robot_name, how));
  ends_before_.push_back({plan.robot_name, how, true, std::nullopt});
  failed_before_ = true;
  return true;
}

void ControllerSet::start_one(const PlannedController& plan, const std::string& prefix) {
  if (restarts_for_too_long(plan)) {
    return;
  }
  const ExternOptions& externs = options_.extern_controllers;
  const ExternManner manner{externs.print_urls ? output() : -1, externs.as_webots};
  try {
    controllers_.push_back(std::make_unique<RunController>(
        plan, simulation_, SessionOptions{may_spin_}, console_, manner));
  } catch (const std::runtime_error& error) {
    if (!continues_without(error)) {
      throw;
    }
    return;
  }
  if (HostedProgram* const program = controllers_.back()->program()) {
    const auto last_output = pump_->add(program->process().take_output(), output(), prefix);
    program->watch_output(
        {last_output, pump_->add(program->process().take_errors(), STDERR_FILENO, prefix)});
  }
}

// Opens the listener to which extern controllers connect. The other controllers get the path of its
// folder.
void ControllerSet::open_listener(std::vector<PlannedController>& plans) {
  if (!listener_ && (options_.extern_controllers.as_webots ||
                     std::any_of(plans.begin(), plans.end(), is_extern))) {
    try {
      listener_.emplace(options_.extern_controllers, console_);
    } catch (const std::runtime_error& error) {
      if (!continues_without(error)) {
        rethrow_if_short(error);
        throw InputError(error.what());
      }
      std::erase_if(plans, is_extern);
    }
  }
  if (!listener_ && !folder_ && !plans.empty()) {
    if (auto claimed = InstanceFolder::claim_closed()) {
      folder_.emplace(std::move(*claimed));
    }
  }
  if (listener_ || folder_) {
    set_instance_path(listener_ ? listener_->folder() : folder_->path(), plans);
  }
  for (const PlannedController& plan : plans) {
    if (plan.is_extern) {
      announce_extern(plan);
    }
  }
}

void ControllerSet::announce_extern(const PlannedController& plan) {
  console_.log(LogLevel::Info, fmt::format("robot '{}' waits for its controller: {}",
                                           plan.robot_name, listener_->command(plan.robot_name)));
  if (options_.extern_controllers.print_urls) {
    for (const std::string& url : listener_->urls(plan.robot_name)) {
      console_.write(output(), printable_lines(url + '\n'));
    }
  }
}

void ControllerSet::accept_extern() {
  if (!listener_) {
    return;
  }
  std::vector<ExternRobot> robots;
  Controllers theirs;
  for (const auto& controller : controllers_) {
    if (controller->is_extern()) {
      robots.push_back({controller->robot_name(), controller->connected()});
      theirs.push_back(controller.get());
    }
  }
  for (ExternClient& client : listener_->serve(robots, Clock::now())) {
    theirs[client.robot]->accept(std::move(client.stream),
                                 SessionOptions{may_spin_ && !client.remote});
  }
}

void ControllerSet::add_extern_queries(std::vector<pollfd>& queries) const {
  if (listener_) {
    listener_->add_queries(queries);
  }
}

bool ControllerSet::awaits_connection() const {
  return std::any_of(controllers_.begin(), controllers_.end(),
                     [](const auto& controller) { return controller->awaits_connection(); });
}

void ControllerSet::watch(Clock::time_point now) {
  const auto duration = [](std::optional<double> seconds) -> std::optional<Clock::duration> {
    return seconds ? std::optional(std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(*seconds)))
                   : std::nullopt;
  };
  const std::optional<Clock::duration> timeout = duration(options_.timeout);
  const std::optional<Clock::duration> extern_timeout = duration(options_.extern_timeout);
  for (const auto& controller : controllers_) {
    if (!controller->is_extern() && controller->ended()) {
      controller->drain();
    }
    controller->watch(now, timeout, controller->is_extern() ? extern_timeout : std::nullopt);
  }
  accept_extern();
}

bool ControllerSet::follow_tree(std::vector<Robot*>& restart) {
  tree_version_ = WorldInspector(simulation_).tree_version();
  Controllers without_robot;
  for (RunController* const controller : pointers()) {
    if (controller->robot().index() < 0) {
      without_robot.push_back(controller);
    }
  }
  stop(without_robot);
  std::vector<int> new_robots;
  bool changed = false;
  for (int r = 0; r < simulation_.robots().size(); ++r) {
    Robot& robot = simulation_.robot(r);
    const auto known =
        std::find_if(bindings_.begin(), bindings_.end(),
                     [&](const ControllerBinding& binding) { return binding.robot == &robot; });
    if (known == bindings_.end()) {
      new_robots.push_back(r);
    } else if (binding_of(robot) != *known) {
      changed = true;
      if (std::find(restart.begin(), restart.end(), &robot) == restart.end()) {
        restart.push_back(&robot);
      }
    }
  }
  start(plan(new_robots));
  return changed || !without_robot.empty() || !new_robots.empty();
}

void ControllerSet::restart(const std::vector<Robot*>& robots) {
  Controllers theirs;
  std::vector<int> indices;
  for (const Robot* const robot : robots) {
    if (robot->index() >= 0) {
      indices.push_back(robot->index());
    }
    for (const auto& controller : controllers_) {
      if (&controller->robot() == robot) {
        theirs.push_back(controller.get());
      }
    }
  }
  stop(theirs);
  start(plan(indices));
}

ControllerSet::Controllers ControllerSet::pointers() const {
  Controllers all;
  for (const auto& controller : controllers_) {
    all.push_back(controller.get());
  }
  return all;
}

void ControllerSet::stop_all() {
  stop(pointers());
  overrides_.clear();
}

std::vector<ControllerEnd> ControllerSet::ends() const {
  std::vector<ControllerEnd> ends = ends_before_;
  for (const auto& controller : controllers_) {
    ends.push_back(controller->end_so_far());
  }
  return ends;
}

std::vector<MissingPart> ControllerSet::missing() const {
  std::vector<MissingPart> missing = missing_;
  for (const ControllerEnd& end : ends()) {
    if (end.missing) {
      missing.push_back(*end.missing);
    }
  }
  return missing;
}

// Ends these controllers as at the end of a run.
void ControllerSet::stop(const Controllers& controllers) {
  if (controllers.empty()) {
    return;
  }
  end(controllers);
  for (RunController* const stopped : controllers) {
    ends_before_.push_back(stopped->end_so_far());
    failed_before_ = failed_before_ || stopped->failed();
    if (stopped->stepped() || stopped->is_extern()) {
      restarts_.erase(stopped->robot_name());
    } else {
      ++restarts_.try_emplace(stopped->robot_name(), Restarts{stopped->program()->started_at()})
            .first->second.count;
    }
    std::erase_if(controllers_, [stopped](const auto& known) { return known.get() == stopped; });
  }
}

void ControllerSet::end() {
  end(pointers());
  pump_->finish();
}

// Waits without a limit until these controllers have ended.
void ControllerSet::end(const Controllers& controllers) {
  for (RunController* const controller : controllers) {
    controller->end();
  }
  const std::chrono::duration<double> time(std::min(options_.end_timeout, 1e9));
  if (!wait_until_ended(controllers, std::chrono::duration_cast<Clock::duration>(time))) {
    signal_remaining(controllers, SIGTERM);
    if (!wait_until_ended(controllers, kTimeAfterTerm)) {
      signal_remaining(controllers, SIGKILL);
      wait_until_ended(controllers, Clock::duration::max());
    }
  }
}

bool ControllerSet::wait_until_ended(const Controllers& controllers, Clock::duration at_most) {
  const Clock::time_point start = Clock::now();
  std::vector<pollfd> queries;
  for (;;) {
    bool received = false;
    bool all_ended = true;
    queries.clear();
    for (RunController* const controller : controllers) {
      received = (controller->may_send() && controller->receive()) || received;
      all_ended = controller->ended() && all_ended;
      if (controller->may_send()) {
        queries.push_back({controller->descriptor(), POLLIN, 0});
      }
    }
    if (all_ended || Clock::now() - start >= at_most) {
      return all_ended;
    }
    if (!received) {
      static_cast<void>(
          ::poll(queries.data(), queries.size(), 1));  // all are polled again in any case
    }
  }
}

void ControllerSet::signal_remaining(const Controllers& controllers, int signal_number) {
  for (RunController* const controller : controllers) {
    if (controller->ended()) {
      continue;
    }
    if (!controller->is_extern()) {
      console_.log(
          LogLevel::Warning,
          fmt::format("robot '{}': its controller goes on after the end; sending {}{}",
                      controller->robot_name(), signal_number == SIGTERM ? "SIGTERM" : "SIGKILL",
                      signal_number == SIGTERM ? " (--end-timeout S gives it more time)" : ""));
    }
    controller->stop(signal_number);
  }
}

void ControllerSet::wait_for_remaining_processes() {
  Controllers remaining;
  for (RunController* const controller : pointers()) {
    if (!controller->is_extern() && !controller->connected() && !controller->ended()) {
      remaining.push_back(controller);
    }
  }
  while (interrupting_signal() == 0 && !wait_until_ended(remaining, 100ms)) {
  }
}

bool ControllerSet::failed() const {
  return failed_before_ || std::any_of(controllers_.begin(), controllers_.end(),
                                       [](const auto& controller) { return controller->failed(); });
}

bool ControllerSet::supervisor_has_quit() const {
  return std::any_of(controllers_.begin(), controllers_.end(), [](const auto& controller) {
    const Session* const session = controller->session();
    return session != nullptr && session->quit_status();
  });
}

int ControllerSet::quit_status() const {
  for (const auto& controller : controllers_) {
    const Session* const session = controller->session();
    const int status = session != nullptr ? session->quit_status().value_or(0) & 0xff : 0;
    if (status != 0) {
      return status;
    }
  }
  return 0;
}

}  // namespace servosim
