// SPDX-License-Identifier: Apache-2.0
#include "scene/rolling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace servosim {
namespace {

constexpr double kParallelAxes = 1e-2;  // sine of the angle between two axes
constexpr double kSameRadius = 1e-3;    // relative

bool are_parallel(const Vec3& a, const Vec3& b) { return norm(cross(a, b)) < kParallelAxes; }

/// A motorised HingeJoint of a Robot, whose endPoint is round about the axis.
struct Wheel {
  int joint = -1;
  Vec3 axis;
  Vec3 center;                   // in the robot's frame [m]
  std::optional<double> radius;  // [m]; nothing if it is unknown
};

bool is_on_axis(const Vec3& point, const JointSpec& joint, double tolerance) {
  return norm(cross(point - joint.anchor, joint.axis)) <= tolerance;
}

// Returns the wheel that the endPoint is, if it is one. The cylinders round the axis give its
// radius.
std::optional<Wheel> wheel_of(const Scene& scene, int j) {
  const JointSpec& joint = scene.joints[j];
  const bool turns_freely = joint.stops.min == joint.stops.max;
  bool is_round = false;
  std::optional<Wheel> wheel;
  for (const Shape& shape : scene.solids[joint.child].shapes) {
    const Pose pose = joint.zero_pose * shape.pose;
    const Vec3 axis{pose.rotation(0, 2), pose.rotation(1, 2), pose.rotation(2, 2)};
    const bool has_axis = shape.type == ShapeType::Cylinder || shape.type == ShapeType::Capsule;
    const bool fits = (!has_axis || are_parallel(axis, joint.axis)) &&
                      is_on_axis(pose.translation, joint, 0.01 * shape.radius);
    if (shape.type == ShapeType::Cylinder && fits) {
      if (!wheel) {
        wheel = Wheel{j, joint.axis, pose.translation, shape.radius};
      } else if (wheel->radius != shape.radius) {
        wheel->radius.reset();
      }
    }
    is_round = is_round || shape.type == ShapeType::Mesh ||
               (fits && (shape.type == ShapeType::Sphere || shape.type == ShapeType::Capsule));
  }
  if (!wheel && is_round && turns_freely) {
    return Wheel{j, joint.axis, joint.zero_pose.translation, std::nullopt};
  }
  return wheel;
}

std::vector<Wheel> wheels_of(const Scene& scene, const RobotSpec& robot) {
  std::vector<Wheel> wheels;
  for (const DeviceSpec& device : robot.devices) {
    const int j = device.motor ? device.joint : -1;
    if (j < 0) {
      continue;
    }
    const JointSpec& joint = scene.joints[j];
    if (joint.kind == JointKind::Hinge && joint.parent == robot.solid && !joint.reference &&
        joint.child >= 0 && !is_dynamic(scene, joint.child)) {
      if (const auto wheel = wheel_of(scene, j)) {
        wheels.push_back(*wheel);
      }
    }
  }
  return wheels;
}

// The upward direction at the start, in the robot's frame; a unit vector.
Vec3 up_of(const Scene& scene, const RobotSpec& robot) {
  const Vec3 up = unit_or(-scene.world.gravity, scene.world.up);
  return transposed(world_pose(scene, robot.solid).rotation) * up;
}

// Returns nothing if the axle is not horizontal, because such wheels do not roll on the ground.
std::optional<RollingSpec> rolling_on(const Wheel& one, const Wheel& other, const Vec3& up,
                                      int solid) {
  const Vec3 across = up - dot(up, one.axis) * one.axis;
  if (norm(across) < 0.1) {
    return std::nullopt;
  }
  const Vec3 z = unit_or(across, up);
  const Vec3 x = unit_or(cross(one.axis, z), up);  // a positive turn rolls in this direction
  const Vec3 y = cross(z, x);
  const double distance = dot(one.center - other.center, y);
  if (!(std::abs(distance) > 1e-6)) {
    return std::nullopt;
  }
  const bool one_is_left = distance > 0.0;
  const double sense = dot(one.axis, other.axis) > 0.0 ? 1.0 : -1.0;
  RollingSpec rolling;
  rolling.solid = solid;
  rolling.joints =
      one_is_left ? std::array{one.joint, other.joint} : std::array{other.joint, one.joint};
  rolling.sense = one_is_left ? std::array{1.0, sense} : std::array{sense, 1.0};
  rolling.wheel_radius = *one.radius;
  rolling.axle_length = std::abs(distance);
  rolling.axle = {{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}},
                  0.5 * (one.center + other.center)};
  return rolling;
}

