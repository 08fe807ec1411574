// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <span>

#include "servosim/math.h"

namespace servosim {

/// Contact points of one pair of geoms on their way into a buffer; what does not fit is dropped.
class ContactList {
 public:
  ContactList(dGeomID first, dGeomID second, std::span<dContactGeom> room)
      : first_(first), second_(second), room_(room) {}

  /// `normal` points into the first geom.
  void add(const Vec3& point, const Vec3& normal, double depth) {
    if (count_ == static_cast<int>(room_.size())) {
      return;
    }
    dContactGeom& contact = room_[count_++];
    contact = {};
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
  static void write(const Vec3& v, dReal* out) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
  }

  dGeomID first_;
  dGeomID second_;
  std::span<dContactGeom> room_;
  int count_ = 0;
};

}  // namespace servosim
