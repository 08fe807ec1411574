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

/// Summarizes what a run did to the world, as tables and as JSON.
class RunSummary {
 public:
  /// `simulation` must outlive this object; its present state is the start. `globs` choose joints;
  /// without globs all joints are chosen. @throws InputError if a glob chooses nothing
  RunSummary(const Simulation& simulation, std::vector<std::string> globs);
  /// Call this after each step. `time` is the simulated time since the run began [s].
  void update(double time);
  /// Returns whether a joint or a robot has moved, or a joint has taken effort.
  bool shows_motion() const;
  /// Returns a table with a line for each joint, or one sentence if there are none, and a table
  /// with a line for each robot.
  std::string tables() const;
  /// Returns a list with an object for each joint: start, end and extremes of position, velocity
  /// and effort, with their times, and how the joint followed the first step of its target.
  nlohmann::ordered_json joints_json() const;
  /// Returns position, tilt and speed of a robot; null for a robot that was added during the run.
  nlohmann::ordered_json motion_json(const Robot& robot) const;

 private:
  void follow_tree();
  std::string joint_table() const;
  std::string robot_table() const;

  const Simulation& simulation_;
  std::vector<std::string> globs_;
  ReportedParts watched_;
  RunMetrics metrics_;
  std::uint64_t tree_version_;
  int joint_count_;
};

}  // namespace servosim
