// SPDX-License-Identifier: Apache-2.0
// Steps of equal trees in the coordinates of their joints, side by side. One source for each set of
// instructions includes it, and defines SERVOSIM_LANES. All names belong to that source alone: see
// one_round.h.
#pragma once

// clang-format off
#include "physics/tree/lane_vector.h"  // before the templates that use it
// clang-format on
#include <cstddef>
#include <vector>

#include "physics/coordinates/link_step.h"
#include "physics/rows/axis_laws.h"
#include "physics/tree/joint_lanes.h"
#include "physics/tree/row_states.h"

// The rows of an axis, and what follows from their states, are those of TreeCoordinates: fold(),
// distribute() and breaks_bounds() of row_states.h, for all lanes at once. A row that a lane does
// not have takes no part in it. Rounds are repeated until no row of any lane breaks its bounds;
// lanes that have settled find the same bits again.

namespace servosim {

namespace {

[[gnu::always_inline]] inline Lanes lanes_at(const double* numbers) {
  Lanes lanes;
  __builtin_memcpy(&lanes, numbers, sizeof lanes);
  return lanes;
}
[[gnu::always_inline]] inline void store_lanes(const Lanes& lanes, double* numbers) {
  __builtin_memcpy(numbers, &lanes, sizeof lanes);
}

// TreeCoordinates changes the states of all rows that break their bounds in this many rounds. Later
// it may change them one by one, which lanes do not do.
constexpr int kRoundsOfLanes = kRoundsWithoutGain + 1;

// A row of an axis in all lanes: see Row.
struct LaneRow {
  Lanes softness{};
  Lanes target{};
  Lanes low{};
  Lanes high{};
  LaneMask exists{};
  LaneMask at_low{};
  LaneMask at_high{};
  LaneMask is_stiffest{};  // of the rows of the lane that are inside their bounds
  Lanes force{};

  LaneMask inside() const { return exists & ~at_low & ~at_high; }
  Lanes force_at_bound() const { return choose(at_low, low, high); }
};

class JointLaneStep {
 public:
  JointLaneStep(const JointLaneTree& tree, const StepSettings& settings)
      : tree_(tree), settings_(settings), step_(tree.links), axes_(tree.axes.size()) {}

  void step(const JointLaneDemand* demands, double* positions, double* rates, bool* settled) {
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      step_.positions[a] = lanes_at(positions + a * kLanes) - tree_.axes[a].offset;
      step_.rates[a] = lanes_at(rates + a * kLanes);
      set_rows(tree_.axes[a], demands[a], step_.rates[a], axes_[a]);
    }
    unsettled_ = LaneMask{};
    const StepRule rule{settings_.h, 1};
    step_.solve(rule, in_lanes(settings_.gravity), *this);
    step_.take(rule);
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      store_lanes(step_.positions[a] + tree_.axes[a].offset, positions + a * kLanes);
      store_lanes(step_.rates[a], rates + a * kLanes);
    }
    for (std::size_t l = 0; l < kLanes; ++l) {
      settled[l] = unsettled_[l] == 0;
    }
  }

  // See LinkKernel::solve(). The sums are in the order of fold().
  LaneMask fold(std::size_t rate, const Lanes& /*inertia*/, FoldedRows<Lanes>& folded) {
    Axis& axis = axes_[rate];
    LaneMask any_inside{};
    LaneMask several{};
    for (std::size_t i = 0; i < axis.count; ++i) {
      LaneRow& row = axis.rows[i];
      const LaneMask inside = row.inside();
      const LaneMask stiffer = inside & (~any_inside | (row.softness < folded.softness));
      folded.softness = choose(stiffer, row.softness, folded.softness);
      folded.target = choose(stiffer, row.target, folded.target);
      for (std::size_t k = 0; k < i; ++k) {
        axis.rows[k].is_stiffest &= ~stiffer;
      }
      row.is_stiffest = stiffer;
      several |= any_inside & inside;
      any_inside |= inside;
      folded.force =
          choose(row.exists & ~inside, folded.force + row.force_at_bound(), folded.force);
    }
    several &= folded.softness > 0.0;
    if (any_holds(several)) {
      Lanes stiffness{};
      Lanes pull{};
      for (std::size_t i = 0; i < axis.count; ++i) {
        const LaneRow& row = axis.rows[i];
        const LaneMask inside = row.inside();
        stiffness = choose(inside, stiffness + 1.0 / row.softness, stiffness);
        pull = choose(inside, pull + row.target / row.softness, pull);
      }
      folded.softness = choose(several, 1.0 / stiffness, folded.softness);
      folded.target = choose(several, pull / stiffness, folded.target);
    }
    folded.force = folded.force + axis.direct;
    return any_inside;
  }

