// SPDX-License-Identifier: Apache-2.0
#include "batch/memory_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "base/memory.h"
#include "base/shortage.h"

namespace servosim {

namespace {

constexpr std::size_t kMeasured = 7;  // objects
constexpr std::size_t kFewest = 3;    // the least number for a median
constexpr double kGigabyte = 1e9;

// A shortage without the text of the system, which tells less than ours.
class TooLarge : public Shortage {
 public:
  explicit TooLarge(const std::string& what) : Shortage(ENOMEM, what), what_(what) {}
  const char* what() const noexcept override { return what_.what(); }

 private:
  std::runtime_error what_;  // keeps the text, since it can be copied without memory
};

}  // namespace

void refuse_if_too_large(std::uint64_t bytes, const std::string& what) {
  if (const std::uint64_t free = free_memory(); bytes > free) {
    throw TooLarge(fmt::format(
        "{} needs about {:.3g} GB of memory, but {:.3g} GB are free: make a smaller one", what,
        static_cast<double>(bytes) / kGigabyte, static_cast<double>(free) / kGigabyte));
  }
}

MemoryCheck::MemoryCheck(std::size_t count, std::string what)
    : count_(count), what_(std::move(what)), before_(heap_in_use()) {}

void MemoryCheck::made_one() {
  if (each_.size() == kMeasured) {
    return;
  }
  const std::uint64_t now = heap_in_use();
  each_.push_back(now - std::min(now, before_));
  before_ = now;
  if (each_.size() < kFewest) {
    return;
  }
  std::vector<std::uint64_t> sorted = each_;
  std::ranges::sort(sorted);
  refuse_if_too_large(sorted[sorted.size() / 2] * (count_ - each_.size()), what_);
}

}  // namespace servosim
