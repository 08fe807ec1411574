// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <deque>
#include <optional>

#include "physics/contacts/geometry.h"
#include "physics/state.h"
#include "scene/scene.h"
#include "servosim/math.h"

// Rays of sensors: those that look for bounding objects, and those that look for Shapes.

namespace servosim {

/// Finds the nearest geom of a space with `ray`, along `direction` of length one; `range` [m] may
/// be infinite. `owner`: what a shape of the Solid that casts it would be; the ray passes what
/// moves along with that, and its robot, unless selfCollision is TRUE.
std::optional<RayHit> cast_ray(dSpaceID space, dGeomID ray, const GeomInfo& owner, const Vec3& from,
                               const Vec3& direction, double range);

/// The visible Shapes of a scene as geoms in a space of their own, where only rays meet them.
class VisibleShapes {
 public:
  explicit VisibleShapes(const Scene& scene);
  VisibleShapes(const VisibleShapes&) = delete;
  VisibleShapes& operator=(const VisibleShapes&) = delete;
  ~VisibleShapes();

  /// Puts them where their Solids are: `pose_of(solid)`.
  template <typename PoseOf>
  void place(PoseOf pose_of) {
    for (Geom& geom : geoms_) {
      const int solid = geom.visible->solid;
      const Pose pose = (solid >= 0 ? pose_of(solid) : Pose{}) * geom.in_solid;
      if (!geom.placed || pose != *geom.placed) {
        place_geom(geom.id, pose);
        geom.placed = pose;
      }
    }
  }
  /// The nearest of them on a ray from `from` along `direction`, of length one, within `range` [m];
  /// it passes those of `solid` itself, and the inner side of those that it starts in.
  std::optional<SeenPoint> cast(const Vec3& from, const Vec3& direction, double range, int solid);

 private:
  struct Geom {
    dGeomID id = nullptr;
    const VisibleShape* visible = nullptr;
    Pose in_solid;
    std::optional<Pose> placed;  // where it was put last
    GeomData data;
  };
  struct Search;
  static void meet(void* data, dGeomID a, dGeomID b);
  void destroy();

  dSpaceID space_;
  dGeomID ray_;
  std::deque<Geom> geoms_;  // ODE keeps their addresses
  bool locked_ = false;     // the space, by a search that an exception has ended
};

}  // namespace servosim
