// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/assert.h"

namespace servosim {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A row on the axis of a joint: it puts a force λ within [low, high] on the child, along +axis,
/// such that rate + softness·λ = target wherever λ is not at a bound. Rates are per step: those of
/// the joint after the step [rad/s|m/s] divided by the length of the step.
struct AxisRow {
  /// Whose row it is in ODE.
  enum class Owner : std::uint8_t { Joint, Soft, FarStops, Backlash };
  enum class State : std::int8_t { AtLow = -1, Inside = 0, AtHigh = 1 };

  double softness = 0.0;  ///< >= 0: CFM / h
  double target = 0.0;
  double low = 0.0;
  double high = 0.0;
  Owner owner = Owner::Joint;
  State state = State::Inside;  ///< the solver starts from it, and sets it
  double force = 0.0;           ///< result: λ [N·m|N]
  double rate = 0.0;            ///< result

  bool is_bounded() const { return low > -kInfinity || high < kInfinity; }
};

/// The most of an axis.
inline constexpr std::size_t kMaxAxisRows = 5;

/// The rows on one axis: motor or stop, spring, far stops, and the two sides of a backlash.
class AxisRows {
 public:
  void clear() { count_ = 0; }
  /// A row that was there in the last step keeps its state.
  void add(AxisRow::Owner owner, double softness, double target, double low, double high) {
    SERVOSIM_ASSERT(count_ < rows_.size(), "{} rows", count_);
    AxisRow& row = rows_[count_++];
    if (row.owner != owner) {
      row.state = AxisRow::State::Inside;
    }
    row.owner = owner;
    row.softness = softness;
    row.target = target;
    row.low = low;
    row.high = high;
  }

  /// Only for rows that were added last.
  void remove_last() { --count_; }

  bool empty() const { return count_ == 0; }
  AxisRow* begin() { return rows_.data(); }
  AxisRow* end() { return rows_.data() + count_; }
  const AxisRow* begin() const { return rows_.data(); }
  const AxisRow* end() const { return rows_.data() + count_; }

 private:
  std::array<AxisRow, kMaxAxisRows> rows_;
  std::size_t count_ = 0;
};

}  // namespace servosim
