// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace servosim {

/// A planar picture that is sharp at one depth.
struct Focus {
  int width = 0;  ///< [pixels]
  int height = 0;
  double distance = 0.0;  ///< the depth that is sharp [m]
  double length = 0.0;    ///< what is nearer or farther by this is fully blurred [m], > 0
};

/// Replaces the light of each pixel by a mean of its neighbours, the more the farther it is from
/// the depth that is sharp.
/// @param depths  of each pixel [m]; perhaps infinite
/// @param light  red, green and blue of each pixel
void blur_by_depth(const Focus& focus, std::span<const double> depths, std::span<float> light);

}  // namespace servosim
