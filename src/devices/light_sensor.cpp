// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "devices/device_types.h"
#include "devices/switched_colors.h"
#include "physics/physics_world.h"
#include "scene/light_law.h"
#include "servosim/body_sensor.h"

namespace servosim {

namespace {

constexpr double kDirectionalDistance = 1000.0;  // at which Webots places a DirectionalLight [m]

/// What a sensor sees of a light.
struct SeenLight {
  Vec3 towards;     // direction from the sensor to the light, of length one
  double distance;  // [m]
  double share;     // what is left of its intensities at this distance
  double spot;      // the share of a SpotLight in this direction; no part of the ambient light
};

SeenLight see(const LightSpec& light, const PhysicsWorld& physics, const Vec3& from) {
  const Pose carrier = light.solid >= 0 ? physics.solid_pose(light.solid) : Pose{};
  const Vec3 shines = carrier.rotation * light.direction;
  if (light.type == LightType::Directional) {
    return {-shines, kDirectionalDistance, 1.0, 1.0};
  }
  const Vec3 way = carrier * light.location - from;
  const double d = norm(way);
  const Vec3 towards = unit_or(way, {});
  const double spot = light.type == LightType::Spot
                          ? spot_share(std::acos(std::clamp(-dot(shines, towards), -1.0, 1.0)),
                                       light.beam_width, light.cut_off_angle)
                          : 1.0;
  // As in Webots, a LightSensor sees a light from beyond its radius.
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  const Vec3& a = light.attenuation;
  return {towards, d, light_at(d, kEndless, {a.x, a.y, a.z}, 1.0), spot};
}

// Returns the irradiance along the x axis of the sensor [W/m²]: the sum of what each light gives,
// in its present colour.
double find_irradiance(const BodySensorSpec& sensor, std::span<const LightSpec> lights,
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
      sum += share * light.ambient_intensity;  // nothing shades it: it comes from everywhere
    }
    const double direct = share * seen.spot * light.intensity * dot(facing, seen.towards);
    if (direct > 0.0 &&
        (!sensor.occlusion || !physics.contacts().cast_ray(pose.translation, seen.towards,
                                                           seen.distance, sensor.solid))) {
      sum += direct;
    }
  }
  return sum;
}

}  // namespace

class LightSensor : public BodySensor {
 public:
  explicit LightSensor(const DeviceBinding& binding)
      : BodySensor(binding, 1), colors_(&binding.world->colors) {}

  void rebind(const DeviceBinding& binding) override {
    BodySensor::rebind(binding);
    colors_ = binding.world != nullptr ? &binding.world->colors : nullptr;
  }

 private:
  void sample(double /*elapsed*/) override {
    put_number(find_irradiance(spec(), world().lights, colors_->lights, physics()));
  }

  const SwitchedColors* colors_;  // nullptr: its node is gone
};

SERVOSIM_MAKE_SENSOR(LightSensor)

}  // namespace servosim
