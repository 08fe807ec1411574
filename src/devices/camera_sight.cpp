// SPDX-License-Identifier: Apache-2.0
#include "servosim/camera_sight.h"

#include <algorithm>
#include <array>

#include "base/device_command.h"
#include "devices/camera_fields.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/measuring.h"
#include "devices/sight.h"
#include "scene/scene.h"

namespace servosim {

CameraSight::CameraSight(Turn turn, const DeviceBinding& binding)
    : PictureSensor(turn, binding, *binding.spec.camera, false),
      field_of_view_(binding.spec.camera->field_of_view) {}

const CameraSpec& CameraSight::spec() const { return static_cast<const CameraSpec&>(sight_spec()); }

void CameraSight::rebind(const DeviceBinding& binding) {
  const CameraSpec& now = *binding.spec.camera;
  const double before = field_of_view_;
  field_of_view_ = setting_after(field_of_view_, spec().field_of_view, now.field_of_view);
  bind(binding, now);
  // The angle of the file may be out of this range, as in Webots.
  if (spec().zoom && field_of_view_ != spec().field_of_view) {
    field_of_view_ = std::clamp(field_of_view_, spec().zoom->front(), spec().zoom->back());
  }
  if (!is_angle_of_view(spec().projection, field_of_view_)) {
    field_of_view_ = spec().field_of_view;
  }
  if (field_of_view_ != before && spec().projection != Projection::Planar) {
    begin_again();
  }
  fit_picture(4 * pixels_of(spec()));
}

void CameraSight::blacken(PictureNumbers<std::uint8_t>& picture, std::size_t pixels) {
  picture.assign(4 * pixels, 0);
  for (std::size_t i = 3; i < picture.size(); i += 4) {
    picture[i] = 255;
  }
}

std::unique_ptr<Eye> CameraSight::open(Sight& sight) const {
  RayPattern pattern;
  pattern.projection = spec().projection;
  pattern.width = width();
  pattern.height = height();
  pattern.field_of_view = field_of_view_;
  pattern.lens = spec().lens;
  return sight.open(pattern);
}

CommandEffect CameraSight::command(const DeviceCommand& command, double now_ms) {
  if (command.kind != CommandKind::FieldOfView) {
    return PictureSensor::command(command, now_ms);
  }
  const std::array numbers{command.numbers[0]};
  if (!spec().zoom || !(numbers[0] >= spec().zoom->front() && numbers[0] <= spec().zoom->back())) {
    throw_invalid("field of view", numbers[0], "in the range of a Zoom node");
  }
  set_field(kFieldOfView, numbers);
  return {true, true, kFieldOfView};
}

void CameraSight::set_field(std::string_view field, std::span<const double> numbers) {
  if (field != kFieldOfView) {
    return;
  }
  if (!is_angle_of_view(spec().projection, numbers[0])) {
    throw_invalid("field of view", numbers[0], "an angle of view of its projection");
  }
  if (numbers[0] != field_of_view_) {
    field_of_view_ = numbers[0];
    close_eye();
    if (spec().projection != Projection::Planar) {
      begin_again();
    }
  }
}

std::function<void()> CameraSight::keep_settings() {
  return [this, angle = field_of_view_, measures = Device::keep_settings()] {
    field_of_view_ = angle;
    close_eye();
    measures();
  };
}

void CameraSight::archive_state(DeviceArchive& archive) {
  PictureSensor::archive_state(archive);
  archive.unhashed(field_of_view_);
  if (archive.restores()) {
    close_eye();
    begin_again();  // the next picture is the first one after the state
  }
}

}  // namespace servosim
