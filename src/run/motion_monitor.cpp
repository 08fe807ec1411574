// SPDX-License-Identifier: Apache-2.0
#include "run/motion_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "scene/scene.h"
#include "sim/simulation_core.h"

namespace servosim {
namespace {

constexpr double kInterval = 0.05;    // between two looks [s]
constexpr double kMaxFreeFall = 1.0;  // [s]
// A robot falls if its speed is more than this part of what gravity alone gives it in kMaxFreeFall:
// damping slows it, and one that flies or hangs on something sinks slower.
constexpr double kFallingSpeed = 0.2;
constexpr double kMaxTilt = std::numbers::pi / 3.0;
constexpr double kMaxSpeedRatio = 10.0;  // of a joint to the maxVelocity of its motor
constexpr double kDeep = 0.01;           // [m], an overlap that throws bodies apart

}  // namespace

MotionMonitor::MotionMonitor(const Simulation& simulation, Notice notice)
    : simulation_(simulation),
      notice_(std::move(notice)),
      down_(unit_or(core_of(simulation).scene().world.gravity, {})),
      gravity_(norm(core_of(simulation).scene().world.gravity)),
      last_look_(simulation.time()) {
  watch_new();
  report_overlaps();
}

// Those that a supervisor has brought in start now.
void MotionMonitor::watch_new() {
  tree_version_ = core_of(simulation_).tree_version();
  for (int r = 0; r < simulation_.robots().size(); ++r) {
    const Robot& robot = simulation_.robots()[r];
    const Solid solid = simulation_.solid(robot.solid());
    if (known_.insert(&robot).second && gravity_ > 0.0 && solid.has_body()) {
      robots_.push_back({&robot, transposed(solid.pose().rotation) * (-down_), simulation_.time()});
    }
  }
  for (; watched_joints_ < simulation_.joints().size(); ++watched_joints_) {
    const Motor* const motor = simulation_.joint(watched_joints_).motor();
    if (motor != nullptr && motor->max_velocity() > 0.0 && std::isfinite(motor->max_velocity())) {
      joints_.push_back(watched_joints_);
    }
  }
}

double MotionMonitor::falling_speed_of(const Robot& robot) const {
  return dot(simulation_.solid(robot.solid()).velocity().linear, down_);
}

void MotionMonitor::report_overlaps() const {
  const DeepOverlap deepest = core_of(simulation_).deep_overlap(kDeep);
  if (deepest.count > 0) {
    notice_(fmt::format(
        "Solids \"{}\" and \"{}\" overlap by {:.2g} m at the start, which pushes them apart{}",
        simulation_.solid(deepest.solid).name(), simulation_.solid(deepest.other).name(),
        deepest.depth,
        deepest.count > 1
            ? fmt::format(" ({} contact points are deeper than {:g} m)", deepest.count, kDeep)
            : ""));
  }
}

void MotionMonitor::update() {
  const double time = simulation_.time();
  if (tree_version_ != core_of(simulation_).tree_version()) {
    watch_new();
  }
  if (time < last_look_) {  // a reset
    last_look_ = time;
    for (RobotMotion& motion : robots_) {
      motion.falling_since = time;
    }
  } else if (time - last_look_ >= kInterval) {
    look();
    last_look_ = time;
  }
}

void MotionMonitor::look() {
  const double time = simulation_.time();
  const std::vector<bool> touched = touched_solids();
  for (RobotMotion& motion : robots_) {
    if (motion.robot->index() >= 0) {
      look_for_fall(motion, touched[static_cast<std::size_t>(motion.robot->solid())]);
      look_at_tilt(motion);
    }
  }
  std::erase_if(joints_, [&](int j) {
    const Joint joint = simulation_.joint(j);
    if (!joint.exists()) {
      return true;
    }
    const double speed = std::abs(joint.velocity());
    const double limit = joint.motor()->max_velocity();
    if (!(limit > 0.0 && speed > kMaxSpeedRatio * limit)) {
      return false;
    }
    notice_(
        fmt::format("joint \"{}\" moves at {:.3g} {}, more than {:g} times the maxVelocity {:g} "
                    "of its motor (at {:.6g} s)",
                    joint.name(), speed, joint.type() == JointType::Rotational ? "rad/s" : "m/s",
                    kMaxSpeedRatio, limit, time));
    return true;
  });
}

// By Solid: whether it, or one below it, touches a Solid that is not below it.
std::vector<bool> MotionMonitor::touched_solids() const {
  const std::vector<SolidSpec>& solids = core_of(simulation_).scene().solids;
  std::vector<bool> touched(solids.size(), false);
  const auto is_below = [&](int solid, int above) {
    while (solid >= 0 && solid != above) {
      solid = solids[static_cast<std::size_t>(solid)].parent;
    }
    return solid >= 0;
  };
  const auto mark = [&](int solid, int other) {
    for (; solid >= 0 && !is_below(other, solid);
         solid = solids[static_cast<std::size_t>(solid)].parent) {
      touched[static_cast<std::size_t>(solid)] = true;
    }
  };
  for (const auto& [one, other] : core_of(simulation_).touching_solids()) {
    mark(one, other);
    mark(other, one);
  }
  return touched;
}

void MotionMonitor::look_for_fall(RobotMotion& motion, bool touches) {
  const double speed = falling_speed_of(*motion.robot);
  const double time = simulation_.time();
  const SolidSpec& solid =
      core_of(simulation_).scene().solids[static_cast<std::size_t>(motion.robot->solid())];
  if (touches || !(speed > 0.0) || solid.joint >= 0) {
    motion.falling_since = time;
  }
  if (time - motion.falling_since > kMaxFreeFall &&
      speed > kFallingSpeed * gravity_ * kMaxFreeFall && !motion.fell_freely) {
    motion.fell_freely = true;
    notice_(
        fmt::format("robot '{}' has been falling freely since {:.3g} s: there is nothing below "
                    "it",
                    motion.robot->name(), motion.falling_since));
  }
}

void MotionMonitor::look_at_tilt(RobotMotion& motion) {
  if (!motion.fell_over) {
    const Vec3 up = simulation_.solid(motion.robot->solid()).pose().rotation * motion.up;
    if (const double tilt = std::acos(std::clamp(-dot(up, down_), -1.0, 1.0)); tilt > kMaxTilt) {
      motion.fell_over = true;
      notice_(fmt::format("robot '{}' fell over: its tilt is {:.0f} degrees at {:.3g} s",
                          motion.robot->name(), tilt * 180.0 / std::numbers::pi,
                          simulation_.time()));
    }
  }
}

}  // namespace servosim
