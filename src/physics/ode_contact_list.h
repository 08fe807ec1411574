// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <algorithm>
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
  }

  dGeomID first_;
  dGeomID second_;
  std::span<dContactGeom> room_;
  int count_ = 0;
  int shallowest_ = -1;  // place in a full list; -1: not known
};

}  // namespace servosim
