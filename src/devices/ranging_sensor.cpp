// SPDX-License-Identifier: Apache-2.0
#include "servosim/ranging_sensor.h"

#include <cmath>
#include <limits>

#include "base/random.h"
#include "devices/camera_fields.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/sight.h"
#include "scene/scene.h"

namespace servosim {

namespace {
constexpr double kNothing = std::numeric_limits<double>::infinity();
}  // namespace

RangingSensor::RangingSensor(const DeviceBinding& binding, bool follows)
    : PictureSensor(Turn::Ranging, binding, *binding.spec.ranging, follows) {
  RangingSensor::rebind(binding);
}

const RangingSpec& RangingSensor::spec() const {
  return static_cast<const RangingSpec&>(sight_spec());
}

void RangingSensor::rebind(const DeviceBinding& binding) {
  bind(binding, *binding.spec.ranging);
  fit_picture(pixels_of(spec()) * sizeof(float));
}

void RangingSensor::clear() {
  picture_.assign(pixels_of(spec()), 0.0f);
  blurred_.clear();
}

void RangingSensor::archive_state(DeviceArchive& archive) {
  PictureSensor::archive_state(archive);
  if (archive.restores()) {
    blurred_.clear();  // the next picture is the first one after the state
  }
}

void RangingSensor::take(const Mat3& turned, int first_column, int columns, double fading) {
  Eye& eye = this->eye();
  Glance glance = this->glance(turned, spec().max_range);
  glance.first_column = first_column;
  glance.columns = columns;
  distances_.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(height()));
  eye.find_distances(glance, distances_);
  const bool blurs = spec().motion_blur > 0.0;
  blurred_.resize(blurs ? picture_.size() : 0, kNothing);
  const double* found = distances_.data();
  for (int row = 0; row < height(); ++row) {
    float* const into = &picture_[static_cast<std::size_t>(row) * width() + first_column];
    for (int column = 0; column < columns; ++column, ++found) {
      const bool is_hole = *found == 0.0;  // the lens shows what is outside of the picture
      const bool is_seen = is_hole || (*found >= spec().min_range && *found < spec().max_range);
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
  note_picture();
}

// Noise is where there is something to see now: whether a random number is drawn must not depend
// on former pictures, which are no part of a state.
float RangingSensor::reading_of(double now, double blurred) {
  double distance = blurred;
  if (spec().noise > 0.0) {
    distance = now > spec().min_range && now < spec().max_range
                   ? distance + spec().noise * random().normal()
                   : kNothing;
  }
  if (spec().resolution > 0.0) {
    distance = std::floor(distance / spec().resolution + 0.5) * spec().resolution;
  }
  return static_cast<float>(distance);
}

}  // namespace servosim
