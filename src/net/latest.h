// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>

namespace servosim::net {

/// The newest value that one thread hands to another. Neither waits: there are three values, one in
/// the hands of each and one between them. What the reader does not fetch in time is overwritten.
template <typename T>
class Latest {
 public:
  explicit Latest(const T& initial = T()) : slots_{initial, initial, initial} {}

  // ---- the writer
  /// What to fill in, completely: it holds an older value.
  T& draft() { return slots_[draft_]; }
  /// Hands the draft over.
  void publish() { draft_ = between_.exchange(draft_ | kNew) & ~kNew; }

  // ---- the reader
  /// Whether there is a newer value; value() then is it.
  bool fetch() {
    if ((between_.load() & kNew) == 0) {
      return false;
    }
    value_ = between_.exchange(value_) & ~kNew;
    return true;
  }
  const T& value() const { return slots_[value_]; }

 private:
  static constexpr unsigned kNew = 4;

  std::array<T, 3> slots_;
  unsigned draft_ = 0;
  unsigned value_ = 1;
  std::atomic<unsigned> between_{2};
};

}  // namespace servosim::net
