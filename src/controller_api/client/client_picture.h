// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
  void take(std::span<const std::byte> picture, double time) {
    bytes_.assign(picture.begin(), picture.end());
    time_ = time;
  }
  /// Takes the pictures from this memory from now on. Without memory no more pictures come.
  void share(std::optional<SharedMemory> memory) { memory_ = std::move(memory); }
  /// Stores the picture that is in the shared memory. It is copied, since the simulator may write
  /// the next one while the controller still looks at this one.
  /// @returns false if there is no memory; then the picture stays as it is
  bool take_from_memory(double time) {
    if (memory_) {
      take(memory_->bytes(), time);
    }
    return memory_.has_value();
  }
  /// Replaces a picture of another size, which the sensor has no more, by one that repeats `pixel`.
  void fit(std::size_t size, std::string_view pixel) {
    if (bytes_.size() == size) {
      return;
    }
    bytes_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      bytes_[i] = static_cast<std::byte>(pixel[i % pixel.size()]);
    }
  }

 private:
  std::vector<std::byte> bytes_;
  std::optional<SharedMemory> memory_;
  double time_ = 0.0;
};

}  // namespace servosim