  // See LinkStep::solve().
  bool settle(const LinkKernel<LaneVec3>& kernel, int round) {
    LaneMask broken{};
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      if (axes_[a].any_bounded) {
        broken |= settle_axis(kernel, a);
      }
    }
    if (!any_holds(broken)) {
      return false;
    }
    if (round + 1 < kRoundsOfLanes) {
      return true;
    }
    unsettled_ = broken;
    return false;
  }

 private:
  // The rows come in the order of TreeJoint: motor, spring, stop.
  static constexpr std::size_t kMostRows = 3;
  struct Axis {
    LaneRow rows[kMostRows];
    std::size_t count = 0;
    bool any_bounded = false;
    Lanes direct{};
  };

  static LaneVec3 in_lanes(const Vec3& v) { return {Lanes{} + v.x, Lanes{} + v.y, Lanes{} + v.z}; }

  void set_rows(const JointLaneAxis& of, const JointLaneDemand& demand, const Lanes& rate,
                Axis& axis) const {
    axis.count = 0;
    axis.any_bounded = demand.any_motor || demand.any_stop;
    axis.direct = within(-kMaxForce, kMaxForce, lanes_at(demand.force));
    const auto add = [&axis](const LaneMask& exists) -> LaneRow& {
      LaneRow& row = axis.rows[axis.count++];
      row.exists = exists;
      row.at_low = row.at_high = LaneMask{};
      return row;
    };
    if (demand.any_motor) {
      const Lanes max_force = lanes_at(demand.max_force);
      LaneRow& row = add(max_force > 0.0);
      const MotorTermsOf<Lanes> motor =
          motor_terms(lanes_at(demand.velocity), max_force, lanes_at(demand.softness), settings_);
      row.softness = motor.softness;
      row.target = motor.target;
      row.low = -motor.bound;
      row.high = motor.bound;
    }
    if (of.spring.active) {
      LaneRow& row = add(~LaneMask{});
      row.softness = Lanes{} + of.spring.cfm * settings_.per_step;
      row.target = of.spring.velocity(lanes_at(demand.from_rest), rate) * settings_.per_step;
    }
    if (demand.any_stop) {
      LaneRow& row = add(lanes_at(demand.is_at_stop) > 0.0);
      row.softness = Lanes{} + of.stops.cfm * settings_.per_step;
      row.target = lanes_at(demand.stop_target);
      row.low = lanes_at(demand.stop_low);
      row.high = lanes_at(demand.stop_high);
    }
    if (of.spring.active) {  // without bounds
      axis.rows[demand.any_motor ? 1 : 0].low = Lanes{} - kInfinity;
      axis.rows[demand.any_motor ? 1 : 0].high = Lanes{} + kInfinity;
    }
  }

  // Sets the forces of the rows of an axis, and the states of those that break their bounds.
  // Returns in which lanes some do.
  LaneMask settle_axis(const LinkKernel<LaneVec3>& kernel, std::size_t a) {
    Axis& axis = axes_[a];
    const Lanes& inertia = kernel.state(a).along_axis;
    const Lanes rate = kernel.accelerations()[a] + step_.rates[a] * settings_.per_step;
    Lanes remainder = kernel.force_of_rows(a) - axis.direct;
    for (std::size_t i = 0; i < axis.count; ++i) {
      LaneRow& row = axis.rows[i];
      row.force = choose(row.inside(), (row.target - rate) / row.softness, row.force_at_bound());
      remainder = choose(row.exists & ~row.is_stiffest, remainder - row.force, remainder);
    }
    LaneMask broken{};
    for (std::size_t i = 0; i < axis.count; ++i) {
      LaneRow& row = axis.rows[i];
      row.force = choose(row.is_stiffest, remainder, row.force);
      const LaneMask inside = row.inside();
      const Lanes of_force = kTolerance * size_of_force(row.force, inertia);
      const Lanes of_rate = kTolerance * size_of_rate(row.target, rate);
      const LaneMask too_low = inside & (row.force < row.low - of_force);
      const LaneMask too_high = inside & ~too_low & (row.force > row.high + of_force);
      const Lanes residual = rate + row.softness * row.force - row.target;
      const LaneMask leaves_low = row.exists & row.at_low & (residual < -of_rate);
      const LaneMask leaves_high = row.exists & row.at_high & (residual > of_rate);
      row.at_low = (row.at_low & ~leaves_low) | too_low;
      row.at_high = (row.at_high & ~leaves_high) | too_high;
      broken |= too_low | too_high | leaves_low | leaves_high;
    }
    return broken;
  }

  const JointLaneTree& tree_;
  const StepSettings& settings_;
  LinkStep<LaneVec3> step_;
  std::vector<Axis> axes_;
  LaneMask unsettled_{};
};

// The sources for the sets of instructions export this under their own names.
constexpr JointLaneKernel kTheseJointLanes{
    kLanes,
    [](const JointLaneTree& tree, const StepSettings& settings) -> void* {
      return new JointLaneStep(tree, settings);
    },
    [](void* made) { delete static_cast<JointLaneStep*>(made); },
    [](void* made, const JointLaneDemand* demands, double* positions, double* rates,
       bool* settled) {
      static_cast<JointLaneStep*>(made)->step(demands, positions, rates, settled);
    }};

}  // namespace

}  // namespace servosim
