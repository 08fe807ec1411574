// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <algorithm>
#include <array>
#include <span>

#include "servosim/math.h"

namespace servosim {

/// Contact points of one pair of geoms on their way into a buffer, in the order in which they are
/// found; of more points than fit, the deepest stay.
class ContactList {
 public:
  ContactList(dGeomID first, dGeomID second, std::span<dContactGeom> room)
      : first_(first), second_(second), room_(room) {}

  /// `normal` points into the first geom.
  void add(const Vec3& point, const Vec3& normal, double depth) {
    if (count_ == static_cast<int>(room_.size()) && !drop_shallower(depth)) {
      return;
    }
    dContactGeom& contact = room_[count_++];
    write(point, contact.pos);
    write(normal, contact.normal);
    contact.depth = depth;
    contact.g1 = first_;
    contact.g2 = second_;
    contact.side1 = contact.side2 = -1;
  }
  int count() const { return count_; }
  std::span<dContactGeom> points() const { return room_.first(count_); }

 private:
  // Makes room in a full list, unless the new point is no deeper than any in it.
  bool drop_shallower(double depth) {
    if (room_.empty()) {
      return false;
    }
    const auto less = [](const dContactGeom& p, const dContactGeom& q) {
      return p.depth < q.depth;
    };
    if (shallowest_ < 0) {
      shallowest_ =
          static_cast<int>(std::min_element(room_.begin(), room_.end(), less) - room_.begin());
    }
    if (depth <= room_[shallowest_].depth) {
      return false;
    }
    std::move(room_.begin() + shallowest_ + 1, room_.end(), room_.begin() + shallowest_);
    shallowest_ = -1;
    --count_;
    return true;
  }
  static void write(const Vec3& v, dReal* out) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    out[3] = 0.0;
  }

  dGeomID first_;
  dGeomID second_;
  std::span<dContactGeom> room_;
  int count_ = 0;
  int shallowest_ = -1;  // place in a full list; -1: not known
};

/// Finds where two geoms touch: by ODE, or by the rules in which Webots differs from it. Rules are
/// those of one world, so ODE's process-wide table of colliders is left alone.
class Colliders {
 public:
  /// `all_box_corners`: boxes on planes as in R2025a.
  explicit Colliders(bool all_box_corners = false) : all_box_corners_(all_box_corners) {}

  /// Writes at most points.size() contacts and returns their number; normals point into `a`.
  /// A geom of an ElevationGrid carries a GeomInfo.
  int collide(dGeomID a, dGeomID b, std::span<dContactGeom> points) const;

 private:
  bool all_box_corners_;
};

/// Thin double-sided meshes give a point twice, with opposite normals: the first normal and the
/// larger depth stay, as in Webots. Returns how many points are left, in front.
int merge_opposite(std::span<dContactGeom> points);

/// Box on box by the axis of least overlap, with the contacts, their order and the preference of
/// faces over edges of stock ODE, which Webots shares, but also for boxes of nearly equal attitude:
/// there stock ODE finds nothing, or a wrong normal, depending on the rounding of the attitudes:
/// docs/explanation/deviations.md#contact-geometry.
void collide_box_box(dGeomID first, dGeomID second, ContactList& contacts);

/// Box on plane as in Webots from R2025a on: every corner below the plane, the deepest first. Stock
/// ODE, and Webots before, keep four: docs/explanation/deviations.md#contact-geometry.
void collide_box_plane(dGeomID box, dGeomID plane, ContactList& contacts);

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
/// comes to rest: docs/explanation/deviations.md#contact-geometry. The plane: normal·x = offset.
RimPoints rim_points_below(const CylinderAt& cylinder, const Vec3& normal, double offset);

void collide_cylinder_plane(dGeomID cylinder, dGeomID plane, ContactList& contacts);

/// Cylinder against capsule. Parallel: three points along the overlap. Crossing: one point with
/// half the depth. Across a cap: both ends of the overlap and its middle. Otherwise the closest
/// points of the capsule's axis and the cylinder. False if it has no answer: the capsule's axis
/// pierces the cylinder. See docs/explanation/deviations.md#contact-geometry.
bool collide_cylinder_capsule(dGeomID cylinder, dGeomID capsule, ContactList& contacts);

/// Cylinder on an ElevationGrid: the rim points of the cylinder on a plane, for the plane of each
/// triangle and where they stand over that triangle; before them the tops of the ground that are
/// inside the cylinder. docs/explanation/deviations.md#contact-geometry. The grid's geom carries a
/// GeomInfo.
void collide_cylinder_grid(dGeomID cylinder, dGeomID grid, ContactList& contacts);

}  // namespace servosim
