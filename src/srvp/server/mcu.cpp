// SPDX-License-Identifier: Apache-2.0
#include "srvp/server/mcu.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace servosim::srvp {

namespace {

// Returns the meaning of the digit of a bare NACK, from the platform's ESP32 firmware. No other
// digit has a known meaning.
std::string_view firmware_reason(std::uint8_t digit) {
  switch (digit) {
    case 1:
      return "too short";
    case 2:
      return "a wrong count";
    case 3:
      return "nothing is stored";
    case 5:
      return "an unknown order";
    default:
      return "for a reason that this number of the firmware does not tell";
  }
}

}  // namespace

void OrderQueue::push(Entry entry) {
  if (!is_open()) {
    entry.done({nack(Nack::McuOffline)});
  } else if (busy_ && !done_) {
    log_("{} has not answered an earlier order", name_);
    entry.done({nack(Nack::ErrorContactingMcu)});
  } else {
    waiting_.push_back(std::move(entry));
    dispatch();
  }
}

void OrderQueue::dispatch() {
  if (std::exchange(dispatching_, true)) {
    // The call further up the stack continues, since answers may arrive while an order is sent.
    return;
  }
  while (!receiving_ && !busy_ && !waiting_.empty()) {
    Entry entry = std::move(waiting_.front());
    waiting_.pop_front();
    if (!entry.still_wanted()) {
      entry.done({nack(Nack::NoActiveMcu)});
      continue;
    }
    SERVOSIM_ASSERT(is_open() && !done_, "an order to {} while another one is pending", name_);
    busy_ = true;
    done_ = std::move(entry.done);
    timer_.start(timeout_, [this] { time_out(); });
    log_.sent(name_, entry.order);
    const auto link = link_;  // a copy, since send() may close the link
    link->send(entry.order);
  }
  dispatching_ = false;
}

void OrderQueue::receive(const std::vector<Received>& frames) {
  receiving_ = true;
  const bool answered = std::any_of(frames.begin(), frames.end(), [](const Received& frame) {
    return std::holds_alternative<McuAnswer>(frame);
  });
  for (const Received& frame : frames) {
    if (const auto* const answer = std::get_if<McuAnswer>(&frame)) {
      receive_answer(*answer);
    } else if (const auto& bad = std::get<BadFrame>(frame); answered) {
      log_("{} > {}  beside an answer; ignored: {}", name_, to_text(bad), bad.why);
    } else {
      receive_bad_frame(bad);
    }
  }
  receiving_ = false;
  dispatch();
}

void OrderQueue::receive_answer(const McuAnswer& answer) {
  log_.received(name_, answer);
  if (answer.bare && !answer.control.ack) {
    log_("{} refuses: {} {}", name_, to_text(answer), firmware_reason(answer.control.code));
  }
  take(answer);
}

void OrderQueue::receive_bad_frame(const BadFrame& bad) {
  log_("{} > {}  no answer: {}", name_, to_text(bad), bad.why);
  take({nack(Nack::ErrorContactingMcu)});
}

void OrderQueue::take(const McuAnswer& answer) {
  if (!busy_) {
    log_("{} has no order; its answer is ignored", name_);
  } else if (done_) {
    busy_ = false;
    finish(answer);
  } else {
    log_("{} has answered after the timeout, and gets orders again", name_);
    timer_.stop();
    busy_ = false;
  }
}

void OrderQueue::time_out() {
  log_("{} has not answered within {:.3g} s", name_, 1e-3 * double(timeout_.count()));
  finish({nack(Nack::ErrorContactingMcu)});
  refuse_waiting(Nack::ErrorContactingMcu);
  if (busy_) {
    timer_.start(timeout_, [this] { resume_after_timeout(); });
  }
}

