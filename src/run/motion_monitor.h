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

/// Notices of a run that is probably not what its author meant, each once: bodies that overlap
/// deeply at the start, a robot that falls for a second without touching anything or that fell
/// over, a joint that moves much faster than its motor may; at the end, motors that have had
/// commands and did not move, or whose strength is not enough. Robots and joints that a supervisor
/// imports are watched too.
///
/// It looks 20 times a simulated second, so what lasts a few steps may be missed.
class MotionMonitor {
 public:
  using Notice = std::function<void(const std::string& message)>;

  /// The present state counts as the start. `simulation` must outlive it.
  MotionMonitor(const Simulation& simulation, Notice notice);
  /// Call it after each step.
  void update();
  /// Call it at the end of the run: says why motors that have had commands did not do what they
  /// were told.
  void finish();

 private:
  struct RobotMotion {
    const Robot* robot;
    Vec3 up;                   // in its own axes at the start, length one
    double falling_since;      // [s], without touching anything
    bool fell_freely = false;  // has been reported, as the next one
    bool fell_over = false;
  };

  struct MotorMotion {
    int joint;
    double low, high;  // where it was [rad|m]
    // Looks since it was where its motor was told, and those of them with all effort of the motor;
    // those at rest since it moved last.
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
  Vec3 down_;         // length one; null without gravity
  double gravity_;    // [m/s²]
  double last_look_;  // [s]
  std::uint64_t tree_version_ = 0;
  std::vector<RobotMotion> robots_;  // that have bodies
  std::vector<MotorMotion> motors_;  // of all joints that have one
  std::set<const Robot*> known_;     // also those without
  std::vector<int> joints_;          // with a motor that has a limit, not yet reported
  int watched_joints_ = 0;           // those with smaller numbers are in joints_, or never were
};

}  // namespace servosim
