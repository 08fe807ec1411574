// SPDX-License-Identifier: Apache-2.0
#include "srvp/server/order_queue.h"

#include <algorithm>
#include <array>
#include <utility>

namespace servosim::srvp {

namespace {

// What the platform's ESP32 firmware means by the digit of a bare NACK.
std::string_view firmware_reason(std::uint8_t digit) {
  static constexpr std::array<std::string_view, 6> kReasons{
      "", "too short", "a wrong count", "nothing is stored", "", "an unknown order"};
  return digit < kReasons.size() ? kReasons[digit] : std::string_view();
}

}  // namespace

void OrderQueue::push(Entry entry) {
  if (!is_open()) {
    entry.done({nack(Nack::McuOffline)});
  } else if (busy_ && !done_) {
    log_("{} still owes the answer to an earlier order", name_);
    entry.done({nack(Nack::ErrorContactingMcu)});
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
      entry.done({nack(Nack::NoActiveMcu)});
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
  const bool answered = std::any_of(frames.begin(), frames.end(), [](const Heard& frame) {
    return std::holds_alternative<McuAnswer>(frame);
  });
  for (const Heard& frame : frames) {
    if (const auto* const answer = std::get_if<McuAnswer>(&frame)) {
      hear_answer(*answer);
    } else if (const auto& bad = std::get<BadFrame>(frame); answered) {
      log_("{} > {}  beside an answer; that is left out: {}", name_, to_text(bad), bad.why);
    } else {
      hear_nonsense(bad);
    }
  }
  hearing_ = false;
  dispatch();
}

void OrderQueue::hear_answer(const McuAnswer& answer) {
  log_.heard(name_, answer);
  if (answer.bare && !answer.control.ack) {
    log_("{} refuses: {} {}", name_, to_text(answer), firmware_reason(answer.control.code));
  }
  take(answer);
}

void OrderQueue::hear_nonsense(const BadFrame& bad) {
  log_("{} > {}  no answer: {}", name_, to_text(bad), bad.why);
  take({nack(Nack::ErrorContactingMcu)});
}

void OrderQueue::take(const McuAnswer& answer) {
  if (!busy_) {
    log_("{} was not asked anything; that is left out", name_);
  } else if (done_) {
    busy_ = false;
    finish(answer);
  } else {
    log_("{} has answered too late, and takes orders again", name_);
    timer_.stop();
    busy_ = false;
  }
}

void OrderQueue::time_out() {
  log_("{} has not answered within {:.3g} s", name_, 1e-3 * double(patience_.count()));
  finish({nack(Nack::ErrorContactingMcu)});
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
    finish({nack(Nack::ErrorContactingMcu)});
  }
  timer_.stop();
  refuse_waiting(Nack::McuOffline);
}

void OrderQueue::refuse_waiting(Nack why) {
  for (Entry& entry : std::exchange(waiting_, {})) {
    entry.done({nack(why)});
  }
}

void OrderQueue::finish(const McuAnswer& answer) {
  timer_.stop();
  std::exchange(done_, nullptr)(answer);
}

}  // namespace servosim::srvp
