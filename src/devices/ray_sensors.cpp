// SPDX-License-Identifier: Apache-2.0
#include "devices/ray_sensors.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

constexpr double kEcho = std::numbers::pi / 8.0;  // [rad] to the normal; beyond, no sound returns

bool returns_echo(const RayHit& hit, const Vec3& direction) {
  return std::abs(dot(hit.normal, direction)) >= std::cos(kEcho);
}

/// A light as a sensor sees it.
struct SeenLight {
  Vec3 towards;     // of length one
  double distance;  // [m]
  double share;     // of its intensities that gets there
};

double spot_factor(const LightSpec& light, double angle) {
  if (angle > light.cut_off_angle) {
    return 0.0;
  }
  return angle <= light.beam_width || light.beam_width >= light.cut_off_angle
             ? 1.0
             : (light.cut_off_angle - angle) / (light.cut_off_angle - light.beam_width);
}

SeenLight see(const LightSpec& light, const PhysicsWorld& physics, const Vec3& from) {
  const Pose carrier = light.solid >= 0 ? physics.solid_pose(light.solid) : Pose{};
  const Vec3 shines = carrier.rotation * light.direction;
  if (light.type == LightType::Directional) {
    return {-shines, std::numeric_limits<double>::infinity(), 1.0};
  }
  const Vec3 way = carrier * light.location - from;
  const double d = norm(way);
  const Vec3 towards = unit_or(way, {});
  const double weakened = light.attenuation.x + d * (light.attenuation.y + d * light.attenuation.z);
  if (d > light.radius || !(weakened > 0.0)) {
    return {towards, d, 0.0};
  }
  const double spot =
      light.type == LightType::Spot
          ? spot_factor(light, std::acos(std::clamp(-dot(shines, towards), -1.0, 1.0)))
          : 1.0;
  return {towards, d, spot / weakened};
}

// Of one ray of a sensor; at most its range.
double distance_along(const SolidSensorSpec& sensor, PhysicsWorld& physics, const Vec3& from,
                      const Vec3& direction) {
  if (sensor.kind == SolidSensorKind::InfraRed) {
    const std::optional<SeenPoint> seen =
        physics.contacts().cast_sight(from, direction, sensor.range, sensor.solid);
    return seen ? std::min(sensor.range, seen->distance / seen->reflection) : sensor.range;
  }
  const std::optional<RayHit> hit =
      physics.contacts().cast_ray(from, direction, sensor.range, sensor.solid);
  const bool heard =
      hit && (sensor.kind != SolidSensorKind::Sonar || returns_echo(*hit, direction));
  return heard ? hit->distance : sensor.range;
}

}  // namespace

double find_distance(const SolidSensorSpec& sensor, PhysicsWorld& physics) {
  const Pose pose = physics.solid_pose(sensor.solid);
  if (sensor.kind == SolidSensorKind::InfraRed) {
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
  return sensor.kind == SolidSensorKind::Sonar ? nearest : mean;
}

double find_irradiance(const SolidSensorSpec& sensor, std::span<const LightSpec> lights,
                       std::span<const Vec3> colors, PhysicsWorld& physics) {
  const Pose pose = physics.solid_pose(sensor.solid);
  const Vec3 facing = pose.rotation * Vec3{1.0, 0.0, 0.0};
  double sum = 0.0;
  for (std::size_t i = 0; i < lights.size(); ++i) {
    const LightSpec& light = lights[i];
    const SeenLight seen = see(light, physics, pose.translation);
    const double share = seen.share * dot(colors[i], sensor.color_filter) / 3.0;
    if (!(share > 0.0)) {
      continue;
    }
    if (light.ambient_intensity > 0.0) {
      sum += share * light.ambient_intensity;  // from everywhere: nothing shades it
    }
    const double direct = share * light.intensity * dot(facing, seen.towards);
    if (direct > 0.0 &&
        (!sensor.occlusion || !physics.contacts().cast_ray(pose.translation, seen.towards,
                                                           seen.distance, sensor.solid))) {
      sum += direct;
    }
  }
  return sum;
}

}  // namespace servosim
