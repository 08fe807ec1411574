// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rendering/rays/float3.h"
#include "rendering/rays/illumination.h"
#include "rendering/rays/surface.h"

// Webots' laws of how surfaces reflect light.

namespace servosim::rays {

/// A point of a surface as an eye sees it, in the eye's frame.
struct SurfacePoint {
  const SeenSurface* surface = nullptr;
  Float3 position;
  Float3 normal;          ///< of the surface there, of length one
  Float3 flat;            ///< normal of the triangle, of length one, on the side of the eye
  Float3 to_eye;          ///< of length one
  float distance = 0.0f;  ///< from the eye [m]
  PicturePlace place;
  const LampSet* left_out = nullptr;  ///< lights that do not shine on it; null for none
  Float3 ink;                         ///< colour of the ink there, which is linear
  float ink_density = 0.0f;           ///< in [0, 1]
};

struct SeenLight {
  Float3 light;
  float opacity = 1.0f;
};

/// Returns the light that comes from a point.
/// @param shadows  the lights that something hides from the point
SeenLight shade(const SurfacePoint& point, const Illumination& illumination, ShadowSet shadows);

}  // namespace servosim::rays
