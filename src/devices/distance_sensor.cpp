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
  if (sensor.kind == BodySensorKind::InfraRed) {
    const std::optional<SeenPoint> seen =
        physics.contacts().cast_sight(from, direction, sensor.range, sensor.solid);
    return seen ? std::min(sensor.range, seen->distance / seen->reflection) : sensor.range;
  }
  const std::optional<RayHit> hit =
      physics.contacts().cast_ray(from, direction, sensor.range, sensor.solid);
  const bool found = hit && (sensor.kind != BodySensorKind::Sonar || returns_echo(*hit, direction));
  return found ? hit->distance : sensor.range;
}

}  // namespace

double find_distance(const BodySensorSpec& sensor, PhysicsWorld& physics) {
  const Pose pose = physics.solid_pose(sensor.solid);
  if (sensor.kind == BodySensorKind::InfraRed) {
    physics.contacts().place_visible_shapes();
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