bool any_two_are_parallel(const std::vector<Wheel>& wheels) {
  for (std::size_t i = 0; i < wheels.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (are_parallel(wheels[i].axis, wheels[j].axis)) {
        return true;
      }
    }
  }
  return false;
}

void report_unknown(const RobotSpec& robot, Diagnostics& diagnostics, const std::string& why) {
  diagnostics.warning(
      robot.where,
      fmt::format("robot \"{}\" has no Physics, and {}: it stays where it is, though its wheels "
                  "turn",
                  robot.name, why),
      MissingPart{Missing::Bodies, fmt::format("the drive of robot \"{}\"", robot.name),
                  "give the robot and its wheels Physics"});
}

void find_rolling(Scene& scene, const RobotSpec& robot, Diagnostics& diagnostics) {
  std::vector<Wheel> wheels = wheels_of(scene, robot);
  const Vec3 up = up_of(scene, robot);
  // A body that turns about an upright axis is a turret, a lidar or an arm.
  std::erase_if(wheels, [&](const Wheel& wheel) { return std::abs(dot(wheel.axis, up)) > 0.7; });
  if (wheels.size() < 2) {
    return;
  }
  if (wheels.size() > 2) {
    if (any_two_are_parallel(wheels)) {
      report_unknown(
          robot, diagnostics,
          fmt::format("how Webots would drive it by {} wheels is not known", wheels.size()));
    }
    return;
  }
  const Wheel& one = wheels[0];
  const Wheel& other = wheels[1];
  if (!are_parallel(one.axis, other.axis)) {
    return;
  }
  if (!one.radius || !other.radius) {
    return report_unknown(robot, diagnostics,
                          "its wheels have no single Cylinder as boundingObject that would give "
                          "their radius");
  }
  if (std::abs(*one.radius - *other.radius) > kSameRadius * *one.radius) {
    diagnostics.info(
        robot.where,
        fmt::format("robot \"{}\" has no Physics, and its wheels have the radii {:g} m "
                    "and {:g} m: they do not drive it, as in Webots",
                    robot.name, *one.radius, *other.radius));
    return;
  }
  if (const auto rolling = rolling_on(one, other, up, robot.solid)) {
    scene.rolling.push_back(*rolling);
  }
}

}  // namespace

void find_rolling_robots(Scene& scene, Diagnostics& diagnostics) {
  for (const RobotSpec& robot : scene.robots) {
    const int solid = robot.solid;
    if (solid >= 0 && !robot.drive && !is_dynamic(scene, solid) &&
        !has_dynamic_ancestor(scene, solid) && scene.solids[solid].joint < 0) {
      find_rolling(scene, robot, diagnostics);
    }
  }
}

std::vector<int> wheel_driven_solids(const Scene& scene) {
  std::vector<int> solids;
  for (const RobotSpec& robot : scene.robots) {
    if (robot.drive && robot.drive->wheels->kinematic) {
      solids.push_back(robot.solid);
    }
  }
  for (const RollingSpec& robot : scene.rolling) {
    solids.push_back(robot.solid);
  }
  return solids;
}

std::vector<int> turning_heads(const Scene& scene) {
  std::vector<int> solids;
  for (const RobotSpec& robot : scene.robots) {
    for (const DeviceSpec& device : robot.devices) {
      if (device.ranging && device.ranging->head >= 0) {
        solids.push_back(device.ranging->head);
      }
    }
  }
  return solids;
}

}  // namespace servosim
