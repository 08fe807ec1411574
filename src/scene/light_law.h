// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

// What distance and direction leave of the light of a PointLight or a SpotLight. `Real` is float or
// double.

namespace servosim {

/// Returns what is left of `light` at a distance [m]: light / (a0 + a1 d + a2 d²), and nothing
/// beyond the radius [m].
/// @param attenuation  a0, a1 [1/m] and a2 [1/m²]; each >= 0
template <typename Real>
Real light_at(Real distance, Real radius, const std::array<Real, 3>& attenuation, Real light) {
  const Real weakened = attenuation[0] + distance * (attenuation[1] + distance * attenuation[2]);
  return distance <= radius && weakened > Real{0} ? light / weakened : Real{0};
}

/// Returns the share of the light of a SpotLight at an angle from its direction [rad]: all of it in
/// the beam, from where it fades to nothing at the edge. A beam is at most as wide as the cone.
template <typename Real>
Real spot_share(Real angle, Real beam_width, Real cut_off_angle) {
  if (angle > cut_off_angle) {
    return Real{0};
  }
  return angle <= beam_width || beam_width >= cut_off_angle
             ? Real{1}
             : (cut_off_angle - angle) / (cut_off_angle - beam_width);
}

}  // namespace servosim
