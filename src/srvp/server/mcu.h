// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "servosim/srvp/frames.h"
#include "srvp/server/database.h"
#include "srvp/server/order_queue.h"

namespace servosim::srvp {

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
