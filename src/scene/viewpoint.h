// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "servosim/math.h"
#include "wbt/world_file.h"

namespace servosim {

/// The Viewpoint of a world: from where Webots' window shows it.
struct Viewpoint {
  Pose pose;                        ///< in the world: x forward, y to the left, z up
  bool is_placed = false;           ///< whether the file says where it is
  double field_of_view = 0.785398;  ///< angle of the longer side of a picture [rad], in (0, pi)
  double near = 0.05;               ///< surfaces at a smaller depth are not seen [m], > 0
  double exposure = 1.0;            ///< factor of the light, > 0
};

/// Returns the first Viewpoint of a world, or nothing. Values out of range are replaced by those of
/// an empty node.
std::optional<Viewpoint> read_viewpoint(const wbt::WorldFile& file);

}  // namespace servosim
