// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <array>

#include "physics/ode_contact_list.h"
#include "servosim/math.h"

namespace servosim {

/// A cylinder somewhere; its axis is the z axis of `pose`.
struct CylinderAt {
  Pose pose;
  double radius;
  double length;
};

/// The cylinder of a geom, in the world's frame.
CylinderAt cylinder_of(dGeomID geom);

/// Rim points below a plane.
struct RimPoints {
  struct Point {
    Vec3 position;
    double depth;
  };
  std::array<Point, 8> points;
  int count = 0;
};

/// Webots' rule: up to four rim points per cap while the cylinder stands within 18.4° of upright,
/// the deepest one beyond. Stock ODE keeps one point per cap from 0.45 mrad on, so that a can never
/// comes to rest: docs/deviations.md#contact-geometry. The plane: normal·x = offset.
RimPoints rim_points_below(const CylinderAt& cylinder, const Vec3& normal, double offset);

void collide_cylinder_plane(dGeomID cylinder, dGeomID plane, ContactList& contacts);

}  // namespace servosim
