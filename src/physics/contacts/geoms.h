// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "physics/state.h"
#include "scene/scene.h"
#include "servosim/math.h"

// This file has the geoms of the shapes of a scene and two kinds of rays: rays of sensors that
// detect bounding objects, and rays of sensors that detect Shapes.

namespace servosim {

/// Describes the running surface of a Track.
struct Belt {
  int joint = -1;      ///< index of the joint whose velocity is that of the surface
  int solid = -1;      ///< index of the Track
  double speed = 0.0;  ///< speed in the contacts, which is that of the step before [m/s]
  Vec3 axis;           ///< in the world: a surface with the outward normal n moves along axis × n
};

/// Describes a geom for collisions. ODE stores a pointer to it in the geom.
struct GeomInfo {
  int robot = -1;    ///< index of the outermost Robot; -1 for none
  int material = 0;  ///< index into the surface table
  int body = -1;     ///< index of its body; -1 for a static or kinematic geom
  int carrier = -1;  ///< index of the body with which it moves: its own or that of a Solid above
  dBodyID carrier_id = nullptr;  ///< the body of `carrier` in ODE; null for none
  bool self_collision = true;    ///< whether the robot's shapes collide with each other
  const Grid* grid = nullptr;    ///< only for an ElevationGrid
  bool senses_touch = false;     ///< whether the Solid is a TouchSensor
  Mat3 plane_axes{};             ///< axes of a Plane in the world, which its geom does not store
  const Belt* belt = nullptr;    ///< only for a Track with devices
  int solid = -1;                ///< index of the Solid of the shape
  std::uint32_t index = 0;       ///< index in the order of creation; ContactSearch sets it
};

/// Returns the GeomInfo of a geom, which must have one.
inline GeomInfo& info_of(dGeomID geom) { return *static_cast<GeomInfo*>(dGeomGetData(geom)); }

/// Holds a triangle mesh in ODE's format. ODE keeps pointers to `mesh`, which must outlive this.
class OdeMesh {
 public:
  /// @throws OdeFailed, std::bad_alloc
  explicit OdeMesh(const Mesh& mesh);
  OdeMesh(const OdeMesh&) = delete;
  OdeMesh& operator=(const OdeMesh&) = delete;
  ~OdeMesh();
  dTriMeshDataID data() const { return data_; }

 private:
  dTriMeshDataID data_;
};

/// Holds an ElevationGrid in ODE's format, with a copy of its heights.
class OdeGrid {
 public:
  /// @throws OdeFailed, std::bad_alloc
  explicit OdeGrid(const Grid& grid);
  OdeGrid(const OdeGrid&) = delete;
  OdeGrid& operator=(const OdeGrid&) = delete;
  ~OdeGrid() { dGeomHeightfieldDataDestroy(data_); }
  dHeightfieldDataID data() const { return data_; }

 private:
  dHeightfieldDataID data_;
};

/// Owns the data to which the geom of a mesh or a grid refers. It must outlive the geom, and is
/// empty for other geoms.
struct GeomData {
  std::unique_ptr<OdeMesh> mesh;
  std::unique_ptr<OdeGrid> grid;
};

/// Returns the pose of a grid's geom in the frame of the Grid. In ODE the heights are along y, over
/// x and z, and the origin is in the middle of the grid.
Pose ode_frame(const Grid& grid);

/// Creates the geom of a shape in a space, which then owns it. `data` receives the data to which
/// the geom refers. @throws OdeFailed, std::bad_alloc
dGeomID create_geom(const Shape& shape, dSpaceID space, GeomData& data);

/// Returns the pose of a shape's geom in the frame of the Solid.
Pose geom_pose_in_solid(const Shape& shape);

/// Moves a geom without a body to a pose in the world. For a plane this sets its equation and the
/// axes in its GeomInfo.
void place_geom(dGeomID geom, const Pose& pose);

/// Fixes a geom to a body at `pose` in the body's frame. The geom must not be a plane.
void attach_geom(dGeomID geom, dBodyID body, const Pose& pose);

/// Returns the nearest geom of a space on a ray from `from` along the unit vector `direction`, both
/// in the world; nothing if there is none. `range` [m] may be infinite. `ray` is a geom that the
/// call moves. `owner` describes a shape of the Solid to which the ray belongs. The ray passes
/// through shapes that move with it, and through those of its robot unless selfCollision is TRUE.
std::optional<RayHit> cast_ray(dSpaceID space, dGeomID ray, const GeomInfo& owner, const Vec3& from,
                               const Vec3& direction, double range);

/// Holds the visible Shapes of a scene as geoms. They are in a space of their own, in which only
/// rays meet them.
class VisibleShapes {
 public:
  /// The scene must outlive this. Geoms are not placed before the first place(). @throws OdeFailed,
  /// std::bad_alloc
  explicit VisibleShapes(const Scene& scene);
  VisibleShapes(const VisibleShapes&) = delete;
  VisibleShapes& operator=(const VisibleShapes&) = delete;
  ~VisibleShapes();

  /// Moves the geoms to the poses of their Solids, which pose_of(solid) returns.
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
  /// Returns the nearest Shape on a ray from `from` along the unit vector `direction`, both in the
  /// world, within `range` [m]; nothing if there is none. The ray passes through Shapes of `solid`
  /// itself, and through the inner side of Shapes in which it starts.
  std::optional<SeenPoint> cast(const Vec3& from, const Vec3& direction, double range, int solid);

 private:
  // Holds a geom and where it is.
  struct Geom {
    dGeomID id = nullptr;
    const VisibleShape* visible = nullptr;
    Pose in_solid;
    std::optional<Pose> placed;  // the pose in the world at which it was put last
    GeomData data;
  };
  struct Search;
  /// ODE calls this for the ray and a geom.
  static void meet(void* data, dGeomID a, dGeomID b);
  /// Destroys the ray, the space and the geoms in it.
  void destroy();

  std::span<const VisibleShape> visible_;
  dSpaceID space_;
  dGeomID ray_;
  std::deque<Geom> geoms_;  // ODE stores the addresses
  bool locked_ = false;     // whether an exception has ended a search in the space
};

}  // namespace servosim
