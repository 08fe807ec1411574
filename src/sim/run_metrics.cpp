// SPDX-License-Identifier: Apache-2.0
#include "sim/run_metrics.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "scene/scene.h"

namespace servosim {

RunMetrics::RunMetrics(const Simulation& simulation, const ReportedParts& watched)
    : simulation_(simulation), joints_at_start_(simulation.joints().size()) {
  for (const int j : watched.joints) {
    add_joint(j);
  }
  for (int r = 0; r < simulation.robots().size(); ++r) {
    add_robot(simulation.robots()[r]);
  }
}

void RunMetrics::add_joint(int joint) {
  const double position = simulation_.joint(joint).position();
  joints_.push_back({joint, position, {position, position, position, 0.0, 0.0}});
}

void RunMetrics::add_robot(const Robot& robot) {
  robots_.push_back({&robot, simulation_.solid(robot.solid()).pose().rotation});
}

void RunMetrics::follow(const std::vector<int>& joints) {
  std::unordered_set<const Robot*> robots;
  for (const Root& root : robots_) {
    robots.insert(root.robot);
  }
  for (int r = 0; r < simulation_.robots().size(); ++r) {
    if (!robots.contains(&simulation_.robots()[r])) {
      add_robot(simulation_.robots()[r]);
    }
  }
  // Joints of an imported robot have larger numbers than those of the start.
  const auto is_left_out = [this](int joint) {
    return joint >= joints_at_start_ && !simulation_.joint(joint).exists();
  };
  std::erase_if(joints_, [&](const JointMetrics& e) { return is_left_out(e.joint); });
  std::unordered_set<int> known;
  for (const JointMetrics& joint : joints_) {
    known.insert(joint.joint);
  }
  for (const int j : joints) {
    if (!known.contains(j) && !is_left_out(j)) {
      add_joint(j);
    }
  }
}

void RunMetrics::Range::add(double value, double time) {
  final = value;
  if (std::isnan(value)) {  // the joint is gone
    return;
  }
  if (!(value >= min)) {
    min = value;
    min_time = time;
  }
  if (!(value <= max)) {
    max = value;
    max_time = time;
  }
}

double RunMetrics::Range::magnitude() const {
  return std::isnan(min) ? 0.0 : std::max(std::abs(min), std::abs(max));
}

void RunMetrics::update(double time) {
  for (JointMetrics& e : joints_) {
    const Joint joint = simulation_.joint(e.joint);
    const JointReading reading = joint.reading();
    e.position.add(reading.position, time);
    e.velocity.add(reading.velocity, time);
    e.effort.add(reading.effort, time);
    const double target =
        joint.exists() ? command_of(joint.motor(), reading).position : Range::kNone;
    // An infinite target is no position, since the motor is in velocity control.
    e.response.add(time, reading.position, std::isfinite(target) ? target : Range::kNone);
  }
}

}  // namespace servosim
