// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "servosim/math.h"
#include "servosim/simulation.h"

namespace servosim {

/// Notices of a run that is probably not what its author meant, each once: bodies that overlap
/// deeply at the start, a robot that falls freely for a second or that fell over, a joint that
/// moves much faster than its motor may.
///
/// It looks 20 times a simulated second, so what lasts a few steps may be missed.
class MotionMonitor {
 public:
  using Notice = std::function<void(const std::string& message)>;

  /// The present state counts as the start. `simulation` must outlive it.
  MotionMonitor(const Simulation& simulation, Notice notice);
  /// Call it after each step.
  void update();

 private:
  struct RobotMotion {
    const Robot* robot;
    Vec3 up;                    // in its own axes at the start, length one
    double falling_speed;       // along gravity [m/s]
    double falling_time = 0.0;  // [s]
    bool fell_freely = false;   // has been reported, as the next one
    bool fell_over = false;
  };

  void report_overlaps() const;
  void look();
  void look_at(RobotMotion& motion, double interval);
  double falling_speed_of(const Robot& robot) const;

  const Simulation& simulation_;
  Notice notice_;
  Vec3 down_;         // length one; null without gravity
  double gravity_;    // [m/s²]
  double last_look_;  // [s]
  std::vector<RobotMotion> robots_;
  std::vector<int> joints_;  // with a motor that has a limit, not yet reported
};

}  // namespace servosim