// A late answer would now be taken for the answer to the next order. Most probably there is none,
// and an MCU that has lost one order can be used again.
void OrderQueue::resume_after_timeout() {
  log_("{} has not answered in twice the timeout; it gets orders again", name_);
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

namespace {

Mcu::Validation refused(Nack why, std::string text) { return {nack(why), std::move(text)}; }

// Returns true if the order was not executed: another client has selected the MCU, it is not
// connected, or it does not answer.
bool may_be_repeated(const McuAnswer& refusal) {
  if (refusal.bare) {
    return false;
  }
  const Nack why{refusal.control.code};
  return why == Nack::NoActiveMcu || why == Nack::McuOffline || why == Nack::ErrorContactingMcu;
}

}  // namespace

Mcu::Mcu(net::EventLoop& loop, McuRecord record, std::chrono::milliseconds timeout, const Log& log)
    : record_(std::move(record)),
      title_("MCU " + legible(record_.name)),
      log_(log),
      orders_(loop, title_, timeout, log),
      positions_(record_.servo_count, kUnknownPosition) {}

void Mcu::set_calibration(std::vector<PwmRange> calibration) {
  SERVOSIM_ASSERT(calibration.empty() || calibration.size() == record_.servo_count,
                  "{} has {} servos and {} ranges", title_, record_.servo_count,
                  calibration.size());
  record_.calibration = std::move(calibration);
}

void Mcu::log_in(const McuDescription& description, std::shared_ptr<McuLink> link) {
  if (description.kind == McuKind::Smart) {
    SERVOSIM_ASSERT(description.positions.size() == record_.servo_count,
                    "{} has {} servos and {} positions", title_, record_.servo_count,
                    description.positions.size());
    positions_ = description.positions;
    stored_.clear();  // the MCU may have lost them
  }
  orders_.open(std::move(link));
}

void Mcu::log_out(const std::string& why) {
  log_("{} has disconnected{}{}", title_, why.empty() ? "" : ": ", why);
  orders_.close();
}

void Mcu::deselect(const void* client) {
  if (is_selected_by(client)) {
    client_ = nullptr;
  }
}

Mcu::Validation Mcu::check(const Movement& movement) const {
  const bool dumb = record_.kind == McuKind::Dumb;
  const bool pwm = movement.form == MoveForm::Pwm;
  if (!online()) {
    return refused(Nack::McuOffline, "it is not connected");
  }
  if (movement.moves.size() > record_.servo_count) {
    return refused(
        Nack::ServoCountMismatch,
        fmt::format("{} moves of {} servos", movement.moves.size(), record_.servo_count));
  }
  if (dumb && record_.calibration.empty()) {
    return refused(Nack::NoMcuInfo, "a DumbMCU that is not calibrated");
  }
  if (!dumb && pwm) {
    return refused(Nack::InvalidParameter, "a SmartMCU takes no PWM values");
  }
  for (const Move& move : movement.moves) {
    if (move.servo >= record_.servo_count) {
      return refused(Nack::InvalidParameter, fmt::format("there is no servo {}", move.servo));
    }
    if (move.value < 0 || move.value > (pwm ? kMaxPwm : kMaxPosition)) {
      return refused(Nack::InvalidParameter, fmt::format("servo {} cannot go to {} {}", move.servo,
                                                         pwm ? "PWM" : "position", move.value));
    }
  }
  return {};
}

Mcu::Target Mcu::target_of(MoveForm form, const Move& move) const {
  Target target{move.servo, static_cast<std::uint8_t>(move.value), move.value};
  if (record_.kind == McuKind::Dumb) {
    const PwmRange& range = record_.calibration[move.servo];
    if (form == MoveForm::Pwm) {
      target.position = position_of(move.value, range);
    } else {
      target.pwm = pwm_of(move.value, range);
    }
  }
  return target;
}

Mcu::Targets Mcu::targets_of(const Movement& movement) const {
  Targets targets;
  for (const Move& move : movement.moves) {
    targets.push_back(target_of(movement.form, move));
  }
  return targets;
}

Movement Mcu::movement_to(const Targets& targets) const {
  const bool dumb = record_.kind == McuKind::Dumb;
  Movement movement{dumb ? MoveForm::Pwm : MoveForm::Position, {}};
  for (const Target& target : targets) {
    movement.moves.push_back({target.servo, dumb ? target.pwm : target.position});
  }
  return movement;
}

void Mcu::order(const void* client, McuOrder order, Done done, Answered answered) {
  orders_.push({std::move(order), [this, client] { return is_selected_by(client); },
                [done = std::move(done), answered = std::move(answered)](const McuAnswer& answer) {
                  answered(answer);
                  done(answer.relayed());
                }});
}

void Mcu::move(const void* client, const Movement& movement, Done done) {
  const Targets targets = targets_of(movement);
  order(client, {McuOrder::Kind::Move, movement_to(targets)}, std::move(done),
        [this, targets](const McuAnswer& answer) {
          if (answer.control.ack) {
            set_positions(targets);
          }
        });
}

void Mcu::store(const void* client, const Movement& movement, Done done) {
  if (record_.kind == McuKind::Dumb) {
    merge_stored(movement);
    done(ack());
  } else {
    order(client, {McuOrder::Kind::Store, movement}, std::move(done),
          [this, movement](const McuAnswer& answer) {
            if (answer.control.ack) {
              merge_stored(movement);
            }
          });
  }
}

// Moves that did not reach the MCU stay stored and can be tried again. Moves that it has refused
// are removed, since it would refuse them again together with all moves that are stored later.
void Mcu::execute(const void* client, Done done) {
  Targets targets;
  for (const StoredMove& stored : stored_) {
    targets.push_back(target_of(stored.form, stored.move));
  }
  McuOrder execute{McuOrder::Kind::Execute, {}};
  if (record_.kind == McuKind::Dumb) {
    execute = {McuOrder::Kind::Move, movement_to(targets)};
  }
  order(client, std::move(execute), std::move(done),
        [this, targets, moves = stored_](const McuAnswer& answer) {
          if (answer.control.ack) {
            set_positions(targets);
          }
          if (answer.control.ack || !may_be_repeated(answer)) {
            remove_stored(moves);
          }
        });
}

void Mcu::merge_stored(const Movement& movement) {
  for (const Move& move : movement.moves) {
    const auto same =
        std::find_if(stored_.begin(), stored_.end(),
                     [&move](const StoredMove& stored) { return stored.move.servo == move.servo; });
    if (same != stored_.end()) {
      *same = {movement.form, move};
    } else {
      stored_.push_back({movement.form, move});
    }
  }
}

// Moves that another client has stored in the meantime stay.
void Mcu::remove_stored(const StoredMoves& moves) {
  std::erase_if(stored_, [&moves](const StoredMove& stored) {
    return std::find(moves.begin(), moves.end(), stored) != moves.end();
  });
}

void Mcu::set_positions(const Targets& targets) {
  for (const Target& target : targets) {
    positions_[target.servo] = target.position;
  }
}

}  // namespace servosim::srvp
