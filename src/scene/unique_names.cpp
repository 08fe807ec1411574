// SPDX-License-Identifier: Apache-2.0
#include "scene/unique_names.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace servosim {

namespace {

using Names = std::set<std::string>;

// The first of `name#n`, `name#n+1` … that is free; takes it.
std::string numbered(const std::string& name, int& n, Names& taken) {
  std::string candidate;
  do {
    candidate = fmt::format("{}#{}", name, n++);
  } while (!taken.insert(candidate).second);
  return candidate;
}

void say_same_name(const RobotSpec& first, const RobotSpec& second, int count,
                   Diagnostics& diagnostics) {
  const Diagnostic place = diagnostics.sources().resolve(first.where);
  diagnostics.warning(
      second.where,
      fmt::format("the robot at {}:{}:{} is called \"{}\" too; this one is \"{}\" here{}",
                  place.file, place.line, place.column, first.given_name, second.name,
                  count > 2 ? fmt::format(", and so on: {} robots have that name", count) : ""));
}

void number_robots(Scene& scene, Diagnostics& diagnostics) {
  struct Namesakes {
    std::vector<RobotSpec*> robots;
    int next = 2;
  };
  Names taken;
  std::map<std::string, Namesakes> by_name;
  for (RobotSpec& robot : scene.robots) {
    taken.insert(robot.given_name);
    by_name[robot.given_name].robots.push_back(&robot);
  }
  for (RobotSpec& robot : scene.robots) {
    Namesakes& same = by_name[robot.given_name];
    if (&robot != same.robots.front()) {
      robot.name = numbered(robot.given_name, same.next, taken);
    }
    if (same.robots.size() > 1 && &robot == same.robots[1]) {
      say_same_name(*same.robots[0], robot, static_cast<int>(same.robots.size()), diagnostics);
    }
  }
}

void name_joints(Scene& scene) {
  Names taken;
  std::map<std::string, int> next;
  for (JointSpec& joint : scene.joints) {
    const std::string owner = joint.robot >= 0 ? scene.robots[joint.robot].name : "world";
    const std::string full = owner + '/' + (joint.name.empty() ? "joint" : joint.name);
    joint.name = taken.insert(full).second
                     ? full
                     : numbered(full, next.emplace(full, 2).first->second, taken);
  }
}

}  // namespace

void make_names_unique(Scene& scene, Diagnostics& diagnostics) {
  number_robots(scene, diagnostics);
  name_joints(scene);
}

}  // namespace servosim
