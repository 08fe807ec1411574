// SPDX-License-Identifier: Apache-2.0
#include "cli/run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "cli/output.h"
#include "run/launch_plan.h"
#include "scene/scene.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

// Rounding errors are shown as 0; the trace has every digit.
double without_noise(double value) { return std::abs(value) < 1e-9 ? 0.0 : value; }

nlohmann::ordered_json step_json(const std::optional<StepMarks>& marks) {
  if (!marks) {
    return {};
  }
  return {{"time", marks->begin},
          {"from", marks->from},
          {"to", marks->to},
          {"rise_time", marks->rise_time()},
          {"overshoot", marks->overshoot()},
          {"settling_time", marks->settling_time()}};
}

nlohmann::ordered_json range_json(const RunMetrics::Range& range) {
  return {{"final", range.final},
          {"min", range.min},
          {"min_time", range.min_time},
          {"max", range.max},
          {"max_time", range.max_time}};
}

}  // namespace

namespace {

ReportedParts watched_by(const std::vector<std::string>& globs, const Simulation& simulation) {
  try {
    return watch(simulation, globs);
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

}  // namespace

RunSummary::RunSummary(const Simulation& simulation, std::vector<std::string> globs)
    : simulation_(simulation),
      globs_(std::move(globs)),
      watched_(watched_by(globs_, simulation)),
      metrics_(simulation, watched_),
      tree_version_(WorldInspector(simulation).tree_version()),
      joint_count_(simulation.joints().size()) {}

void RunSummary::update(double time) {
  if (const std::uint64_t version = WorldInspector(simulation_).tree_version();
      std::exchange(tree_version_, version) != version) {
    follow_tree();
  }
  metrics_.update(time);
}

// The tables include robots that a supervisor imports. Joints that are removed keep their indices,
// so the count only grows.
void RunSummary::follow_tree() {
  const int count = simulation_.joints().size();
  if (std::exchange(joint_count_, count) != count) {
    try {
      watched_ = watch(simulation_, globs_);
    } catch (const std::invalid_argument&) {
      // What a glob has chosen is gone, so the former selection stays.
    }
  }
  metrics_.follow(watched_.joints);
}

bool RunSummary::shows_motion() const {
  const auto differs = [](double value) { return without_noise(value) != 0.0; };
  const auto& joints = metrics_.joints();
  const auto& robots = metrics_.robots();
  return std::any_of(joints.begin(), joints.end(),
                     [&](const RunMetrics::JointMetrics& e) {
                       return simulation_.joint(e.joint).exists() &&
                              (differs(simulation_.joint(e.joint).position() - e.start) ||
                               differs(e.velocity.magnitude()) || differs(e.effort.magnitude()));
                     }) ||
         std::any_of(robots.begin(), robots.end(), [&](const RunMetrics::Root& root) {
           if (root.robot->index() < 0) {  // it has left the world
             return false;
           }
           const RobotPose pose = robot_pose(simulation_, *root.robot, root.start);
           return differs(pose.tilt) || differs(pose.speed);
         });
}

std::string RunSummary::tables() const { return joint_table() + robot_table(); }

std::string RunSummary::joint_table() const {
  if (metrics_.joints().empty()) {
    const char* where = globs_.empty() ? "the world has" : "--watch chose";
    const std::size_t propellers = watched_.propellers.size();
    return propellers == 0 ? fmt::format("{} no joints\n", where)
                           : fmt::format("{} no joints, but {} propeller{}: see --trace\n", where,
                                         propellers, propellers == 1 ? "" : "s");
  }
  std::size_t name_width = 5;
  for (const RunMetrics::JointMetrics& e : metrics_.joints()) {
    name_width = std::max(name_width, display_width(simulation_.joint(e.joint).name()));
  }
  std::string text = fmt::format("{}  {:<10} {:<13}", padded("joint", name_width), "type", "units");
  for (const char* column : {"start", "final", "min", "max", "|velocity|", "|effort|"}) {
    text += fmt::format(" {:>12}", column);
  }
  text += '\n';
  for (const RunMetrics::JointMetrics& e : metrics_.joints()) {
    const bool turns = simulation_.joint(e.joint).type() == JointType::Rotational;
    fmt::format_to(std::back_inserter(text), "{}  {:<10} {:<13}",
                   padded(simulation_.joint(e.joint).name(), name_width),
                   turns ? "rotational" : "linear", turns ? "rad rad/s N m" : "m m/s N");
    for (const double value : {e.start, simulation_.joint(e.joint).position(), e.position.min,
                               e.position.max, e.velocity.magnitude(), e.effort.magnitude()}) {
      fmt::format_to(std::back_inserter(text), " {:>12.6g}", without_noise(value));
    }
    text += '\n';
  }
  return text;
}

std::string RunSummary::robot_table() const {
  std::size_t name_width = 5;
  for (const RunMetrics::Root& root : metrics_.robots()) {
    name_width = std::max(name_width, display_width(root.robot->name()));
  }
  std::string text;
  for (const RunMetrics::Root& root : metrics_.robots()) {
    if (root.robot->index() < 0) {
      continue;
    }
    if (text.empty()) {
      text = fmt::format("{}  {:>12} {:>12} {:>12} {:>12} {:>12}\n", padded("robot", name_width),
                         "x [m]", "y [m]", "z [m]", "tilt [deg]", "speed [m/s]");
    }
    const RobotPose pose = robot_pose(simulation_, *root.robot, root.start);
    text += padded(root.robot->name(), name_width) + ' ';
    for (const double value : {pose.position.x, pose.position.y, pose.position.z,
                               pose.tilt * 180.0 / std::numbers::pi, pose.speed}) {
      fmt::format_to(std::back_inserter(text), " {:>12.6g}", without_noise(value));
    }
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json RunSummary::joints_json() const {
  auto list = nlohmann::ordered_json::array();
  for (const RunMetrics::JointMetrics& e : metrics_.joints()) {
    const Joint joint = simulation_.joint(e.joint);
    list.push_back({{"name", joint.name()},
                    {"type", joint.type() == JointType::Rotational ? "rotational" : "linear"},
                    {"start", e.start},
                    {"final", joint.position()},
                    {"min", e.position.min},
                    {"max", e.position.max},
                    {"max_velocity", e.velocity.magnitude()},
                    {"max_effort", e.effort.magnitude()},
                    {"position", range_json(e.position)},
                    {"velocity", range_json(e.velocity)},
                    {"effort", range_json(e.effort)},
                    {"step_response", step_json(e.response.marks())}});
  }
  return list;
}

nlohmann::ordered_json RunSummary::motion_json(const Robot& robot) const {
  const auto& roots = metrics_.robots();
  const auto root = std::find_if(roots.begin(), roots.end(),
                                 [&](const RunMetrics::Root& r) { return r.robot == &robot; });
  if (root == roots.end()) {
    return {};
  }
  const RobotPose pose = robot_pose(simulation_, robot, root->start);
  return {{"position", {pose.position.x, pose.position.y, pose.position.z}},
          {"tilt", pose.tilt},
          {"speed", pose.speed}};
}

}  // namespace servosim
