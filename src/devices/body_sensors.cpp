// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.h"
#include "devices/measuring.h"
#include "devices/ray_sensors.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "servosim/solid_sensor.h"

namespace servosim {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::size_t count_of(SolidSensorKind kind) {
  switch (kind) {
    case SolidSensorKind::Altimeter:
    case SolidSensorKind::Bumper:
    case SolidSensorKind::Force:
    case SolidSensorKind::Distance:
    case SolidSensorKind::InfraRed:
    case SolidSensorKind::Sonar:
    case SolidSensorKind::Light:
      return 1;
    case SolidSensorKind::Gps:
    case SolidSensorKind::InertialUnit:
      return 7;
    default:
      return 3;
  }
}

struct Attitude {
  double roll;
  double pitch;
  double yaw;
};

// Turns about fixed axes, in this order: roll about the axis that points forward in that coordinate
// system, pitch, yaw about the upward one.
Attitude attitude_of(const Mat3& r, std::string_view axes) {
  const auto arc_sine = [](double x) { return std::asin(std::clamp(x, -1.0, 1.0)); };
  if (axes == "ENU") {
    return {std::atan2(r(2, 1), r(2, 2)), arc_sine(-r(2, 0)), std::atan2(r(1, 0), r(0, 0))};
  }
  if (axes == "EUN") {
    return {std::atan2(r(1, 0), r(1, 1)), arc_sine(-r(1, 2)), std::atan2(r(0, 2), r(2, 2))};
  }
  return {std::atan2(-r(1, 2), r(1, 1)), arc_sine(r(1, 0)), std::atan2(-r(2, 0), r(0, 0))};
}

// The inverse.
Mat3 matrix_of(const Attitude& a, std::string_view axes) {
  const Vec3 x{1.0, 0.0, 0.0};
  const Vec3 y{0.0, 1.0, 0.0};
  const Vec3 z{0.0, 0.0, 1.0};
  const auto turns = [&](const Vec3& roll, const Vec3& pitch, const Vec3& yaw) {
    return rotation_matrix({yaw, a.yaw}) * rotation_matrix({pitch, a.pitch}) *
           rotation_matrix({roll, a.roll});
  };
  return axes == "ENU" ? turns(x, y, z) : axes == "EUN" ? turns(z, x, y) : turns(x, z, y);
}

// x, y, z, w, by the largest of them; w is not negative.
std::array<double, 4> quaternion_of(const Mat3& r) {
  const std::array<double, 4> squares{
      1.0 + r(0, 0) - r(1, 1) - r(2, 2), 1.0 - r(0, 0) + r(1, 1) - r(2, 2),
      1.0 - r(0, 0) - r(1, 1) + r(2, 2), 1.0 + r(0, 0) + r(1, 1) + r(2, 2)};
  std::array<double, 4> q{};
  switch (std::max_element(squares.begin(), squares.end()) - squares.begin()) {
    case 0:
      q = {squares[0], r(0, 1) + r(1, 0), r(0, 2) + r(2, 0), r(2, 1) - r(1, 2)};
      break;
    case 1:
      q = {r(0, 1) + r(1, 0), squares[1], r(1, 2) + r(2, 1), r(0, 2) - r(2, 0)};
      break;
    case 2:
      q = {r(0, 2) + r(2, 0), r(1, 2) + r(2, 1), squares[2], r(1, 0) - r(0, 1)};
      break;
    default:
      q = {r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1), squares[3]};
  }
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  for (double& part : q) {
    part /= q[3] < 0.0 ? -length : length;
  }
  return q;
}

// Rows: the axes that the coordinate system calls x, y, z.
Mat3 from_world(const WorldSettings& w) {
  const auto rows = [](const Vec3& a, const Vec3& b, const Vec3& c) {
    return Mat3{{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}};
  };
  return w.coordinate_system == "ENU"   ? rows(w.east, w.north, w.up)
         : w.coordinate_system == "EUN" ? rows(w.east, w.up, w.north)
                                        : rows(w.north, w.up, w.east);
}

}  // namespace

SolidSensor::SolidSensor(const SolidSensorSpec& spec, const WorldSettings& world,
                         const std::vector<Vec3>& light_colors, PhysicsWorld& physics,
                         Random& random)
    : random_(random) {
  state_.values.fill(kNaN);
  rebind(spec, world, light_colors, physics);
}

void SolidSensor::describe(const SolidSensorSpec& spec) {
  spec_ = &spec;
  is_bumper_ = spec.kind == SolidSensorKind::Bumper;
  count_ = count_of(spec.kind);
}

void SolidSensor::rebind(const SolidSensorSpec& spec, const WorldSettings& world,
                         const std::vector<Vec3>& light_colors, PhysicsWorld& physics) {
  describe(spec);
  world_ = &world;
  light_colors_ = &light_colors;
  physics_ = &physics;
}

void SolidSensor::detach(const SolidSensorSpec& spec) {
  describe(spec);
  world_ = nullptr;
  light_colors_ = nullptr;
  physics_ = nullptr;
}

SolidSensorKind SolidSensor::kind() const { return spec_->kind; }

