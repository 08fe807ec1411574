// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "servosim/simulation.h"

namespace servosim {

class StateWriter;

/// A simulation and its clones, which may exchange states, also as bytes. A state refers to its
/// tree; the family keeps the trees of states that were given away as bytes.
///
/// Threads: several may use it at once.
class StateFamily : public std::enable_shared_from_this<StateFamily> {
 public:
  /// @throws std::invalid_argument for a state of another family
  void check(const SimulationState& state) const;
  /// Returns the present state of a member as bytes.
  /// @param state  the state without its block
  /// @param write  writes the block
  std::vector<std::byte> bytes_of(const SimulationState& state,
                                  const std::function<void(StateWriter&)>& write);
  /// Returns the state in bytes of bytes_of().
  /// @throws std::invalid_argument for bytes that no member of this family has made in this
  ///   process, or that are damaged
  SimulationState state_of(std::span<const std::byte> bytes);
  struct StateInBytes {
    SimulationState state;
    std::span<const std::byte> block;  ///< in the bytes, or in `state`
  };
  /// As state_of(), but without a copy of the block: the result refers to the block in the bytes,
  /// which must exist unchanged until the block has been restored. If the block is not aligned for
  /// StateReader, it is copied into the state.
  /// @throws std::invalid_argument as state_of()
  StateInBytes find_in(std::span<const std::byte> bytes);

 private:
  struct KnownTree {
    std::uint64_t number;  // random, so that a forked process does not accept another one's states
    std::shared_ptr<const wbt::WorldFile> file;
    std::shared_ptr<const Scene> scene;
  };

  std::uint64_t number_of(const SimulationState& state);

  std::atomic<std::size_t> last_size_ = 0;  // of the last bytes_of(), for reserving memory
  std::mutex mutex_;
  std::vector<KnownTree> trees_;  // the trees of all states that were given away as bytes
};

}  // namespace servosim
