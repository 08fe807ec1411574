// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <utility>

namespace servosim::yarp::server {

/// Whether clients let the run take steps, and who waits for how many of them.
class StepRequests {
 public:
  /// `taken` is false if the wait ends before all the steps are taken.
  using Reply = std::function<void(bool taken)>;

  /// These end the wait for steps.
  void pause() {
    paused_ = true;
    drop();
  }
  void go_on() {
    paused_ = false;
    drop();
  }
  /// Pauses, and allows this number of steps in addition to those that are allowed already.
  void allow(std::int64_t steps) {
    paused_ = true;
    allowed_ += steps;
  }
  /// Calls `reply` after the steps that are allowed now.
  void reply_afterwards(Reply reply) {
    allowed_ > 0 ? waiting_.push_back({allowed_, std::move(reply)}) : reply(true);
  }
  /// Forgets the allowed steps, and calls all replies.
  void drop() {
    allowed_ = 0;
    for (const Waiting& waiting : std::exchange(waiting_, {})) {
      waiting.reply(false);
    }
  }
  bool ready() const { return !paused_ || allowed_ > 0; }
  void count_step() {
    allowed_ -= paused_ && allowed_ > 0 ? 1 : 0;
    for (Waiting& waiting : waiting_) {
      --waiting.steps;
    }
    while (!waiting_.empty() && waiting_.front().steps <= 0) {
      const Reply reply = std::move(waiting_.front().reply);
      waiting_.pop_front();
      reply(true);
    }
  }

 private:
  struct Waiting {
    std::int64_t steps;  // those that are left
    Reply reply;
  };

  bool paused_ = false;
  std::int64_t allowed_ = 0;    // steps that a paused run may take
  std::list<Waiting> waiting_;  // those with fewer steps come first
};

}  // namespace servosim::yarp::server
