// SPDX-License-Identifier: Apache-2.0
// Webots' rules of WbRadar.
#include "servosim/radar.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "base/random.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/device_types.h"
#include "devices/object_box.h"
#include "devices/object_search.h"
#include "devices/sight.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// Which value Webots takes is not known.
constexpr double kSpeedOfLight = 299792458.0;  // [m/s]

double watts_of(double dbm) { return std::pow(10.0, dbm / 10.0) / 1000.0; }

// The radar equation: Pt G² λ² σ / ((4 π)³ d⁴) [W].
double echo_of(const RadarSpec& radar, double cross_section, double distance) {
  const double gain = std::pow(10.0, radar.antenna_gain / 10.0);
  const double wave = kSpeedOfLight / (1e9 * radar.frequency);
  return watts_of(radar.transmitted_power) * gain * gain * wave * wave * cross_section /
         (std::pow(4.0 * std::numbers::pi, 3.0) * std::pow(distance, 4.0));
}

double dbm_of(double watts) { return 10.0 * std::log10(1000.0 * watts); }

double with_noise(double value, double deviation, Random& random) {
  return deviation > 0.0 ? value + deviation * random.normal() : value;
}

bool is_wanted(const RadarSpec& radar, double speed) {
  const bool has_limits = radar.min_radial_speed != 0.0 || radar.max_radial_speed != 0.0;
  return std::abs(speed) >= radar.min_absolute_speed &&
         (!has_limits || (speed >= radar.min_radial_speed && speed <= radar.max_radial_speed));
}

}  // namespace

Radar::Radar(const DeviceBinding& binding) : Device(Turn::Radar), random_(binding.world->random) {
  Radar::rebind(binding);
}

void Radar::rebind(const DeviceBinding& binding) {
  spec_ = &*binding.spec.radar;
  scene_ = binding.world != nullptr ? &binding.world->scene : nullptr;
  physics_ = binding.physics();
  sight_ = binding.world != nullptr ? &binding.world->sight : nullptr;
}

void Radar::measure(double now_ms) {
  if (scene_ == nullptr) {
    return;
  }
  targets_.clear();
  const Pose solid = physics_->solid_pose(spec_->solid);
  const Pose eye{solid.rotation * spec_->axes, solid.translation};
  const double elapsed = 0.001 * (now_ms - past_ms_);
  const auto node_of = [this](std::size_t s) { return scene_->solids[s].node; };
  std::vector<Past> present{{node_of(static_cast<std::size_t>(spec_->solid)), eye.translation}};
  ObjectSearch search(*scene_, *physics_, *sight_, spec_->solid, eye);
  for (std::size_t s = 0; s < scene_->solids.size(); ++s) {
    const double cross_section = sight_->solid_looks()[s].radar_cross_section;
    if (!(cross_section > 0.0) || s == static_cast<std::size_t>(spec_->solid)) {
      continue;
    }
    const Vec3 origin = physics_->solid_pose(static_cast<int>(s)).translation;
    present.push_back({node_of(s), origin});
    search.choose(s);
    ObjectBox box(spec_->horizontal_field_of_view, spec_->vertical_field_of_view);
    search.add_to(box);
    if (box.is_empty()) {
      continue;
    }
    const double half_depth = 0.5 * box.size().x;
    const double true_distance = norm(box.center());
    const double measured = with_noise(true_distance, spec_->range_noise, random_);
    if (measured < spec_->min_range - half_depth || true_distance > spec_->max_range + half_depth ||
        (spec_->occlusion && search.hides_origin(box))) {
      continue;
    }
    RadarTarget target;
    target.distance = std::clamp(measured, spec_->min_range, spec_->max_range);
    target.received_power = dbm_of(echo_of(*spec_, cross_section, target.distance));
    const Vec3 towards = origin - eye.translation;
    target.speed = with_noise(speed_of(s, towards, elapsed), spec_->speed_noise, random_);
    if (target.received_power < spec_->min_detectable_signal || !is_wanted(*spec_, target.speed)) {
      continue;
    }
    const Vec3 seen = transposed(eye.rotation) * towards;
    const double side = 0.5 * spec_->horizontal_field_of_view;
    target.azimuth = with_noise(std::clamp(std::atan2(0.0 - seen.y, seen.x), -side, side),
                                spec_->angular_noise, random_);
    targets_.push_back(target);
  }
  merge_cells();
  past_ = std::move(present);
  past_ms_ = now_ms;
  sampler_.store(static_cast<double>(targets_.size()), now_ms);
}

// The speed at which a Solid goes away, by how it and the Radar have moved since the last sample.
double Radar::speed_of(std::size_t solid, const Vec3& towards, double elapsed) const {
  const auto before = std::find_if(past_.begin(), past_.end(), [&](const Past& past) {
    return past.node == scene_->solids[solid].node;
  });
  if (before == past_.end() || !(elapsed > 0.0)) {
    return 0.0;
  }
  const Vec3 before_towards = before->place - past_.front().place;
  return dot(unit_or(towards, {}), towards - before_towards) / elapsed;
}

void Radar::merge_cells() {
  if (!(spec_->cell_distance > 0.0)) {
    return;
  }
  const auto share_a_cell = [this](const RadarTarget& a, const RadarTarget& b) {
    return std::abs(a.distance - b.distance) < spec_->cell_distance &&
           !(spec_->cell_speed > 0.0 && std::abs(a.speed - b.speed) >= spec_->cell_speed);
  };
  const auto merge = [](RadarTarget& into, const RadarTarget& other) {
    const double power = watts_of(into.received_power);
    const double more = watts_of(other.received_power);
    const double sum = power + more;
    const double share = sum > 0.0 && std::isfinite(sum) ? more / sum : 0.5;
    into.distance = std::lerp(into.distance, other.distance, share);
    into.speed = std::lerp(into.speed, other.speed, share);
    into.azimuth = std::lerp(into.azimuth, other.azimuth, share);
    into.received_power = dbm_of(power + more);
  };
  for (bool has_merged = true; has_merged;) {
    has_merged = false;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      for (std::size_t j = i + 1; j < targets_.size();) {
        if (share_a_cell(targets_[i], targets_[j])) {
          merge(targets_[i], targets_[j]);
          targets_.erase(targets_.begin() + static_cast<std::ptrdiff_t>(j));
          has_merged = true;
        } else {
          ++j;
        }
      }
    }
  }
}

void Radar::archive_state(DeviceArchive& archive) {
  archive.unhashed_list(targets_);
  archive.unhashed_list(past_, [&archive](Past& past) {
    archive.unhashed(past.node);
    archive.unhashed(past.place);
  });
  archive.unhashed(past_ms_);
}

SERVOSIM_MAKE_SENSOR(Radar)

}  // namespace servosim
