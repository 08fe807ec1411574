// SPDX-License-Identifier: Apache-2.0
// Creates the geoms of shapes, and casts rays. A geom's pose is that of its shape, except that an
// ElevationGrid has a frame of its own in ODE.
#include "physics/contacts/geoms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <span>
#include <vector>

#include "base/limits.h"
#include "physics/ode_library.h"

namespace servosim {

static_assert(sizeof(Vec3) == 3 * sizeof(double), "ODE reads Mesh::vertices in place");

// The lock is necessary because to build a mesh or to destroy it changes caches that all threads of
// Debian's ODE share.
OdeMesh::OdeMesh(const Mesh& mesh) : data_(made(dGeomTriMeshDataCreate(), "a mesh")) {
  const std::lock_guard<std::mutex> lock(trimesh_mutex());
  dGeomTriMeshDataBuildDouble(data_, mesh.vertices.data(), sizeof(Vec3),
                              static_cast<int>(mesh.vertices.size()), mesh.triangles.data(),
                              static_cast<int>(3 * mesh.triangles.size()),
                              3 * sizeof(std::uint32_t));
}

OdeMesh::~OdeMesh() {
  const std::lock_guard<std::mutex> lock(trimesh_mutex());
  dGeomTriMeshDataDestroy(data_);
}

OdeGrid::OdeGrid(const Grid& grid)
    : data_(made(dGeomHeightfieldDataCreate(), "an elevation grid")) {
  // ODE's z axis is opposite to the grid's y axis.
  std::vector<double> heights;
  heights.reserve(grid.heights.size());
  for (int j = grid.rows - 1; j >= 0; --j) {
    const auto row = grid.heights.begin() + std::ptrdiff_t{j} * grid.columns;
    heights.insert(heights.end(), row, row + grid.columns);
  }
  // ODE keeps its own copy of the heights. The grid does not repeat at its edges.
  constexpr int kCopy = 1;
  constexpr int kNoWrap = 0;
  dGeomHeightfieldDataBuildDouble(data_, heights.data(), kCopy, grid.dx * (grid.columns - 1),
                                  grid.dy * (grid.rows - 1), grid.columns, grid.rows, 1.0, 0.0,
                                  grid.thickness, kNoWrap);
}

// A quarter turn about x moves the y axis of ODE's heightfield to the z axis of the Grid.
Pose ode_frame(const Grid& grid) {
  constexpr Mat3 kQuarterTurn{{1, 0, 0, 0, 0, -1, 0, 1, 0}};
  return {kQuarterTurn, {0.5 * grid.dx * (grid.columns - 1), 0.5 * grid.dy * (grid.rows - 1), 0.0}};
}

Pose geom_pose_in_solid(const Shape& shape) {
  return shape.type == ShapeType::Grid ? shape.pose * ode_frame(*shape.grid) : shape.pose;
}

// Cylinders and capsules of ODE are along z and centred, like those of a Shape. A plane gets its
// equation from place_geom(). The height of a capsule does not include its half spheres, in both.
dGeomID create_geom(const Shape& s, dSpaceID space, GeomData& data) {
  switch (s.type) {
    case ShapeType::Box:
      return made(dCreateBox(space, s.size.x, s.size.y, s.size.z), "a box");
    case ShapeType::Sphere:
      return made(dCreateSphere(space, s.radius), "a sphere");
    case ShapeType::Cylinder:
      return made(dCreateCylinder(space, s.radius, s.height), "a cylinder");
    case ShapeType::Capsule:
      return made(dCreateCapsule(space, s.radius, s.height), "a capsule");
    case ShapeType::Plane:
      return made(dCreatePlane(space, 0.0, 0.0, 1.0, 0.0), "a plane");
    case ShapeType::Mesh:
      data.mesh = std::make_unique<OdeMesh>(*s.mesh);
      return made(dCreateTriMesh(space, data.mesh->data(), nullptr, nullptr, nullptr), "a mesh");
    case ShapeType::Grid: {
      constexpr int kPlaceable = 1;
      data.grid = std::make_unique<OdeGrid>(*s.grid);
      return made(dCreateHeightfield(space, data.grid->data(), kPlaceable), "an elevation grid");
    }
  }
  return nullptr;
}

void place_geom(dGeomID geom, const Pose& pose) {
  if (dGeomGetClass(geom) == dPlaneClass) {
    // ODE's plane is normal·x = d, with the z axis of the pose as the normal.
    const Vec3 normal = pose.rotation * Vec3{0.0, 0.0, 1.0};
    dGeomPlaneSetParams(geom, normal.x, normal.y, normal.z, dot(normal, pose.translation));
    info_of(geom).plane_axes = pose.rotation;
    return;
  }
  dMatrix3 r;
  to_ode(pose.rotation, r);
  dGeomSetRotation(geom, r);
  dGeomSetPosition(geom, pose.translation.x, pose.translation.y, pose.translation.z);
}

// The geom follows its body from now on. ODE composes the body's pose with this offset when the
// pose of the geom is needed.
void attach_geom(dGeomID geom, dBodyID body, const Pose& pose) {
  dMatrix3 r;
  to_ode(pose.rotation, r);
  dGeomSetBody(geom, body);
  if (pose == Pose{}) {
    return;  // an offset costs time in every step, even if it is zero
  }
  dGeomSetOffsetRotation(geom, r);
  dGeomSetOffsetPosition(geom, pose.translation.x, pose.translation.y, pose.translation.z);
}

namespace {

// Places a ray geom at `from`, along the unit vector `direction`. `range` [m] may be infinite, but
// ODE's arithmetic needs a length that is not.
void aim(dGeomID ray, const Vec3& from, const Vec3& direction, double range) {
  dGeomRaySet(ray, from.x, from.y, from.z, direction.x, direction.y, direction.z);
  dGeomRaySetLength(ray, std::min(range, kMaxFileCoordinate));
}

// Returns the points where a ray meets a geom, at most as many as fit into `room`. The depth of
// each is its distance from the start of the ray [m]. ElevationGrids give several points, in any
// order.
std::span<const dContactGeom> collide_ray(dGeomID ray, dGeomID geom, std::span<dContactGeom> room) {
  std::unique_lock<std::mutex> lock(trimesh_mutex(), std::defer_lock);
  if (dGeomGetClass(geom) == dTriMeshClass) {
    lock.lock();
  }
  const int count =
      dCollide(ray, geom, static_cast<int>(room.size()), room.data(), sizeof(dContactGeom));
  return room.first(static_cast<std::size_t>(count));
}

// Holds the state of a search along a ray.
struct RaySearch {
  dGeomID ray;
  GeomInfo owner;  // describes a shape of the Solid to which the ray belongs
  std::optional<RayHit> nearest;

