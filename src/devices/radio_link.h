// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/state_archive.h"
#include "scene/scene.h"
#include "servosim/math.h"

// Common parts of Emitter and Receiver.

namespace servosim {

/// Whether a packet of `size` bytes fits beside `count` packets of `bytes` bytes into the buffer of
/// an emitter or receiver. Each packet needs some extra memory.
bool fits_buffer(const RadioSpec& spec, std::size_t size, std::size_t count, std::size_t bytes);

/// Whether the cone of an emitter or receiver at `pose` contains `other`.
bool is_in_cone(const RadioSpec& spec, const Pose& pose, const Vec3& other);

/// The channel after an edit of the tree: that of the field if it has changed, else the one set.
inline int channel_after(int set, const RadioSpec& before, const RadioSpec& now) {
  return before.channel != now.channel ? now.channel : set;
}

// For archives over a state: each number counts as a double in the hash.

inline void add_to_hash(Fnv1a& hash, double number) { hash.add(number); }
inline void add_to_hash(Fnv1a& hash, int number) { hash.add(static_cast<double>(number)); }
inline void add_to_hash(Fnv1a& hash, std::size_t number) { hash.add(static_cast<double>(number)); }
inline void add_to_hash(Fnv1a& hash, std::byte byte) {
  const auto letter = static_cast<char>(byte);
  hash.add(std::string_view(&letter, 1));
}

/// A list, each item by `archive_item`. The list is const unless the archive restores.
template <typename Archive, typename List, typename ArchiveItem>
void archive_list(Archive& archive, List& list, const ArchiveItem& archive_item) {
  std::size_t size = list.size();
  archive.hashed(size);
  if constexpr (Archive::kRestores) {
    list.resize(size);
  }
  for (auto& item : list) {
    archive_item(item);
  }
}

/// The bytes of a packet.
template <typename Archive, typename Bytes>
void archive_bytes(Archive& archive, Bytes& bytes) {
  std::size_t size = bytes.size();
  archive.hashed(size);
  if constexpr (Archive::kRestores) {
    bytes.resize(size);
  }
  archive.hashed(std::span(bytes));
}

}  // namespace servosim
