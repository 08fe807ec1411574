// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/step_response.h"
#include "servosim/simulation.h"
#include "sim/report.h"

namespace servosim {

/// What a run did to the world: start, end and extremes of the watched joints, and where the robots
/// stand.
class RunSummary {
 public:
  /// `simulation` must outlive it; the present state is the start.
  RunSummary(const Simulation& simulation, const Watch& watched);
  /// Call it after each step. `time`: simulated since the run began [s]
  void update(double time);
  /// A table with a line for each joint, or one sentence without any, and one for each robot.
  std::string tables() const;
  /// A list with an object for each joint: start, end and extremes of position, velocity and
  /// effort, with the times of these, and how it followed the first step of its target.
  nlohmann::ordered_json joints_json() const;
  /// Position, tilt and speed of a robot; null for one that came during the run.
  nlohmann::ordered_json motion_json(const Robot& robot) const;

 private:
  // Of a quantity over the run; NaN before its first value.
  struct Range {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    double final = kNone;
    double min = kNone;
    double max = kNone;
    double min_time = kNone;  // of the first one
    double max_time = kNone;

    void add(double value, double time);
    double magnitude() const;  // the largest one; 0 before the first value
    nlohmann::ordered_json json() const;
  };
  struct Extremes {
    int joint;
    double start;
    Range position;
    Range velocity = {};
    Range effort = {};
    StepResponse response{true};
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
