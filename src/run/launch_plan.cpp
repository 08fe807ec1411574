// SPDX-License-Identifier: Apache-2.0
#include "run/launch_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/files.h"
#include "base/shortage.h"
#include "base/text.h"
#include "run/controller_builder.h"
#include "run/controller_finder.h"
#include "run/launch.h"
#include "scene/scene.h"

namespace servosim {

std::string no_such_robot(const std::string& robot, const char* they_have,
                          const std::vector<std::string_view>& names) {
  const std::string list = fmt::format("'{}'", fmt::join(names, "', '"));
  return fmt::format("there is no robot '{}'; {} {}{}", robot, they_have,
                     names.empty() ? "none" : list, did_you_mean(robot, names));
}

const ControllerOverride* find_override(const std::vector<ControllerOverride>& overrides,
                                        const std::string& robot) {
  const auto found = std::find_if(overrides.rbegin(), overrides.rend(),
                                  [&](const ControllerOverride& o) { return o.robot == robot; });
  return found == overrides.rend() ? nullptr : &*found;
}

namespace {

// What Webots called its interface when a world of `version`, such as "V6.0" or "R2023b", was
// saved: 0 for all since R2018a.
int old_api_of(const std::string& version) {
  return version.size() > 1 && version[0] == 'V' && version[1] >= '1' && version[1] <= '9'
             ? version[1] - '0'
             : 0;
}

class Planner {
 public:
  Planner(const Scene& scene, Console& console) : scene_(scene), console_(console) {}

  // Nothing for a robot that stays passive. @throws InputError
  std::optional<PlannedController> plan(const Candidate& candidate) {
    const RobotSpec& robot = scene_.robots[candidate.robot];
    const ControllerChoice choice = choose(robot, candidate.option);
    if (!choice.warning.empty()) {
      console_.log(LogLevel::Warning, choice.warning);
    }
    if (choice.kind == ControllerChoice::Kind::Nothing) {
      return std::nullopt;
    }
    PlannedController planned{candidate.robot, robot.name, robot.synchronization, {}};
    planned.is_extern = choice.kind == ControllerChoice::Kind::Extern;
    if (!planned.is_extern) {
      planned.launch = launch_of(robot, choice);
    }
    return planned;
  }

 private:
  ControllerChoice choose(const RobotSpec& robot, const ControllerOverride* option) const {
    if (option == nullptr) {
      return find_controller({robot.name, robot.controller, scene_.project, robot.proto_project});
    }
    try {
      return choose_controller(option->program);
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("controller of robot '{}': {}", robot.name, error.what()));
    }
  }

  const ControllerKit& kit() {
    if (!kit_) {
      try {
        kit_ = find_controller_kit();
        kit_->webots_api = old_api_of(scene_.version);
      } catch (const std::runtime_error& error) {
        rethrow_if_short(error);
        throw InputError(error.what());
      }
    }
    return *kit_;
  }

  // Builds each controller once, however many robots use it.
  const BuiltController& built(const ControllerChoice& choice) {
    const std::string key = choice.folder + '\0' + choice.source + '\0' + choice.program;
    if (const auto known = built_.find(key); known != built_.end()) {
      return known->second;
    }
    if (choice.kind != ControllerChoice::Kind::Sources) {
      return built_[key] = BuiltController{choice.program};
    }
    BuiltController made = build_controller(choice, kit());
    for (const std::string& warning : made.warnings) {
      warn_once(warning);
    }
    for (const std::string& note : made.notes) {
      console_.log(LogLevel::Info, note);
    }
    if (made.compiled) {
      console_.log(LogLevel::Info, fmt::format("compiled '{}'", made.program));
    }
    return built_[key] = std::move(made);
  }

  LaunchSpec launch_of(const RobotSpec& robot, const ControllerChoice& choice) {
    try {
      Launch launch = make_launch(
          choice, built(choice),
          {robot.name, scene_.project, robot.proto_project, robot.controller_args}, kit());
      for (const std::string& warning : launch.warnings) {
        warn_once(warning);
      }
      return std::move(launch.spec);
    } catch (const InputError&) {
      throw;
    } catch (const std::runtime_error& error) {
      rethrow_if_short(error);
      throw InputError(fmt::format("robot '{}': {}", robot.name, error.what()));
    }
  }

  // Robots may share a controller, and controllers a library.
  void warn_once(const std::string& warning) {
    if (warned_.insert(warning).second) {
      console_.log(LogLevel::Warning, warning);
    }
  }

  const Scene& scene_;
  Console& console_;
  std::optional<ControllerKit> kit_;
  std::map<std::string, BuiltController> built_;
  std::set<std::string> warned_;
};

}  // namespace

void check_overrides(const Scene& scene, const std::vector<ControllerOverride>& overrides) {
  for (const ControllerOverride& asked : overrides) {
    const auto is_meant = [&](const RobotSpec& robot) { return robot.name == asked.robot; };
    if (std::none_of(scene.robots.begin(), scene.robots.end(), is_meant)) {
      std::vector<std::string_view> names;
      for (const RobotSpec& robot : scene.robots) {
        names.push_back(robot.name);
      }
      throw InputError(no_such_robot(asked.robot, "the world has", names));
    }
  }
}

std::vector<PlannedController> plan_controllers(
    const Scene& scene, const std::vector<Candidate>& candidates, Console& console,
    const std::function<void(const std::runtime_error&)>& on_failure) {
  Planner planner(scene, console);
  std::vector<PlannedController> planned;
  for (const Candidate& candidate : candidates) {
    try {
      if (auto controller = planner.plan(candidate)) {
        planned.push_back(std::move(*controller));
      }
    } catch (const std::runtime_error& error) {
      on_failure(error);
    }
  }
  return planned;
}

}  // namespace servosim
