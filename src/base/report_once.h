// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/printable.h"

// Messages for people: where they go, and how often one of a kind is reported. libController, which
// has no fmt, contains this code too.

namespace servosim {

/// Receives what a person should know of a running simulation: warnings, such as of a clamped
/// command, and remarks, such as that another setting would be better.
class Notices {
 public:
  using Sink = std::function<void(std::string_view)>;
  /// Without a sink, messages go to stderr as `Warning: message` and `Note: message`. Without
  /// `remarks` alone, remarks go where warnings go.
  explicit Notices(Sink sink = {}, Sink remarks = {})
      : sink_(std::move(sink)), remarks_(std::move(remarks)) {
    if (!remarks_) {
      remarks_ = sink_ ? sink_ : [](std::string_view text) { print_to_stderr("Note", text); };
    }
    if (!sink_) {
      sink_ = [](std::string_view message) { print_to_stderr("Warning", message); };
    }
  }
  void report(std::string_view message) { sink_(message); }
  void remark(std::string_view message) { remarks_(message); }

 private:
  Sink sink_;
  Sink remarks_;
};

/// Remembers which of several things were reported, for messages that appear once per key.
template <typename Key = std::monostate>
class ReportOnce {
 public:
  /// Returns true at the first call for `key`: the caller then reports it.
  bool first(const Key& key = {}) { return reported_.insert(key).second; }
  /// Forgets all reports.
  void reset() { reported_.clear(); }

 private:
  std::set<Key> reported_;
};

/// Limits how often messages of a kind are reported: at most one per pause.
class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  /// `pause` is the least time between two reported messages.
  explicit RateLimiter(Clock::duration pause) : pause_(pause) {}

  /// Returns what to report about an event at `now`: `text` and the number of events that were not
  /// reported before it; nothing if the pause is not over.
  std::optional<std::string> admit(const std::string& text, Clock::time_point now = Clock::now()) {
    if (reported_ && now - *reported_ < pause_) {
      ++hidden_;
      return std::nullopt;
    }
    reported_ = now;
    const int hidden = std::exchange(hidden_, 0);
    return hidden > 0 ? text + " (and " + std::to_string(hidden) + " more)" : text;
  }

 private:
  Clock::duration pause_;
  std::optional<Clock::time_point> reported_;  // time of the last message
  int hidden_ = 0;                             // events since then
};

}  // namespace servosim
