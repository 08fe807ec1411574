// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <algorithm>
#include <mutex>
#include <span>

#include "physics/ode_library.h"
#include "servosim/math.h"

// What rays that look for bounding objects and those that look for Shapes have in common.

namespace servosim {

/// Puts a ray geom at `from`, along `direction` of length one; `range` [m] may be infinite.
inline void aim(dGeomID ray, const Vec3& from, const Vec3& direction, double range) {
  constexpr double kLongestRay = 1e6;  // [m]
  dGeomRaySet(ray, from.x, from.y, from.z, direction.x, direction.y, direction.z);
  dGeomRaySetLength(ray, std::min(range, kLongestRay));
}

/// The points where a ray meets a geom, within `room`: ElevationGrids give several, in any order.
inline std::span<const dContactGeom> collide_ray(dGeomID ray, dGeomID geom,
                                                 std::span<dContactGeom> room) {
  std::unique_lock<std::mutex> lock(trimesh_mutex(), std::defer_lock);
  if (dGeomGetClass(geom) == dTriMeshClass) {
    lock.lock();
  }
  const int count =
      dCollide(ray, geom, static_cast<int>(room.size()), room.data(), sizeof(dContactGeom));
  return room.first(static_cast<std::size_t>(count));
}

}  // namespace servosim
