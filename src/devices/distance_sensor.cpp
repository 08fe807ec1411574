// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "devices/device_archive.h"
#include "devices/device_types.h"
#include "devices/painted_surfaces.h"
#include "devices/switched_colors.h"
#include "physics/physics_world.h"
#include "servosim/body_sensor.h"

namespace servosim {

namespace {

// The largest angle between a ray and the normal of a surface that returns sound [rad].
constexpr double kEcho = std::numbers::pi / 8.0;

bool returns_echo(const RayHit& hit, const Vec3& direction) {
  return std::abs(dot(hit.normal, direction)) >= std::cos(kEcho);
}

// Returns the distance that one ray of a sensor finds [m]; the range if it finds nothing.
double distance_along(const BodySensorSpec& sensor, PhysicsWorld& physics, const Vec3& from,
                      const Vec3& direction) {
  const std::optional<RayHit> hit =
      physics.contacts().cast_ray(from, direction, sensor.range, sensor.solid);
  const bool found = hit && (sensor.ray_type != RayType::Sonar || returns_echo(*hit, direction));
  return found ? hit->distance : sensor.range;
}

// Returns D + (D/F - D)·redColorSensitivity [m], which is Webots' law. D is the mean of the
// distances, and F the mean of the reflected parts. A ray that meets nothing counts with the range
// and with F = 1.
double infra_red_distance(const BodySensorSpec& sensor, PhysicsWorld& physics,
                          const PaintedSurfaces& surfaces, const Pose& pose) {
  physics.contacts().place_visible_shapes();
  double distance = 0.0;
  double reflection = 0.0;
  for (const SensorRay& ray : sensor.rays) {
    const std::optional<SeenPoint> seen = physics.contacts().cast_sight(
        pose.translation, pose.rotation * ray.direction, sensor.range, sensor.solid);
    if (ray.weight > 0.0) {
      distance += ray.weight * (seen ? seen->distance : sensor.range);
      reflection += ray.weight * (seen ? surfaces.reflection(*seen) : 1.0);
    }
  }
  return std::isfinite(distance)
             ? distance + (distance / reflection - distance) * sensor.red_sensitivity
             : distance;
}

// Returns the weighted mean of the distances that the rays find [m], or for a sonar the smallest
// one. A ray that finds nothing counts as its range.
double find_distance(const BodySensorSpec& sensor, PhysicsWorld& physics,
                     const PaintedSurfaces& surfaces) {
  const Pose pose = physics.solid_pose(sensor.solid);
  if (sensor.ray_type == RayType::InfraRed) {
    return infra_red_distance(sensor, physics, surfaces, pose);
  }
  double nearest = sensor.range;
  double mean = 0.0;
  for (const SensorRay& ray : sensor.rays) {
    const double distance =
        distance_along(sensor, physics, pose.translation, pose.rotation * ray.direction);
    nearest = std::min(nearest, distance);
    mean += ray.weight > 0.0 ? ray.weight * distance : 0.0;
  }
  return sensor.ray_type == RayType::Sonar ? nearest : mean;
}

Mat3 turn_from_z_to(const Vec3& normal) {
  const Vec3 aside = std::abs(normal.x) < 0.5 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0};
  const Vec3 x = unit_or(cross(aside, normal), {});
  const Vec3 y = cross(normal, x);
  return {{x.x, y.x, normal.x, x.y, y.y, normal.y, x.z, y.z, normal.z}};
}

}  // namespace

// A laser throws a spot while it measures.
class DistanceSensor : public BodySensor {
 public:
  explicit DistanceSensor(const DeviceBinding& binding)
      : BodySensor(binding, 1),
        colors_(&binding.world->colors),
        surfaces_(&binding.world->surfaces) {}

  void rebind(const DeviceBinding& binding) override {
    BodySensor::rebind(binding);
    colors_ = binding.world != nullptr ? &binding.world->colors : nullptr;
    surfaces_ = binding.world != nullptr ? &binding.world->surfaces : nullptr;
    show_spot();
  }

  void enable(int period_ms, double now_ms) override {
    BodySensor::enable(period_ms, now_ms);
    if (period_ms == 0) {
      has_spot_ = false;
      show_spot();
    }
  }

 private:
  void sample(double /*elapsed*/) override {
    put_number(find_distance(spec(), physics(), *surfaces_));
    if (spec().laser >= 0) {
      throw_spot();
    }
  }

  // By Webots' rules: a little in front of the surface, and none where the ray grazes it.
  void throw_spot() {
    constexpr double kSteepest = 80.0 * std::numbers::pi / 180.0;  // off the normal
    const Pose pose = this->pose();
    const Vec3 along = pose.rotation * spec().rays.front().direction;
    const std::optional<RayHit> hit =
        physics().contacts().cast_ray(pose.translation, along, spec().range, spec().solid);
    has_spot_ = hit && std::abs(dot(hit->normal, along)) > std::cos(kSteepest);
    if (has_spot_) {
      const Vec3 normal = dot(hit->normal, along) > 0.0 ? -hit->normal : hit->normal;
      const double before = hit->distance - world().line_scale / 200.0;
      spot_ = {turn_from_z_to(normal), pose.translation + before * along};
    }
    show_spot();
  }

  void show_spot() {
    if (colors_ != nullptr && spec().laser >= 0) {
      colors_->spots[static_cast<std::size_t>(spec().laser)] =
          has_spot_ ? std::optional(spot_) : std::nullopt;
    }
  }

  void archive_state(DeviceArchive& archive) override {
    BodySensor::archive_state(archive);
    archive.unhashed(has_spot_);
    archive.unhashed(spot_);
    if (archive.restores()) {
      show_spot();
    }
  }

  // Both are null where its node is gone.
  SwitchedColors* colors_;
  const PaintedSurfaces* surfaces_;
  bool has_spot_ = false;
  Pose spot_;
};

SERVOSIM_MAKE_SENSOR(DistanceSensor)

}  // namespace servosim
