// SPDX-License-Identifier: Apache-2.0
#include "run/console.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "base/assert.h"
#include "base/printable.h"
#include "run/signals.h"

namespace servosim {
namespace {

constexpr int kConsolePollMs = 100;
constexpr int kPollsAfterSignal = 10;  // polls of a stream that blocks

// A word as it appears in lines, without and with colours.
struct Word {
  const char* plain;
  const char* coloured;
};

Word word_for(LogLevel level) {
  constexpr std::array<Word, 4> kWords{{{"error", "\x1b[1;31merror\x1b[0m"},
                                        {"warning", "\x1b[1;35mwarning\x1b[0m"},
                                        {"info", "info"},
                                        {"debug", "debug"}}};
  return kWords[static_cast<std::size_t>(level)];
}

LogLevel level_of(const Diagnostic& diagnostic) {
  switch (diagnostic.severity) {
    case Severity::Info:
      return LogLevel::Info;
    case Severity::Warning:
      return LogLevel::Warning;
    case Severity::Error:
      break;
  }
  return LogLevel::Error;
}

constexpr std::size_t kMaxNotices = 1000;

// Colours the word between the location and the message in the result of to_string().
std::string coloured(const Diagnostic& diagnostic) {
  const std::string text = to_string(diagnostic);
  const Word word = word_for(level_of(diagnostic));
  const std::size_t end = text.size() - printable(diagnostic.message).size() - 2;  // ": "
  const std::size_t begin = end - std::strlen(word.plain);
  const std::string place = text.substr(0, begin);
  return (place.empty() ? "" : "\x1b[1m" + place + "\x1b[0m") + word.coloured + text.substr(end);
}

}  // namespace

bool shows_colours(int descriptor) {
  const char* term = std::getenv("TERM");
  const char* no_colour = std::getenv("NO_COLOR");
  return ::isatty(descriptor) != 0 && term != nullptr && std::strcmp(term, "dumb") != 0 &&
         (no_colour == nullptr || *no_colour == '\0');
}

std::string Console::line(LogLevel level, std::string_view message) const {
  const Word word = word_for(level);
  return fmt::format("servosim: {}: {}\n", colours_[STDERR_FILENO] ? word.coloured : word.plain,
                     message);
}

void Console::print(std::string_view text) { write(text_to_, printable_lines(text)); }

void Console::log(LogLevel level, std::string_view message) {
  if (wants(level)) {
    write(STDERR_FILENO, line(level, printable_lines(message)));
  }
  if (level <= LogLevel::Warning) {
    keep(level, message);
  }
}

void Console::remark(std::string_view message) {
  log(LogLevel::Info, message);
  keep(LogLevel::Info, message);
}

void Console::log(const Diagnostic& diagnostic) {
  if (wants(level_of(diagnostic))) {
    write(STDERR_FILENO, diagnostic);
  }
  if (diagnostic.severity != Severity::Info) {
    keep(level_of(diagnostic), to_string(diagnostic));
  }
}

void Console::write(int descriptor, const Diagnostic& diagnostic) {
  const bool colours = colours_.at(static_cast<std::size_t>(descriptor));
  write(descriptor, (colours ? coloured(diagnostic) : to_string(diagnostic)) + '\n');
}

void Console::keep(LogLevel level, std::string_view message) {
  const std::lock_guard lock(mutex_);
  if (level == LogLevel::Error) {
    last_error_ = message;
  }
  const auto known = std::find_if(notices_.begin(), notices_.end(), [&](const Notice& notice) {
    return notice.level == level && notice.text == message;
  });
  if (known != notices_.end()) {
    ++known->count;
  } else if (notices_.size() < kMaxNotices) {
    notices_.push_back({level, std::string(message)});
  }
}

std::string Console::last_error() {
  const std::lock_guard lock(mutex_);
  return last_error_;
}

std::vector<Notice> Console::notices() {
  const std::lock_guard lock(mutex_);
  return notices_;
}

void Console::write(int descriptor, std::string_view lines) {
  SERVOSIM_ASSERT(descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO,
                  "descriptor {} is not of the console", descriptor);
  const std::lock_guard lock(mutex_);
  wipe();
  put(descriptor, lines);
}

void Console::progress(std::string_view line) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) {
    put(STDERR_FILENO, fmt::format("\r{:{}}", line, progress_width_));
    progress_width_ = std::max(progress_width_, line.size());
  }
}

void Console::clear_progress() {
  const std::lock_guard lock(mutex_);
  wipe();
}

bool Console::output_lost() {
  const std::lock_guard lock(mutex_);
  return output_lost_;
}

void Console::wipe() {
  if (progress_width_ > 0) {  // spaces work on any terminal
    put(STDERR_FILENO, fmt::format("\r{:{}}\r", "", progress_width_));
    progress_width_ = 0;
  }
}

void Console::put(int descriptor, std::string_view text) {
  bool& closed = closed_.at(static_cast<std::size_t>(descriptor));
  int blocked = 0;
  while (!text.empty() && !closed) {
    pollfd query{descriptor, POLLOUT, 0};
    // The result is -1 if the call was interrupted, perhaps with the pipe still full.
    if (::poll(&query, 1, kConsolePollMs) <= 0) {
      closed = interrupting_signal() != 0 && ++blocked >= kPollsAfterSignal;
      continue;
    }
    // A pipe that polls as writable takes PIPE_BUF bytes without blocking, but perhaps no more.
    const ssize_t n =
        ::write(descriptor, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR && errno != EAGAIN) {
      closed = true;
      if (errno != EPIPE && descriptor == STDOUT_FILENO) {
        output_lost_ = true;
        put(STDERR_FILENO, line(LogLevel::Error, fmt::format("cannot write to standard output: {}",
                                                             std::strerror(errno))));
      }
    }
  }
}

}  // namespace servosim
