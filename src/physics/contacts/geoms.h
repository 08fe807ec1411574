// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "physics/state.h"
#include "scene/scene.h"
#include "servosim/math.h"

// Geoms of the shapes of a scene, and rays that meet them: those of sensors that detect bounding
// objects, and those that detect Shapes.

namespace servosim {

/// The surface of a Track.
struct Belt {
  int joint = -1;      ///< whose velocity is that of the surface
  int solid = -1;      ///< the Track
  double speed = 0.0;  ///< that the contacts have [m/s]: of the step before them
  Vec3 axis;           ///< in the world: a surface with the outward normal n moves along axis × n
};

/// The data of a geom for collisions; kept as its user data.
struct GeomInfo {
  int robot = -1;    ///< outermost Robot, -1 for none
  int material = 0;  ///< index into the surface table
  int body = -1;     ///< index of its body, -1 for static or kinematic
  int carrier = -1;  ///< index of the body it moves with, its own or a parent's
  dBodyID carrier_id = nullptr;
  bool self_collision = true;  ///< of the robot
  const Grid* grid = nullptr;  ///< of an ElevationGrid
  bool senses_touch = false;   ///< that Solid is a TouchSensor
  Mat3 plane_axes{};           ///< a Plane's frame in the world, which its geom does not have
  const Belt* belt = nullptr;  ///< of a Track with devices
  int solid = -1;              ///< the Solid it belongs to
  std::uint32_t index = 0;     ///< place in the order of creation; set by Contacts
};

inline GeomInfo& info_of(dGeomID geom) { return *static_cast<GeomInfo*>(dGeomGetData(geom)); }

/// A triangle mesh in ODE's format. ODE keeps pointers into `mesh`, which must outlive this.
class OdeMesh {
 public:
  explicit OdeMesh(const Mesh& mesh);
  OdeMesh(const OdeMesh&) = delete;
  OdeMesh& operator=(const OdeMesh&) = delete;
  ~OdeMesh();
  dTriMeshDataID data() const { return data_; }

 private:
  dTriMeshDataID data_;
};

/// An ElevationGrid in ODE's format: a copy of its heights.
class OdeGrid {
 public:
  explicit OdeGrid(const Grid& grid);
  OdeGrid(const OdeGrid&) = delete;
  OdeGrid& operator=(const OdeGrid&) = delete;
  ~OdeGrid() { dGeomHeightfieldDataDestroy(data_); }
  dHeightfieldDataID data() const { return data_; }

 private:
  dHeightfieldDataID data_;
};

/// The data that a geom of these kinds refers to; must outlive it.
struct GeomData {
  std::unique_ptr<OdeMesh> mesh;
  std::unique_ptr<OdeGrid> grid;
};

/// The frame of a grid's geom in the frame of the Grid: ODE's heights are along y over x and z,
/// with the origin in the middle.
Pose ode_frame(const Grid& grid);

/// Creates the geom of a shape in a space; `data` receives what it refers to.
dGeomID create_geom(const Shape& shape, dSpaceID space, GeomData& data);

/// The pose of the geom of a shape in the frame of the Solid.
Pose geom_pose_in_solid(const Shape& shape);

/// Places a geom without a body; a plane gets its equation from the pose, and its GeomInfo the
/// axes.
void place_geom(dGeomID geom, const Pose& pose);

/// Fixes a geom to its body at `pose` in the body's frame. Not for planes.
void attach_geom(dGeomID geom, dBodyID body, const Pose& pose);

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
