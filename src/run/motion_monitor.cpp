// SPDX-License-Identifier: Apache-2.0
#include "run/motion_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "scene/scene.h"
#include "sim/joint_load.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

constexpr double kInterval = 0.05;    // between two observations [s]
constexpr double kMaxFreeFall = 1.0;  // [s]
// A robot falls as long as it has gained more than this share of the speed that gravity alone
// causes since the fall began. Damping slows a falling robot, but a robot that flies or hangs on
// something sinks at a steady speed, and may drop at the end.
constexpr double kFallingSpeed = 0.2;
constexpr double kMaxTilt = std::numbers::pi / 3.0;
constexpr double kMaxSpeedRatio = 10.0;  // ratio of a joint's speed to the maxVelocity of its motor
constexpr double kDeep = 0.01;           // [m]; such an overlap throws bodies apart
constexpr double kAtRest = 0.02;         // share of the commanded speed
constexpr double kAway = 1e-3;           // distance from a target [rad|m]
constexpr double kStill = 1e-2;  // a joint with a smaller range of motion has not moved [rad|m]
constexpr int kTooWeak = 10;     // observations of a motor at its limit before it is reported
constexpr std::size_t kMaxReasons = 8;  // the most motors that are reported in one run

// Returns a text such as "10 N m" or "0.3 rad/s".
std::string effort_text(const Motor& motor, double effort) {
  return fmt::format("{:.3g} {}", effort, motor.type() == JointType::Linear ? "N" : "N m");
}
std::string way_text(const Motor& motor, double way) {
  return fmt::format("{:.3g} {}", way, motor.type() == JointType::Linear ? "m" : "rad");
}

// Returns what is left of a command: the way to the target, or the speed that the motor holds.
double missing_way(const Motor& motor, double position) {
  return std::isfinite(motor.targets().position) ? motor.targets().position - position
                                                 : motor.targets().velocity;
}

// Returns whether a motor exerts all that it can.
bool gives_all(const Motor& motor, double effort) {
  const double limit = motor.effort_limit();
  if (const auto servo = motor.servo().reading()) {
    return servo->max_duty > 0.0 && (std::abs(servo->duty) >= 0.999 * servo->max_duty ||
                                     std::abs(servo->motor_torque) >= 0.999 * limit);
  }
  return limit > 0.0 && std::abs(effort) >= 0.999 * limit;
}

}  // namespace

MotionMonitor::MotionMonitor(const Simulation& simulation, Notice notice)
    : simulation_(simulation),
      notice_(std::move(notice)),
      down_(unit_or(WorldInspector(simulation).scene().world.gravity, {})),
      gravity_(norm(WorldInspector(simulation).scene().world.gravity)),
      last_look_(simulation.time()) {
  watch_new();
  report_overlaps();
}

// Robots and joints that a supervisor has imported start now.
void MotionMonitor::watch_new() {
  tree_version_ = WorldInspector(simulation_).tree_version();
  for (int r = 0; r < simulation_.robots().size(); ++r) {
    const Robot& robot = simulation_.robots()[r];
    const Solid solid = simulation_.solid(robot.solid());
    if (known_.insert(&robot).second && gravity_ > 0.0 && solid.has_body()) {
      robots_.push_back({&robot, transposed(solid.pose().rotation) * (-down_), simulation_.time()});
    }
  }
  for (; watched_joints_ < simulation_.joints().size(); ++watched_joints_) {
    const Joint joint = simulation_.joint(watched_joints_);
    const Motor* const motor = joint.motor();
    if (motor != nullptr) {
      const double at = joint.position();
      motors_.push_back({watched_joints_, at, at, motor->targets().position});
    }
    if (motor != nullptr && motor->limits().max_velocity > 0.0 &&
        std::isfinite(motor->limits().max_velocity)) {
      joints_.push_back(watched_joints_);
    }
  }
}

double MotionMonitor::falling_speed_of(const Robot& robot) const {
  return dot(simulation_.solid(robot.solid()).velocity().linear, down_);
}

