// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "servosim/simulation.h"

namespace servosim {

/// A simulation and its clones, which may exchange states, also as bytes: a state refers to its
/// tree, which the family keeps for the bytes. Several threads may use it at once.
class StateFamily : public std::enable_shared_from_this<StateFamily> {
 public:
  /// The present state of a member.
  std::vector<std::byte> bytes_of(const SimulationCore& core);
  /// @throws std::invalid_argument for bytes that no member of this family has made in this
  /// process, or that are damaged
  SimulationState state_of(std::span<const std::byte> bytes);
  struct StateInBytes {
    SimulationState state;
    std::span<const std::byte> block;  ///< in the bytes, or in `state`
  };
  /// The same without a copy of the block, which stays where it is in the bytes; only if
  /// StateReader cannot read it there, it is in the state. The bytes must stay, unchanged, until
  /// the block has been restored.
  StateInBytes find_in(std::span<const std::byte> bytes);

 private:
  struct KnownTree {
    std::uint64_t number;  // random: a forked process must not take another's for its own
    std::shared_ptr<const wbt::WorldFile> file;
    std::shared_ptr<const Scene> scene;
  };

  std::uint64_t number_of(const SimulationCore& core);

  std::atomic<std::size_t> last_size_ = 0;  // of bytes_of(): the next one is about as long
  std::mutex mutex_;
  std::vector<KnownTree> trees_;  // of all states that were given away as bytes
};

}  // namespace servosim
