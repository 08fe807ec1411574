// SPDX-License-Identifier: Apache-2.0
#include "srvp/order_queue.h"

#include <utility>

namespace servosim::srvp {

void OrderQueue::push(Entry entry) {
  if (!is_open()) {
    entry.done(nack(Nack::McuOffline));
  } else if (busy_ && !done_) {
    log_("{} still owes the answer to an earlier order", name_);
    entry.done(nack(Nack::ErrorContactingMcu));
  } else {
    waiting_.push_back(std::move(entry));
    dispatch();
  }
}

void OrderQueue::dispatch() {
  if (std::exchange(dispatching_, true)) {
    return;  // it is further down, and goes on: answers may come while an order is sent
  }
  while (!hearing_ && !busy_ && !waiting_.empty()) {
    Entry entry = std::move(waiting_.front());
    waiting_.pop_front();
    if (!entry.still_wanted()) {
      entry.done(nack(Nack::NoActiveMcu));
      continue;
    }
    busy_ = true;
    done_ = std::move(entry.done);
    timer_.start(patience_, [this] { time_out(); });
    log_.told(name_, entry.order);
    const auto link = link_;  // may be closed by this
    link->send(entry.order);
  }
  dispatching_ = false;
}

void OrderQueue::hear(const std::vector<Heard>& frames) {
  hearing_ = true;
  for (const Heard& frame : frames) {
    hear_one(frame);
  }
  hearing_ = false;
  dispatch();
}

void OrderQueue::hear_one(const Heard& frame) {
  const auto* const control = std::get_if<Control>(&frame);
  if (control) {
    log_.heard(name_, *control);
  } else {
    const auto& bad = std::get<BadFrame>(frame);
    log_("{} > {}  no answer: {}", name_, to_text(bad), bad.why);
  }
  if (!busy_) {
    log_("{} was not asked anything; that is left out", name_);
  } else if (done_) {
    busy_ = false;
    finish(control ? *control : nack(Nack::ErrorContactingMcu));
  } else {
    log_("{} has answered too late, and takes orders again", name_);
    timer_.stop();
    busy_ = false;
  }
}

void OrderQueue::time_out() {
  log_("{} has not answered within {:.3g} s", name_, 1e-3 * double(patience_.count()));
  finish(nack(Nack::ErrorContactingMcu));
  refuse_waiting(Nack::ErrorContactingMcu);
  if (busy_) {
    timer_.start(patience_, [this] { stop_waiting(); });
  }
}

// An answer that is still to come would be taken for that to the next order. Most likely there is
// none, and an MCU that lost one order is of use again.
void OrderQueue::stop_waiting() {
  log_("{} owes an answer that is not waited for any longer; it gets orders again", name_);
  busy_ = false;
}

void OrderQueue::close() {
  link_.reset();
  busy_ = false;
  if (done_) {
    finish(nack(Nack::ErrorContactingMcu));
  }
  timer_.stop();
  refuse_waiting(Nack::McuOffline);
}

void OrderQueue::refuse_waiting(Nack why) {
  for (Entry& entry : std::exchange(waiting_, {})) {
    entry.done(nack(why));
  }
}

void OrderQueue::finish(const Control& answer) {
  timer_.stop();
  std::exchange(done_, nullptr)(answer);
}

}  // namespace servosim::srvp
