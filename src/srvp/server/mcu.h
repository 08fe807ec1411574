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

/// Sends orders to an MCU, whose answers go to OrderQueue::receive().
class McuLink {
 public:
  virtual ~McuLink() = default;
  virtual void send(const McuOrder& order) = 0;
};

/// Sends orders to an MCU one at a time, since answers do not name their order. After a timeout no
/// order is sent until the late answer has arrived or the timeout has passed again.
///
/// Invariants: while `busy_`, one order is sent and not answered; `done_` is set only while
/// `busy_`; without a link no order waits.
class OrderQueue {
 public:
  struct Entry {
    McuOrder order;
    std::function<bool()> still_wanted;          ///< called just before the order is sent
    std::function<void(const McuAnswer&)> done;  ///< called once
  };
  using Received = std::variant<McuAnswer, BadFrame>;

  /// `name` is the name of the MCU in the log.
  OrderQueue(net::EventLoop& loop, std::string name, std::chrono::milliseconds timeout,
             const Log& log)
      : name_(std::move(name)), timeout_(timeout), log_(log), timer_(loop) {}

  void open(std::shared_ptr<McuLink> link) { link_ = std::move(link); }
  bool is_open() const { return link_ != nullptr; }
  void close();
  void push(Entry entry);
  /// Takes all frames of one read, none of which can answer an order that is not sent yet. Bad
  /// frames next to an answer are ignored, as the platform's server does.
  void receive(const std::vector<Received>& frames);

 private:
  void dispatch();
  void receive_answer(const McuAnswer& answer);
  void receive_bad_frame(const BadFrame& bad);
  void take(const McuAnswer& answer);
  void time_out();
  void resume_after_timeout();
  void refuse_waiting(Nack why);
  void finish(const McuAnswer& answer);

  std::string name_;
  std::chrono::milliseconds timeout_;
  const Log& log_;
  net::Timer timer_;
  std::shared_ptr<McuLink> link_;
  std::deque<Entry> waiting_;
  bool receiving_ = false;
  bool dispatching_ = false;
  bool busy_ = false;  // an order is sent
  // The function of that order; empty after its timeout.
  std::function<void(const McuAnswer&)> done_;
};

/// An MCU in the process of the server.
class LocalMcu {
 public:
  /// Call it once with the answer, from any thread, while the server's loop exists. It may be
  /// called inside perform(), and after the MCU was removed.
  using Respond = std::function<void(Control answer)>;

  virtual ~LocalMcu() = default;
  /// Called in the thread of the server's loop; it must not wait. The next order comes after the
  /// answer to this one. A SmartMCU gets positions, all in range. A DumbMCU gets PWM values, and
  /// only Kind::Move.
  virtual void perform(McuOrder order, Respond respond) = 0;
};

/// An MCU that is registered at a server, whether it is logged in or not.
///
/// Invariants: positions_ has one item for each servo; stored_ has at most one move for each servo;
/// a calibration has one range for each servo, or is empty.
class Mcu {
 public:
  using Done = std::function<void(Control)>;

  Mcu(net::EventLoop& loop, McuRecord record, std::chrono::milliseconds timeout, const Log& log);

  const McuRecord& record() const { return record_; }
  const std::string& title() const { return title_; }
  /// Returns the positions by servo id.
  const std::vector<std::uint8_t>& positions() const { return positions_; }
  OrderQueue& orders() { return orders_; }
  bool online() const { return orders_.is_open(); }
  bool has_stored_moves() const { return !stored_.empty(); }
  bool matches(McuKind kind, std::size_t servo_count) const {
    return record_.kind == kind && record_.servo_count == servo_count;
  }
  /// Returns whether a new login would restore all of it, so that it may be removed.
  bool is_removable() const { return !online() && record_.calibration.empty() && stored_.empty(); }
  void set_calibration(std::vector<PwmRange> calibration);

  void log_in(const McuDescription& description, std::shared_ptr<McuLink> link);
  void log_out(const std::string& why);

  // ---- for a client, which is identified by its address
  void select(const void* client) { client_ = client; }
  void deselect(const void* client);
  bool is_selected_by(const void* client) const { return client_ == client; }
  /// The result of checking moves for this MCU: the first answer to SRVP, and a text for people.
  struct Validation {
    Control answer = ack();
    std::string why;
  };
  Validation check(const Movement& movement) const;
  /// Executes valid moves.
  void move(const void* client, const Movement& movement, Done done);
  /// Stores valid moves; a SmartMCU stores them itself.
  void store(const void* client, const Movement& movement, Done done);
  /// Executes the stored moves.
  void execute(const void* client, Done done);

 private:
  struct Target {
    std::uint8_t servo;
    std::uint8_t position;
    std::int32_t pwm;  // for a DumbMCU
  };
  using Targets = std::vector<Target>;
  using Answered = std::function<void(const McuAnswer&)>;
  // A move as the client sent it. For a DumbMCU it is converted when it is executed.
  struct StoredMove {
    MoveForm form;
    Move move;
    bool operator==(const StoredMove&) const = default;
  };
  using StoredMoves = std::vector<StoredMove>;

  Target target_of(MoveForm form, const Move& move) const;
  Targets targets_of(const Movement& movement) const;
  Movement movement_to(const Targets& targets) const;
  /// `answered` is called with the answer, before `done`.
  void order(const void* client, McuOrder order, Done done, Answered answered);
  void merge_stored(const Movement& movement);
  void remove_stored(const StoredMoves& moves);
  void set_positions(const Targets& targets);

  McuRecord record_;
  std::string title_;
  const Log& log_;
  OrderQueue orders_;
  std::vector<std::uint8_t> positions_;
  StoredMoves stored_;  // at most one for each servo
  const void* client_ = nullptr;
};

}  // namespace servosim::srvp
