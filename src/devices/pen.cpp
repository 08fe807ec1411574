// SPDX-License-Identifier: Apache-2.0
#include "servosim/pen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/device_command.h"
#include "base/report_once.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/painted_surfaces.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

Pen::Pen(const DeviceBinding& binding)
    : Device(Turn::Pen),
      spec_(&*binding.spec.pen),
      notices_(binding.world->notices),
      writes_(spec_->writes),
      color_(spec_->color),
      density_(spec_->density) {
  Pen::rebind(binding);
}

void Pen::rebind(const DeviceBinding& binding) {
  const PenSpec& now = *binding.spec.pen;
  writes_ = setting_after(writes_, spec_->writes, now.writes);
  color_ = setting_after(color_, spec_->color, now.color);
  density_ = setting_after(density_, spec_->density, now.density);
  spec_ = &now;
  physics_ = binding.physics();
  surfaces_ = binding.world != nullptr ? &binding.world->surfaces : nullptr;
}

void Pen::before_step(double /*h*/) {
  if (!writes_ || !powered_ || physics_ == nullptr) {
    return;
  }
  const double range =
      spec_->max_distance > 0.0 ? spec_->max_distance : std::numeric_limits<double>::infinity();
  const Pose pose = physics_->solid_pose(spec_->solid);
  physics_->contacts().place_visible_shapes();
  const std::optional<SeenPoint> seen = physics_->contacts().cast_sight(
      pose.translation, pose.rotation * spec_->axis, range, spec_->solid);
  if (seen) {
    surfaces_->write(*seen, spec_->lead_size,
                     {static_cast<float>(color_.x), static_cast<float>(color_.y),
                      static_cast<float>(color_.z), static_cast<float>(density_)});
  }
}

CommandEffect Pen::command(const DeviceCommand& command, double now_ms) {
  if (command.kind == CommandKind::Write) {
    writes_ = command.integer != 0;
    return {true};
  }
  if (command.kind != CommandKind::Ink) {
    return Device::command(command, now_ms);
  }
  const auto color = static_cast<std::uint32_t>(
      static_cast<std::int64_t>(std::clamp(command.numbers[0], -2147483648.0, 4294967295.0)));
  const auto part = [color](unsigned bit) { return (color >> bit & 255u) / 255.0; };
  color_ = {part(16), part(8), part(0)};
  density_ = std::clamp(command.numbers[1], 0.0, 1.0);
  if (density_ != command.numbers[1]) {
    notices_.report(fmt::format("Pen: the ink density {} is not in [0, 1]; {} is used",
                                command.numbers[1], density_));
  }
  return {true};
}

std::function<void()> Pen::keep_settings() {
  return [this, writes = writes_, color = color_, density = density_,
          measures = Device::keep_settings()] {
    writes_ = writes;
    color_ = color;
    density_ = density;
    measures();
  };
}

void Pen::archive_state(DeviceArchive& archive) {
  archive.unhashed(writes_);
  archive.unhashed(color_);
  archive.unhashed(density_);
}

}  // namespace servosim
