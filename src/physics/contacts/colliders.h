// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <algorithm>
#include <array>
#include <span>

#include "servosim/math.h"

namespace servosim {

/// Collects the contact points of one pair of geoms in a buffer, in the order in which they are
/// found. If there are more points than fit, the deepest are kept.
///
/// A contact is a point p in the world, a unit normal n that points into the first geom, and a
/// depth d ≥ 0 [m]: moved by d·n, the first geom would only just touch the second one at p. This is
/// ODE's convention (ODE manual, "Collision detection").
class ContactList {
 public:
  ContactList(dGeomID first, dGeomID second, std::span<dContactGeom> room)
      : first_(first), second_(second), room_(room) {}

  /// `normal` points into the first geom; `depth` is positive if the geoms overlap [m].
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
  /// Returns the number of points in the list.
  int count() const { return count_; }
  std::span<dContactGeom> points() const { return room_.first(count_); }

 private:
  // Makes room in a full list, unless the new point is not deeper than any in it.
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
  int shallowest_ = -1;  // index in a full list; -1 if it is not known
};

/// Finds the points at which two geoms touch: with ODE, or with rules of Webots that differ from
/// it. The rules belong to one world, so ODE's table of colliders, which the whole process shares,
/// is unchanged.
class Colliders {
 public:
  /// `all_box_corners` selects contacts of boxes with planes as in R2025a.
  explicit Colliders(bool all_box_corners = false) : all_box_corners_(all_box_corners) {}

  /// Writes at most points.size() contacts and returns their number. Normals point into `a`. The
  /// geom of an ElevationGrid must have a GeomInfo.
  int collide(dGeomID a, dGeomID b, std::span<dContactGeom> points) const;

 private:
  bool all_box_corners_;
};

/// Merges points that a thin double-sided mesh gives twice, with opposite normals. As in Webots,
/// the first normal and the larger depth are kept. Returns the number of remaining points, which
/// are at the front.
int merge_opposite(std::span<dContactGeom> points);

/// Finds the contacts of two boxes with the separating axis theorem. Of 15 axes (three normals of
/// faces per box, and the cross products of each pair of edges) the one with the least overlap is
/// the normal; if the boxes do not overlap along one of them, they do not touch (S. Gottschalk, M.
/// C. Lin and D. Manocha, "OBBTree", SIGGRAPH 1996). The contacts, their order and the preference
/// of faces over edges are those of stock ODE, which Webots shares. For boxes of nearly equal
/// orientation stock ODE finds nothing or a wrong normal, depending on rounding; this collider does
/// not: docs/explanation/deviations.md#contact-geometry.
void collide_box_box(dGeomID first, dGeomID second, ContactList& contacts);

/// Finds the contacts of a box with a plane as in Webots from R2025a on: every corner below the
/// plane, the deepest first. Stock ODE and earlier versions of Webots keep four:
/// docs/explanation/deviations.md#contact-geometry.
void collide_box_plane(dGeomID box, dGeomID plane, ContactList& contacts);

/// A cylinder, whose axis is the z axis of `pose`.
struct CylinderAt {
  Pose pose;
  double radius;
  double length;
};

/// Returns the cylinder of a geom in the world's frame.
CylinderAt cylinder_of(dGeomID geom);

/// Points on the rims of a cylinder that are below a plane.
struct RimPoints {
  struct Point {
    Vec3 position;
    double depth;
  };
  std::array<Point, 8> points;
  int count = 0;
};

/// Finds rim points below the plane normal·x = offset by the rule of Webots: up to four per cap if
/// the cylinder is within 18.4° of upright, else the deepest one. Stock ODE keeps one point per cap
/// from 0.45 mrad on, so that a can never comes to rest:
/// docs/explanation/deviations.md#contact-geometry.
RimPoints rim_points_below(const CylinderAt& cylinder, const Vec3& normal, double offset);

/// Finds the contacts of a cylinder with a plane by rim_points_below(). The normal is that of the
/// plane.
void collide_cylinder_plane(dGeomID cylinder, dGeomID plane, ContactList& contacts);

/// Finds the contacts of a cylinder with a capsule. If they are parallel, there are three points
/// along the overlap; if they cross, one point with half of the depth; if the capsule is across a
/// cap, both ends of the overlap and its middle; else the closest points of the capsule's axis and
/// the cylinder. Returns false if the capsule's axis pierces the cylinder, for which there is no
/// rule. See docs/explanation/deviations.md#contact-geometry.
bool collide_cylinder_capsule(dGeomID cylinder, dGeomID capsule, ContactList& contacts);

/// Finds the contacts of a cylinder with an ElevationGrid: first the tops of the ground that are
/// inside the cylinder, then for each triangle the rim points below its plane that are over the
/// triangle. See docs/explanation/deviations.md#contact-geometry. The grid's geom must have a
/// GeomInfo.
void collide_cylinder_grid(dGeomID cylinder, dGeomID grid, ContactList& contacts);

}  // namespace servosim
