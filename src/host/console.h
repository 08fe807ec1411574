// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace servosim {

enum class LogLevel : std::uint8_t { Error, Warning, Info, Debug };

/// Standard output and error, shared by the threads of a run: whole lines never mix, and the
/// progress line stays the last. A stream that is closed or fails swallows the rest; one that
/// blocks is waited for, but no longer than a second after SIGINT or SIGTERM.
class Console {
 public:
  explicit Console(LogLevel level = LogLevel::Info) : level_(level) {}

  bool wants(LogLevel level) const { return level <= level_; }
  /// One line on standard error, `servosim: warning: message`, if the level is wanted.
  void log(LogLevel level, std::string_view message);
  /// The same without `servosim: warning: `.
  void say(LogLevel level, std::string_view message);
  /// The last message of level Error; empty if there was none.
  std::string last_error();
  /// Complete lines, or a piece of one too long to be kept, on descriptor 1 or 2.
  void write(int descriptor, std::string_view lines);
  /// Rewrites the progress line on standard error, unless someone is writing.
  void progress(std::string_view line);
  void clear_progress();
  /// Whether standard output failed, other than by a reader that left.
  bool output_lost();

 private:
  void tell(LogLevel level, const std::string& line, std::string_view message);
  void put(int descriptor, std::string_view text);
  void wipe();

  LogLevel level_;
  std::mutex mutex_;
  bool progress_shown_ = false;
  bool output_lost_ = false;
  std::string last_error_;
  std::array<bool, 3> closed_{};
};

}  // namespace servosim