void MotionMonitor::report_overlaps() const {
  const DeepOverlap deepest = WorldInspector(simulation_).deep_overlap(kDeep);
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
  if (tree_version_ != WorldInspector(simulation_).tree_version()) {
    watch_new();
  }
  if (time < last_look_) {  // a reset
    last_look_ = time;
    for (RobotMotion& motion : robots_) {
      motion.falling_since = time;
      motion.falling_from = 0.0;
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
  for (MotorMotion& motion : motors_) {
    look_at_motor(motion);
  }
  std::erase_if(joints_, [&](int j) {
    const Joint joint = simulation_.joint(j);
    if (!joint.exists()) {
      return true;
    }
    const double speed = std::abs(joint.velocity());
    const double limit = joint.motor()->limits().max_velocity;
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

void MotionMonitor::look_at_motor(MotorMotion& motion) const {
  const Joint joint = simulation_.joint(motion.joint);
  const Motor* const motor = joint.exists() ? joint.motor() : nullptr;
  if (motor == nullptr) {
    return;
  }
  const JointReading now = joint.reading();
  motion.low = std::min(motion.low, now.position);
  motion.high = std::max(motion.high, now.position);
  const bool is_away = !motor->targets().force_control && !motor->targets().driven &&
                       motion.target == motor->targets().position &&
                       std::abs(missing_way(*motor, now.position)) > kAway;
  const bool is_at_limit = gives_all(*motor, now.effort);
  const bool is_at_rest = std::abs(now.velocity) <= kAtRest * std::abs(motor->targets().velocity);
  motion.target = motor->targets().position;
  motion.away = is_away ? motion.away + 1 : 0;
  motion.saturated = is_away ? motion.saturated + (is_at_limit ? 1 : 0) : 0;
  motion.at_rest = is_away && is_at_rest ? motion.at_rest + 1 : 0;
}

void MotionMonitor::finish() {
  if (WorldInspector(simulation_).is_over()) {
    return;
  }
  for (MotorMotion& motion : motors_) {
    look_at_motor(motion);
  }
  const JointLoads loads(simulation_);
  std::size_t told = 0;
  std::size_t untold = 0;
  for (const MotorMotion& motion : motors_) {
    const Joint joint = simulation_.joint(motion.joint);
    const std::string reason =
        joint.exists() && joint.motor() != nullptr ? reason_of(motion, loads) : std::string();
    if (reason.empty()) {
      continue;
    }
    if (told == kMaxReasons) {
      ++untold;
      continue;
    }
    ++told;
    notice_(fmt::format("joint \"{}\" {}", joint.name(), reason));
  }
  if (untold > 0) {
    notice_(fmt::format("{} more joints do not move as their motors were told", untold));
  }
}

// Returns why a joint did not do what its motor was commanded; empty if it did, or if the reason is
// unknown.
std::string MotionMonitor::reason_of(const MotorMotion& motion, const JointLoads& loads) const {
  const Joint joint = simulation_.joint(motion.joint);
  const Motor& motor = *joint.motor();
  const MotorCommands& commands = motor.targets().given;
  const double position = joint.position();
  const int index = WorldInspector(simulation_).joint_in_scene(motion.joint);
  const Scene& scene = WorldInspector(simulation_).scene();
  const JointSpec& spec = scene.joints[static_cast<std::size_t>(index)];
  const bool is_still = motion.high - motion.low <= kStill;
  if (motion.away >= kTooWeak && motion.saturated >= 0.9 * motion.away) {
    return weakness(motion, index, loads);
  }
  if (!is_still || !commands.any()) {
    return {};
  }
  if (spec.child >= 0 && !is_dynamic(scene, spec.child) && motor.targets().force_control) {
    return fmt::format(
        "does not move: its endPoint has no Physics, so that a force or torque moves nothing; give "
        "the endPoint a Physics node, or set a position or velocity");
  }
  if (motor.targets().available_force <= 0.0) {
    return "does not move: its motor has an available force or torque of 0";
  }
  if (commands.velocity && !commands.position && !commands.force && !commands.drive) {
    return fmt::format(
        "does not move: its motor has had setVelocity() without setPosition(), so that it stays at "
        "its target {}; setPosition(inf) lets it turn at a velocity",
        way_text(motor, motor.targets().position));
  }
  if (commands.position && std::isfinite(motor.targets().position) &&
      motor.targets().velocity == 0.0 && std::abs(motor.targets().position - position) > kAway) {
    return fmt::format("does not move to its target {}: its motor's velocity is 0",
                       way_text(motor, motor.targets().position));
  }
  return {};
}

// Describes a motor that exerts all of its effort; empty if it may still reach its target.
std::string MotionMonitor::weakness(const MotorMotion& motion, int index,
                                    const JointLoads& loads) const {
  const Motor& motor = *simulation_.joint(motion.joint).motor();
  const double position = simulation_.joint(motion.joint).position();
  const double has = motor.effort_limit();
  const double target = motor.targets().position;
  const bool is_stuck = motion.at_rest >= kTooWeak;
  if (!std::isfinite(target)) {
    return is_stuck ? fmt::format("does not move at {:.3g} {}: all of its motor's {} is not enough",
                                  motor.targets().velocity,
                                  motor.type() == JointType::Linear ? "m/s" : "rad/s",
                                  effort_text(motor, has))
                    : "";
  }
  const std::optional<double> at_target = loads.at(index, target);
  const double to_hold = std::abs(at_target.value_or(0.0));
  const double on_the_way = loads.largest(index, position, target).value_or(0.0);
  const std::string where = fmt::format("does not reach its target {}, it is at {}: its motor ",
                                        way_text(motor, target), way_text(motor, position));
  if (to_hold > has) {
    return where +
           fmt::format("needs {} to hold its target, has {:.3g}", effort_text(motor, to_hold), has);
  }
  if (on_the_way > 1.001 * has) {
    return where + fmt::format("needs {} on the way to its target, has {:.3g}",
                               effort_text(motor, on_the_way), has);
  }
  return is_stuck ? where + fmt::format(
                                "gives all of its {}, {}", effort_text(motor, has),
                                at_target ? "and something is in the way" : "which is not enough")
                  : "";
}

// Returns, for each Solid, whether it, or one below it, touches a Solid that is not below it.
std::vector<bool> MotionMonitor::touched_solids() const {
  const std::vector<SolidSpec>& solids = WorldInspector(simulation_).scene().solids;
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
  for (const auto& [one, other] : WorldInspector(simulation_).touching_solids()) {
    mark(one, other);
    mark(other, one);
  }
  return touched;
}

void MotionMonitor::look_for_fall(RobotMotion& motion, bool touches) {
  const double speed = falling_speed_of(*motion.robot);
  const double time = simulation_.time();
  const SolidSpec& solid =
      WorldInspector(simulation_).scene().solids[static_cast<std::size_t>(motion.robot->solid())];
  const double least = kFallingSpeed * gravity_ * (time - motion.falling_since);
  if (touches || !(speed > 0.0) || solid.joint >= 0 || speed - motion.falling_from <= least) {
    motion.falling_since = time;
    motion.falling_from = std::max(0.0, speed);
  }
  if (time - motion.falling_since > kMaxFreeFall && !motion.fell_freely) {
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
