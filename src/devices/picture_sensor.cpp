// SPDX-License-Identifier: Apache-2.0
#include "servosim/picture_sensor.h"

#include <algorithm>
#include <cmath>

#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/sight.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

PictureSensor::PictureSensor(Turn turn, const DeviceBinding& binding, const SightSpec& spec,
                             bool follows)
    : Device(turn, follows), spec_(&spec), random_(binding.world->random) {}

PictureSensor::~PictureSensor() = default;

int PictureSensor::width() const { return spec_->width; }
int PictureSensor::height() const { return spec_->height; }

namespace {

// Webots' cameras are made again where one of these differs.
bool are_alike(const SightSpec& a, const SightSpec& b) {
  return a.width == b.width && a.height == b.height && a.projection == b.projection &&
         a.lens.has_value() == b.lens.has_value() && (a.noise > 0.0) == (b.noise > 0.0) &&
         (a.projection == Projection::Planar || a.field_of_view == b.field_of_view);
}

}  // namespace

// The former description still exists.
void PictureSensor::bind(const DeviceBinding& binding, const SightSpec& spec) {
  eye_.reset();
  const bool has_past = are_alike(*spec_, spec);
  spec_ = &spec;
  if (!has_past) {
    begin_again();
  }
  physics_ = binding.physics();
  sight_ = binding.world != nullptr ? &binding.world->sight : nullptr;
}

void PictureSensor::fit_picture(std::size_t bytes) {
  if (!picture_bytes().empty() && picture_bytes().size() != bytes) {
    clear();
    has_picture_ = false;
  }
}

void PictureSensor::enable(int period_ms, double now_ms) {
  Device::enable(period_ms, now_ms);
  if (period_ms > 0 && picture_bytes().empty()) {
    clear();
  }
}

void PictureSensor::begin(int period_ms, double now_ms) {
  enable(period_ms, Sampler::kLongAgo);
  after_step(now_ms);
  if (sampler_.last_ms() != now_ms) {
    clear();
    has_picture_ = false;
  }
}

void PictureSensor::archive_state(DeviceArchive& archive) {
  archive.unhashed(has_picture_);
  archive.unhashed_list(hidden_);
  if (archive.restores() && !has_picture_ && !picture_bytes().empty()) {
    clear();
  }
}

void PictureSensor::set_visible(std::uint32_t node, bool visible) {
  const auto place = std::lower_bound(hidden_.begin(), hidden_.end(), node);
  const bool is_hidden = place != hidden_.end() && *place == node;
  if (visible && is_hidden) {
    hidden_.erase(place);
  } else if (!visible && !is_hidden) {
    hidden_.insert(place, node);
  }
}

Eye& PictureSensor::eye() {
  if (eye_ == nullptr) {
    eye_ = open(*sight_);
  }
  if (picture_bytes().empty()) {
    clear();  // a saved state was restored in which the sensor is enabled
  }
  return *eye_;
}

void PictureSensor::close_eye() { eye_.reset(); }

Glance PictureSensor::glance(const Mat3& turned, double far, bool sees_spots) const {
  const Pose solid = physics_->solid_pose(spec_->solid);
  Glance glance;
  glance.eye = {solid.rotation * spec_->axes * turned, solid.translation};
  glance.shapes = sight_->shapes();
  glance.hidden = sight_->hidden_shapes(hidden_, sees_spots);
  glance.near = spec_->near;
  glance.far = far;
  glance.columns = spec_->width;
  glance.threads = sight_->threads();
  return glance;
}

double PictureSensor::fading() const {
  // In the time motionBlur, all but 0.5 % of a picture fades.
  return spec_->motion_blur > 0.0 ? std::pow(0.005, sampler_.period_ms() / spec_->motion_blur)
                                  : 0.0;
}

}  // namespace servosim
