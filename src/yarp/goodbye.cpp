// SPDX-License-Identifier: Apache-2.0
#include "yarp/goodbye.h"

#include <utility>

#include "yarp/message.h"

namespace servosim::yarp {

Goodbye::Goodbye(net::Reactor& reactor, const net::Address& receiver, std::string_view from,
                 std::chrono::milliseconds patience, std::function<void()> said)
    : said_(std::move(said)), timer_(reactor) {
  Writer writer;
  encode_handshake(writer, Carrier::Text, "admin");
  encode_goodbye(writer, from);
  net::Stream::Calls calls;
  calls.connected = [this, text = std::move(writer)] { stream_->send(text.bytes()); };
  calls.received = [](Bytes) {};
  calls.closed = [this](const std::string&) { end(); };
  stream_ = std::make_unique<net::Stream>(reactor, receiver, std::move(calls));
  timer_.start(patience, [this] { end(); });
}

void Goodbye::end() {
  timer_.stop();
  stream_->close();
  if (const auto said = std::exchange(said_, {})) {
    said();
  }
}

}  // namespace servosim::yarp
