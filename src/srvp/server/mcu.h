// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/event_loop.h"
#include "servosim/srvp/frames.h"
#include "srvp/server/connection.h"
#include "srvp/server/database.h"

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

/// An MCU in the process of the server.
class LocalMcu {
 public:
  /// To be called once with the answer, from any thread, while the server's loop lives; also
  /// from inside perform(), and also when the MCU has been removed.
  using Respond = std::function<void(Control answer)>;

  virtual ~LocalMcu() = default;
  /// Called in the thread of the server's loop, which must not wait here. The next order comes
  /// after the answer to this one. A SmartMCU gets positions, all of them in range; a DumbMCU gets
  /// PWM values, and only Kind::Move.
  virtual void perform(McuOrder order, Respond respond) = 0;
};

/// What a server knows of an MCU, logged in or not.
class Mcu {
 public:
  using Done = std::function<void(Control)>;

  Mcu(net::EventLoop& loop, McuRecord record, std::chrono::milliseconds patience, const Log& log);

  const McuRecord& record() const { return record_; }
  const std::string& title() const { return title_; }
  /// By id.
  const std::vector<std::uint8_t>& positions() const { return positions_; }
  OrderQueue& orders() { return orders_; }
  bool online() const { return orders_.is_open(); }
  bool has_stored_moves() const { return !stored_.empty(); }
  bool is_like(McuKind kind, std::size_t servo_count) const {
    return record_.kind == kind && record_.servo_count == servo_count;
  }
  /// There is nothing of it that a new login would not bring back.
  bool is_forgettable() const {
    return !online() && record_.calibration.empty() && stored_.empty();
  }
  void set_calibration(std::vector<PwmRange> calibration);

  void log_in(const McuDescription& description, std::shared_ptr<McuLink> link);
  void log_out(const std::string& why);

  // ---- for a client, of which nothing is known but who it is
  void select(const void* client) { client_ = client; }
  void deselect(const void* client);
  bool is_selected_by(const void* client) const { return client_ == client; }
  /// Why moves are not fit for this MCU, as the first answer to SRVP, with a text for people; an
  /// ACK if they are.
  struct Verdict {
    Control answer = ack();
    std::string why;
  };
  Verdict check(const Movement& movement) const;
  /// Performs moves found fit.
  void move(const void* client, const Movement& movement, Done done);
  /// Stores them: a SmartMCU does that itself.
  void store(const void* client, const Movement& movement, Done done);
  /// Performs what is stored.
  void execute(const void* client, Done done);

 private:
  struct Target {
    std::uint8_t servo;
    std::uint8_t position;
    std::int32_t pwm;  // of a DumbMCU
  };
  using Targets = std::vector<Target>;
  using Answered = std::function<void(const McuAnswer&)>;
  // As it was asked: what it means for a DumbMCU is for the calibration to say when it is sent.
  struct StoredMove {
    MoveForm form;
    Move move;
    bool operator==(const StoredMove&) const = default;
  };
  using StoredMoves = std::vector<StoredMove>;

  Target target_of(MoveForm form, const Move& move) const;
  Targets targets_of(const Movement& movement) const;
  Movement movement_to(const Targets& targets) const;
  /// `answered` hears the answer before `done` does.
  void order(const void* client, McuOrder order, Done done, Answered answered);
  void merge_stored(const Movement& movement);
  void forget_stored(const StoredMoves& moves);
  void reached(const Targets& targets);

  McuRecord record_;
  std::string title_;
  const Log& log_;
  OrderQueue orders_;
  std::vector<std::uint8_t> positions_;
  StoredMoves stored_;  // a servo has one at most
  const void* client_ = nullptr;
};

}  // namespace servosim::srvp
