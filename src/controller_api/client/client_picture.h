// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "controller_api/protocol/shared_memory.h"

namespace servosim {

/// The bytes of the last picture of a sensor. Their address stays while their number does.
class ClientPicture {
 public:
  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  double time() const { return time_; }  ///< when it was taken [s]
  /// The picture as values of four bytes or one.
  template <typename Value>
  std::span<const Value> values() const {
    return {reinterpret_cast<const Value*>(bytes_.data()), bytes_.size() / sizeof(Value)};
  }

  /// Stores a picture. @param time  when it was taken [s]
  void take(std::string_view bytes, double time) {
    own_.resize(bytes.size());
    if (!bytes.empty()) {
      std::memcpy(own_.data(), bytes.data(), bytes.size());
    }
    bytes_ = own_;
    time_ = time;
  }
  /// Shows the picture that is in shared memory from now on; nothing: that cannot be opened, and
  /// the picture stays as it is.
  void share(std::optional<SharedMemory> memory) {
    if (memory) {
      memory_ = std::move(memory);
      bytes_ = memory_->bytes();
    }
  }
  /// Notes that the shared memory has another picture. @param time  when it was taken [s]
  void note(double time) { time_ = time; }
  /// Replaces a picture of another size, which the sensor has no more, by one that repeats `pixel`.
  void fit(std::size_t size, std::string_view pixel) {
    if (bytes_.size() == size) {
      return;
    }
    own_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      own_[i] = static_cast<std::byte>(pixel[i % pixel.size()]);
    }
    bytes_ = own_;
  }

 private:
  std::span<const std::byte> bytes_;
  std::vector<std::byte> own_;
  std::optional<SharedMemory> memory_;
  double time_ = 0.0;
};

}  // namespace servosim
