// SPDX-License-Identifier: Apache-2.0
#include "servosim/ranging_sensor.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include "base/random.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/measuring.h"
#include "devices/sight.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

namespace {
constexpr double kNothing = std::numeric_limits<double>::infinity();
}

RangingSensor::RangingSensor(const DeviceBinding& binding, bool follows)
    : Device(Turn::Ranging, follows), random_(binding.world->random) {
  RangingSensor::rebind(binding);
}

RangingSensor::~RangingSensor() = default;

int RangingSensor::width() const { return spec_->width; }
int RangingSensor::height() const { return spec_->height; }

void RangingSensor::rebind(const DeviceBinding& binding) {
  eye_.reset();
  blurred_.clear();
  spec_ = &*binding.spec.ranging;
  physics_ = binding.physics();
  sight_ = binding.world != nullptr ? &binding.world->sight : nullptr;
  const auto size = static_cast<std::size_t>(width()) * static_cast<std::size_t>(height());
  if (!picture_.empty() && picture_.size() != size) {
    clear();
  }
}

void RangingSensor::enable(int period_ms, double now_ms) {
  Device::enable(period_ms, now_ms);
  if (period_ms > 0 && picture_.empty()) {
    clear();
  }
}

void RangingSensor::clear() {
  picture_.assign(static_cast<std::size_t>(width()) * static_cast<std::size_t>(height()), 0.0f);
  blurred_.clear();
  has_picture_ = false;
}

void RangingSensor::archive_state(DeviceArchive& archive) {
  archive.unhashed(has_picture_);
  if (!archive.restores()) {
    return;
  }
  blurred_.clear();  // the next picture is the first one after the state
  if (!has_picture_ && !picture_.empty()) {
    clear();
  }
}

void RangingSensor::take(const Mat3& turned, int first_column, int columns, double fading) {
  if (eye_ == nullptr) {
    eye_ = open(*sight_);
  }
  if (picture_.empty()) {
    clear();  // a saved state was restored in which the sensor is enabled
  }
  const Pose solid = physics_->solid_pose(spec_->solid);
  Glance glance;
  glance.eye = {solid.rotation * spec_->axes * turned, solid.translation};
  glance.shapes = sight_->shapes();
  glance.near = spec_->near;
  glance.far = spec_->max_range;
  glance.first_column = first_column;
  glance.columns = columns;
  glance.threads = sight_->threads();
  distances_.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(height()));
  eye_->find_distances(glance, distances_);
  const bool blurs = spec_->motion_blur > 0.0;
  blurred_.resize(blurs ? picture_.size() : 0, kNothing);
  const double* found = distances_.data();
  for (int row = 0; row < height(); ++row) {
    float* const into = &picture_[static_cast<std::size_t>(row) * width() + first_column];
    for (int column = 0; column < columns; ++column, ++found) {
      const bool is_hole = *found == 0.0;  // the lens shows what is outside of the picture
      const bool is_seen = is_hole || (*found >= spec_->min_range && *found < spec_->max_range);
      const double now = is_seen ? *found : kNothing;
      double blurred = now;
      if (blurs) {
        double& before = blurred_[static_cast<std::size_t>(row) * width() + first_column + column];
        const bool fades = fading > 0.0 && std::isfinite(now) && std::isfinite(before);
        blurred = before = fades ? (1.0 - fading) * now + fading * before : now;
      }
      into[column] = reading_of(now, blurred);
    }
  }
  has_picture_ = true;
}

// Noise is where there is something to see now: whether a random number is drawn must not depend
// on former pictures, which are no part of a state.
float RangingSensor::reading_of(double now, double blurred) {
  double distance = blurred;
  if (spec_->noise > 0.0) {
    distance = now > spec_->min_range && now < spec_->max_range
                   ? distance + spec_->noise * random_.normal()
                   : kNothing;
  }
  if (spec_->resolution > 0.0) {
    distance = std::floor(distance / spec_->resolution + 0.5) * spec_->resolution;
  }
  return static_cast<float>(distance);
}

}  // namespace servosim
