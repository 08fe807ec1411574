// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "scene/scene.h"
#include "servosim/math.h"

// Common parts of Emitter and Receiver.

namespace servosim {

/// Whether a packet of `size` bytes fits beside `count` packets of `bytes` bytes into the buffer of
/// an emitter or receiver. Each packet needs some extra memory.
bool fits_buffer(const RadioSpec& spec, std::size_t size, std::size_t count, std::size_t bytes);

/// Whether the cone of an emitter or receiver at `pose` contains `other`.
bool is_in_cone(const RadioSpec& spec, const Pose& pose, const Vec3& other);

/// The channel after an edit of the tree: that of the field if it has changed, else the one set.
inline int channel_after(int set, const RadioSpec& before, const RadioSpec& now) {
  return before.channel != now.channel ? now.channel : set;
}

}  // namespace servosim
