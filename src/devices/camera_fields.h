// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "scene/device_spec.h"

namespace servosim {

// The fields of a Camera that its controller may set.
inline constexpr std::string_view kFieldOfView = "fieldOfView";
inline constexpr std::string_view kExposure = "exposure";
inline constexpr std::string_view kFocalDistance = "focus.focalDistance";

/// The number of pixels of a picture.
inline std::size_t pixels_of(const SightSpec& spec) {
  return static_cast<std::size_t>(spec.width) * static_cast<std::size_t>(spec.height);
}

}  // namespace servosim
