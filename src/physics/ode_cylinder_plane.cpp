// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_cylinder_plane.h"

#include "physics/ode_library.h"

namespace servosim {

namespace {

// Below these squared sines of the tilt the cap rests on its rim frame, or on four points.
constexpr double kUpright = 0.001;
constexpr double kFourPoints = 0.1;

struct RimFrame {
  Vec3 deepest;   // from the cap's centre to the rim point that is deepest
  Vec3 sideways;  // to a rim point a quarter turn away
};

RimFrame rim_frame(const CylinderAt& c, const Vec3& axis, const Vec3& normal, double sine2) {
  const Mat3& r = c.pose.rotation;
  if (sine2 < kUpright) {
    return {c.radius * Vec3{r(0, 1), r(1, 1), r(2, 1)}, c.radius * Vec3{r(0, 0), r(1, 0), r(2, 0)}};
  }
  const double cosine = dot(axis, normal);
  return {c.radius * unit_or(cosine * axis - normal, {}),
          c.radius * unit_or(cross(axis, normal), {})};
}

}  // namespace

CylinderAt cylinder_of(dGeomID geom) {
  CylinderAt c{geom_pose(geom), 0.0, 0.0};
  dGeomCylinderGetParams(geom, &c.radius, &c.length);
  return c;
}

RimPoints rim_points_below(const CylinderAt& c, const Vec3& normal, double offset) {
  const Mat3& r = c.pose.rotation;
  const Vec3 axis{r(0, 2), r(1, 2), r(2, 2)};
  const Vec3 tilt = cross(axis, normal);
  const double sine2 = dot(tilt, tilt);
  const RimFrame rim = rim_frame(c, axis, normal, sine2);
  const Vec3 candidates[] = {rim.deepest, rim.sideways, -rim.deepest, -rim.sideways};
  const int per_cap = sine2 < kFourPoints ? 4 : 1;
  RimPoints below;
  for (const double side : {0.5, -0.5}) {
    const Vec3 cap = c.pose.translation + (side * c.length) * axis;
    for (int i = 0; i < per_cap; ++i) {
      const Vec3 point = cap + candidates[i];
      const double depth = offset - dot(normal, point);
      if (depth > 0.0) {
        below.points[below.count++] = {point, depth};
      }
    }
  }
  return below;
}

void collide_cylinder_plane(dGeomID cylinder, dGeomID plane, ContactList& contacts) {
  dVector4 equation;
  dGeomPlaneGetParams(plane, equation);
  const Vec3 normal = to_vec3(equation);
  const RimPoints below = rim_points_below(cylinder_of(cylinder), normal, equation[3]);
  for (int i = 0; i < below.count; ++i) {
    contacts.add(below.points[i].position, normal, below.points[i].depth);
  }
}

}  // namespace servosim
