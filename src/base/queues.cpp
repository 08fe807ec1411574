// SPDX-License-Identifier: Apache-2.0
#include "base/queues.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace servosim::net {

namespace {

// Sleeps until `end`, or until `wake` is readable.
void sleep_until(Clock::time_point end, int wake) {
  using std::chrono::nanoseconds;
  const std::int64_t left = std::max(nanoseconds(end - Clock::now()).count(), std::int64_t{0});
  const timespec time{left / 1'000'000'000, left % 1'000'000'000};
  pollfd query{wake, POLLIN, 0};
  static_cast<void>(::ppoll(&query, 1, &time, nullptr));  // the caller checks the time
}

}  // namespace

WorkQueue::WorkQueue() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_) {
    throw std::system_error(errno, std::generic_category(), "eventfd");
  }
}

void WorkQueue::push(std::function<void()> task) {
  pushed_.push(std::move(task));
  if (asleep_.exchange(false)) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
  }
}

int WorkQueue::wake_descriptor() {
  watched_ = true;
  asleep_ = true;
  return pushed_.empty() && tasks_.empty() ? wake_.get() : -1;
}

std::size_t WorkQueue::serve() {
  if (std::exchange(watched_, false)) {
    asleep_ = false;
    std::uint64_t value = 0;
    [[maybe_unused]] const ssize_t size = ::read(wake_.get(), &value, sizeof value);
  }
  if (!pushed_.empty()) {
    pushed_.take_all(tasks_);
  }
  if (tasks_.empty()) {
    return 0;
  }
  const auto end = Clock::now() + kMaxDuration;
  std::size_t count = 0;
  do {
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    task();
    ++count;
  } while (!tasks_.empty() && count < kMaxTasks && Clock::now() < end);
  return count;
}

std::size_t WorkQueue::serve_until(Clock::time_point end) {
  std::size_t served = serve();
  while (Clock::now() < end) {
    if (const int wake = wake_descriptor(); wake != -1) {
      sleep_until(end, wake);
    }
    served += serve();
  }
  return served;
}

}  // namespace servosim::net
