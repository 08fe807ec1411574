// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "servosim/simulation.h"
#include "sim/report.h"
#include "sim/run_metrics.h"

namespace servosim {

/// What a run did to the world, as tables and as JSON.
class RunSummary {
 public:
  /// `simulation` must outlive it; the present state is the start.
  RunSummary(const Simulation& simulation, const Watch& watched);
  /// Call it after each step. `time`: simulated since the run began [s]
  void update(double time) { metrics_.update(time); }
  /// Whether a joint or a robot has moved, or a joint has taken effort.
  bool shows_motion() const;
  /// A table with a line for each joint, or one sentence without any, and one for each robot.
  std::string tables() const;
  /// A list with an object for each joint: start, end and extremes of position, velocity and
  /// effort, with the times of these, and how it followed the first step of its target.
  nlohmann::ordered_json joints_json() const;
  /// Position, tilt and speed of a robot; null for one that came during the run.
  nlohmann::ordered_json motion_json(const Robot& robot) const;

 private:
  std::string joint_table() const;
  std::string robot_table() const;

  const Simulation& simulation_;
  RunMetrics metrics_;
  std::size_t propellers_;
};

}  // namespace servosim
