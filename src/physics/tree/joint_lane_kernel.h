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

#include "physics/coordinates/link_balance.h"
#include "physics/coordinates/link_step.h"
#include "physics/rows/axis_laws.h"
#include "physics/rows/mean_spring.h"
#include "physics/rows/motor_command.h"
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
  JointLaneStep(const JointLaneTree& tree, const JointLaneModel& model)
      : tree_(tree),
        settings_(model.settings),
        rule_{model.settings.h, model.evaluations},
        most_(model.most),
        is_midpoint_(model.has_history()),
        step_(tree.links),
        axes_(tree.axes.size()),
        start_(is_midpoint_ ? tree.axes.size() : 0),
        bodies_(is_midpoint_ ? tree.links.links().size() : 0) {
    for (std::size_t a = 0; a < tree.axes.size(); ++a) {
      if (tree.axes[a].spring.per_rate > 0.0) {
        armatures_.resize(tree.axes.size());
        armatures_[a] = tree.axes[a].spring.per_rate * model.settings.h;
      }
    }
  }

  bool step(const JointLaneDemand* demands, const JointLaneState& state, bool* settled) {
    const std::size_t n = axes_.size();
    any_bounded_ = false;
    for (std::size_t a = 0; a < n; ++a) {
      step_.positions[a] = lanes_at(state.positions + a * kLanes) - tree_.axes[a].offset;
      const Lanes rate = lanes_at(state.rates + a * kLanes);
      step_.rates[a] = rate;
      set_rows(tree_.axes[a], demands[a], lanes_at(state.positions + a * kLanes), rate, axes_[a]);
      any_bounded_ = any_bounded_ || axes_[a].any_bounded;
    }
    unsettled_ = LaneMask{};
    if (is_midpoint_) {
      begin(state);
    }
    const LaneMask has_settled = step_.solve(rule_, in_lanes(settings_.gravity), *this).has_settled;
    if (is_midpoint_) {
      unsettled_ |= ~has_settled;
      take_midpoint();
      add_history(state);
    } else {
      step_.take(rule_);
    }
    LaneMask in_range = ~LaneMask{};
    for (std::size_t a = 0; a < n; ++a) {
      const Lanes position = step_.positions[a] + tree_.axes[a].offset;
      const Lanes rate = step_.rates[a];
      in_range &= (absolute(position) <= most_) & (absolute(rate) <= most_);  // not NaN
      store_lanes(position, state.positions + a * kLanes);
      store_lanes(rate, state.rates + a * kLanes);
    }
    unsettled_ |= ~in_range;
    if (!any_holds(unsettled_)) {
      return true;
    }
    for (std::size_t l = 0; l < kLanes; ++l) {
      settled[l] = unsettled_[l] == 0;
    }
    return false;
  }

  // See LinkKernel::solve(). The sums are in the order of fold().
  LaneMask fold(std::size_t rate, const Lanes& inertia, FoldedRows<Lanes>& folded) {
    Axis& axis = axes_[rate];
    if (axis.mean_spring != nullptr) {
      const MeanSpringTermsOf<Lanes> terms =
          mean_spring_terms(tree_.axes[rate].spring, settings_.h, axis.from_rest, step_.rates[rate],
                            inertia, settings_);
      axis.mean_spring->softness = terms.softness;
      axis.mean_spring->target = terms.target;
    }
    if (axis.count == 0) {
      folded.force = folded.force + axis.direct;
      return LaneMask{};
    }
    if (!axis.any_bounded) {  // the row of a spring alone, which all lanes have
      folded.softness = axis.rows[0].softness;
      folded.target = axis.rows[0].target;
      folded.force = folded.force + axis.direct;
      return ~LaneMask{};
    }
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
    if (!any_bounded_) {
      return false;
    }
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
    unsettled_ |= broken;
    return false;
  }

 private:
  // The rows come in the order of TreeJoint: motor, spring, stop.
  static constexpr std::size_t kMostRows = 3;
  struct Axis {
    LaneRow rows[kMostRows];
    std::size_t count = 0;
    bool any_bounded = false;
    LaneRow* mean_spring = nullptr;  // the row of a spring that acts in the middle of the step
    Lanes from_rest{};
    Lanes direct{};
  };

  static LaneVec3 in_lanes(const Vec3& v) { return {Lanes{} + v.x, Lanes{} + v.y, Lanes{} + v.z}; }

  // Begins a step whose last two were of the same length: see TreeCoordinates::begin_from().
  void begin(const JointLaneState& state) {
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const Lanes last = lanes_at(state.last + a * kLanes);
      start_[a] = last + (last - lanes_at(state.before + a * kLanes));
    }
    step_.begin(start_.data());
  }

  void add_history(const JointLaneState& state) const {
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      store_lanes(lanes_at(state.last + a * kLanes), state.before + a * kLanes);
      store_lanes(step_.accelerations()[a], state.last + a * kLanes);
    }
  }

  // As TreeCoordinates::take_part(), where all that hangs on the world has no row inside.
  void take_midpoint() {
    LaneMask keeps = ~LaneMask{};
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const LaneRow* const armature =
          tree_.axes[a].spring.is_armature() ? axes_[a].mean_spring : nullptr;
      for (std::size_t i = 0; i < axes_[a].count; ++i) {
        const LaneRow& row = axes_[a].rows[i];
        if (&row != armature) {
          keeps &= ~row.inside();
        }
      }
    }
    if (!any_holds(keeps)) {
      step_.take(rule_);
      return;
    }
    const LinkBalanceOf<LaneVec3> balance{step_, bodies_, in_lanes(settings_.gravity),
                                          in_lanes(tree_.reference), armatures_};
    find_poses();
    const Lanes before = balance.energy().total();
    Lanes power = balance.power_on_bodies();
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      Lanes force = axes_[a].direct;
      for (std::size_t i = 0; i < axes_[a].count; ++i) {
        const LaneRow& row = axes_[a].rows[i];
        force = choose(row.exists & ~row.inside(), force + row.force_at_bound(), force);
      }
      power = power + force * (step_.rates[a] + 0.5 * rule_.h * step_.accelerations()[a]);
    }
    step_.take(rule_);
    find_poses();
    unsettled_ |= balance.balance_energy(before + power * rule_.h, keeps);
  }
  void find_poses() {
    LinkKernel<LaneVec3>::find_poses(tree_.links, in_lanes(tree_.reference), step_.positions.data(),
                                     step_.rates.data(), bodies_.data());
  }

  // Takes a step of a law in its lanes. Returns V there, and `other` in the others.
  Lanes follow(JointLaneLaw& law, const Lanes& position, const Lanes& other) const {
    using Numbers = detail::VelocityNumbers<Lanes>;
    const auto store = [](const Numbers& numbers, JointLaneLaw::Numbers& to) {
      store_lanes(numbers.velocity, to.velocity);
      store_lanes(numbers.integral, to.integral);
      store_lanes(numbers.previous_error, to.previous_error);
    };
    const MotorCommandOf<Lanes> command{lanes_at(law.position),
                                        lanes_at(law.velocity),
                                        lanes_at(law.acceleration),
                                        lanes_at(law.available_force),
                                        {lanes_at(law.p), lanes_at(law.i), lanes_at(law.d)}};
    const Numbers before{lanes_at(law.numbers.velocity), lanes_at(law.numbers.integral),
                         lanes_at(law.numbers.previous_error)};
    const LaneMask holds = lanes_at(law.holds) > 0.0;
    Numbers next = before;
    command.follow(position, settings_.h, next);
    const Lanes velocity = choose(holds, next.velocity, other);
    next.velocity = choose(holds, next.velocity, before.velocity);
    next.integral = choose(holds, next.integral, before.integral);
    next.previous_error = choose(holds, next.previous_error, before.previous_error);
    store(before, law.before);
    store(next, law.numbers);
    return velocity;
  }

  void set_rows(const JointLaneAxis& of, const JointLaneDemand& demand, const Lanes& position,
                const Lanes& rate, Axis& axis) const {
    axis.count = 0;
    axis.mean_spring = nullptr;
    const bool any_motor = demand.motor->any_row;
    axis.any_bounded = any_motor || demand.any_stop;
    axis.direct = within(-kMaxForce, kMaxForce, lanes_at(demand.motor->force));
    const auto add = [&axis](const LaneMask& exists) -> LaneRow& {
      LaneRow& row = axis.rows[axis.count++];
      row.exists = exists;
      row.at_low = row.at_high = LaneMask{};
      return row;
    };
    Lanes velocity = lanes_at(demand.motor->velocity);
    if (demand.law != nullptr) {
      velocity = follow(*demand.law, position, velocity);
    }
    if (any_motor) {
      const Lanes max_force = lanes_at(demand.motor->max_force);
      LaneRow& row = add(max_force > 0.0);
      const MotorTermsOf<Lanes> motor =
          motor_terms(velocity, max_force, lanes_at(demand.motor->softness), settings_);
      row.softness = motor.softness;
      row.target = motor.target;
      row.low = -motor.bound;
      row.high = motor.bound;
    }
    if (of.spring.active) {
      LaneRow& row = add(~LaneMask{});
      const Lanes from_rest =
          of.spring.counts_turns ? position - of.spring.rest : lanes_at(demand.from_rest);
      if (is_midpoint_) {
        axis.mean_spring = &row;
        axis.from_rest = from_rest;
      } else {
        row.softness = Lanes{} + of.spring.cfm * settings_.per_step;
        row.target = of.spring.velocity(from_rest, rate) * settings_.per_step;
      }
    }
    if (demand.any_stop) {
      LaneRow& row = add(lanes_at(demand.is_at_stop) > 0.0);
      row.softness = Lanes{} + of.stops.cfm * settings_.per_step;
      row.target = lanes_at(demand.stop_target);
      row.low = lanes_at(demand.stop_low);
      row.high = lanes_at(demand.stop_high);
    }
    if (of.spring.active) {  // without bounds
      axis.rows[any_motor ? 1 : 0].low = Lanes{} - kInfinity;
      axis.rows[any_motor ? 1 : 0].high = Lanes{} + kInfinity;
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
  StepRule rule_;
  double most_;
  bool is_midpoint_;
  LinkStep<LaneVec3> step_;
  std::vector<Axis> axes_;
  std::vector<Lanes> start_;
  std::vector<MovedBodyOf<LaneVec3>> bodies_;
  std::vector<double> armatures_;  // by axis; empty without any
  bool any_bounded_ = false;       // the row of some axis
  LaneMask unsettled_{};
};

// The sources for the sets of instructions export this under their own names.
constexpr JointLaneKernel kTheseJointLanes{
    kLanes,
    [](const JointLaneTree& tree, const JointLaneModel& model) -> void* {
      return new JointLaneStep(tree, model);
    },
    [](void* made) { delete static_cast<JointLaneStep*>(made); },
    [](void* made, const JointLaneDemand* demands, const JointLaneState& state, bool* settled) {
      return static_cast<JointLaneStep*>(made)->step(demands, state, settled);
    }};

}  // namespace

}  // namespace servosim
