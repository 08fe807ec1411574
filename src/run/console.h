// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/diagnostics.h"

namespace servosim {

enum class LogLevel : std::uint8_t { Error, Warning, Info, Debug };

/// A warning, an error or a remark (Info) of a run, and how often it occurred.
struct Notice {
  LogLevel level = LogLevel::Warning;
  std::string text;
  std::size_t count = 1;
};

/// Returns whether a descriptor is a terminal that accepts colours: not if TERM is dumb, nor if
/// NO_COLOR is not empty.
bool shows_colours(int descriptor);

/// Standard output and error, shared by the threads of a run. On a terminal "error" and "warning"
/// have colours and the location in a file is bold, unless NO_COLOR or TERM=dumb forbid it. Output
/// to a stream that is closed or has failed is discarded; a stream that blocks delays the caller,
/// but at most one second after SIGINT or SIGTERM.
///
/// Invariants: each call writes whole lines without interleaving; the progress line, if any, stays
/// last.
class Console {
 public:
  /// @param text_to  the descriptor of print(): 2 if standard output has a document
  explicit Console(LogLevel level = LogLevel::Info, int text_to = 1)
      : level_(level), text_to_(text_to) {}

  bool wants(LogLevel level) const { return level <= level_; }
  /// Writes one line on standard error, `servosim: warning: message`, if the level is enabled.
  void log(LogLevel level, std::string_view message);
  /// Does the same at level Warning; does nothing for an empty text.
  void warn(std::string_view message) {
    if (!message.empty()) {
      log(LogLevel::Warning, message);
    }
  }
  /// Does the same at level Info, and keeps the text for notices().
  void remark(std::string_view message);
  /// Writes a separate line, `file:line:column: warning: message`, on standard error if warnings or
  /// errors are enabled.
  void log(const Diagnostic& diagnostic);
  /// Writes the same line on descriptor 1 or 2 in any case.
  void write(int descriptor, const Diagnostic& diagnostic);
  /// Returns the last message of level Error; empty if there was none.
  std::string last_error();
  /// Returns the warnings, errors and remarks so far, including those that the level suppresses:
  /// the first thousand different ones, in order.
  std::vector<Notice> notices();
  /// Prints text of servosim, which may contain names and strings from files, on standard output
  /// unless the constructor has set another descriptor.
  void print(std::string_view text);
  /// Writes the output of controllers, and documents, to descriptor 1 or 2 without changes:
  /// complete lines, or a piece of a line that is too long to be kept.
  void write(int descriptor, std::string_view lines);
  /// Rewrites the progress line on standard error, unless another thread is writing.
  void progress(std::string_view line);
  void clear_progress();
  /// Returns whether standard output has failed, other than by a closed pipe.
  bool output_lost();

 private:
  std::string line(LogLevel level, std::string_view message) const;
  void keep(LogLevel level, std::string_view message);
  void put(int descriptor, std::string_view text);
  void wipe();

  LogLevel level_;
  int text_to_;
  std::mutex mutex_;
  std::size_t progress_width_ = 0;
  bool output_lost_ = false;
  std::string last_error_;
  std::vector<Notice> notices_;
  std::array<bool, 3> closed_{};
  // One element for each descriptor.
  std::array<bool, 3> colours_{false, shows_colours(1), shows_colours(2)};
};

}  // namespace servosim
