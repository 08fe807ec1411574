// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
  LaneInstances(Simulation& world, std::size_t count);

  /// The number of lanes of a group; 1 if lanes cannot have the world.
  std::size_t lanes() const { return world_ != nullptr ? mask_ + 1 : 1; }
  /// Why no instance can be in a lane; empty if some can.
  const std::string& refusal() const { return world_ == nullptr ? refusal_ : column_refusal_; }
  /// Chooses the columns. No instance may be in a lane.
  void bind(const Columns& columns);

  bool has(std::size_t i) const { return is_in_[i] != 0; }
  /// These are LaneGroup's; take() and drop() do nothing where they have nothing to do.
  void take(std::size_t i, Simulation& simulation);
  void give_back(std::size_t i, Simulation& simulation) {
    is_in_[i] = 0;
    group_of(i).give_back(lane_of(i), simulation);
  }
  void drop(std::size_t i) {
    if (has(i)) {
      is_in_[i] = 0;
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
  /// Does what observe() of columns.h does.
  void observe(std::size_t i, double* row) const;
  /// Returns Simulation::time().
  double time(std::size_t i) const;

 private:
  struct Observed {
    bool is_rate;
    std::size_t first;  // index of the number of the first lane
  };

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
  std::vector<LaneGroup> groups_;
  std::vector<std::uint8_t> is_in_;  // by instance; 1: in a lane
  std::vector<Observed> observed_;   // by column of the observations; of a time without meaning
  std::vector<std::size_t> times_;   // columns of the observations
  std::vector<std::size_t> motors_;  // by column of the actions
};

}  // namespace servosim