  // Returns whether the ray passes through a geom: one of its own Solid, one that moves with it or,
  // without selfCollision, one of its robot.
  bool passes(const GeomInfo& geom) const {
    return geom.solid == owner.solid || (owner.carrier >= 0 && geom.carrier == owner.carrier) ||
           (owner.robot >= 0 && geom.robot == owner.robot && !owner.self_collision);
  }
};

// ODE calls this for the ray and a geom, or for the ray and a space, whose geoms are then compared
// with the ray.
void meet(void* data, dGeomID a, dGeomID b) {
  if (dGeomIsSpace(a) != 0 || dGeomIsSpace(b) != 0) {
    dSpaceCollide2(a, b, data, meet);
    return;
  }
  RaySearch& search = *static_cast<RaySearch*>(data);
  const dGeomID geom = a == search.ray ? b : a;
  const GeomInfo& info = info_of(geom);
  if (search.passes(info)) {
    return;
  }
  std::array<dContactGeom, 8> points;
  for (const dContactGeom& point : collide_ray(search.ray, geom, points)) {
    if (!search.nearest || point.depth < search.nearest->distance) {
      search.nearest = RayHit{point.depth, to_vec3(point.normal), info.solid};
    }
  }
}

// Returns whether a point in the frame of a shape is inside it. It is false for meshes, since the
// sides of their triangles decide which hits count, and for planes and grids, which have no inside.
bool is_in_shape(const Shape& shape, const Vec3& at) {
  switch (shape.type) {
    case ShapeType::Box:
      return std::abs(at.x) <= 0.5 * shape.size.x && std::abs(at.y) <= 0.5 * shape.size.y &&
             std::abs(at.z) <= 0.5 * shape.size.z;
    case ShapeType::Sphere:
      return norm(at) <= shape.radius;
    case ShapeType::Cylinder:
      return std::hypot(at.x, at.y) <= shape.radius && std::abs(at.z) <= 0.5 * shape.height;
    case ShapeType::Capsule: {
      const double reach = 0.5 * shape.height;
      return norm(at - Vec3{0.0, 0.0, std::clamp(at.z, -reach, reach)}) <= shape.radius;
    }
    default:
      return false;
  }
}

}  // namespace

// The spaces inside `space` are searched, too, since meet() descends into them.
std::optional<RayHit> cast_ray(dSpaceID space, dGeomID ray, const GeomInfo& owner, const Vec3& from,
                               const Vec3& direction, double range) {
  aim(ray, from, direction, range);
  RaySearch search{ray, owner, {}};
  dSpaceCollide2(ray, reinterpret_cast<dGeomID>(space), &search, meet);
  return search.nearest;
}

// Holds the state of a search along a ray. ODE's callback has a single pointer for it.
struct VisibleShapes::Search {
  dGeomID ray;
  Vec3 from;
  int solid;
  const Geom* nearest = nullptr;
  double distance = 0.0;
  Vec3 normal = {};
  int triangle = -1;  // index of the triangle of the mesh; -1 for other shapes
};

VisibleShapes::VisibleShapes(const Scene& scene)
    : visible_(scene.visible_shapes),
      space_(made(dSimpleSpaceCreate(nullptr), "the space of visible shapes")),
      ray_(made(dCreateRay(nullptr, 1.0), "a ray")) {
  // ODE then reports only the nearest hit and ignores triangles that face away from the ray.
  dGeomRaySetClosestHit(ray_, 1);
  dGeomRaySetBackfaceCull(ray_, 1);
  try {
    for (const VisibleShape& visible : scene.visible_shapes) {
      Geom& geom = geoms_.emplace_back();
      geom.visible = &visible;
      geom.in_solid = geom_pose_in_solid(visible.shape);
      geom.id = create_geom(visible.shape, space_, geom.data);
      dGeomSetData(geom.id, &geom);
    }
  } catch (...) {  // no memory
    destroy();
    throw;
  }
}

VisibleShapes::~VisibleShapes() { destroy(); }

// A locked space is not destroyed, since ODE would report an error. Its memory is then not freed.
void VisibleShapes::destroy() {
  dGeomDestroy(ray_);
  if (!locked_) {
    dSpaceDestroy(space_);  // destroys the geoms, too
  }
}

// A ray does not see the inner side of a shape in which it starts, so the ray passes through these
// shapes.
void VisibleShapes::meet(void* data, dGeomID a, dGeomID b) {
  Search& search = *static_cast<Search*>(data);
  const dGeomID id = a == search.ray ? b : a;
  const Geom& geom = *static_cast<const Geom*>(dGeomGetData(id));
  if (geom.visible->solid == search.solid ||
      is_in_shape(geom.visible->shape, inverse(*geom.placed) * search.from)) {
    return;
  }
  std::array<dContactGeom, 8> points;
  for (const dContactGeom& point : collide_ray(search.ray, id, points)) {
    if (search.nearest == nullptr || point.depth < search.distance) {
      search.nearest = &geom;
      search.distance = point.depth;
      search.normal = to_vec3(point.normal);
      // Only one of the two geoms is a mesh; the side of the other one is -1.
      search.triangle = std::max(point.side1, point.side2);
    }
  }
}

// The hit is transformed to the frame of its Shape.
std::optional<SeenPoint> VisibleShapes::cast(const Vec3& from, const Vec3& direction, double range,
                                             int solid) {
  aim(ray_, from, direction, range);
  Search search{ray_, from, solid};
  locked_ = true;  // until all geoms are tested: an exception in meet() leaves the space locked
  dSpaceCollide2(ray_, reinterpret_cast<dGeomID>(space_), &search, meet);
  locked_ = false;
  if (search.nearest == nullptr) {
    return std::nullopt;
  }
  const VisibleShape& visible = *search.nearest->visible;
  const Pose to_shape = inverse(*search.nearest->placed);
  SeenPoint seen;
  seen.distance = search.distance;
  seen.shape = static_cast<std::size_t>(&visible - visible_.data());
  seen.point = to_shape * (from + search.distance * direction);
  seen.normal = to_shape.rotation * search.normal;
  seen.triangle = search.triangle;
  if (dot(search.normal, direction) > 0.0) {
    seen.normal = -seen.normal;
  }
  if (visible.shape.grid != nullptr) {
    const Pose grid = ode_frame(*visible.shape.grid);
    seen.point = grid * seen.point;
    seen.normal = grid.rotation * seen.normal;
  }
  return seen;
}

}  // namespace servosim
