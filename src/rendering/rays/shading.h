// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "rendering/rays/float3.h"
#include "rendering/rays/illumination.h"
#include "rendering/rays/surface.h"

// Webots' laws of how surfaces reflect light.

namespace servosim::rays {

/// Points of one Shape as an eye sees them, one for each of several rays, in the eye's frame.
struct SurfacePoints {
  const SeenSurface* surface;
  const LampSet* left_out;  ///< lights that do not shine on it; null for none
  unsigned used;            ///< the rays that have one, as a set of lanes
  Floats3 position;
  Floats3 normal;       ///< of the surface there, of length one
  Floats3 flat;         ///< normal of the triangle, of length one, on the side of the eye
  Floats3 to_eye;       ///< of length one
  Floats distance;      ///< from the eye [m]
  PicturePlaces place;  ///< if the surface has pictures
  Floats3 ink;          ///< colour of the ink there, which is linear
  Floats ink_density;   ///< in [0, 1]
};

/// The lights that something hides from points: for each Lamp::shadow a set of lanes.
using ShadowSets = std::array<std::uint8_t, Illumination::kMaxShadows>;

struct SeenLight {
  Floats3 light;
  Floats opacity;
};

/// Returns the light that comes from points.
SeenLight shade(const SurfacePoints& points, const Illumination& illumination,
                const ShadowSets& shadows);

}  // namespace servosim::rays
