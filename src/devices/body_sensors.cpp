// SPDX-License-Identifier: Apache-2.0
// The sensors that measure the state of their Solid: Accelerometer, Gyro, Compass, GPS,
// InertialUnit, Altimeter, TouchSensor, DistanceSensor and LightSensor. Those that need more than a
// few lines have a file of their own: inertial_unit.cpp, distance_sensor.cpp, light_sensor.cpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "base/random.h"
#include "devices/body_sensor_models.h"
#include "devices/measuring.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "servosim/body_sensor.h"

namespace servosim {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::size_t count_of(BodySensorKind kind) {
  switch (kind) {
    case BodySensorKind::Altimeter:
    case BodySensorKind::Bumper:
    case BodySensorKind::Force:
    case BodySensorKind::Distance:
    case BodySensorKind::InfraRed:
    case BodySensorKind::Sonar:
    case BodySensorKind::Light:
      return 1;
    case BodySensorKind::Gps:
    case BodySensorKind::InertialUnit:
      return 7;
    case BodySensorKind::Accelerometer:
    case BodySensorKind::Gyro:
    case BodySensorKind::Compass:
    case BodySensorKind::Force3d:
      break;
  }
  return 3;
}

}  // namespace

BodySensor::BodySensor(const BodySensorSpec& spec, const WorldSettings& world,
                       const std::vector<Vec3>& light_colors, PhysicsWorld& physics, Random& random)
    : random_(random) {
  state_.values.fill(kNaN);
  rebind(spec, world, light_colors, physics);
}

void BodySensor::describe(const BodySensorSpec& spec) {
  spec_ = &spec;
  is_bumper_ = spec.kind == BodySensorKind::Bumper;
  count_ = count_of(spec.kind);
  SERVOSIM_ASSERT(count_ <= kMaxValues, "a sensor of kind {} has {} values",
                  static_cast<int>(spec.kind), count_);
}

void BodySensor::rebind(const BodySensorSpec& spec, const WorldSettings& world,
                        const std::vector<Vec3>& light_colors, PhysicsWorld& physics) {
  describe(spec);
  world_ = &world;
  light_colors_ = &light_colors;
  physics_ = &physics;
}

void BodySensor::detach(const BodySensorSpec& spec) {
  describe(spec);
  world_ = nullptr;
  light_colors_ = nullptr;
  physics_ = nullptr;
}

BodySensorKind BodySensor::kind() const { return spec_->kind; }

void BodySensor::enable(int period_ms, double now_ms) {
  refuse(period_ms < 0, "sampling period", period_ms, "a number >= 0");
  state_.sampler.enable(period_ms, now_ms);
  state_.touched = false;
  if (spec_->kind == BodySensorKind::Accelerometer) {
    state_.before = velocity();
  } else if (spec_->kind == BodySensorKind::Gps) {
    // Without a body Webots measures no speed before the second sample.
    state_.before = physics_ != nullptr && physics_->bodies().is_carried(spec_->solid)
                        ? physics_->solid_pose(spec_->solid).translation
                        : Vec3{kNaN, kNaN, kNaN};
  }
}

void BodySensor::sample(double now_ms) {
  if (physics_ == nullptr) {
    return;
  }
  const double elapsed = (now_ms - state_.sampler.last_ms()) / 1000.0;
  const auto in_own_frame = [this](const Vec3& vector) {
    put_vector(transposed(physics_->solid_pose(spec_->solid).rotation) * vector);
  };
  switch (spec_->kind) {
    case BodySensorKind::Accelerometer:
      in_own_frame(acceleration(elapsed));
      break;
    case BodySensorKind::Gyro:
      in_own_frame(spin());
      break;
    case BodySensorKind::Compass:
      in_own_frame(world_->north);
      break;
    case BodySensorKind::Gps:
      put_position(elapsed);
      break;
    case BodySensorKind::InertialUnit:
      put_attitude();
      break;
    case BodySensorKind::Altimeter:
      put_height();
      break;
    case BodySensorKind::Bumper:
      put_touch();
      break;
    case BodySensorKind::Force:
      put_force();
      break;
    case BodySensorKind::Force3d:
      in_own_frame(physics_->attachments().mounting_force(spec_->solid));
      break;
    case BodySensorKind::Distance:
    case BodySensorKind::InfraRed:
    case BodySensorKind::Sonar:
      put_number(find_distance(*spec_, *physics_));
      break;
    case BodySensorKind::Light:
      put_number(find_irradiance(*spec_, world_->lights, *light_colors_, *physics_));
      break;
  }
  state_.sampler.store(state_.values[0], now_ms);
}

