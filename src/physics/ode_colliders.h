// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <span>

namespace servosim {

/// Finds where two geoms touch: by ODE, or by the rules in which Webots differs from it. Rules are
/// those of one world, so ODE's process-wide table of colliders is left alone.
class Colliders {
 public:
  /// `all_box_corners`: boxes on planes as in R2025a.
  explicit Colliders(bool all_box_corners = false) : all_box_corners_(all_box_corners) {}

  /// Writes at most points.size() contacts and returns their number; normals point into `a`.
  /// A geom of an ElevationGrid carries a GeomInfo.
  int collide(dGeomID a, dGeomID b, std::span<dContactGeom> points) const;

 private:
  bool all_box_corners_;
};

/// Thin double-sided meshes give a point twice, with opposite normals: the first normal and the
/// larger depth stay, as in Webots. Returns how many points are left, in front.
int merge_opposite(std::span<dContactGeom> points);

}  // namespace servosim
