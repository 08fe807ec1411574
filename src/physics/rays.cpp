// SPDX-License-Identifier: Apache-2.0
// What sensors that are Solids ask of a built world: rays, touches, forces.
#include "physics/rays.h"

#include <array>

#include "physics/contacts/geometry.h"
#include "physics/ode_library.h"
#include "physics/world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

/// A ray on its way through the spaces.
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

}  // namespace

std::optional<RayHit> PhysicsWorld::Impl::cast_ray(const Vec3& from, const Vec3& direction,
                                                   double range, int solid) {
  if (!can_collide) {
    place_followers();  // nobody else does
  }
  if (ray == nullptr) {
    ray = made(dCreateRay(nullptr, 1.0), "a ray");
    dGeomRaySetClosestHit(ray, 1);
  }
  aim(ray, from, direction, range);
  RaySearch search{ray, {}, {}};
  search.owner.solid = solid;
  search.owner.carrier = carrying_body(solid);
  search.owner.robot = outer_robot(scene, solid);
  search.owner.self_collision =
      search.owner.robot >= 0 && scene.robots[search.owner.robot].self_collision;
  dSpaceCollide2(ray, reinterpret_cast<dGeomID>(space), &search, meet);
  return search.nearest;
}

std::optional<RayHit> PhysicsWorld::cast_ray(const Vec3& from, const Vec3& direction, double range,
                                             int solid) {
  use_ode();
  try {
    return range > 0.0 ? impl_->cast_ray(from, direction, range, solid) : std::nullopt;
  } catch (...) {  // no memory
    impl_->step_left = impl_->space_locked = true;
    throw;
  }
}

double PhysicsWorld::depth_from_the_side(int solid) {
  use_ode();
  impl_->place_followers();
  impl_->were_asleep = false;  // whoever sleeps is to look where it has gone
  return impl_->contacts->depth_from_the_side(outer_robot(scene_, solid), scene_.world.up);
}

bool PhysicsWorld::touched(int solid) const {
  return !impl_->touched.empty() && impl_->touched[solid] != 0;
}

Vec3 PhysicsWorld::mounting_force(int solid) const {
  for (const Mounting& mounting : impl_->mountings) {
    if (mounting.solid == solid) {
      return -to_vec3(mounting.feedback.f1);
    }
  }
  return {};
}

}  // namespace servosim
