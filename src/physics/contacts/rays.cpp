// SPDX-License-Identifier: Apache-2.0
#include "physics/contacts/rays.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <span>

#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// Puts a ray geom at `from`, along `direction` of length one; `range` [m] may be infinite.
void aim(dGeomID ray, const Vec3& from, const Vec3& direction, double range) {
  constexpr double kLongestRay = 1e6;  // [m]
  dGeomRaySet(ray, from.x, from.y, from.z, direction.x, direction.y, direction.z);
  dGeomRaySetLength(ray, std::min(range, kLongestRay));
}

// The points where a ray meets a geom, within `room`: ElevationGrids give several, in any order.
std::span<const dContactGeom> collide_ray(dGeomID ray, dGeomID geom, std::span<dContactGeom> room) {
  std::unique_lock<std::mutex> lock(trimesh_mutex(), std::defer_lock);
  if (dGeomGetClass(geom) == dTriMeshClass) {
    lock.lock();
  }
  const int count =
      dCollide(ray, geom, static_cast<int>(room.size()), room.data(), sizeof(dContactGeom));
  return room.first(static_cast<std::size_t>(count));
}

// A ray on its way through the spaces.
struct RaySearch {
  dGeomID ray;
  GeomInfo owner;  // what a shape of the Solid that casts it would be
  std::optional<RayHit> nearest;

  bool passes(const GeomInfo& geom) const {
    return geom.solid == owner.solid || (owner.carrier >= 0 && geom.carrier == owner.carrier) ||
           (owner.robot >= 0 && geom.robot == owner.robot && !owner.self_collision);
  }
};

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

// Whether a place in the frame of a shape is in it; meshes tell it by the sides of their triangles.
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

std::optional<RayHit> cast_ray(dSpaceID space, dGeomID ray, const GeomInfo& owner, const Vec3& from,
                               const Vec3& direction, double range) {
  aim(ray, from, direction, range);
  RaySearch search{ray, owner, {}};
  dSpaceCollide2(ray, reinterpret_cast<dGeomID>(space), &search, meet);
  return search.nearest;
}

struct VisibleShapes::Search {
  dGeomID ray;
  Vec3 from;
  int solid;
  std::optional<SeenPoint> nearest;
};

VisibleShapes::VisibleShapes(const Scene& scene)
    : space_(made(dSimpleSpaceCreate(nullptr), "the space of visible shapes")),
      ray_(made(dCreateRay(nullptr, 1.0), "a ray")) {
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

// A space that is locked stays: ODE would report an error.
void VisibleShapes::destroy() {
  dGeomDestroy(ray_);
  if (!locked_) {
    dSpaceDestroy(space_);  // takes the geoms along
  }
}

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
    if (!search.nearest || point.depth < search.nearest->distance) {
      search.nearest = SeenPoint{point.depth, geom.visible->reflection};
    }
  }
}

std::optional<SeenPoint> VisibleShapes::cast(const Vec3& from, const Vec3& direction, double range,
                                             int solid) {
  aim(ray_, from, direction, range);
  Search search{ray_, from, solid, {}};
  locked_ = true;  // until all were asked: what meet() throws leaves the space locked
  dSpaceCollide2(ray_, reinterpret_cast<dGeomID>(space_), &search, meet);
  locked_ = false;
  return search.nearest;
}

}  // namespace servosim
