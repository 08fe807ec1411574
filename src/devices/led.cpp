// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "base/assert.h"
#include "scene/device_spec.h"
#include "servosim/robot.h"

namespace servosim {

Led::Led(const LedSpec& spec, std::vector<Vec3>& light_colors)
    : spec_(&spec), light_colors_(&light_colors) {
  set(0);
}

void Led::rebind(const LedSpec& spec, std::vector<Vec3>& light_colors) {
  spec_ = &spec;
  light_colors_ = &light_colors;
  set_state(state_);
}

void Led::detach(const LedSpec& spec) {
  spec_ = &spec;
  light_colors_ = nullptr;
}

void Led::set(int value) { set_state({value}); }

void Led::set_state(const State& state) {
  state_ = state;
  if (light_colors_ == nullptr) {
    return;
  }
  for (const int light : spec_->lights) {
    SERVOSIM_ASSERT(light >= 0 && static_cast<std::size_t>(light) < light_colors_->size(),
                    "light {} of {}", light, light_colors_->size());
    (*light_colors_)[static_cast<std::size_t>(light)] = color();
  }
}

Vec3 Led::color() const {
  const std::vector<Vec3>& colors = spec_->colors;
  if (state_.value <= 0) {
    return {};
  }
  const auto value = static_cast<unsigned>(state_.value);
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
