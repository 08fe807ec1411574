// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/scoped.h"

namespace servosim::net {

/// Any thread puts things in, one takes them out. Neither ever waits for the other, not even where
/// the other has been put to sleep half-way.
template <typename T>
class MpscQueue {
 public:
  MpscQueue() = default;
  MpscQueue(const MpscQueue&) = delete;
  MpscQueue& operator=(const MpscQueue&) = delete;
  ~MpscQueue() { free_all(newest_.exchange(nullptr)); }

  /// True: it was empty, so that its owner may be asleep.
  bool push(T value) {
    Node* const node = new Node{std::move(value), nullptr};
    Node* before = newest_.load();
    do {
      node->before = before;
    } while (!newest_.compare_exchange_weak(before, node));
    return before == nullptr;  // the node may be gone by now
  }
  bool empty() const { return newest_.load() == nullptr; }
  /// Appends all that is there, the oldest first.
  void take_all(std::deque<T>& to) {
    Node* oldest = nullptr;
    for (Node* node = newest_.exchange(nullptr); node != nullptr;) {
      Node* const before = std::exchange(node->before, oldest);
      oldest = std::exchange(node, before);
    }
    for (Node* node = oldest; node != nullptr; node = node->before) {
      to.push_back(std::move(node->value));
    }
    free_all(oldest);
  }

 private:
  struct Node {
    T value;
    Node* before;
  };
  static void free_all(Node* node) {
    while (node != nullptr) {
      delete std::exchange(node, node->before);
    }
  }

  std::atomic<Node*> newest_{nullptr};
};

using Clock = std::chrono::steady_clock;

/// Waits for sockets, timers and jobs, and calls whoever wants to know: one thread, no locks.
/// Everything but post() and stop() belongs to the thread that runs it, and so do the objects made
/// with it. What is called must not throw, or run() does.
class EventLoop {
 public:
  /// @throws std::system_error
  EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop() = default;

  /// Until stop().
  void run();
  /// Until `done` says so or a moment has come. True: it was `done`.
  bool run_until(Clock::time_point end, const std::function<bool()>& done);

  // ---- from any thread; never waits
  void post(std::function<void()> job);
  void stop();

  /// Keeps something that is in use by its caller until nothing is being called any more.
  void bury(std::shared_ptr<void> something) { buried_.push_back(std::move(something)); }

 private:
  friend class Watch;
  friend class Timer;
  using TimerKey = std::pair<Clock::time_point, std::uint64_t>;

  void run_once(Clock::time_point end);
  void run_jobs();
  void run_timers();

  Descriptor epoll_;
  Descriptor wake_;
  std::atomic<bool> stopping_{false};
  MpscQueue<std::function<void()>> posted_;
  std::deque<std::function<void()>> jobs_;
  std::uint64_t next_id_ = 1;
  std::unordered_map<std::uint64_t, std::shared_ptr<std::function<void(std::uint32_t)>>> watches_;
  std::map<TimerKey, std::function<void()>> timers_;
  std::vector<std::shared_ptr<void>> buried_;
};

/// While it lives, a descriptor is watched. Destroy it before the descriptor is closed.
class Watch {
 public:
  /// `events` are those of epoll, level-triggered; errors and hang-ups are always told.
  /// @throws std::system_error
  Watch(EventLoop& loop, int fd, std::uint32_t events, std::function<void(std::uint32_t)> call);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  void set_events(std::uint32_t events);

 private:
  EventLoop& loop_;
  int fd_;
  std::uint32_t events_;
  std::uint64_t id_;
};

/// Calls once, later.
class Timer {
 public:
  explicit Timer(EventLoop& loop) : loop_(loop) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { stop(); }

  /// In place of what was to be called before.
  void start(Clock::duration after, std::function<void()> call);
  void stop();

 private:
  EventLoop& loop_;
  EventLoop::TimerKey key_{};
};

/// A loop that runs in a thread of its own.
class EventLoopThread {
 public:
  EventLoopThread();
  EventLoopThread(const EventLoopThread&) = delete;
  EventLoopThread& operator=(const EventLoopThread&) = delete;
  ~EventLoopThread();

  EventLoop& loop() { return loop_; }
  /// Calls in that thread, and waits; an exception arrives here. For the beginning and the end.
  /// After stop() it calls at once.
  void call(const std::function<void()>& function);
  /// Ends the thread. What was made in it may then be destroyed by this one.
  void stop();

 private:
  EventLoop loop_;
  std::thread thread_;
};

}  // namespace servosim::net
