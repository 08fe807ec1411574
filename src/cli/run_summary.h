// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "servosim/simulation.h"
#include "sim/report.h"
#include "sim/run_metrics.h"

namespace servosim {

/// What a run did to the world, as tables and as JSON.
class RunSummary {
 public:
  /// `simulation` must outlive it; the present state is the start. `globs`: which joints; all
  /// without any. @throws InputError if one of them chooses nothing
  RunSummary(const Simulation& simulation, std::vector<std::string> globs);
  /// Call it after each step. `time`: simulated since the run began [s]
  void update(double time);
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
  void follow_tree();
  std::string joint_table() const;
  std::string robot_table() const;

  const Simulation& simulation_;
  std::vector<std::string> globs_;
  Watch watched_;
  RunMetrics metrics_;
  std::uint64_t tree_version_;
  int joint_count_;
};

}  // namespace servosim
