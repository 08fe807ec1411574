// SPDX-License-Identifier: Apache-2.0
#include "servosim/body_sensor.h"

#include <limits>

#include "base/assert.h"
#include "base/random.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/measuring.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

BodySensor::BodySensor(const DeviceBinding& binding, std::size_t count, bool follows)
    : Device(Turn::BodySensor, follows), count_(count), random_(binding.world->random) {
  SERVOSIM_ASSERT(count <= kMaxValues, "a {} has {} values", binding.spec.node_type, count);
  values_.fill(std::numeric_limits<double>::quiet_NaN());
  BodySensor::rebind(binding);
}

void BodySensor::rebind(const DeviceBinding& binding) {
  spec_ = &*binding.spec.body_sensor;
  world_ = binding.world != nullptr ? &binding.world->scene.world : nullptr;
  physics_ = binding.physics();
}

void BodySensor::measure(double now_ms) {
  if (physics_ != nullptr) {
    sample((now_ms - sampler_.last_ms()) / 1000.0);
    sampler_.store(values_[0], now_ms);
  }
}

void BodySensor::archive_state(DeviceArchive& archive) { archive.unhashed(values_); }

Pose BodySensor::pose() const { return physics_->solid_pose(spec_->solid); }

double BodySensor::reading_of(double value) {
  return quantized(look_up(spec_->lookup_table, value, random_), spec_->resolution);
}

void BodySensor::put_number(double number) { values_[0] = reading_of(number); }

void BodySensor::put_vector(const Vec3& vector) {
  const Vec3 own = transposed(pose().rotation) * vector;
  const std::array<double, 3> parts{own.x, own.y, own.z};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    values_[i] = spec_->axes[i] ? reading_of(parts[i]) : std::numeric_limits<double>::quiet_NaN();
  }
}

double BodySensor::noisy(double value, double deviation) {
  return deviation > 0.0 ? value + deviation * random_.normal() : value;
}

}  // namespace servosim
