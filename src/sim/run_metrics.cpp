// SPDX-License-Identifier: Apache-2.0
#include "sim/run_metrics.h"

#include <algorithm>
#include <cmath>

#include "scene/scene.h"
#include "sim/simulation_core.h"

namespace servosim {

RunMetrics::RunMetrics(const Simulation& simulation, const Watch& watched)
    : simulation_(simulation) {
  for (const int j : watched.joints) {
    const double position = simulation.joint(j).position();
    joints_.push_back({j, position, {position, position, position, 0.0, 0.0}});
  }
  for (int r = 0; r < simulation.robots().size(); ++r) {
    const Robot& robot = simulation.robots()[r];
    robots_.push_back({&robot, simulation.solid(robot.solid()).pose().rotation});
  }
}

void RunMetrics::Range::add(double value, double time) {
  final = value;
  if (std::isnan(value)) {  // of a joint that is gone
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
    // An infinite one is no position: the motor is controlled by velocity.
    e.response.add(time, reading.position, std::isfinite(target) ? target : Range::kNone);
  }
}

}  // namespace servosim
