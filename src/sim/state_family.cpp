// SPDX-License-Identifier: Apache-2.0
#include "sim/state_family.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>

#include "base/state_archive.h"

namespace servosim {

namespace {

// What the bytes of a state begin with; then come the Solids that were put elsewhere and the block.
struct BytesHeader {
  std::array<char, 8> mark;
  std::uint64_t tree;
  std::uint64_t size;    // of all that follows the header
  std::uint64_t placed;  // how many Solids
  std::uint64_t sum;     // CRC-32 of all that follows the header
};
constexpr std::array<char, 8> kStateMark{'s', 'v', 's', 't', 'a', 't', 'e', '1'};

struct PlacedSolid {
  std::int64_t solid;
  Pose place;
};

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

}  // namespace

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

std::vector<std::byte> StateFamily::bytes_of(const SimulationState& state) {
  StateBlock bytes;
  {
    StateWriter out(bytes);
    out.put(BytesHeader{});
    for (const auto& [solid, place] : state.placed_) {
      out.put(PlacedSolid{solid, place});
    }
    out.put_array(state.block_.data(), state.block_.size());
  }
  const auto rest = std::span<const std::byte>(bytes).subspan(sizeof(BytesHeader));
  const BytesHeader header{kStateMark, number_of(state), rest.size(), state.placed_.size(),
                           checksum(rest)};
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

SimulationState StateFamily::state_of(std::span<const std::byte> bytes) {
  BytesHeader header{};
  if (bytes.size() < sizeof header ||
      (std::memcpy(&header, bytes.data(), sizeof header), header.mark != kStateMark)) {
    throw std::invalid_argument("these bytes are no state of a simulation");
  }
  auto rest = bytes.subspan(sizeof header);
  if (rest.size() != header.size || checksum(rest) != header.sum ||
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
  state.block_.assign(rest.begin(), rest.end());
  return state;
}

}  // namespace servosim
