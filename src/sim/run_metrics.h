// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "control/step_response.h"
#include "servosim/simulation.h"
#include "sim/report.h"

namespace servosim {

/// What a run did to the world: start, end and extremes of the watched joints, how they followed
/// the first step of their targets, and where the robots stand.
class RunMetrics {
 public:
  /// Of a quantity over the run; NaN before its first value.
  struct Range {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    double final = kNone;
    double min = kNone;
    double max = kNone;
    double min_time = kNone;  ///< of the first one [s]
    double max_time = kNone;

    void add(double value, double time);
    double magnitude() const;  ///< the largest one; 0 before the first value
  };
  struct JointMetrics {
    int joint;
    double start;
    Range position;
    Range velocity = {};
    Range effort = {};
    StepResponse response{true};
  };
  struct Root {
    const Robot* robot;
    Mat3 start;  ///< its rotation
  };

  /// `simulation` must outlive it; the present state is the start.
  RunMetrics(const Simulation& simulation, const Watch& watched);
  /// Call it after each step. `time`: simulated since the run began [s]
  void update(double time);
  /// Adds the robots that have come since, and those of `joints` that are new; their present state
  /// is their start. Of what has come since, joints that are gone are left out.
  void follow(const std::vector<int>& joints);

  const Simulation& simulation() const { return simulation_; }
  const std::vector<JointMetrics>& joints() const { return joints_; }
  const std::vector<Root>& robots() const { return robots_; }

 private:
  void add_joint(int joint);
  void add_robot(const Robot& robot);

  const Simulation& simulation_;
  const int joints_at_start_;
  std::vector<JointMetrics> joints_;
  std::vector<Root> robots_;
};

}  // namespace servosim
