// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/event_loop.h"
#include "servosim/srvp/frames.h"
#include "srvp/server/connection.h"

namespace servosim::srvp {

/// How an MCU is reached. What it answers goes to OrderQueue::hear().
class McuLink {
 public:
  virtual ~McuLink() = default;
  virtual void send(const McuOrder& order) = 0;
};

/// Hands orders to an MCU one at a time, since its answers do not say what they answer. So an MCU
/// that has let the time for an answer pass gets no other order before that answer has come, or
/// as much time again has passed.
class OrderQueue {
 public:
  struct Entry {
    McuOrder order;
    std::function<bool()> still_wanted;          ///< asked just before it is sent
    std::function<void(const McuAnswer&)> done;  ///< called once
  };
  using Heard = std::variant<McuAnswer, BadFrame>;

  /// `name` is what the log calls the MCU.
  OrderQueue(net::EventLoop& loop, std::string name, std::chrono::milliseconds patience,
             const Log& log)
      : name_(std::move(name)), patience_(patience), log_(log), timer_(loop) {}

  void open(std::shared_ptr<McuLink> link) { link_ = std::move(link); }
  bool is_open() const { return link_ != nullptr; }
  void close();
  void push(Entry entry);
  /// All that came in one piece: none of it can answer an order that is not sent yet, and nonsense
  /// beside an answer is left out, as the platform's server does.
  void hear(const std::vector<Heard>& frames);

 private:
  void dispatch();
  void hear_answer(const McuAnswer& answer);
  void hear_nonsense(const BadFrame& bad);
  void take(const McuAnswer& answer);
  void time_out();
  void stop_waiting();
  void refuse_waiting(Nack why);
  void finish(const McuAnswer& answer);

  std::string name_;
  std::chrono::milliseconds patience_;
  const Log& log_;
  net::Timer timer_;
  std::shared_ptr<McuLink> link_;
  std::deque<Entry> waiting_;
  bool hearing_ = false;
  bool dispatching_ = false;
  bool busy_ = false;                           // with an order sent
  std::function<void(const McuAnswer&)> done_;  // of that order; none: its time has passed
};

}  // namespace servosim::srvp
