// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace servosim {

/// @throws Shortage if `bytes` are more than is free; `what` takes them: "a batch of 5 instances"
void refuse_if_too_large(std::uint64_t bytes, const std::string& what);

/// Estimates what many alike objects take while the first of them are made.
///
/// Threads: one. What other threads take or give back at the same time counts for the object that
/// is being made, so the estimate is the median of several.
class MemoryCheck {
 public:
  /// `count` objects will be made.
  MemoryCheck(std::size_t count, std::string what);

  /// After each object. @throws Shortage if those that are still to come need more than is free
  void made_one();

 private:
  std::size_t count_;
  std::string what_;
  std::uint64_t before_;
  std::vector<std::uint64_t> each_;  // of the first objects [bytes]
};

}  // namespace servosim
