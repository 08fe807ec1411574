// SPDX-License-Identifier: Apache-2.0
#include "physics/contacts/colliders.h"

#include <mutex>
#include <utility>

#include "physics/ode_library.h"

namespace servosim {

namespace {

bool is_pair(int class_a, int class_b, int one, int other) {
  return (class_a == one && class_b == other) || (class_a == other && class_b == one);
}

int collide_by_ode(dGeomID a, dGeomID b, std::span<dContactGeom> points) {
  return dCollide(a, b, static_cast<int>(points.size()), points.data(), sizeof(dContactGeom));
}

int collide_mesh(dGeomID a, dGeomID b, bool with_box, std::span<dContactGeom> points) {
  const std::lock_guard<std::mutex> lock(trimesh_mutex());
  const int count = collide_by_ode(a, b, points);
  return with_box ? merge_opposite(points.first(count)) : count;
}

// The rule of Webots for the geom `one` of a pair, in whatever order the pair is.
template <typename Rule>
int apply(Rule rule, dGeomID one, dGeomID other, bool swapped, std::span<dContactGeom> points) {
  ContactList list(one, other, points);
  rule(one, other, list);
  if (swapped) {
    for (dContactGeom& point : list.points()) {
      std::swap(point.g1, point.g2);
      for (int i = 0; i < 3; ++i) {
        point.normal[i] = -point.normal[i];
      }
    }
  }
  return list.count();
}

int collide_cylinder(dGeomID cylinder, dGeomID other, int other_class, bool swapped,
                     std::span<dContactGeom> points) {
  switch (other_class) {
    case dPlaneClass:
      return apply(collide_cylinder_plane, cylinder, other, swapped, points);
    case dHeightfieldClass:
      return apply(collide_cylinder_grid, cylinder, other, swapped, points);
    case dCapsuleClass: {
      bool answered = false;
      const int count = apply(
          [&answered](dGeomID c, dGeomID capsule, ContactList& list) {
            answered = collide_cylinder_capsule(c, capsule, list);
          },
          cylinder, other, swapped, points);
      return answered
                 ? count
                 : collide_by_ode(swapped ? other : cylinder, swapped ? cylinder : other, points);
    }
    default:
      return collide_by_ode(swapped ? other : cylinder, swapped ? cylinder : other, points);
  }
}

}  // namespace

int merge_opposite(std::span<dContactGeom> points) {
  constexpr double kSamePlace = 2.2e-16;  // squared distance [m²]
  std::size_t kept = 0;
  for (const dContactGeom& point : points) {
    const Vec3 normal = to_vec3(point.normal);
    std::size_t k = 0;
    for (; k < kept; ++k) {
      const Vec3 apart = to_vec3(points[k].pos) - to_vec3(point.pos);
      if (dot(apart, apart) < kSamePlace && dot(to_vec3(points[k].normal), normal) < -0.999999) {
        break;
      }
    }
    if (k == kept) {
      points[kept++] = point;
    } else if (point.depth > points[k].depth) {
      points[k].depth = point.depth;
    }
  }
  return static_cast<int>(kept);
}

int Colliders::collide(dGeomID a, dGeomID b, std::span<dContactGeom> points) const {
  const int class_a = dGeomGetClass(a);
  const int class_b = dGeomGetClass(b);
  if (class_a == dTriMeshClass || class_b == dTriMeshClass) {
    return collide_mesh(a, b, class_a == dBoxClass || class_b == dBoxClass, points);
  }
  if (class_a == dCylinderClass) {
    return collide_cylinder(a, b, class_b, false, points);
  }
  if (class_b == dCylinderClass) {
    return collide_cylinder(b, a, class_a, true, points);
  }
  if (class_a == dBoxClass && class_b == dBoxClass) {
    ContactList list(a, b, points);
    collide_box_box(a, b, list);
    return list.count();
  }
  if (all_box_corners_ && is_pair(class_a, class_b, dBoxClass, dPlaneClass)) {
    const bool swapped = class_b == dBoxClass;
    return apply(collide_box_plane, swapped ? b : a, swapped ? a : b, swapped, points);
  }
  return collide_by_ode(a, b, points);
}

}  // namespace servosim
