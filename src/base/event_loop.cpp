// SPDX-License-Identifier: Apache-2.0
#include "base/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <future>
#include <system_error>

#include "base/assert.h"
#include "base/child_process.h"

namespace servosim::net {

namespace {

constexpr std::uint64_t kWake = 0;  // the id of the descriptor that post() writes to

int checked(int result, const char* what) {
  if (result < 0) {
    throw std::system_error(errno, std::generic_category(), what);
  }
  return result;
}

void control(int epoll, int operation, int fd, std::uint32_t events, std::uint64_t id) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  checked(::epoll_ctl(epoll, operation, fd, &event), "epoll_ctl");
}

}  // namespace

EventLoop::EventLoop()
    : epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create")),
      wake_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  control(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), EPOLLIN, kWake);
}

void EventLoop::post(std::function<void()> job) {
  if (posted_.push(std::move(job))) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
  }
}

void EventLoop::stop() {
  stopping_ = true;
  post([] {});
}

void EventLoop::run() {
  while (!stopping_) {
    run_once(Clock::time_point::max());
  }
}

bool EventLoop::run_until(Clock::time_point end, const std::function<bool()>& done) {
  while (!done()) {
    if (Clock::now() >= end) {
      return false;
    }
    run_once(end);
  }
  return true;
}

void EventLoop::run_once(Clock::time_point end) {
  const Clock::time_point next =
      timers_.empty() ? end : std::min(end, timers_.begin()->first.first);
  int timeout_ms = -1;
  if (next != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
    timeout_ms = static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }
  std::array<epoll_event, 64> events;
  const int count =
      ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
  for (int i = 0; i < count; ++i) {
    const epoll_event event = events[static_cast<std::size_t>(i)];
    const std::uint64_t key = event.data.u64;  // a copy, since the struct is packed
    if (key == kWake) {
      run_jobs();
    } else if (const auto found = watches_.find(key); found != watches_.end()) {
      const auto call = found->second;  // a copy, since the function may remove itself
      (*call)(event.events);
    }
  }
  run_timers();
  while (!to_destroy_.empty()) {
    std::exchange(to_destroy_, {}).clear();
  }
}

void EventLoop::run_jobs() {
  std::uint64_t value = 0;
  [[maybe_unused]] const ssize_t size = ::read(wake_.get(), &value, sizeof value);
  posted_.take_all(jobs_);
  for (std::size_t n = jobs_.size(); n > 0; --n) {
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    job();
  }
}

void EventLoop::run_timers() {
  const Clock::time_point now = Clock::now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    const auto due = timers_.extract(timers_.begin());
    due.mapped()();
  }
}

DescriptorWatch::DescriptorWatch(EventLoop& loop, int fd, std::uint32_t events,
                                 std::function<void(std::uint32_t)> call)
    : loop_(loop), fd_(fd), events_(events), id_(loop.next_id_++) {
  SERVOSIM_ASSERT(fd >= 0 && call != nullptr, "descriptor {}", fd);
  control(loop_.epoll_.get(), EPOLL_CTL_ADD, fd_, events_, id_);
  loop_.watches_.emplace(id_,
                         std::make_shared<std::function<void(std::uint32_t)>>(std::move(call)));
}

DescriptorWatch::~DescriptorWatch() {
  // The call fails if the descriptor is closed, which also ends the watch.
  static_cast<void>(::epoll_ctl(loop_.epoll_.get(), EPOLL_CTL_DEL, fd_, nullptr));
  loop_.watches_.erase(id_);
}

void DescriptorWatch::set_events(std::uint32_t events) {
  if (events_ != events) {
    control(loop_.epoll_.get(), EPOLL_CTL_MOD, fd_, events, id_);
    events_ = events;
  }
}

void Timer::start(Clock::duration after, std::function<void()> call) {
  stop();
  SERVOSIM_ASSERT(call != nullptr, "a timer calls nothing");
  key_ = {Clock::now() + after, loop_.next_id_++};
  loop_.timers_.emplace(key_, std::move(call));
}

void Timer::stop() { loop_.timers_.erase(key_); }

EventLoopThread::EventLoopThread() {
  const BlockedSignals blocked;
  thread_ = std::thread([this] { loop_.run(); });
}

EventLoopThread::~EventLoopThread() { stop(); }

void EventLoopThread::stop() {
  if (thread_.joinable()) {
    loop_.stop();
    thread_.join();
  }
}

void EventLoopThread::call(const std::function<void()>& function) {
  if (!thread_.joinable()) {
    return function();
  }
  std::packaged_task<void()> task(function);
  loop_.post([&task] { task(); });
  task.get_future().get();
}

}  // namespace servosim::net
