// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <deque>
#include <optional>

#include "physics/contacts/geometry.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

/// The visible Shapes of a scene as geoms in a space of their own, where only rays meet them.
class OdeVisibleShapes {
 public:
  explicit OdeVisibleShapes(const Scene& scene);
  OdeVisibleShapes(const OdeVisibleShapes&) = delete;
  OdeVisibleShapes& operator=(const OdeVisibleShapes&) = delete;
  ~OdeVisibleShapes();

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
  /// See PhysicsWorld::cast_sight().
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
