// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "servosim/simulation.h"
#include "sim/report.h"

namespace servosim {

/// What a run did to the world: start, end and extremes of the watched joints, and where the robots
/// stand.
class RunSummary {
 public:
  /// `simulation` must outlive it; the present state is the start.
  RunSummary(const Simulation& simulation, const Watch& watched);
  /// Call it after each step.
  void update();
  /// A table with a line for each joint, or one sentence without any, and one for each robot.
  std::string tables() const;
  /// A list with an object for each joint.
  nlohmann::ordered_json joints_json() const;
  /// Position, tilt and speed of a robot; null for one that came during the run.
  nlohmann::ordered_json motion_json(const Robot& robot) const;

 private:
  struct Extremes {
    int joint;
    double start;
    double min;
    double max;
    double velocity = 0.0;  // largest magnitude
    double effort = 0.0;    // largest magnitude
  };
  struct Root {
    const Robot* robot;
    Mat3 start;  // its rotation
  };

  std::string joint_table() const;
  std::string robot_table() const;

  const Simulation& simulation_;
  std::vector<Extremes> joints_;
  std::vector<Root> robots_;
  std::size_t propellers_;
};

}  // namespace servosim
