// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batch/columns.h"
#include "physics/lane_set.h"
#include "sim/lane_group.h"

namespace servosim {

/// The instances of a batch that are in lanes. Instance i has lane i % lanes() of group i /
/// lanes().
///
/// Threads: one for each group.
class LaneInstances {
 public:
  /// @param world  the world of the batch, which does not change
  /// @param notices  gets what motors in lanes report, from any thread
  LaneInstances(Simulation& world, std::size_t count, const Notices& notices);

  /// The number of lanes of a group; 1 if lanes cannot have the world.
  std::size_t lanes() const { return world_ != nullptr ? mask_ + 1 : 1; }
  /// Why no instance can be in a lane; empty if some can.
  const std::string& refusal() const { return world_ == nullptr ? refusal_ : column_refusal_; }
  /// Returns whether instances may stay in lanes with these columns.
  bool suits(const Columns& columns) const {
    return world_ != nullptr && refusal_of(columns).empty();
  }
  /// Chooses the columns. If they do not suit, no instance may be in a lane.
  void bind(const Columns& columns);
  /// Sets the state in which begin() puts instances: that of a simulation, if it can be in a lane.
  void set_start(const Simulation& simulation);

  bool has(std::size_t i) const { return is_in_[i] != 0; }
  /// Returns whether instance i is the first of a group of several lanes.
  bool begins_group(std::size_t i) const { return mask_ > 0 && lane_of(i) == 0; }
  /// Returns whether the group that begins with instance i is full, of instances with no
  /// numbers of their own.
  bool is_uniform(std::size_t i) const { return uniform_[i >> shift_] == mask_ + 1; }
  /// Counts a step of the batch of such a group.
  void count_step(std::size_t i) { ++steps_[i >> shift_]; }
  /// Returns how many of these steps an instance has taken.
  std::uint64_t counted_steps(std::size_t i) const { return steps_[i >> shift_] - begin_[i]; }
  /// Returns whether instances can begin() in their lanes.
  bool can_begin() const { return start_ && column_refusal_.empty(); }
  /// Puts an instance with the parameters of the world into its lane, in the state of set_start().
  /// @param has_own  whether the instance has numbers of its own
  /// @returns false if it cannot begin there
  bool begin(std::size_t i, bool has_own);
  /// These are LaneGroup's; take() and drop() do nothing where they have nothing to do.
  /// @param has_own  whether the instance has numbers of its own
  void take(std::size_t i, Simulation& simulation, bool has_own);
  void give_back(std::size_t i, Simulation& simulation) {
    leave(i);
    group_of(i).give_back(lane_of(i), simulation);
  }
  void drop(std::size_t i) {
    if (has(i)) {
      leave(i);
      group_of(i).drop(lane_of(i));
    }
  }
  bool is_stuck(std::size_t i) const { return has(i) && group_of(i).is_stuck(lane_of(i)); }

  /// Makes what a thread needs for step(); null if lanes cannot have the world.
  std::unique_ptr<JointLaneSolver> make_solver() const;
  /// Takes a basic step of the instances in [first, last) that are in lanes.
  /// @returns whether some of them are stuck
  [[nodiscard]] bool step(std::size_t first, std::size_t last, JointLaneSolver& solver);
  /// Does what command() of columns.h does.
  std::uint32_t command(std::size_t i, const Columns& columns, const double* row);
  /// Does the same for all instances of the group that begins with instance i, if each command only
  /// changes one number. Their rows are `stride` numbers from each other. @returns false otherwise;
  /// then command() must follow for each of them
  template <class Number>
  bool command_group(std::size_t i, const Number* rows, std::size_t stride) {
    bool all = true;
    for (std::size_t a = 0; all && a < commanded_.size(); ++a) {
      all = group_of(i).change_all(commanded_[a].motor, commanded_[a].number, rows + a, stride);
    }
    return all;
  }
  /// Does what observe() of columns.h does.
  void observe(std::size_t i, double* row) const;
  /// Does the same for all instances of the group that begins with instance i. Their rows have
  /// `columns` numbers.
  template <class Number>
  void observe_group(std::size_t i, Number* rows, std::size_t columns) const {
    const LaneGroup& group = group_of(i);
    const double* const numbers[]{group.positions(), group.rates()};
    const std::size_t lanes = mask_ + 1;
    Number* column = rows;
    for (const Observed& observed : observed_) {
      const double* const from = numbers[observed.is_rate ? 1 : 0] + observed.first;
      Number* to = column++;
      for (std::size_t l = 0; l < lanes; l += 2) {  // their number is even
        to[0] = static_cast<Number>(from[l]);
        to[columns] = static_cast<Number>(from[l + 1]);
        to += 2 * columns;
      }
    }
    for (const std::size_t c : times_) {
      for (std::size_t l = 0; l <= mask_; ++l) {
        rows[l * columns + c] = static_cast<Number>(time(i + l));
      }
    }
  }
  /// Returns Simulation::time().
  double time(std::size_t i) const;

 private:
  struct Observed {
    bool is_rate;
    std::size_t first;  // index of the number of the first lane
  };
  struct Commanded {
    std::size_t motor;
    LaneGroup::OneNumber number;  // that the command may change alone
  };

  static constexpr std::uint8_t kUniform = 2;  // in a lane, without numbers of its own

  // Returns why no instance can be in a lane with these columns; empty if some can.
  std::string refusal_of(const Columns& columns) const;
  void take(std::size_t i, const LaneMember& member, bool has_own);
  void leave(std::size_t i) {
    uniform_[i >> shift_] -= is_in_[i] == kUniform ? 1 : 0;
    is_in_[i] = 0;
  }
  LaneGroup& group_of(std::size_t i) { return groups_[i >> shift_]; }
  const LaneGroup& group_of(std::size_t i) const { return groups_[i >> shift_]; }
  std::size_t lane_of(std::size_t i) const { return i & mask_; }

  std::string refusal_;
  std::string column_refusal_;
  LaneSet set_ = widest_lanes();
  std::shared_ptr<const LaneWorld> world_;  // null: never in lanes
  // The number of lanes of a group is 2^shift_.
  std::size_t shift_ = 0;
  std::size_t mask_ = 0;
  double step_ms_;
  std::optional<LaneMember> start_;
  std::vector<LaneGroup> groups_;
  std::vector<std::uint8_t> is_in_;   // by instance; 1: in a lane; or kUniform
  std::vector<std::uint64_t> begin_;  // by instance: steps_ of its group when it came
  std::vector<std::size_t> uniform_;  // by group: how many instances are kUniform
  std::vector<std::uint64_t> steps_;  // by group
  std::vector<Observed> observed_;    // by column of the observations; of a time without meaning
  std::vector<std::size_t> times_;    // columns of the observations
  std::vector<Commanded> commanded_;  // by column of the actions
};

}  // namespace servosim
