// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/assert.h"
#include "servosim/math.h"

// A row is one constraint equation of a step. It asks for a velocity J·v⁺ after the step, and puts
// the force Jᵀ·λ on its bodies:
//
//     J·v⁺ + cfm·λ = target velocity,    low ≤ λ ≤ high
//
// Solvers divide it by the length h of the step:
//
//     rate + softness·λ = target,        rate = J·v⁺/h, softness = cfm/h
//
// At a bound the equation becomes an inequality: a row at its low bound may be too fast, and one at
// its high bound may be too slow:
//
//     λ = low:   rate + softness·λ ≥ target,        λ = high:  rate + softness·λ ≤ target
//
// λ and the rate of a row of a joint are positive where they move the child along +axis. Source:
// the manual of Open Dynamics Engine 0.16, "Constraint Force Mixing".

namespace servosim {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Holds what all rows of a world have in common. Worlds whose trees share lanes have the same
/// settings, bit for bit.
struct StepSettings {
  double h = 0.0;               ///< length of the step [s]
  double erp = 0.0;             ///< share of the error of a joint that a step corrects
  double softness = 0.0;        ///< CFM / h
  double position_gain = 0.0;   ///< ERP / h²
  double per_step = 0.0;        ///< 1 / h
  double motor_softness = 0.0;  ///< CFM · per_step, for motors without a softness of their own
  Vec3 gravity;                 ///< [m/s²]
};

/// Holds what a row asks for: rate + softness·λ = target with low ≤ λ ≤ high.
struct RowTerms {
  double softness;
  double target;
  double low;
  double high;
};

/// Holds the rows of an axis as one: those inside their bounds, and the force of those at a bound.
template <class Real>
struct FoldedRows {
  Real softness{};  ///< c_e
  Real target{};    ///< d_e
  Real force{};     ///< φ
};

/// A step with friction is solved in two phases. The first has no friction; its normal forces
/// determine the bounds of friction in the second.
inline constexpr std::size_t kPhases = 2;

/// Holds a row and its state in the solver.
struct Row {
  /// Says which equation holds.
  enum class State : std::int8_t {
    AtLow = -1,  ///< λ = low
    Inside = 0,  ///< rate + softness·λ = target
    AtHigh = 1,  ///< λ = high
    Idle = 2,    ///< λ = 0 at any rate
  };

  double softness = 0.0;  ///< >= 0
  double target = 0.0;
  double low = 0.0;  ///< <= high
  double high = 0.0;
  State state = State::Inside;
  /// The state in which each phase starts; the solver sets it.
  std::array<State, kPhases> first_state{};
  double force = 0.0;  ///< result: λ [N·m|N]
  double rate = 0.0;   ///< result: J·v⁺/h [rad/s²|m/s²]

  /// Sets the terms and keeps the states.
  void set(const RowTerms& numbers) {
    SERVOSIM_ASSERT(!(numbers.softness < 0.0) && !(numbers.low > numbers.high),
                    "softness {}, force from {} to {}", numbers.softness, numbers.low,
                    numbers.high);
    softness = numbers.softness;
    target = numbers.target;
    low = numbers.low;
    high = numbers.high;
  }
  /// Returns whether the force of the row has a limit.
  bool is_bounded() const { return low > -kInfinity || high < kInfinity; }
  /// Returns the force of a row that is not inside its bounds.
  double force_at_bound() const {
    return state == State::AtLow ? low : state == State::AtHigh ? high : 0.0;
  }
  /// Returns the error of the equation; 0 where the equation holds.
  double residual() const { return rate + softness * force - target; }
};

/// A row on the axis of a joint: λ acts on the child along +axis.
struct AxisRow : Row {
  /// Says what the row belongs to. `Joint` is the motor, friction, or the joint itself.
  enum class Owner : std::uint8_t { Joint, Stops, Soft, Backlash };
  Owner owner = Owner::Joint;
};

/// Limits the rows of an axis: four of a servo, the stops, and a spring. A motor with backlash has
/// fewer.
inline constexpr std::size_t kMaxAxisRows = 6;

/// Holds the rows on one axis. The array keeps its contents between steps: there a row finds the
/// states that it had.
class AxisRows {
 public:
  /// Must be called before the rows of a step are added.
  void clear() { count_ = 0; }
  /// Adds a row. If the row in this place had the same owner in the last step, the new one keeps
  /// its states.
  void add(AxisRow::Owner owner, const RowTerms& numbers) {
    SERVOSIM_ASSERT(count_ < rows_.size(), "{} rows", count_);
    AxisRow& row = rows_[count_++];
    if (row.owner != owner) {
      row.first_state = {};
    }
    row.owner = owner;
    row.set(numbers);
  }

  /// Makes all rows start without the states of the last step.
  void forget() {
    for (AxisRow& row : rows_) {
      row.first_state = {};
    }
  }

  /// Makes the joint's own row the only one, and returns it with the terms that it last had.
  AxisRow& of_joint() {
    AxisRow& row = rows_[0];
    if (row.owner != AxisRow::Owner::Joint) {
      row.first_state = {};
      row.owner = AxisRow::Owner::Joint;
    }
    count_ = 1;
    return row;
  }

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  AxisRow* begin() { return rows_.data(); }
  AxisRow* end() { return rows_.data() + count_; }
  const AxisRow* begin() const { return rows_.data(); }
  const AxisRow* end() const { return rows_.data() + count_; }

 private:
  std::array<AxisRow, kMaxAxisRows> rows_;
  std::size_t count_ = 0;
};

}  // namespace servosim
