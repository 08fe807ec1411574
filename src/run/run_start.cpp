// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/shortage.h"
#include "run/run.h"
#include "scene/scene.h"

// How a host starts controllers, all or some.

namespace servosim {
namespace {

constexpr double kDurationWithoutControllers = 10.0;  // [s]

}  // namespace

void Host::start_controllers() {
  check_overrides(simulation_.scene(), options_.controllers);
  std::vector<PlannedController> plans = plan(all_robots());
  if (!options_.trace_path.empty()) {
    try {
      options_.trace.given_up = signals_.descriptor();
      trace_ = std::make_unique<Trace>(simulation_, options_.trace_path, options_.trace);
    } catch (const std::runtime_error& error) {
      rethrow_if_short(error);
      throw InputError(error.what());
    }
  }
  steps_ = options_.steps;
  plan_end(!plans.empty());
  warn_of_rivals(plans);
  pump_ = std::make_unique<OutputPump>(console_);
  start(std::move(plans));
  under_way_ = true;
  pump_->start();
  if (options_.on_start) {
    options_.on_start();
  }
}

// A world that nobody drives has its time, too.
void Host::plan_end(bool anyone) {
  if (!steps_ && !anyone && extensions_.empty()) {
    steps_ = taken_ +
             std::llround(std::ceil(
                 kDurationWithoutControllers * 1000.0 / simulation_.basic_time_step_ms() - 1e-9));
  }
}

std::vector<int> Host::all_robots() const {
  std::vector<int> all(static_cast<std::size_t>(simulation_.robot_count()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// The one that named the robot when it was first met, whatever it is called now; or null.
const ControllerOverride* Host::option_for(const Robot& robot) {
  const auto [known, is_new] = options_of_.try_emplace(&robot, nullptr);
  if (is_new) {
    known->second = find_override(options_.controllers, robot.name());
  }
  return known->second;
}

std::vector<PlannedController> Host::plan(const std::vector<int>& robots) {
  std::vector<Candidate> candidates;
  for (const int r : robots) {
    candidates.push_back({r, option_for(simulation_.robot(r))});
  }
  return plan_controllers(simulation_.scene(), candidates, console_,
                          [this](const std::runtime_error& error) {
                            if (!can_do_without(error)) {
                              throw;
                            }
                          });
}

// Whether the run goes on without a controller that cannot be had, and fails at its end: not before
// it has begun.
bool Host::can_do_without(const std::runtime_error& error) {
  if (!under_way_) {
    return false;
  }
  console_.log(LogLevel::Error, error.what());
  failed_ = true;
  return true;
}

// All robots there are now have got what they need.
void Host::start(std::vector<PlannedController> plans) {
  tree_version_ = simulation_.tree_version();
  met_.clear();
  for (int r = 0; r < simulation_.robot_count(); ++r) {
    met_.push_back(acquaintance(simulation_.robot(r)));
  }
  const std::size_t count = controllers_.size() + plans.size();
  spin_ = count + 1 <= (options_.cores != 0 ? options_.cores : usable_cores());
  open_door(plans);
  for (const PlannedController& plan : plans) {
    try {
      controllers_.push_back(std::make_unique<HostedController>(
          plan, simulation_, SessionOptions{spin_, true}, console_));
    } catch (const std::runtime_error& error) {
      if (!can_do_without(error)) {
        throw;
      }
      continue;
    }
    if (plan.is_extern) {
      continue;
    }
    HostedController* const controller = controllers_.back().get();
    const std::string prefix = count > 1 ? fmt::format("[{}] ", plan.robot_name) : std::string();
    pump_->add(controller->process().take_output(), STDOUT_FILENO, prefix);
    pump_->add(controller->process().take_errors(), STDERR_FILENO, prefix);
  }
  // Who starts anew has its old turn.
  std::stable_sort(controllers_.begin(), controllers_.end(), [](const auto& a, const auto& b) {
    return a->robot().index() < b->robot().index();
  });
  has_supervisor_ = std::any_of(controllers_.begin(), controllers_.end(),
                                [](const auto& controller) { return controller->is_supervisor(); });
}

void Host::warn_of_rivals(const std::vector<PlannedController>& plans) const {
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

// What a host does for controllers that somebody else starts.

void Host::name_folder(const std::string& path, std::vector<PlannedController>& plans) const {
  for (PlannedController& plan : plans) {
    if (!plan.is_extern) {
      plan.launch.environment.emplace_back("WEBOTS_INSTANCE_PATH", path);
    }
  }
}

// Where those come in whom somebody else starts. The others are told of its folder.
void Host::open_door(std::vector<PlannedController>& plans) {
  const auto is_extern = [](const PlannedController& plan) { return plan.is_extern; };
  if (!door_ && std::any_of(plans.begin(), plans.end(), is_extern)) {
    try {
      door_.emplace(options_.extern_controllers, console_);
    } catch (const std::runtime_error& error) {
      if (!can_do_without(error)) {
        rethrow_if_short(error);
        throw InputError(error.what());
      }
      std::erase_if(plans, is_extern);
    }
  }
  if (!door_ && !folder_ && !plans.empty()) {
    if (auto claimed = InstanceFolder::claim_closed()) {
      folder_.emplace(std::move(*claimed));
    }
  }
  if (door_ || folder_) {
    name_folder(door_ ? door_->folder() : folder_->path(), plans);
  }
  for (const PlannedController& plan : plans) {
    if (!plan.is_extern) {
      continue;
    }
    console_.log(LogLevel::Info, fmt::format("robot '{}' waits for its controller: {}",
                                             plan.robot_name, door_->command(plan.robot_name)));
    for (const std::string& url : door_->urls(plan.robot_name)) {
      if (options_.extern_controllers.print_urls) {
        console_.print(url + '\n');
      }
    }
  }
}

// Lets in who has come for a robot without a controller.
void Host::serve_door() {
  std::vector<ExternRobot> robots;
  std::vector<HostedController*> theirs;
  for (const auto& controller : controllers_) {
    if (controller->is_extern()) {
      robots.push_back({controller->robot_name(), controller->connected()});
      theirs.push_back(controller.get());
    }
  }
  for (ExternListener::Guest& guest : door_->serve(robots, Clock::now())) {
    theirs[guest.robot]->welcome(std::move(guest.stream),
                                 SessionOptions{spin_ && !guest.remote, true});
  }
}

bool Host::anyone_awaited() const {
  return std::any_of(controllers_.begin(), controllers_.end(),
                     [](const auto& controller) { return controller->awaited(); });
}

}  // namespace servosim
