// SPDX-License-Identifier: Apache-2.0
#include "servosim/camera.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include "base/device_command.h"
#include "base/random.h"
#include "devices/camera_fields.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/device_types.h"
#include "devices/focus_blur.h"
#include "devices/measuring.h"
#include "devices/noise_mask.h"
#include "devices/painted_surfaces.h"
#include "devices/sight.h"
#include "devices/tone_map.h"
#include "rendering/renderer.h"
#include "scene/scene.h"

namespace servosim {

namespace {

double focal_distance_in(const CameraSpec& spec) { return spec.focus ? spec.focus->distance : 0.0; }

}  // namespace

Camera::Camera(const DeviceBinding& binding)
    : CameraSight(Turn::Camera, binding),
      exposure_(spec().exposure),
      focal_distance_(focal_distance_in(spec())) {
  Camera::rebind(binding);
}

void Camera::rebind(const DeviceBinding& binding) {
  const CameraSpec& now = *binding.spec.camera;
  exposure_ = setting_after(exposure_, spec().exposure, now.exposure);
  focal_distance_ =
      setting_after(focal_distance_, focal_distance_in(spec()), focal_distance_in(now));
  CameraSight::rebind(binding);
  name_ = binding.spec.name;
  has_read_mask_ = false;
  if (binding.world != nullptr) {
    binding.world->surfaces.add(*this, binding.spec.node);
  }
}

void Camera::clear() {
  blacken(picture_, pixels_of(spec()));
  light_.clear();
  begin_again();
}

void Camera::measure(double now_ms) {
  if (!is_in_tree()) {
    return;
  }
  read_mask();
  const bool has_noise = spec().noise > 0.0 || mask_ != nullptr;
  // Light that nothing changes any more becomes bytes where it is found.
  const bool is_final = !has_noise && !is_focused() && spec().motion_blur <= 0.0;
  see(is_final);
  blur_motion();
  if (has_noise) {
    develop_with_noise();
  } else if (!is_final) {
    develop({0, width(), 0, height()});
  }
  note_picture();
  sampler_.store(0.0, now_ms);
}

bool Camera::is_focused() const {
  return spec().projection == Projection::Planar && focal_distance_ > 0.0 && spec().focus &&
         spec().focus->length > 0.0;
}

void Camera::see(bool is_final) {
  Eye& eye = this->eye();
  Glance glance = this->glance({}, spec().far, true);
  glance.looks = &sight().looks();
  glance.rays_per_pixel = spec().anti_aliasing ? 4 : 1;
  if (is_final) {
    glance.use_part = [this](const PicturePart& part) { develop(part); };
  }
  light_.resize(3 * pixels_of(spec()));
  eye.find_light(glance, light_);
  if (is_focused()) {
    glance.far = std::numeric_limits<double>::infinity();
    depths_.resize(pixels_of(spec()));
    eye.find_distances(glance, depths_);
    blur_by_depth({width(), height(), focal_distance_, spec().focus->length}, depths_, light_);
  }
}

void Camera::blur_motion() {
  if (spec().motion_blur <= 0.0) {
    return;
  }
  if (blurred_.size() == light_.size()) {
    const auto stays = static_cast<float>(fading());
    for (std::size_t i = 0; i < light_.size(); ++i) {
      light_[i] = (1.0f - stays) * light_[i] + stays * blurred_[i];
    }
  }
  blurred_ = light_;
}

void Camera::read_mask() {
  if (!has_read_mask_) {
    mask_ = spec().noise_mask
                ? sight().picture(*spec().noise_mask, fmt::format("Camera \"{}\"", name_))
                : nullptr;
    has_read_mask_ = true;
  }
}

void Camera::develop(const PicturePart& part) {
  static const ToneMap map;
  const auto exposure = static_cast<float>(exposure_);
  for (int row = part.top; row < part.bottom; ++row) {
    const std::size_t first = static_cast<std::size_t>(row) * width() + part.left;
    const std::size_t end = first + part.right - part.left;
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t color = 0; color < 3; ++color) {
        picture_[4 * i + 2 - color] = map.byte_of(exposure * light_[3 * i + color]);
      }
    }
  }
}

// Noise and mask act on the final values, of which 1 is full brightness.
void Camera::develop_with_noise() {
  const auto exposure = static_cast<float>(exposure_);
  const std::size_t pixels = pixels_of(spec());
  std::optional<NoiseMask> mask;
  if (mask_ != nullptr) {
    const double right = 0.5 + 0.5 * random().uniform();
    const double down = 0.5 + 0.5 * random().uniform();
    mask.emplace(*mask_, width(), height(), right, down);
  }
  for (std::size_t i = 0; i < pixels; ++i) {
    std::array<double, 3> parts{};
    for (std::size_t part = 0; part < 3; ++part) {
      parts[part] = ToneMap::part_of(exposure * light_[3 * i + part]);
      if (spec().noise > 0.0) {
        parts[part] = std::clamp(parts[part] + spec().noise * random().normal(), 0.0, 1.0);
      }
    }
    if (mask) {
      mask->cover(static_cast<int>(i % width()), static_cast<int>(i / width()), parts);
    }
    for (std::size_t part = 0; part < 3; ++part) {
      picture_[4 * i + 2 - part] = static_cast<std::uint8_t>(std::lround(255.0 * parts[part]));
    }
  }
}

CommandEffect Camera::command(const DeviceCommand& command, double now_ms) {
  const std::array numbers{command.numbers[0]};
  const auto set = [&](std::string_view field) {
    set_field(field, numbers);
    return CommandEffect{true, true, field};
  };
  switch (command.kind) {
    case CommandKind::Exposure:
      return set(kExposure);
    case CommandKind::FocalDistance:
      return set(kFocalDistance);
    default:
      return CameraSight::command(command, now_ms);
  }
}

void Camera::list_settings(std::vector<DeviceSetting>& settings) const {
  settings.push_back({kFieldOfView, {field_of_view()}});
  settings.push_back({kExposure, {exposure_}});
  if (spec().focus) {
    settings.push_back({kFocalDistance, {focal_distance_}});
  }
}

void Camera::set_field(std::string_view field, std::span<const double> numbers) {
  if (field == kExposure) {
    if (!(numbers[0] >= 0.0)) {
      throw_invalid("exposure", numbers[0], "a number >= 0");
    }
    exposure_ = numbers[0];
  } else if (field == kFocalDistance) {
    if (!spec().focus ||
        !(numbers[0] >= spec().focus->min_distance && numbers[0] <= spec().focus->max_distance)) {
      throw_invalid("focal distance", numbers[0], "in the range of a Focus node");
    }
    focal_distance_ = numbers[0];
  } else {
    CameraSight::set_field(field, numbers);
  }
}

std::function<void()> Camera::keep_settings() {
  return [this, exposure = exposure_, distance = focal_distance_,
          others = CameraSight::keep_settings()] {
    exposure_ = exposure;
    focal_distance_ = distance;
    others();
  };
}

void Camera::archive_state(DeviceArchive& archive) {
  CameraSight::archive_state(archive);
  archive.unhashed(exposure_);
  archive.unhashed(focal_distance_);
}

SERVOSIM_MAKE_SENSOR(Camera)

}  // namespace servosim
