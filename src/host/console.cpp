// SPDX-License-Identifier: Apache-2.0
#include "host/console.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "host/signals.h"

namespace servosim {
namespace {

constexpr int kPollMs = 100;
constexpr int kPatienceAfterSignal = 10;  // polls

const char* name_of(LogLevel level) {
  constexpr std::array kNames{"error", "warning", "info", "debug"};
  return kNames[static_cast<std::size_t>(level)];
}

}  // namespace

void Console::log(LogLevel level, std::string_view message) {
  if (wants(level)) {
    tell(level, fmt::format("servosim: {}: {}\n", name_of(level), message), message);
  }
}

void Console::say(LogLevel level, std::string_view message) {
  if (wants(level)) {
    tell(level, fmt::format("{}\n", message), message);
  }
}

void Console::tell(LogLevel level, const std::string& line, std::string_view message) {
  write(STDERR_FILENO, line);
  if (level == LogLevel::Error) {
    const std::lock_guard lock(mutex_);
    last_error_ = message;
  }
}

std::string Console::last_error() {
  const std::lock_guard lock(mutex_);
  return last_error_;
}

void Console::write(int descriptor, std::string_view lines) {
  const std::lock_guard lock(mutex_);
  wipe();
  put(descriptor, lines);
}

void Console::progress(std::string_view line) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) {
    put(STDERR_FILENO, fmt::format("\r\x1b[K{}", line));
    progress_shown_ = true;
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
  if (progress_shown_) {
    put(STDERR_FILENO, "\r\x1b[K");
    progress_shown_ = false;
  }
}

void Console::put(int descriptor, std::string_view text) {
  bool& closed = closed_.at(static_cast<std::size_t>(descriptor));
  int blocked = 0;
  while (!text.empty() && !closed) {
    pollfd query{descriptor, POLLOUT, 0};
    if (::poll(&query, 1, kPollMs) <= 0) {  // -1: interrupted, perhaps with the pipe still full
      closed = interrupting_signal() != 0 && ++blocked >= kPatienceAfterSignal;
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
        put(STDERR_FILENO, fmt::format("servosim: error: cannot write to standard output: {}\n",
                                       std::strerror(errno)));
      }
    }
  }
}

}  // namespace servosim
