// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/state_archive.h"
#include "servosim/joint_drive.h"
#include "servosim/velocity_controller.h"

namespace servosim {

// These add the members of a device to a hash. Each number counts as a double there.

inline void add_to_hash(Fnv1a& hash, double number) { hash.add(number); }
inline void add_to_hash(Fnv1a& hash, int number) { hash.add(static_cast<double>(number)); }
inline void add_to_hash(Fnv1a& hash, bool is) { hash.add(is ? 1.0 : 0.0); }
inline void add_to_hash(Fnv1a& hash, std::size_t number) { hash.add(static_cast<double>(number)); }
inline void add_to_hash(Fnv1a& hash, std::byte byte) {
  const auto letter = static_cast<char>(byte);
  hash.add(std::string_view(&letter, 1));
}
inline void add_to_hash(Fnv1a& hash, const PidGains& gains) {
  hash.add(gains.p).add(gains.i).add(gains.d);
}
inline void add_to_hash(Fnv1a& hash, const VelocityController& law) {
  hash.add(law.velocity()).add(law.error_integral()).add(law.previous_error());
}
inline void add_to_hash(Fnv1a& hash, const JointDrive& drive) {
  hash.add(drive.velocity).add(drive.max_force).add(drive.force).add(drive.softness);
}
template <typename T, std::size_t N>
void add_to_hash(Fnv1a& hash, const std::array<T, N>& values) {
  for (const T& value : values) {
    add_to_hash(hash, value);
  }
}

/// Saves, restores or hashes devices. Each device lists once what changes in it, so that the three
/// always have the same members in the same order. The hash contains a part
/// of them.
///
/// Threads: one at a time.
class DeviceArchive {
 public:
  explicit DeviceArchive(StateWriter& out) : out_(&out) {}
  explicit DeviceArchive(StateReader& in) : in_(&in) {}
  explicit DeviceArchive(Fnv1a& hash) : hash_(&hash) {}

  /// Whether members get values of a saved state.
  bool restores() const { return in_ != nullptr; }
  /// Whether members are hashed alone, so that those which the hash does not contain need not be
  /// gathered.
  bool hashes() const { return hash_ != nullptr; }
  /// Saves, restores or hashes a member on which the motion of the world depends.
  template <typename T>
  void hashed(T& value) {
    if (hash_ != nullptr) {
      add_to_hash(*hash_, std::as_const(value));
    } else {
      unhashed(value);
    }
  }
  /// As hashed() if `counts`, else as unhashed().
  template <typename T>
  void hashed_if(bool counts, T& value) {
    counts ? hashed(value) : unhashed(value);
  }
  /// Saves or restores a member that the hash does not contain.
  template <typename T>
  void unhashed(T& value) {
    if (out_ != nullptr) {
      out_->put(value);
    } else if (in_ != nullptr) {
      in_->get(value);
    }
  }
  /// The same for numbers one after the other, always as many.
  template <typename T>
  void unhashed_array(std::span<T> values) {
    if (out_ != nullptr) {
      out_->put_array(values.data(), values.size());
    } else if (in_ != nullptr) {
      in_->get_array(values.data(), values.size());
    }
  }
  /// The same for any number of values without padding, and their number.
  template <typename T>
  void unhashed_list(std::vector<T>& values) {
    resize_as_saved(values);
    unhashed_array(std::span(values));
  }
  /// The same for the size of a list and each item by `archive_item`.
  template <typename T, typename ArchiveItem>
  void unhashed_list(std::vector<T>& items, const ArchiveItem& archive_item) {
    resize_as_saved(items);
    std::for_each(items.begin(), items.end(), archive_item);
  }
  /// Saves or restores which notices have been printed. One that has been printed stays so when an
  /// older state is restored, so that it is not printed again.
  template <typename T>
  void notices(T& given) {
    const T before = given;
    unhashed(given);
    given |= before;
  }
  /// Saves, restores or hashes the size of a list and each item by `archive_item`. Restoring
  /// resizes the list first.
  template <typename List, typename ArchiveItem>
  void list(List& list, const ArchiveItem& archive_item) {
    std::size_t size = list.size();
    hashed(size);
    list.resize(size);
    for (auto& item : list) {
      archive_item(item);
    }
  }
  /// Saves, restores or hashes the bytes of a packet and their number.
  void bytes(std::vector<std::byte>& bytes) {
    std::size_t size = bytes.size();
    hashed(size);
    bytes.resize(size);
    if (out_ != nullptr) {
      out_->put_array(bytes.data(), size);
    } else if (in_ != nullptr) {
      in_->get_array(bytes.data(), size);
    } else {
      for (const std::byte byte : bytes) {
        add_to_hash(*hash_, byte);
      }
    }
  }

 private:
  template <typename T>
  void resize_as_saved(std::vector<T>& values) {
    std::uint64_t size = values.size();
    unhashed(size);
    values.resize(static_cast<std::size_t>(size));
  }

  StateWriter* out_ = nullptr;
  StateReader* in_ = nullptr;
  Fnv1a* hash_ = nullptr;
};

}  // namespace servosim