void SolidSensor::enable(int period_ms, double now_ms) {
  refuse(period_ms < 0, "sampling period", period_ms, "a number >= 0");
  state_.sampler.enable(period_ms, now_ms);
  state_.touched = false;
  if (spec_->kind == SolidSensorKind::Accelerometer) {
    state_.before = velocity();
  } else if (spec_->kind == SolidSensorKind::Gps) {
    // Without a body Webots knows no speed before there are two samples.
    state_.before = physics_ != nullptr && physics_->bodies().is_carried(spec_->solid)
                        ? physics_->solid_pose(spec_->solid).translation
                        : Vec3{kNaN, kNaN, kNaN};
  }
}

void SolidSensor::sample(double now_ms) {
  if (physics_ == nullptr) {
    return;
  }
  const double elapsed = (now_ms - state_.sampler.last_ms()) / 1000.0;
  const auto in_own_frame = [this](const Vec3& vector) {
    put_vector(transposed(physics_->solid_pose(spec_->solid).rotation) * vector);
  };
  switch (spec_->kind) {
    case SolidSensorKind::Accelerometer:
      in_own_frame(acceleration(elapsed));
      break;
    case SolidSensorKind::Gyro:
      in_own_frame(spin());
      break;
    case SolidSensorKind::Compass:
      in_own_frame(world_->north);
      break;
    case SolidSensorKind::Gps:
      put_position(elapsed);
      break;
    case SolidSensorKind::InertialUnit:
      put_attitude();
      break;
    case SolidSensorKind::Altimeter:
      put_height();
      break;
    case SolidSensorKind::Bumper:
      put_touch();
      break;
    case SolidSensorKind::Force:
      put_force();
      break;
    case SolidSensorKind::Force3d:
      in_own_frame(physics_->attachments().mounting_force(spec_->solid));
      break;
    case SolidSensorKind::Distance:
    case SolidSensorKind::InfraRed:
    case SolidSensorKind::Sonar:
      put_number(find_distance(*spec_, *physics_));
      break;
    case SolidSensorKind::Light:
      put_number(find_irradiance(*spec_, world_->lights, *light_colors_, *physics_));
      break;
  }
  state_.sampler.store(state_.values[0], now_ms);
}

Vec3 SolidSensor::velocity() const {
  if (physics_ == nullptr) {
    return {};
  }
  const std::optional<PointMotion> motion = physics_->solid_motion(spec_->solid);
  return motion ? motion->velocity : Vec3{};
}

Vec3 SolidSensor::spin() const {
  const std::optional<PointMotion> motion = physics_->solid_motion(spec_->solid);
  return motion ? motion->spin : Vec3{};
}

Vec3 SolidSensor::acceleration(double elapsed) {
  const Vec3 now = velocity();
  const Vec3 change = now - state_.before;
  state_.before = now;
  return (1.0 / elapsed) * change - world_->gravity;
}

void SolidSensor::feel() {
  state_.touched |= physics_ != nullptr && physics_->contacts().is_touched(spec_->solid);
}

void SolidSensor::put_touch() {
  state_.values[0] = std::exchange(state_.touched, false) ? 1.0 : 0.0;
}

// Pushing counts, pulling does not.
void SolidSensor::put_force() {
  const Vec3 axis = physics_->solid_pose(spec_->solid).rotation * spec_->axis;
  put_number(std::max(0.0, -dot(physics_->attachments().mounting_force(spec_->solid), axis)));
}

void SolidSensor::put_number(double number) {
  state_.values[0] = in_grains(look_up(spec_->lookup_table, number, random_), spec_->resolution);
}

void SolidSensor::put_vector(const Vec3& vector) {
  const std::array<double, 3> parts{vector.x, vector.y, vector.z};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    state_.values[i] = spec_->axes[i] ? in_grains(look_up(spec_->lookup_table, parts[i], random_),
                                                  spec_->resolution)
                                      : kNaN;
  }
}

double SolidSensor::noisy(double value, double deviation) {
  return deviation > 0.0 ? value + deviation * random_.normal() : value;
}

void SolidSensor::put_position(double elapsed) {
  const Vec3 at = physics_->solid_pose(spec_->solid).translation;
  const Vec3 velocity = (1.0 / elapsed) * (at - state_.before);
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
  const auto position = [this](double x) { return in_grains(x, spec_->resolution); };
  const auto speed = [this](double x) {
    return in_grains(noisy(x, spec_->speed_noise), spec_->speed_resolution);
  };
  state_.values = {position(said.x),  position(said.y),  position(said.z), speed(norm(velocity)),
                   speed(velocity.x), speed(velocity.y), speed(velocity.z)};
}

void SolidSensor::put_attitude() {
  const std::string& axes = world_->coordinate_system;
  Mat3 r = from_world(*world_) * physics_->solid_pose(spec_->solid).rotation;
  Attitude a = attitude_of(r, axes);
  const std::array<double*, 3> angles{&a.roll, &a.pitch, &a.yaw};
  if (spec_->noise > 0.0 || spec_->resolution > 0.0) {
    for (double* angle : angles) {
      *angle = in_grains(noisy(*angle, spec_->noise), spec_->resolution);
    }
    r = matrix_of(a, axes);
  }
  for (std::size_t i = 0; i < angles.size(); ++i) {
    state_.values[i] = spec_->axes[i] ? *angles[i] : kNaN;
  }
  const std::array<double, 4> q = quaternion_of(r);
  std::copy(q.begin(), q.end(), state_.values.begin() + angles.size());
}

void SolidSensor::put_height() {
  const double height = dot(physics_->solid_pose(spec_->solid).translation, world_->up);
  state_.values[0] = in_grains(noisy(height, spec_->noise), spec_->resolution);
}

}  // namespace servosim
