// SPDX-License-Identifier: Apache-2.0
#include "srvp/server/client_session.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace servosim::srvp {

namespace {

// The number of bytes of waiting queries above which the socket is not read, which stops the
// client.
constexpr std::size_t kMaxWaiting = 1u << 14;

bool is_pwm_range(const PwmRange& range) {
  return std::min(range.min, range.max) >= 0 && std::max(range.min, range.max) <= kMaxPwm;
}

}  // namespace

ClientSession::ClientSession(PeerConnection& connection, const ServerContext& context)
    : connection_(connection),
      context_(context),
      title_("client " + connection.peer()),
      frame_timer_(context.loop) {}

void ClientSession::received(std::string_view bytes) {
  reader_.feed(bytes);
  answer_queries();
}

void ClientSession::closed(const std::string& why) {
  context_.log("{} has disconnected{}{}", title_, why.empty() ? "" : ": ", why);
  closed_ = true;
  frame_timer_.stop();
  if (mcu_) {
    mcu_->deselect(this);
  }
}

void ClientSession::answer_queries() {
  if (std::exchange(answering_, true)) {
    return;  // the call further up the stack continues
  }
  while (!waiting_ && !closed_) {
    const auto frame = reader_.next();
    if (const auto* query = std::get_if<Query>(&frame)) {
      context_.log.received(title_, *query);
      std::visit([this](const auto& asked) { answer(asked); }, *query);
    } else if (const auto* bad = std::get_if<BadFrame>(&frame)) {
      refuse(*bad);
    } else {
      break;
    }
  }
  answering_ = false;
  connection_.set_reading(!waiting_ || reader_.waiting() < kMaxWaiting);
  watch_for_timeout();
}

// The beginning of an incomplete frame would make the next frame a part of it, so it is dropped
// after a time.
void ClientSession::watch_for_timeout() {
  if (waiting_ || closed_ || !reader_.is_unfinished()) {
    frame_timer_.stop();
    return;
  }
  frame_timer_.start(context_.frame_timeout, [this] {
    refuse(reader_.give_up("the rest of a query did not arrive in time"));
  });
}

Mcu* ClientSession::active() const {
  return mcu_ && mcu_->is_selected_by(this) ? mcu_.get() : nullptr;
}

void ClientSession::send(const Answer& answer, std::string_view note) {
  context_.log.sent(title_, answer, note);
  connection_.send(encode(answer));
}

void ClientSession::refuse(Nack why, std::string_view text) {
  const Control control = nack(why);
  send(control, fmt::format("{}: {}", nack_name(control.code), text));
}

void ClientSession::refuse(const BadFrame& bad) {
  if (!bad.bytes.empty()) {
    context_.log.received(title_, bad);
  }
  if (bad.endless) {
    context_.log("{} sends {}; the connection is closed", title_, bad.why);
    closed_ = true;
    connection_.finish();
  } else {
    refuse(Nack::InvalidQuery, bad.why);
  }
}

Mcu::Done ClientSession::answer_callback() {
  SERVOSIM_ASSERT(!waiting_, "{} has an unanswered query", title_);
  waiting_ = true;
  return [weak = weak_from_this()](Control control) {
    const auto session = weak.lock();
    if (session && !session->closed_) {
      session->send(control, control.ack ? "" : nack_name(control.code));
      session->waiting_ = false;
      session->answer_queries();
    }
  };
}

void ClientSession::answer(const Movement& movement) {
  Mcu* const mcu = active();
  if (!mcu) {
    return refuse(Nack::NoActiveMcu, "no MCU is selected, or by another client since");
  }
  if (const Mcu::Validation validation = mcu->check(movement); !validation.answer.ack) {
    return refuse(Nack{validation.answer.code}, validation.why);
  }
  if (!context_.single_ack) {
    send(ack());
  }
  if (is_delayed()) {
    mcu->store(this, movement, answer_callback());
  } else {
    mcu->move(this, movement, answer_callback());
  }
}

void ClientSession::answer(const SelectMcu& select) {
  auto mcu = context_.registry.find(select.name);
  if (!mcu) {
    return refuse(Nack::NoActiveMcu, "no MCU of that name is known");
  }
  if (mcu_) {
    mcu_->deselect(this);
  }
  mcu_ = std::move(mcu);
  mcu_->select(this);
  put_in_delayed_ = mcu_->has_stored_moves();
  send(ack());
}

void ClientSession::answer(const AskInfo&) {
  if (Mcu* const mcu = active()) {
    send(McuInfo{mcu->positions()});
  } else {
    refuse(Nack::NoActiveMcu, "no MCU is selected, or by another client since");
  }
}

void ClientSession::answer(const SetMode& mode) {
  if (mode.mode != SetMode::kDelayed && mode.mode != SetMode::kRealTime) {
    return refuse(Nack::InvalidParameter, fmt::format("there is no mode {}", mode.mode));
  }
  delayed_ = mode.mode == SetMode::kDelayed;
  put_in_delayed_ = false;
  send(ack(mode.mode));
}

void ClientSession::answer(const ExecuteAll&) {
  Mcu* const mcu = active();
  if (!mcu) {
    refuse(Nack::NoActiveMcu, "no MCU is selected, or by another client since");
  } else if (!is_delayed()) {
    refuse(Nack::OnRealTimeMode, "moves are stored in delayed mode only");
  } else if (const Mcu::Validation validation = mcu->check({}); !validation.answer.ack) {
    refuse(Nack{validation.answer.code}, validation.why);
  } else if (!mcu->has_stored_moves()) {
    refuse(Nack::InvalidParameter, "no move is stored");
  } else {
    mcu->execute(this, answer_callback());
  }
}

void ClientSession::answer(const Upload& upload) {
  Mcu* const mcu = active();
  if (!mcu) {
    return refuse(Nack::NoActiveMcu, "no MCU is selected, or by another client since");
  }
  if (upload.ranges.size() != mcu->record().servo_count) {
    return refuse(
        Nack::ServoCountMismatch,
        fmt::format("it has {} servos, not {}", mcu->record().servo_count, upload.ranges.size()));
  }
  if (!std::all_of(upload.ranges.begin(), upload.ranges.end(), is_pwm_range)) {
    return refuse(Nack::InvalidParameter, "PWM values are 0..32766");
  }
  context_.registry.calibrate(mcu_, upload.ranges, [done = answer_callback()](bool kept) {
    done(kept ? ack() : nack(Nack::ErrorLoadingMinMax));
  });
}

void ClientSession::answer(const ShutDown&) {
  if (!context_.shut_down) {
    return refuse(Nack::InvalidQuery, "this server is not to be shut down by clients");
  }
  send(ack());
  connection_.finish();
  context_.shut_down();
}

}  // namespace servosim::srvp
