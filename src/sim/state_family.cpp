// SPDX-License-Identifier: Apache-2.0
#include "sim/state_family.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>

#include "base/state_archive.h"

namespace servosim {

namespace {

// The bytes of a state begin with this header. The Solids that Solid::set_pose() has moved and the
// block follow.
struct BytesHeader {
  std::array<char, 8> mark;
  std::uint64_t sum;  // XXH3 of everything that follows this number
  std::uint64_t tree;
  std::uint64_t size;    // the number of bytes after the header
  std::uint64_t placed;  // the number of Solids
};
constexpr std::array<char, 8> kStateMark{'s', 'v', 's', 't', 'a', 't', 'e', '2'};
constexpr std::size_t kBeginSummed = offsetof(BytesHeader, tree);

struct PlacedSolid {
  std::int64_t solid;
  Pose place;
};

// These keep the block aligned for StateReader if the bytes are.
static_assert(sizeof(BytesHeader) % kStateAlignment == 0);
static_assert(sizeof(PlacedSolid) % kStateAlignment == 0);

std::uint64_t checksum(std::span<const std::byte> bytes) {
  const auto summed = bytes.subspan(kBeginSummed);
  return XXH3_64bits(summed.data(), summed.size());
}

}  // namespace

void StateFamily::check(const SimulationState& state) const {
  if (state.family_.get() != this) {
    throw std::invalid_argument(
        "this state was saved by another simulation; only a clone shares states with the original");
  }
}

std::uint64_t StateFamily::number_of(const SimulationState& state) {
  const std::lock_guard lock(mutex_);
  for (const KnownTree& tree : trees_) {
    if (tree.file == state.file_ && tree.scene == state.scene_) {
      return tree.number;
    }
  }
  std::random_device random;
  const std::uint64_t number = (std::uint64_t{random()} << 32) | random();
  trees_.push_back({number, state.file_, state.scene_});
  return number;
}

std::vector<std::byte> StateFamily::bytes_of(const SimulationState& state,
                                             const std::function<void(StateWriter&)>& write) {
  StateBlock bytes(last_size_.load(std::memory_order_relaxed));
  {
    StateWriter out(bytes);
    out.put(BytesHeader{});
    for (const auto& [solid, place] : state.placed_) {
      out.put(PlacedSolid{solid, place});
    }
    write(out);
  }
  last_size_.store(bytes.size(), std::memory_order_relaxed);
  BytesHeader header{kStateMark, 0, number_of(state), bytes.size() - sizeof(BytesHeader),
                     state.placed_.size()};
  std::memcpy(bytes.data(), &header, sizeof header);
  header.sum = checksum(bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

StateFamily::StateInBytes StateFamily::find_in(std::span<const std::byte> bytes) {
  BytesHeader header{};
  if (bytes.size() < sizeof header ||
      (std::memcpy(&header, bytes.data(), sizeof header), header.mark != kStateMark)) {
    throw std::invalid_argument("these bytes are no state of a simulation");
  }
  auto rest = bytes.subspan(sizeof header);
  if (rest.size() != header.size || checksum(bytes) != header.sum ||
      header.placed > rest.size() / sizeof(PlacedSolid)) {
    throw std::invalid_argument("this state is damaged: it is cut off, or bytes have changed");
  }
  const std::lock_guard lock(mutex_);
  const auto tree = std::find_if(trees_.begin(), trees_.end(), [&header](const KnownTree& known) {
    return known.number == header.tree;
  });
  if (tree == trees_.end()) {
    throw std::invalid_argument(
        "this state was saved by another simulation or another process; only a clone shares "
        "states with the original");
  }
  SimulationState state;
  state.family_ = shared_from_this();
  state.file_ = tree->file;
  state.scene_ = tree->scene;
  for (std::uint64_t i = 0; i < header.placed; ++i) {
    PlacedSolid placed;
    std::memcpy(&placed, rest.data(), sizeof placed);
    rest = rest.subspan(sizeof placed);
    state.placed_.emplace(static_cast<int>(placed.solid), placed.place);
  }
  if (reinterpret_cast<std::uintptr_t>(rest.data()) % kStateAlignment != 0) {
    state.block_.assign(rest.begin(), rest.end());
    rest = state.block_;
  }
  return {std::move(state), rest};
}

SimulationState StateFamily::state_of(std::span<const std::byte> bytes) {
  StateInBytes found = find_in(bytes);
  if (found.state.block_.empty()) {
    found.state.block_.assign(found.block.begin(), found.block.end());
  }
  return std::move(found.state);
}

}  // namespace servosim
