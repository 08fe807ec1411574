// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "physics/rows/row.h"
#include "physics/rows/spatial.h"
#include "servosim/math.h"

// The rows of a joint with several axes (a ball, a Hinge2) act along directions d_i that need not
// be perpendicular to each other. With t_c and t_p, the motions of the anchor on the child and on
// the parent, and d_i as a spatial vector, a row in direction i is
//
//     d_i·(t_c − t_p) + softness·λ = target,    low ≤ λ ≤ high
//
// Its force on the child is λ·d_i, and that on the parent is −λ·d_i. λ and the rate are positive
// where the child moves along +d_i, or turns about it by the right-hand rule. Source of the
// equation: row.h. The page docs/explanation/solver.md, "More than one free direction", says how
// the tree solver handles such rows.

namespace servosim {

/// Holds a direction in which a body moves against its parent: along a unit vector, or about it.
struct Direction {
  Vec3 axis;
  bool turns = true;  ///< whether the body turns about the axis instead of moving along it
};

/// Returns d·v: the component of a motion or a force in a direction.
inline double part_along(const Direction& d, const SpatialVector& v) {
  return dot(d.axis, d.turns ? v.angular : v.linear);
}

/// Returns s·d as a spatial vector. One half of it is 0: the linear half if the body turns.
inline SpatialVector operator*(double s, const Direction& d) {
  return d.turns ? SpatialVector{{}, s * d.axis} : SpatialVector{s * d.axis, {}};
}

/// Limits the directions of a joint. A ball has three, and a fourth near the pose where two of its
/// axes coincide.
inline constexpr std::size_t kMaxRowDirections = 4;
/// Limits the rows of a joint. A ball has the most: motor, stops and spring of each of three axes.
inline constexpr std::size_t kMaxRowsOfAxes = 9;

/// Holds the rows of a joint with more than one axis, and the directions in which they act. Rows
/// refer to directions by index, since motor and stops of an axis share one. The arrays keep their
/// contents between steps: there a row finds the states that it had.
class AxesRows {
 public:
  /// Adds to a row the direction in which it acts.
  struct OfDirection : AxisRow {
    std::uint8_t direction = 0;  ///< index of the direction
  };

  /// Must be called before the rows of a step are added.
  void clear() { directions_ = rows_ = 0; }
  /// Adds a direction.
  /// @returns its index
  std::size_t add(const Direction& direction) {
    SERVOSIM_ASSERT(directions_ < all_directions_.size(), "{} directions", directions_);
    // The members are copied one by one: a copy of all bytes waits until each of them is stored.
    Direction& to = all_directions_[directions_];
    to.axis.x = direction.axis.x;
    to.axis.y = direction.axis.y;
    to.axis.z = direction.axis.z;
    to.turns = direction.turns;
    return directions_++;
  }
  /// Adds a row in a direction that was added before. If the row in this place had the same owner
  /// and direction in the last step, the new one keeps its states.
  void add(std::size_t direction, AxisRow::Owner owner, const RowTerms& numbers) {
    SERVOSIM_ASSERT(rows_ < all_rows_.size(), "{} rows", rows_);
    SERVOSIM_ASSERT(direction < directions_, "direction {} of {}", direction, directions_);
    OfDirection& row = all_rows_[rows_++];
    if (row.owner != owner || row.direction != direction) {
      row.first_state = {};
    }
    row.owner = owner;
    row.direction = static_cast<std::uint8_t>(direction);
    row.set(numbers);
  }

  std::size_t direction_count() const { return directions_; }
  const Direction& direction(std::size_t index) const { return all_directions_[index]; }
  /// Returns the direction in which a row acts.
  const Direction& direction_of(const OfDirection& row) const {
    return all_directions_[row.direction];
  }
  OfDirection* begin() { return all_rows_.data(); }
  OfDirection* end() { return all_rows_.data() + rows_; }
  const OfDirection* begin() const { return all_rows_.data(); }
  const OfDirection* end() const { return all_rows_.data() + rows_; }

 private:
  // Only the first directions_ and the first rows_ elements belong to this step.
  std::array<Direction, kMaxRowDirections> all_directions_;
  std::array<OfDirection, kMaxRowsOfAxes> all_rows_;
  std::size_t directions_ = 0;
  std::size_t rows_ = 0;
};

}  // namespace servosim
