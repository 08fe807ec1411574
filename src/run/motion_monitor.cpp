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
constexpr double kFreeFall = 0.9;     // of the acceleration of gravity
constexpr double kMaxFreeFall = 1.0;  // [s]
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
  for (int r = 0; r < simulation.robots().size(); ++r) {
    const Robot& robot = simulation.robots()[r];
    if (gravity_ > 0.0 && simulation.solid(robot.solid()).has_body()) {
      const Mat3 turn = simulation.solid(robot.solid()).pose().rotation;
      robots_.push_back({&robot, transposed(turn) * (-down_), falling_speed_of(robot)});
    }
  }
  for (int j = 0; j < simulation.joints().size(); ++j) {
    const Motor* const motor = simulation.joint(j).motor();
    if (motor != nullptr && motor->max_velocity() > 0.0 && std::isfinite(motor->max_velocity())) {
      joints_.push_back(j);
    }
  }
  report_overlaps();
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
  if (time < last_look_) {  // a reset
    last_look_ = time;
  } else if (time - last_look_ >= kInterval) {
    look();
    last_look_ = time;
  }
}

void MotionMonitor::look() {
  const double time = simulation_.time();
  for (RobotMotion& motion : robots_) {
    if (motion.robot->index() >= 0) {
      look_at(motion, time - last_look_);
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

void MotionMonitor::look_at(RobotMotion& motion, double interval) {
  const double before = std::exchange(motion.falling_speed, falling_speed_of(*motion.robot));
  const bool falls =
      motion.falling_speed > 0.0 && motion.falling_speed - before > kFreeFall * gravity_ * interval;
  motion.falling_time = falls ? motion.falling_time + interval : 0.0;
  if (motion.falling_time > kMaxFreeFall && !motion.fell_freely) {
    motion.fell_freely = true;
    notice_(
        fmt::format("robot '{}' has been falling freely since {:.3g} s: there is nothing below "
                    "it",
                    motion.robot->name(), simulation_.time() - motion.falling_time));
  }
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
