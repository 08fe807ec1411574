// SPDX-License-Identifier: Apache-2.0
#include "srvp/robot/server_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

#include "base/assert.h"

namespace servosim::srvp::robot {
namespace {

// A connection that lasts at least this long was not refused.
constexpr std::chrono::seconds kStableConnection{1};

}  // namespace

ServerLink::ServerLink(net::EventLoop& loop, const net::Address& server, srvp::McuDescription self,
                       Calls calls)
    : loop_(loop),
      server_(server),
      self_(std::move(self)),
      calls_(std::move(calls)),
      retry_timer_(loop) {
  connect();
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

void ServerLink::connect() {
  connected_at_ = net::Clock::time_point::max();
  is_accepted_ = false;
  try {
    stream_ = std::make_shared<net::TcpStream>(
        loop_, server_,
        net::TcpStream::Calls{[this] {
                                connected_at_ = net::Clock::now();
                                calls_.log_in(later(&ServerLink::log_in));
                              },
                              [this](Bytes bytes) { receive(bytes); },
                              [this](const std::string& why) { disconnect(why); }});
  } catch (const std::exception& error) {
    disconnect(error.what());
  }
}

void ServerLink::log_in(Positions positions) {
  if (self_.kind == srvp::McuKind::Smart) {
    self_.positions = std::move(positions);
  }
  report_once(fmt::format("MCU '{}' logs in to the SRVP server at {}", srvp::legible(self_.name),
                          net::to_string(server_)));
  send(srvp::encode(srvp::Login(self_)));
}

void ServerLink::receive(Bytes bytes) {
  frames_.feed(as_text(bytes));
  if (frames_.waiting() > kMaxWaiting) {
    return disconnect("it sends orders before the answers to earlier ones");
  }
  next_order();
}

void ServerLink::next_order() {
  while (stream_ && !busy_) {
    const auto frame = frames_.next();
    if (std::holds_alternative<std::monostate>(frame)) {
      return;
    }
    is_accepted_ = true;  // a server sends nothing to an MCU that it refuses
    if (const auto* order = std::get_if<srvp::McuOrder>(&frame)) {
      busy_ = true;
      calls_.orders.perform(*order, later(&ServerLink::answer));
      continue;
    }
    send(srvp::encode(nack(srvp::Nack::InvalidQuery)));
    if (const auto& bad = std::get<srvp::BadFrame>(frame); bad.endless) {
      return disconnect(bad.why);
    }
  }
}

void ServerLink::answer(srvp::Control control) {
  SERVOSIM_ASSERT(busy_, "MCU '{}' answers without an order", srvp::legible(self_.name));
  busy_ = false;
  send(srvp::encode(control));
  next_order();
}

void ServerLink::send(const std::string& frame) {
  if (stream_) {
    stream_->send(as_bytes(frame));
  }
}

void ServerLink::disconnect(const std::string& why) {
  if (stream_) {
    stream_->close();
    loop_.destroy_later(std::move(stream_));
  }
  ++connection_;
  frames_.drop();
  busy_ = false;
  const net::Clock::time_point now = net::Clock::now();
  const bool was_connected = connected_at_ <= now;
  const bool lasted = was_connected && now - connected_at_ >= kStableConnection;
  if (lasted) {
    retry_delay_ = kMinRetryDelay;
  }
  if (was_connected && !lasted && !is_accepted_) {
    report_once(
        fmt::format("MCU '{}' has lost the SRVP server at {} right after the login, and tries "
                    "again. Refused? Perhaps another MCU of that name is logged in, or it is "
                    "known with another kind or number of servos",
                    srvp::legible(self_.name), net::to_string(server_)));
  } else {
    report_once(fmt::format("MCU '{}' has lost the SRVP server at {}, and tries again: {}",
                            srvp::legible(self_.name), net::to_string(server_), why));
  }
  retry_timer_.start(retry_delay_, [this] { connect(); });
  retry_delay_ = std::min(2 * retry_delay_, kMaxRetryDelay);
}

void ServerLink::report_once(const std::string& message) {
  if (std::exchange(reported_, message) != message && calls_.report) {
    calls_.report(message);
  }
}

}  // namespace servosim::srvp::robot
