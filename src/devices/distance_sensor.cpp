// SPDX-License-Identifier: Apache-2.0
// The measurements of a DistanceSensor, for each of its types.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "devices/body_sensor_models.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

constexpr double kEcho = std::numbers::pi / 8.0;  // [rad] to the normal; beyond, no sound returns

bool returns_echo(const RayHit& hit, const Vec3& direction) {
  return std::abs(dot(hit.normal, direction)) >= std::cos(kEcho);
}

// Of one ray of a sensor; at most its range.
double distance_along(const BodySensorSpec& sensor, PhysicsWorld& physics, const Vec3& from,
                      const Vec3& direction) {
  const std::optional<RayHit> hit =
      physics.contacts().cast_ray(from, direction, sensor.range, sensor.solid);
  const bool found = hit && (sensor.kind != BodySensorKind::Sonar || returns_echo(*hit, direction));
  return found ? hit->distance : sensor.range;
}

// Webots' law: D + (D/F - D)·redColorSensitivity, for the means D of the distances and F of the
// parts that are reflected. What is not met is at the end of the range, and reflects all.
double infra_red_distance(const BodySensorSpec& sensor, PhysicsWorld& physics, const Pose& pose) {
  physics.contacts().place_visible_shapes();
  double distance = 0.0;
  double reflection = 0.0;
  for (const SensorRay& ray : sensor.rays) {
    const std::optional<SeenPoint> seen = physics.contacts().cast_sight(
        pose.translation, pose.rotation * ray.direction, sensor.range, sensor.solid);
    if (ray.weight > 0.0) {
      distance += ray.weight * (seen ? seen->distance : sensor.range);
      reflection += ray.weight * (seen ? seen->reflection : 1.0);
    }
  }
  return std::isfinite(distance)
             ? distance + (distance / reflection - distance) * sensor.red_sensitivity
             : distance;
}

}  // namespace

double find_distance(const BodySensorSpec& sensor, PhysicsWorld& physics) {
  const Pose pose = physics.solid_pose(sensor.solid);
  if (sensor.kind == BodySensorKind::InfraRed) {
    return infra_red_distance(sensor, physics, pose);
  }
  double nearest = sensor.range;
  double mean = 0.0;
  for (const SensorRay& ray : sensor.rays) {
    const double distance =
        distance_along(sensor, physics, pose.translation, pose.rotation * ray.direction);
    nearest = std::min(nearest, distance);
    mean += ray.weight > 0.0 ? ray.weight * distance : 0.0;
  }
  return sensor.kind == BodySensorKind::Sonar ? nearest : mean;
}

}  // namespace servosim
