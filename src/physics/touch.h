// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/math.h"

namespace servosim {

/// A point at which two Solids of a scene touch.
struct Touch {
  Vec3 point;   ///< in the world [m]
  Vec3 normal;  ///< in the world; out of `other`, into `solid`
  int solid = -1;
  int other = -1;
};

}  // namespace servosim
