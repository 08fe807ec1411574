// SPDX-License-Identifier: Apache-2.0
#include "devices/radio_link.h"

#include <cmath>

#include "servosim/emitter.h"

namespace servosim {

bool fits_buffer(const RadioSpec& spec, std::size_t size, std::size_t count, std::size_t bytes) {
  constexpr std::size_t kHead = 64;
  const bool asked =
      spec.buffer_size < 0 || (size <= static_cast<std::size_t>(spec.buffer_size) &&
                               bytes + size <= static_cast<std::size_t>(spec.buffer_size));
  return asked && size <= kMaxRadioBytes && bytes + size + kHead * count <= kMaxRadioBytes;
}

bool is_in_cone(const RadioSpec& spec, const Pose& pose, const Vec3& other) {
  if (spec.type != RadioType::InfraRed || spec.aperture < 0.0) {
    return true;
  }
  const Vec3 axis = pose.rotation * spec.axis;
  const Vec3 to = unit_or(other - pose.translation, axis);
  // The cross product is exact where the angle is small, the dot product where it is not.
  return std::atan2(norm(cross(axis, to)), dot(axis, to)) <= 0.5 * spec.aperture;
}

}  // namespace servosim
