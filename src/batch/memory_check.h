// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace servosim {

/// @throws Shortage if `bytes` are more than what is free; `what` names what needs them, such as "a
/// batch of 5 instances"
void refuse_if_too_large(std::uint64_t bytes, const std::string& what);

/// Estimates the memory of many equal objects while the first of them are made.
///
/// Threads: one. What other threads allocate or free at the same time is counted for the object
/// that is being made, so the estimate is the median of several.
class MemoryCheck {
 public:
  /// `count` is the number of objects that will be made.
  MemoryCheck(std::size_t count, std::string what);

  /// Call this after each object. @throws Shortage if the objects that are still to be made need
  /// more than what is free
  void made_one();

 private:
  std::size_t count_;
  std::string what_;
  std::uint64_t before_;
  std::vector<std::uint64_t> each_;  // memory of the first objects [bytes]
};

}  // namespace servosim
