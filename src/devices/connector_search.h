// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "servosim/connector.h"
#include "servosim/math.h"

namespace servosim {

/// Finds a Connector of the world by its number, and those near a place. During a Pass it keeps
/// their places in a k-d tree, so that the time of a step is about proportional to the number of
/// Connectors, however many of them search a partner.
///
/// Invariant: `tree_` is empty, or a permutation of all numbers that is a k-d tree of `places_`:
/// the median of a range divides it along the axis of its depth.
class ConnectorSearch {
 public:
  /// Replaces the Connectors and gives each one its number by Connector::meet().
  /// @param connectors  must outlive this object or the next call
  void set(const std::vector<Connector*>& connectors);
  Connector& operator[](int number) const { return *all_[static_cast<std::size_t>(number)]; }

  /// States that no Connector moves while this object exists, except where moved() is called. There
  /// is at most one at a time.
  class Pass {
   public:
    explicit Pass(ConnectorSearch& search) : search_(search) { search_.set_still(true); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() { search_.set_still(false); }

   private:
    ConnectorSearch& search_;
  };
  /// Forgets the places, since some Connector has moved during a Pass.
  void moved() { tree_.clear(); }

  /// Returns the Connector of the lowest number for which `fits` is true; nullptr if there is none.
  /// @param place  in the world [m]
  /// @param range  the largest distance from `place` [m]; >= 0
  /// @param fits  must be false for a Connector that is farther away: it is called for
  ///   some of those too
  template <typename Fits>
  Connector* first_near(const Vec3& place, double range, const Fits& fits);

 private:
  static constexpr int kScans = 8;  // searches that cost less than building the tree

  void set_still(bool still);
  bool has_tree();
  void build(std::span<int> part, int axis);
  template <typename Visit>
  void visit_near(std::span<const int> part, int axis, const Vec3& place, double range,
                  const Visit& visit) const;
  double coordinate(int number, int axis) const;

  std::vector<Connector*> all_;
  bool still_ = false;        // during a Pass
  int scans_ = 0;             // searches without a tree since a Connector has moved
  std::vector<Vec3> places_;  // by number, when the tree was built; finite
  std::vector<int> tree_;
};

inline double component(const Vec3& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

inline double ConnectorSearch::coordinate(int number, int axis) const {
  return component(places_[static_cast<std::size_t>(number)], axis);
}

template <typename Visit>
void ConnectorSearch::visit_near(std::span<const int> part, int axis, const Vec3& place,
                                 double range, const Visit& visit) const {
  while (!part.empty()) {
    const std::size_t middle = part.size() / 2;
    visit(part[middle]);
    const double way = component(place, axis) - coordinate(part[middle], axis);
    const int next = (axis + 1) % 3;
    const auto below = part.first(middle);
    const auto above = part.subspan(middle + 1);
    if (!(way > range) && !(way < -range)) {  // true also where a place is NaN
      visit_near(below, next, place, range, visit);
    }
    part = way > range ? above : way < -range ? below : above;
    axis = next;
  }
}

template <typename Fits>
Connector* ConnectorSearch::first_near(const Vec3& place, double range, const Fits& fits) {
  constexpr int kNone = std::numeric_limits<int>::max();
  int first = kNone;
  if (has_tree()) {
    // The margin exceeds rounding errors. It may be too large, since `fits` decides.
    const double margin = 1e-9 * (1.0 + range + norm(place));
    visit_near(tree_, 0, place, range + margin, [&](int number) {
      if (number < first && fits((*this)[number])) {
        first = number;
      }
    });
  } else {
    for (int number = 0; number < static_cast<int>(all_.size()) && first == kNone; ++number) {
      first = fits((*this)[number]) ? number : kNone;
    }
  }
  return first == kNone ? nullptr : all_[static_cast<std::size_t>(first)];
}

}  // namespace servosim