Vec3 BodySensor::velocity() const {
  if (physics_ == nullptr) {
    return {};
  }
  const std::optional<PointMotion> motion = physics_->solid_motion(spec_->solid);
  return motion ? motion->velocity : Vec3{};
}

Vec3 BodySensor::spin() const {
  const std::optional<PointMotion> motion = physics_->solid_motion(spec_->solid);
  return motion ? motion->spin : Vec3{};
}

Vec3 BodySensor::acceleration(double elapsed) {
  const Vec3 now = velocity();
  const Vec3 change = now - state_.before;
  state_.before = now;
  return (1.0 / elapsed) * change - world_->gravity;
}

void BodySensor::feel() {
  state_.touched |= physics_ != nullptr && physics_->contacts().is_touched(spec_->solid);
}

void BodySensor::put_touch() {
  state_.values[0] = std::exchange(state_.touched, false) ? 1.0 : 0.0;
}

// Only pressure counts, not tension.
void BodySensor::put_force() {
  const Vec3 axis = physics_->solid_pose(spec_->solid).rotation * spec_->axis;
  put_number(std::max(0.0, -dot(physics_->attachments().mounting_force(spec_->solid), axis)));
}

void BodySensor::put_number(double number) {
  state_.values[0] = quantized(look_up(spec_->lookup_table, number, random_), spec_->resolution);
}

void BodySensor::put_vector(const Vec3& vector) {
  const std::array<double, 3> parts{vector.x, vector.y, vector.z};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    state_.values[i] = spec_->axes[i] ? quantized(look_up(spec_->lookup_table, parts[i], random_),
                                                  spec_->resolution)
                                      : kNaN;
  }
}

double BodySensor::noisy(double value, double deviation) {
  return deviation > 0.0 ? value + deviation * random_.normal() : value;
}

void BodySensor::put_position(double elapsed) {
  const Vec3 at = physics_->solid_pose(spec_->solid).translation;
  // Where no time has passed since a reset, nothing has moved.
  const Vec3 velocity = std::isinf(elapsed) ? Vec3{} : (1.0 / elapsed) * (at - state_.before);
  state_.before = at;
  const double kept = std::pow(spec_->noise_correlation, elapsed);
  const double fresh = spec_->noise * std::sqrt(1.0 - kept * kept);
  state_.noise = {noisy(kept * state_.noise.x, fresh), noisy(kept * state_.noise.y, fresh),
                  noisy(kept * state_.noise.z, fresh)};
  const Vec3 found = at + state_.noise;
  const Vec3 said = world_->gps_in_degrees
                        ? place_on_earth(world_->gps_reference,
                                         {dot(found, world_->east), dot(found, world_->north),
                                          dot(found, world_->up)})
                        : found + world_->gps_reference;
  const auto position = [this](double x) { return quantized(x, spec_->resolution); };
  const auto speed = [this](double x) {
    return quantized(noisy(x, spec_->speed_noise), spec_->speed_resolution);
  };
  state_.values = {position(said.x),  position(said.y),  position(said.z), speed(norm(velocity)),
                   speed(velocity.x), speed(velocity.y), speed(velocity.z)};
}

void BodySensor::put_attitude() {
  const std::string& axes = world_->coordinate_system;
  Mat3 r = attitude_matrix(physics_->solid_pose(spec_->solid).rotation, *world_);
  Attitude a = attitude_of(r, axes);
  const std::array<double*, 3> angles{&a.roll, &a.pitch, &a.yaw};
  if (spec_->noise > 0.0 || spec_->resolution > 0.0) {
    for (double* angle : angles) {
      *angle = quantized(noisy(*angle, spec_->noise), spec_->resolution);
    }
    r = matrix_of(a, axes);
  }
  for (std::size_t i = 0; i < angles.size(); ++i) {
    state_.values[i] = spec_->axes[i] ? *angles[i] : kNaN;
  }
  const std::array<double, 4> q = quaternion_of(r);
  std::copy(q.begin(), q.end(), state_.values.begin() + angles.size());
}

void BodySensor::put_height() {
  const double height = dot(physics_->solid_pose(spec_->solid).translation, world_->up);
  state_.values[0] = quantized(noisy(height, spec_->noise), spec_->resolution);
}

}  // namespace servosim
