// SPDX-License-Identifier: Apache-2.0
#include "run/signals.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/assert.h"

namespace servosim {
namespace {

// Data of the signal handler must be lock-free atomics.
std::atomic<int> first_signal{0};
std::atomic<int> wake_end{-1};
std::array<std::atomic<pid_t>, 1024> groups{};
static_assert(std::atomic<pid_t>::is_always_lock_free);

int read_end = -1;  // end of the pipe; wake_end is its other end

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

void on_signal(int number) {
  const int saved_errno = errno;
  int none = 0;
  if (wake_end.load() == -1 || !first_signal.compare_exchange_strong(none, number)) {
    for (const auto& group : groups) {
      if (const pid_t id = group.load(); id > 0) {
        ::kill(-id, SIGKILL);
      }
    }
    ::_exit(128 + number);
  }
  [[maybe_unused]] const ssize_t written = ::write(wake_end.load(), "!", 1);
  errno = saved_errno;
}

void check_call(int result, const char* what) {
  if (result != 0) {
    throw std::system_error(errno, std::generic_category(), what);
  }
}

void install(int number, struct sigaction& previous) {
  check_call(::sigaction(number, nullptr, &previous), "sigaction");
  if (previous.sa_handler == SIG_IGN) {
    return;
  }
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  check_call(::sigaction(number, &action, nullptr), "sigaction");
}

}  // namespace

void end_at_signals() {
  for (const int number : kSignals) {
    struct sigaction previous {};
    install(number, previous);
  }
}

std::string Interrupted::text_of(int signal_number) {
  return fmt::format("interrupted by SIG{}", ::sigabbrev_np(signal_number));
}

void throw_if_interrupted() {
  if (const int number = interrupting_signal(); number != 0) {
    throw Interrupted(number);
  }
}

int interrupting_signal() { return first_signal.load(std::memory_order_relaxed); }

SignalWatch::SignalWatch() {
  SERVOSIM_ASSERT(wake_end.load() == -1, "a second SignalWatch, beside descriptor {}",
                  wake_end.load());
  int ends[2];
  check_call(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), "pipe");
  first_signal = 0;
  read_end = ends[0];
  wake_end = ends[1];
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    install(kSignals[i], previous_[i]);
  }
}

SignalWatch::~SignalWatch() {
  // The calls only restore actions that were installed before, so they do not fail.
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    static_cast<void>(::sigaction(kSignals[i], &previous_[i], nullptr));
  }
  ::close(wake_end.exchange(-1));
  ::close(read_end);
  first_signal = 0;
}

int SignalWatch::descriptor() const { return read_end; }

void add_process_group(pid_t group) {
  for (auto& slot : groups) {
    pid_t free = 0;
    if (slot.compare_exchange_strong(free, group)) {
      return;
    }
  }
}

void remove_process_group(pid_t group) {
  for (auto& slot : groups) {
    pid_t expected = group;
    if (slot.compare_exchange_strong(expected, 0)) {
      return;
    }
  }
}

}  // namespace servosim
