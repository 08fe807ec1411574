// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <vector>

#include "physics/physics_world.h"

namespace servosim {

class Simulation;
class SimulationCore;

/// Simulations that take their steps together, each with the results of Simulation::step().
/// Equal trees of joints in clones are solved in the lanes of a register.
///
/// Threads: one at a time.
class StepGroup {
 public:
  /// Reserves memory for at most this many simulations.
  explicit StepGroup(std::size_t most);

  void clear() { members_.clear(); }
  /// Adds a simulation. `simulation` must outlive the steps, and its tree must not change before
  /// clear().
  void add(Simulation& simulation);
  std::size_t size() const { return members_.size(); }

  /// Takes a step of each simulation whose steps have not failed so far.
  /// @returns whether there are any
  bool step();
  /// The exception that a step of the member with this number has thrown; null if none has failed.
  const std::exception_ptr& error(std::size_t member) const { return members_[member].error; }

 private:
  struct Member {
    SimulationCore* core;
    std::exception_ptr error;
  };
  template <typename Action>
  static void attempt(Member& member, Action action);

  std::vector<Member> members_;
  // What belongs to one step, for each member that takes part.
  std::vector<Member*> stepping_;
  std::vector<PhysicsWorld*> worlds_;
  std::vector<PhysicsWorld::StepOutcome> outcomes_;
};

}  // namespace servosim
