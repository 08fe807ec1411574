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

/// A queue of many producers and one consumer, without locks. No thread waits for another one, not
/// even for one that the system has suspended within a call.
template <typename T>
class MpscQueue {
 public:
  MpscQueue() = default;
  MpscQueue(const MpscQueue&) = delete;
  MpscQueue& operator=(const MpscQueue&) = delete;
  ~MpscQueue() { free_all(newest_.exchange(nullptr)); }

  /// May be called from any thread. Returns true if the queue was empty, so that the consumer may
  /// be asleep.
  bool push(T value) {
    Node* const node = new Node{std::move(value), nullptr};
    Node* before = newest_.load();
    do {
      node->before = before;
    } while (!newest_.compare_exchange_weak(before, node));
    return before == nullptr;  // the consumer may have deleted the node
  }
  bool empty() const { return newest_.load() == nullptr; }
  /// Moves all values to the end of `to`, the oldest first. Only the consumer's thread may call it.
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

/// Waits for descriptors (DescriptorWatch), points in time (Timer) and jobs (post()), and calls
/// their functions in the thread that runs the loop. Only post() and stop() may be called from
/// other threads; DescriptorWatch and Timer belong to the thread of the loop. An exception of a
/// function leaves run().
///
/// Invariants: an id belongs to one DescriptorWatch or Timer forever; a running function may remove
/// any DescriptorWatch or Timer, its own included.
class EventLoop {
 public:
  /// @throws std::system_error
  EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop() = default;

  /// Runs until stop().
  void run();
  /// Runs until `done()` returns true or until `end`; returns whether it is done.
  bool run_until(Clock::time_point end, const std::function<bool()>& done);
  /// Waits until something happens or until `end`, and calls the functions that are due.
  void run_once(Clock::time_point end);
  /// Returns a descriptor that is readable while a DescriptorWatch or a job has work. A caller
  /// that also waits for other things polls it and calls run_once(). It knows nothing of timers.
  int descriptor() const { return epoll_.get(); }

  // ---- may be called from any thread; never waits
  void post(std::function<void()> job);
  void stop();

  /// Destroys an object whose function may be running, as soon as no function of the loop runs.
  void destroy_later(std::shared_ptr<void> object) { to_destroy_.push_back(std::move(object)); }

 private:
  friend class DescriptorWatch;
  friend class Timer;
  using TimerKey = std::pair<Clock::time_point, std::uint64_t>;

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
  std::vector<std::shared_ptr<void>> to_destroy_;
};

/// Calls a function whenever a descriptor is ready. Destroy it before the descriptor is closed.
class DescriptorWatch {
 public:
  /// `events` are those of epoll, level-triggered; errors and hang-ups are always reported.
  /// @throws std::system_error
  DescriptorWatch(EventLoop& loop, int fd, std::uint32_t events,
                  std::function<void(std::uint32_t)> call);
  DescriptorWatch(const DescriptorWatch&) = delete;
  DescriptorWatch& operator=(const DescriptorWatch&) = delete;
  ~DescriptorWatch();

  void set_events(std::uint32_t events);

 private:
  EventLoop& loop_;
  int fd_;
  std::uint32_t events_;
  std::uint64_t id_;
};

/// Calls a function once, after a delay.
class Timer {
 public:
  explicit Timer(EventLoop& loop) : loop_(loop) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { stop(); }

  /// Replaces a pending call.
  void start(Clock::duration after, std::function<void()> call);
  void stop();

 private:
  EventLoop& loop_;
  EventLoop::TimerKey key_{};
};

/// An event loop that runs in its own thread, which blocks all signals.
class EventLoopThread {
 public:
  EventLoopThread();
  EventLoopThread(const EventLoopThread&) = delete;
  EventLoopThread& operator=(const EventLoopThread&) = delete;
  ~EventLoopThread();

  EventLoop& loop() { return loop_; }
  /// Calls a function in that thread, waits for its end, and throws what it throws. After stop(),
  /// calls the function in the caller's thread.
  void call(const std::function<void()>& function);
  /// Ends the thread. After that the caller's thread may destroy objects of the loop.
  void stop();

 private:
  EventLoop loop_;
  std::thread thread_;
};

}  // namespace servosim::net
