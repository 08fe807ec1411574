// SPDX-License-Identifier: Apache-2.0
#include "srvp/robot/server_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

namespace servosim::srvp::robot {
namespace {

// A connection that lasted is no sign of a server that refuses.
constexpr std::chrono::seconds kLasted{1};

}  // namespace

ServerLink::ServerLink(net::EventLoop& loop, const net::Address& server, srvp::McuDescription self,
                       Calls calls)
    : loop_(loop), server_(server), self_(std::move(self)), calls_(std::move(calls)), again_(loop) {
  dial();
}

template <typename Value>
std::function<void(Value)> ServerLink::later(void (ServerLink::*function)(Value)) {
  return [this, function, connection = connection_](Value value) {
    loop_.post([this, function, connection, value] {
      if (connection == connection_) {
        (this->*function)(value);
      }
    });
  };
}

void ServerLink::dial() {
  connected_at_ = net::Clock::time_point::max();
  is_accepted_ = false;
  try {
    stream_ = std::make_shared<net::Stream>(
        loop_, server_,
        net::Stream::Calls{[this] {
                             connected_at_ = net::Clock::now();
                             calls_.log_in(later(&ServerLink::log_in));
                           },
                           [this](Bytes bytes) { receive(bytes); },
                           [this](const std::string& why) { lose(why); }});
  } catch (const std::exception& error) {
    lose(error.what());
  }
}

void ServerLink::log_in(Positions positions) {
  if (self_.kind == srvp::McuKind::Smart) {
    self_.positions = std::move(positions);
  }
  say_once(fmt::format("MCU '{}' logs in to the SRVP server at {}", srvp::legible(self_.name),
                       net::to_string(server_)));
  send(srvp::encode(srvp::Login(self_)));
}

void ServerLink::receive(Bytes bytes) {
  frames_.feed(as_text(bytes));
  if (frames_.waiting() > kMaxWaiting) {
    return lose("it sends orders before the answers to those it sent");
  }
  next_order();
}

void ServerLink::next_order() {
  while (stream_ && !busy_) {
    const auto frame = frames_.next();
    if (std::holds_alternative<std::monostate>(frame)) {
      return;
    }
    is_accepted_ = true;  // whoever says something to an MCU has let it in
    if (const auto* order = std::get_if<srvp::McuOrder>(&frame)) {
      busy_ = true;
      calls_.orders.perform(*order, later(&ServerLink::answer));
      continue;
    }
    send(srvp::encode(nack(srvp::Nack::InvalidQuery)));
    if (const auto& bad = std::get<srvp::BadFrame>(frame); bad.endless) {
      return lose(bad.why);
    }
  }
}

void ServerLink::answer(srvp::Control control) {
  busy_ = false;
  send(srvp::encode(control));
  next_order();
}

void ServerLink::send(const std::string& frame) {
  if (stream_) {
    stream_->send(as_bytes(frame));
  }
}

void ServerLink::lose(const std::string& why) {
  if (stream_) {
    stream_->close();
    loop_.bury(std::move(stream_));
  }
  ++connection_;
  frames_.drop();
  busy_ = false;
  const net::Clock::time_point now = net::Clock::now();
  const bool was_connected = connected_at_ <= now;
  const bool lasted = was_connected && now - connected_at_ >= kLasted;
  if (lasted) {
    pause_ = kFirstPause;
  }
  if (was_connected && !lasted && !is_accepted_) {
    say_once(
        fmt::format("MCU '{}' has lost the SRVP server at {} right after the login, and tries "
                    "again. Refused? Perhaps another MCU of that name is logged in, or it is "
                    "known with another kind or number of servos",
                    srvp::legible(self_.name), net::to_string(server_)));
  } else {
    say_once(fmt::format("MCU '{}' has lost the SRVP server at {}, and tries again: {}",
                         srvp::legible(self_.name), net::to_string(server_), why));
  }
  again_.start(pause_, [this] { dial(); });
  pause_ = std::min(2 * pause_, kLongestPause);
}

void ServerLink::say_once(const std::string& message) {
  if (std::exchange(said_, message) != message && calls_.say) {
    calls_.say(message);
  }
}

}  // namespace servosim::srvp::robot
