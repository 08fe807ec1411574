// SPDX-License-Identifier: Apache-2.0
#include "servosim/led.h"

#include <algorithm>
#include <cstddef>

#include "base/assert.h"
#include "base/device_command.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/switched_colors.h"

namespace servosim {

Led::Led(const DeviceBinding& binding) : Device(Turn::Led) { rebind(binding); }

void Led::rebind(const DeviceBinding& binding) {
  spec_ = &*binding.spec.led;
  colors_ = binding.world != nullptr ? &binding.world->colors : nullptr;
  shine();
}

CommandEffect Led::command(const DeviceCommand& command, double /*now_ms*/) {
  if (command.kind != CommandKind::Led) {
    return {};
  }
  set(command.integer);
  return {true, true, kLedValue};  // a reset after the step may undo it
}

void Led::list_settings(std::vector<DeviceSetting>& settings) const {
  settings.push_back({kLedValue, {static_cast<double>(value_)}});
}

void Led::set(int value) {
  value_ = value;
  shine();
}

void Led::archive_state(DeviceArchive& archive) {
  archive.unhashed(value_);
  if (archive.restores()) {
    shine();
  }
}

void Led::shine() const {
  if (colors_ == nullptr) {
    return;
  }
  for (const int light : spec_->lights) {
    SERVOSIM_ASSERT(light >= 0 && static_cast<std::size_t>(light) < colors_->lights.size(),
                    "light {} of {}", light, colors_->lights.size());
    colors_->lights[static_cast<std::size_t>(light)] = color();
  }
  SERVOSIM_ASSERT(
      spec_->number >= 0 && static_cast<std::size_t>(spec_->number) < colors_->leds.size(),
      "LED {} of {}", spec_->number, colors_->leds.size());
  colors_->leds[static_cast<std::size_t>(spec_->number)] = color();
}

Vec3 Led::color() const {
  const std::vector<Vec3>& colors = spec_->colors;
  if (value_ <= 0) {
    return {};
  }
  const auto value = static_cast<unsigned>(value_);
  if (!spec_->gradual) {
    return value <= colors.size() ? colors[value - 1] : Vec3{};
  }
  if (!colors.empty()) {
    return std::min(value, 255u) / 255.0 * colors.front();
  }
  const auto part = [value](int bit) { return (value >> bit & 255u) / 255.0; };
  return {part(16), part(8), part(0)};
}

}  // namespace servosim
