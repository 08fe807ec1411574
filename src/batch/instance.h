// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "batch/draw.h"
#include "servosim/simulation.h"
#include "wbt/world_file.h"

namespace servosim {

/// The values of one instance that Batch::set() and Batch::randomize() have made.
struct OwnNumbers {
  // Values by index of Parameters. NaN or a missing element means the value as loaded.
  std::vector<double> values_set;
  std::vector<double> values_drawn;  // in this episode; they take precedence over values_set
  std::vector<double> values_in_tree;
  std::shared_ptr<const wbt::WorldFile> tree;  // tree that has the values; null: the loaded one
  std::optional<SimulationState> start;        // state at the start of the batch, with this tree

  std::vector<double> noise;  // standard deviation by column of the observations; may be empty
  std::uint32_t delay = 0;    // delay of actions [steps of the batch]
  std::vector<double> past_actions;  // delay + 1 rows
  std::uint64_t bound_at = 0;        // number of the first step whose actions are in past_actions
};

/// One instance of a batch: its simulation and what its episode has drawn.
struct BatchInstance {
  /// Null until it is needed. It has no meaning while the instance is in a lane.
  std::unique_ptr<Simulation> simulation;
  /// Whether the simulation has not begun this episode, which began in a lane.
  bool is_behind = false;
  std::uint64_t seed = 0;
  std::uint64_t episode = 0;        // counted since the instance has this seed
  std::uint64_t steps = 0;          // steps of the batch in this episode
  std::exception_ptr error;         // why it has failed
  std::unique_ptr<OwnNumbers> own;  // null in most instances, which have no values of their own

  OwnNumbers& made_own() {
    if (own == nullptr) {
      own = std::make_unique<OwnNumbers>();
    }
    return *own;
  }
  Draw draw() const { return {seed, episode}; }
  bool has_noise() const { return own != nullptr && !own->noise.empty(); }
};

}  // namespace servosim
