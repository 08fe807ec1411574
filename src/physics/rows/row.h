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
// At a bound the equation becomes an inequality: a row at its low bound may be too fast, one at its
// high bound too slow. λ and the rate of a row of a joint are positive where they move the child
// along +axis. Source: the manual of Open Dynamics Engine 0.16, "Constraint Force Mixing".

namespace servosim {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What all rows of a world have in common; of worlds whose trees share lanes it is the same, bit
/// for bit.
struct StepSettings {
  double h = 0.0;  ///< length of the step [s]
  double erp = 0.0;
  double softness = 0.0;        ///< CFM / h
  double position_gain = 0.0;   ///< ERP / h²
  double per_step = 0.0;        ///< 1 / h
  double motor_softness = 0.0;  ///< CFM · per_step: of motors' rows without softness of their own
  Vec3 gravity;                 ///< [m/s²]
};

/// What a row asks for: rate + softness·λ = target with low ≤ λ ≤ high.
struct RowTerms {
  double softness;
  double target;
  double low;
  double high;
};

/// A step is solved twice where there is friction, whose bounds are those that the first solution,
/// without friction, gives.
inline constexpr std::size_t kPhases = 2;

/// A row with its state in the solver.
struct Row {
  enum class State : std::int8_t {
    AtLow = -1,
    Inside = 0,
    AtHigh = 1,
    Idle = 2,  ///< without force, whatever the rate
  };

  double softness = 0.0;  ///< >= 0
  double target = 0.0;
  double low = 0.0;
  double high = 0.0;
  State state = State::Inside;
  std::array<State, kPhases> first_state{};  ///< from which each phase starts; the solver sets it
  double force = 0.0;                        ///< result: λ [N·m|N]
  double rate = 0.0;                         ///< result

  void set(const RowTerms& numbers) {
    SERVOSIM_ASSERT(!(numbers.softness < 0.0) && !(numbers.low > numbers.high),
                    "softness {}, force from {} to {}", numbers.softness, numbers.low,
                    numbers.high);
    softness = numbers.softness;
    target = numbers.target;
    low = numbers.low;
    high = numbers.high;
  }
  bool is_bounded() const { return low > -kInfinity || high < kInfinity; }
  /// The force of a row that is not inside its bounds.
  double force_at_bound() const {
    return state == State::AtLow ? low : state == State::AtHigh ? high : 0.0;
  }
  /// What its equation lacks: 0 where it holds.
  double residual() const { return rate + softness * force - target; }
};

/// A row on the axis of a joint: its force acts on the child, along +axis.
struct AxisRow : Row {
  /// Whose row it is; `Joint`: of the motor or of friction, or of the joint itself.
  enum class Owner : std::uint8_t { Joint, Stops, Soft, Backlash };
  Owner owner = Owner::Joint;
};

/// The most of an axis.
inline constexpr std::size_t kMaxAxisRows = 5;

/// The rows on one axis: motor, stops, spring, and the two sides of a backlash.
class AxisRows {
 public:
  void clear() { count_ = 0; }
  /// A row that was there in the last step keeps its states.
  void add(AxisRow::Owner owner, const RowTerms& numbers) {
    SERVOSIM_ASSERT(count_ < rows_.size(), "{} rows", count_);
    AxisRow& row = rows_[count_++];
    if (row.owner != owner) {
      row.first_state = {};
    }
    row.owner = owner;
    row.set(numbers);
  }

  /// The row of the joint alone, with the numbers that it last had.
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
