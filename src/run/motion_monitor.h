// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "servosim/math.h"
#include "servosim/simulation.h"

namespace servosim {

class JointLoads;

/// Reports, once each, signs that a run is not what its author meant: bodies that overlap deeply at
/// the start, a robot that falls for a second without touching anything or that falls over, a joint
/// that moves much faster than its motor may; at the end, motors that had commands and did not
/// move, or that are too weak. It also watches robots and joints that a supervisor imports.
///
/// It observes 20 times per simulated second, so it may miss what lasts only a few steps.
class MotionMonitor {
 public:
  using Notice = std::function<void(const std::string& message)>;

  /// The present state counts as the start. `simulation` must outlive this object.
  MotionMonitor(const Simulation& simulation, Notice notice);
  /// Call it after each step.
  void update();
  /// Reports why motors that had commands did not do what they were told. Call it at the end of the
  /// run.
  void finish();

 private:
  struct RobotMotion {
    const Robot* robot;
    Vec3 up;                    // unit vector in the robot's own axes at the start
    double falling_since;       // [s]; without touching anything
    double falling_from = 0.0;  // the speed at which it sank then [m/s]
    bool fell_freely = false;   // whether this was reported; the same holds for fell_over
    bool fell_over = false;
  };

  struct MotorMotion {
    int joint;
    double low, high;  // range of positions so far [rad|m]
    // `away` counts observations since the joint was last where its motor should move it.
    // `saturated` counts those of them in which the motor exerted all of its effort. `at_rest`
    // counts observations since the joint last moved.
    double target;
    int away = 0;
    int saturated = 0;
    int at_rest = 0;
  };

  void watch_new();
  void look_at_motor(MotorMotion& motion) const;
  std::string reason_of(const MotorMotion& motion, const JointLoads& loads) const;
  std::string weakness(const MotorMotion& motion, int index, const JointLoads& loads) const;
  void report_overlaps() const;
  void look();
  std::vector<bool> touched_solids() const;
  void look_for_fall(RobotMotion& motion, bool touches);
  void look_at_tilt(RobotMotion& motion);
  double falling_speed_of(const Robot& robot) const;

  const Simulation& simulation_;
  Notice notice_;
  Vec3 down_;         // unit vector; null without gravity
  double gravity_;    // [m/s²]
  double last_look_;  // [s]
  std::uint64_t tree_version_ = 0;
  std::vector<RobotMotion> robots_;  // robots that have bodies
  std::vector<MotorMotion> motors_;  // motors of all joints that have one
  std::set<const Robot*> known_;     // all robots, with or without bodies
  std::vector<int> joints_;          // joints with a motor that has a limit, not yet reported
  int watched_joints_ = 0;           // joints with smaller numbers are in joints_, or never were
};

}  // namespace servosim
