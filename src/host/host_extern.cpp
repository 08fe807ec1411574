// SPDX-License-Identifier: Apache-2.0
// What a host does for controllers that somebody else starts.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/shortage.h"
#include "host/host.h"

namespace servosim {

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
  for (ExternDoor::Guest& guest : door_->serve(robots, Clock::now())) {
    theirs[guest.robot]->welcome(std::move(guest.stream),
                                 SessionOptions{spin_ && !guest.remote, true});
  }
}

bool Host::anyone_awaited() const {
  return std::any_of(controllers_.begin(), controllers_.end(),
                     [](const auto& controller) { return controller->awaited(); });
}

}  // namespace servosim
