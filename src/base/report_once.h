// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace servosim {

/// Where a running simulation sends what a person should know, such as a clamped command.
class Notices {
 public:
  using Sink = std::function<void(std::string_view)>;
  /// Without a sink, messages go to stderr, each as `Warning: message`.
  explicit Notices(Sink sink = {});
  void say(std::string_view message) { sink_(message); }

 private:
  Sink sink_;
};

/// What may happen often, but should be said only now and then.
class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  /// `pause`: between two that are said.
  explicit RateLimiter(Clock::duration pause) : pause_(pause) {}

  /// What to say of something that happens now: `text`, and how many were not said before it;
  /// nothing if that is too soon.
  std::optional<std::string> say(const std::string& text, Clock::time_point now = Clock::now()) {
    if (said_ && now - *said_ < pause_) {
      ++hidden_;
      return std::nullopt;
    }
    said_ = now;
    const int hidden = std::exchange(hidden_, 0);
    return hidden > 0 ? fmt::format("{} (and {} more)", text, hidden) : text;
  }

 private:
  Clock::duration pause_;
  std::optional<Clock::time_point> said_;
  int hidden_ = 0;
};

}  // namespace servosim
