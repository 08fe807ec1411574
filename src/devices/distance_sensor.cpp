// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "devices/device_types.h"
#include "devices/painted_surfaces.h"
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

}  // namespace

class DistanceSensor : public BodySensor {
 public:
  explicit DistanceSensor(const DeviceBinding& binding) : BodySensor(binding, 1) {
    DistanceSensor::rebind(binding);
  }

 private:
  void rebind(const DeviceBinding& binding) override {
    BodySensor::rebind(binding);
    surfaces_ = binding.world != nullptr ? &binding.world->surfaces : nullptr;
  }
  void sample(double /*elapsed*/) override {
    put_number(find_distance(spec(), physics(), *surfaces_));
  }

  const PaintedSurfaces* surfaces_ = nullptr;  // null: its node is gone
};

SERVOSIM_MAKE_SENSOR(DistanceSensor)

}  // namespace servosim
