// SPDX-License-Identifier: Apache-2.0
#include "physics/visible_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/ode_library.h"
#include "physics/rays.h"
#include "physics/world.h"

namespace servosim {

namespace {

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

struct OdeVisibleShapes::Search {
  dGeomID ray;
  Vec3 from;
  int solid;
  std::optional<SeenPoint> nearest;
};

OdeVisibleShapes::OdeVisibleShapes(const Scene& scene)
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

OdeVisibleShapes::~OdeVisibleShapes() { destroy(); }

// A space that is locked stays: ODE would report an error.
void OdeVisibleShapes::destroy() {
  dGeomDestroy(ray_);
  if (!locked_) {
    dSpaceDestroy(space_);  // takes the geoms along
  }
}

void OdeVisibleShapes::meet(void* data, dGeomID a, dGeomID b) {
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

std::optional<SeenPoint> OdeVisibleShapes::cast(const Vec3& from, const Vec3& direction,
                                                double range, int solid) {
  aim(ray_, from, direction, range);
  Search search{ray_, from, solid, {}};
  locked_ = true;  // until all were asked: what meet() throws leaves the space locked
  dSpaceCollide2(ray_, reinterpret_cast<dGeomID>(space_), &search, meet);
  locked_ = false;
  return search.nearest;
}

void PhysicsWorld::place_visible_shapes() {
  use_ode();
  if (impl_->visible == nullptr) {
    impl_->visible = std::make_unique<OdeVisibleShapes>(scene_);
  }
  impl_->visible->place([this](int solid) { return impl_->solid_pose(solid); });
}

std::optional<SeenPoint> PhysicsWorld::cast_sight(const Vec3& from, const Vec3& direction,
                                                  double range, int solid) {
  use_ode();
  try {
    return range > 0.0 ? impl_->visible->cast(from, direction, range, solid) : std::nullopt;
  } catch (...) {  // no memory
    impl_->step_left = true;
    throw;
  }
}

}  // namespace servosim
