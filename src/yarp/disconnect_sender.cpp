// SPDX-License-Identifier: Apache-2.0
#include "yarp/disconnect_sender.h"

#include <utility>

#include "yarp/message.h"

namespace servosim::yarp {

DisconnectSender::DisconnectSender(net::Reactor& reactor, const net::Address& receiver,
                                   std::string_view from, std::chrono::milliseconds patience,
                                   std::function<void()> done)
    : done_(std::move(done)), timer_(reactor) {
  Writer writer;
  encode_handshake(writer, Carrier::Text, "admin");
  encode_disconnect(writer, from);
  net::Stream::Calls calls;
  calls.connected = [this, text = std::move(writer)] { stream_->send(text.bytes()); };
  calls.received = [](Bytes) {};
  calls.closed = [this](const std::string&) { end(); };
  stream_ = std::make_unique<net::Stream>(reactor, receiver, std::move(calls));
  timer_.start(patience, [this] { end(); });
}

void DisconnectSender::end() {
  timer_.stop();
  stream_->close();
  if (const auto done = std::exchange(done_, {})) {
    done();
  }
}

}  // namespace servosim::yarp
