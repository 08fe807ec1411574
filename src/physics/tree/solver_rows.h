// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/assert.h"
#include "physics/tree/spatial.h"

namespace servosim {

struct TreeNode;

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

/// A step is solved twice where there is friction, whose bounds are those that the first solution,
/// without friction, gives.
inline constexpr std::size_t kPhases = 2;

/// What a row asks for, as in Row.
struct RowNumbers {
  double softness;
  double target;
  double low;
  double high;
};

/// A row puts a force λ within [low, high] on bodies, such that rate + softness·λ = target wherever
/// λ is not at a bound. Rates are per step: those after the step [rad/s|m/s] divided by the length
/// of the step.
struct Row {
  enum class State : std::int8_t {
    AtLow = -1,
    Inside = 0,
    AtHigh = 1,
    Idle = 2,  ///< without force, whatever the rate
  };

  double softness = 0.0;  ///< >= 0: CFM / h
  double target = 0.0;
  double low = 0.0;
  double high = 0.0;
  State state = State::Inside;
  std::array<State, kPhases> first_state{};  ///< from which each phase starts; the solver sets it
  double force = 0.0;                        ///< result: λ [N·m|N]
  double rate = 0.0;                         ///< result

  void set(const RowNumbers& numbers) {
    softness = numbers.softness;
    target = numbers.target;
    low = numbers.low;
    high = numbers.high;
  }
  bool is_bounded() const { return low > -kInfinity || high < kInfinity; }
  /// Of a row that is not inside its bounds.
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
  void add(AxisRow::Owner owner, const RowNumbers& numbers) {
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

/// A row on one body or two that is none of the tree's joints: of a contact, of a joint that closes
/// a loop, or of a joint with the world about an axis that stays there.
struct BodyRow : Row {
  BodyRow() {}  // not all bytes of a new one are cleared before its numbers are set

  struct End {
    End() {}
    End(TreeNode* of, const SpatialVector& acts) : node(of), jacobian(acts) {}

    TreeNode* node = nullptr;  ///< null: the world
    SpatialVector jacobian;    ///< λ·jacobian acts on the body, about the node's anchor
  };

  End ends[2];  ///< the first is a node's
  /// Of friction: its bounds are ± friction times the force of the row with this index; low and
  /// high are then results.
  int normal = -1;
  double friction = 0.0;
  double inertia = 1.0;      ///< about that which the row moves [kg|kg·m²]
  bool is_bordered = false;  // the solver's own: not part of what a node has to its parent

  bool is_part_of_inertia() const { return state == State::Inside && !is_bordered; }
};

}  // namespace servosim
