// SPDX-License-Identifier: Apache-2.0
#include "yarp/out_link.h"

#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace servosim::yarp {

OutLink::OutLink(net::Reactor& reactor, const net::Address& remote, Carrier carrier,
                 std::string_view own_name, Generation generation, Calls calls)
    : reactor_(reactor),
      remote_(remote),
      own_name_(own_name),
      carrier_(carrier),
      generation_(generation),
      calls_(std::move(calls)),
      outgoing_(carrier, generation) {
  net::Stream::Calls to_stream = stream_calls();
  to_stream.connected = [this] {
    Writer writer;
    encode_handshake(writer, carrier_, own_name_);
    named_ = true;
    stream_->send(writer.bytes());
  };
  stream_ = std::make_unique<net::Stream>(reactor, remote, std::move(to_stream));
}

OutLink::OutLink(net::Reactor& reactor, std::unique_ptr<net::Stream> stream, Carrier carrier,
                 Generation generation, Calls calls)
    : reactor_(reactor),
      carrier_(carrier),
      generation_(generation),
      calls_(std::move(calls)),
      outgoing_(carrier, generation, Outgoing::Begin::Open),
      stream_(std::move(stream)) {
  stream_->set_calls(stream_calls());
  stream_->set_reading(true);
}

net::Stream::Calls OutLink::stream_calls() {
  return {{},
          [this](Bytes bytes) { received(bytes); },
          [this](const std::string& why) {
            if (!udp_) {
              receiver_left(why);
            }
          }};
}

void OutLink::received(Bytes bytes) {
  outgoing_.feed(bytes);
  while (stream_ && stream_->is_open()) {
    const OutgoingEvent event = outgoing_.next();
    if (event.index() == 0) {
      return;
    }
    handle(event);
  }
}

void OutLink::handle(const OutgoingEvent& event) {
  if (const auto* answer = std::get_if<Welcomed>(&event)) {
    welcomed(answer->number);
  } else if (const auto* reply = std::get_if<Reply>(&event)) {
    calls_.reply(decode_body(reply->body, carrier_, generation_));
  } else if (std::holds_alternative<Finished>(event)) {
    calls_.finished();
  } else if (const auto* error = std::get_if<ProtocolError>(&event)) {
    fail(error->text);
  }
}

void OutLink::welcomed(std::int32_t number) {
  if (carrier_ == Carrier::Udp) {
    try {
      udp_ = net::udp_sender({remote_.ip, static_cast<std::uint16_t>(number)});
    } catch (const std::system_error& error) {
      return fail(error.what());
    }
    stream_->close();
  }
  calls_.opened();
}

bool OutLink::ready() const {
  return outgoing_.ready() && (udp_ || (stream_ && stream_->is_open() && stream_->unsent() == 0));
}

void OutLink::send(EncodedMessage& message) {
  outgoing_.sent(message.head());
  if (udp_) {
    send_datagrams(message);
  } else {
    stream_->send(message.stream(carrier_));
  }
}

void OutLink::send(const MessageHead& head, const Bottle& body) {
  Writer writer;
  encode_bottle(writer, body, generation_);
  EncodedMessage message(head, writer.bytes(), generation_);
  send(message);
}

// What does not fit into the socket's buffer is lost, as datagrams are.
void OutLink::send_datagrams(EncodedMessage& message) {
  for (const Writer& datagram : message.datagrams()) {
    const Bytes bytes = datagram.bytes();
    if (::send(udp_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) {
      if (errno == ECONNREFUSED) {
        receiver_left("nobody reads there any more");
      }
      return;
    }
  }
}

void OutLink::quit(std::function<void()> told, std::chrono::milliseconds patience) {
  udp_.reset();
  if (ready()) {
    send({PortCommand::Quit, false, {}});
  }
  if (stream_) {
    stream_->close();
  }
  if (carrier_ == Carrier::Udp && named_ && told) {
    try {
      disconnect_ =
          std::make_unique<DisconnectSender>(reactor_, remote_, own_name_, patience, told);
      return;
    } catch (const std::system_error&) {  // nobody can be told
    }
  }
  if (told) {
    told();
  }
}

std::unique_ptr<net::Stream> OutLink::take_stream() {
  stream_->set_calls({});
  return std::move(stream_);
}

void OutLink::receiver_left(const std::string& why) {
  named_ = false;
  fail(why);
}

void OutLink::fail(const std::string& why) {
  if (stream_) {
    stream_->close();
  }
  udp_.reset();
  calls_.closed(why);
}

}  // namespace servosim::yarp
