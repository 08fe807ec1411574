// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "physics/rows/row.h"
#include "physics/rows/spatial.h"
#include "servosim/math.h"

namespace servosim {

/// A direction in which a body moves against its parent: along a unit vector, or about it.
struct Direction {
  Vec3 axis;
  bool turns = true;
};

inline double part_along(const Direction& d, const SpatialVector& v) {
  return dot(d.axis, d.turns ? v.angular : v.linear);
}

inline SpatialVector operator*(double s, const Direction& d) {
  return d.turns ? SpatialVector{{}, s * d.axis} : SpatialVector{s * d.axis, {}};
}

/// A ball near the pose where two of its axes fall together has rows in this many directions.
inline constexpr std::size_t kMaxRowDirections = 4;
/// A ball has this many: motor, stops and spring of each axis.
inline constexpr std::size_t kMaxRowsOfAxes = 9;

/// The rows of a joint with more than one axis, and the directions in which they act.
class AxesRows {
 public:
  struct OfDirection : AxisRow {
    std::uint8_t direction = 0;  ///< index
  };

  void clear() { directions_ = rows_ = 0; }
  /// @returns its index
  std::size_t add(const Direction& direction) {
    SERVOSIM_ASSERT(directions_ < all_directions_.size(), "{} directions", directions_);
    // Number by number: a copy of bytes would have to wait until the numbers are stored.
    Direction& to = all_directions_[directions_];
    to.axis.x = direction.axis.x;
    to.axis.y = direction.axis.y;
    to.axis.z = direction.axis.z;
    to.turns = direction.turns;
    return directions_++;
  }
  /// A row that was there in the last step keeps its states.
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
  const Direction& direction_of(const OfDirection& row) const {
    return all_directions_[row.direction];
  }
  OfDirection* begin() { return all_rows_.data(); }
  OfDirection* end() { return all_rows_.data() + rows_; }
  const OfDirection* begin() const { return all_rows_.data(); }
  const OfDirection* end() const { return all_rows_.data() + rows_; }

 private:
  std::array<Direction, kMaxRowDirections> all_directions_;
  std::array<OfDirection, kMaxRowsOfAxes> all_rows_;
  std::size_t directions_ = 0;
  std::size_t rows_ = 0;
};

}  // namespace servosim
