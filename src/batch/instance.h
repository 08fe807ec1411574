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

/// What an instance has of its own, by Batch::set() and Batch::randomize().
struct OwnNumbers {
  // By number of Parameters, NaN: as loaded; those that are missing, too.
  std::vector<double> values_set;
  std::vector<double> values_drawn;  // in this episode; they take precedence
  std::vector<double> values_in_tree;
  std::shared_ptr<const wbt::WorldFile> tree;  // that has them; null: the loaded one
  std::optional<SimulationState> start;        // where the batch began, with this tree

  std::vector<double> noise;         // by column of the observations; empty: none
  std::uint32_t delay = 0;           // of actions, in steps of the batch
  std::vector<double> past_actions;  // delay + 1 rows
  std::uint64_t bound_at = 0;        // the first of the steps whose actions are there
};

/// One instance of a batch: its simulation, and what its episode has drawn.
struct BatchInstance {
  explicit BatchInstance(Simulation the_simulation) : simulation(std::move(the_simulation)) {}

  Simulation simulation;
  std::uint64_t seed = 0;
  std::uint64_t episode = 0;        // since it has that seed
  std::uint64_t steps = 0;          // of the batch, in this episode
  std::exception_ptr error;         // why it has failed
  std::unique_ptr<OwnNumbers> own;  // null, as of most: nothing

  OwnNumbers& made_own() {
    if (own == nullptr) {
      own = std::make_unique<OwnNumbers>();
    }
    return *own;
  }
  Draw draw() const { return {seed, episode}; }
};

}  // namespace servosim
