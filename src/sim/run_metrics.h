// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "motor_laws/step_response.h"
#include "servosim/simulation.h"
#include "sim/report.h"

namespace servosim {

/// Gathers what a run does to the world: start, end and extremes of the watched joints, their
/// responses to the first step of their targets, and the robots with their rotations at the start.
///
/// Threads: one at a time, with the simulation.
class RunMetrics {
 public:
  /// The extremes of a quantity over the run, in its unit; NaN before the first value.
  struct Range {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    double final = kNone;
    double min = kNone;
    double max = kNone;
    double min_time = kNone;  ///< when the minimum was reached first [s]
    double max_time = kNone;  ///< when the maximum was reached first [s]

    /// NaN, as of a joint that is gone, changes `final` only.
    void add(double value, double time);
    double magnitude() const;  ///< the largest magnitude; 0 before the first value
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
    Mat3 start;  ///< its rotation at the start
  };

  /// `simulation` must outlive it; the present state is the start.
  RunMetrics(const Simulation& simulation, const ReportedParts& watched);
  /// Takes the present values. The caller calls it after each step.
  /// @param time  the simulated time since the run began [s]
  void update(double time);
  /// Adds the robots that are new since the start, and those of `joints` that are new. Their
  /// present state is their start. Joints that came after the start and are gone are removed.
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
