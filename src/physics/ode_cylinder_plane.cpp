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

RimFrame rim_frame(const Mat3& r, double radius, const Vec3& axis, const Vec3& normal,
                   double sine2) {
  if (sine2 < kUpright) {
    return {radius * Vec3{r(0, 1), r(1, 1), r(2, 1)}, radius * Vec3{r(0, 0), r(1, 0), r(2, 0)}};
  }
  const double cosine = dot(axis, normal);
  return {radius * unit_or(cosine * axis - normal, {}), radius * unit_or(cross(axis, normal), {})};
}

}  // namespace

int collide_cylinder_plane(dGeomID cylinder, dGeomID plane, int flags, dContactGeom* contacts,
                           int stride) {
  dReal radius = 0.0;
  dReal length = 0.0;
  dVector4 equation;
  dGeomCylinderGetParams(cylinder, &radius, &length);
  dGeomPlaneGetParams(plane, equation);
  const Vec3 normal = to_vec3(equation);
  const Mat3 r = to_mat3(dGeomGetRotation(cylinder));
  const Vec3 center = to_vec3(dGeomGetPosition(cylinder));
  const Vec3 axis{r(0, 2), r(1, 2), r(2, 2)};
  const Vec3 tilt = cross(axis, normal);
  const double sine2 = dot(tilt, tilt);
  const RimFrame rim = rim_frame(r, radius, axis, normal, sine2);
  const Vec3 candidates[] = {rim.deepest, rim.sideways, -rim.deepest, -rim.sideways};
  const int per_cap = sine2 < kFourPoints ? 4 : 1;
  const int room = flags & 0xffff;

  int count = 0;
  for (const double side : {0.5, -0.5}) {
    const Vec3 cap = center + (side * length) * axis;
    for (int i = 0; i < per_cap && count < room; ++i) {
      const Vec3 point = cap + candidates[i];
      const double depth = equation[3] - dot(normal, point);
      if (!(depth > 0.0)) {
        continue;
      }
      auto* contact =
          reinterpret_cast<dContactGeom*>(reinterpret_cast<char*>(contacts) + count * stride);
      *contact = {};
      contact->pos[0] = point.x;
      contact->pos[1] = point.y;
      contact->pos[2] = point.z;
      contact->normal[0] = normal.x;
      contact->normal[1] = normal.y;
      contact->normal[2] = normal.z;
      contact->depth = depth;
      contact->g1 = cylinder;
      contact->g2 = plane;
      contact->side1 = contact->side2 = -1;
      ++count;
    }
  }
  return count;
}

}  // namespace servosim
