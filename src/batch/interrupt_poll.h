// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>

namespace servosim {

/// Asks a caller from time to time whether long work must end.
///
/// Threads: poll() in one, is_over() in any.
class InterruptPoll {
 public:
  explicit InterruptPoll(const std::function<bool()>& interrupt) : interrupt_(interrupt) {}

  bool is_over() const { return over_.load(std::memory_order_relaxed); }
  /// Asks the caller. Only the calling thread may use it.
  void poll() {
    if (!interrupt_ || is_over()) {
      return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kBetween) {
      return;
    }
    last_ = now;
    try {
      over_ = interrupt_();
    } catch (...) {
      error_ = std::current_exception();
      over_ = true;
    }
  }
  /// @returns whether all work is done. @throws what the interrupt threw
  bool finish() const {
    if (error_ != nullptr) {
      std::rethrow_exception(error_);
    }
    return !is_over();
  }

 private:
  static constexpr std::chrono::milliseconds kBetween{20};

  const std::function<bool()>& interrupt_;
  std::atomic<bool> over_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::exception_ptr error_;
};

}  // namespace servosim
