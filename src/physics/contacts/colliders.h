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
  /// `room` is the buffer and must outlive the list; it may be empty. `first` is the geom into
  /// which the normals point.
  ContactList(dGeomID first, dGeomID second, std::span<dContactGeom> room)
      : first_(first), second_(second), room_(room) {}

  /// Adds a point. `normal` is a unit vector in the world and points into the first geom; `depth`
  /// is positive if the geoms overlap [m]. A point that is deeper than the shallowest one of a full
  /// list replaces it; any other point is not added to a full list.
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
  /// Returns the points of the list, in the order in which they were found.
  std::span<dContactGeom> points() const { return room_.first(count_); }

 private:
  // Makes room in a full list for a point of `depth` [m]: the shallowest point is removed, and the
  // others keep their order. Returns false and removes nothing if no point is shallower than
  // `depth`. The index of the shallowest point is known until the list changes, so a point that
  // does not fit costs one comparison.
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
  // Writes a vector in ODE's format, which has a fourth number as padding.
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
///
/// Threads: collide() may run for different worlds at the same time; a mutex protects meshes, whose
/// caches ODE shares.
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
/// the first normal and the larger depth are kept. Returns the number of remaining points; they are
/// at the front of `points`, in their order.
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

/// Describes a cylinder. Its axis is the z axis of `pose`, and its centre is the origin of `pose`.
struct CylinderAt {
  Pose pose;
  double radius;  ///< [m]
  double length;  ///< [m]
};

/// Returns the cylinder of a geom, whose class must be dCylinderClass, in the world's frame.
CylinderAt cylinder_of(dGeomID geom);

/// Holds the points on the rims of a cylinder that are below a plane, at most four of each cap.
struct RimPoints {
  struct Point {
    Vec3 position;  ///< point in the frame in which the cylinder is given [m]
    double depth;   ///< distance below the plane [m], always positive
  };
  std::array<Point, 8> points;
  int count = 0;
};

/// Finds rim points below the plane normal·x = offset by the rule of Webots: up to four per cap if
/// the cylinder is within 18.4° of upright, else the deepest one of each cap. `normal` is a unit
/// vector in the frame of `cylinder`. Stock ODE keeps one point per cap from 0.45 mrad on, so that
/// a can never comes to rest: docs/explanation/deviations.md#contact-geometry.
RimPoints rim_points_below(const CylinderAt& cylinder, const Vec3& normal, double offset);

/// Finds the contacts of a cylinder with a plane by rim_points_below(). The normals are that of the
/// plane, so they point into the cylinder.
void collide_cylinder_plane(dGeomID cylinder, dGeomID plane, ContactList& contacts);

/// Finds the contacts of a cylinder with a capsule. If their axes are parallel, there are three
/// points along the overlap. If the axes cross, there is one point with half of the depth. If the
/// capsule lies across a cap, the points are both ends of the overlap and its middle. In all other
/// cases the contact is at the closest points of the capsule's axis and the cylinder. Returns false
/// if the capsule's axis pierces the cylinder, for which there is no rule. See
/// docs/explanation/deviations.md#contact-geometry.
bool collide_cylinder_capsule(dGeomID cylinder, dGeomID capsule, ContactList& contacts);

/// Finds the contacts of a cylinder with an ElevationGrid: first the tops of the ground that are
/// inside the cylinder, then for each triangle the rim points below its plane that are over the
/// triangle. The normals point upwards, into the cylinder. The grid's geom must have a GeomInfo.
/// See docs/explanation/deviations.md#contact-geometry.
void collide_cylinder_grid(dGeomID cylinder, dGeomID grid, ContactList& contacts);

}  // namespace servosim
