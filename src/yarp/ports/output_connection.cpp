// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/output_connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/assert.h"
#include "yarp/protocol/message.h"

namespace servosim::yarp {

DisconnectSender::DisconnectSender(net::EventLoop& loop, const net::Address& receiver,
                                   std::string_view from, std::chrono::milliseconds timeout,
                                   std::function<void()> done)
    : done_(std::move(done)), timer_(loop) {
  Writer writer;
  encode_handshake(writer, Carrier::Text, "admin");
  encode_disconnect(writer, from);
  net::TcpStream::Calls calls;
  calls.connected = [this, text = std::move(writer)] { stream_->send(text.bytes()); };
  calls.received = [](Bytes) {};
  calls.closed = [this](const std::string&) { end(); };
  stream_ = std::make_unique<net::TcpStream>(loop, receiver, std::move(calls));
  timer_.start(timeout, [this] { end(); });
}

void DisconnectSender::end() {
  timer_.stop();
  stream_->close();
  if (const auto done = std::exchange(done_, {})) {
    done();
  }
}

namespace {

constexpr std::string_view kTextAck = "<ACK>";

}  // namespace

void Outgoing::sent(const MessageHead& head) {
  SERVOSIM_ASSERT(ready(), "a message is sent in state {}", static_cast<int>(state_));
  if (carrier_ == Carrier::Udp) {
    return;  // udp has no answers
  }
  if (head.reply) {
    state_ = State::Reply;
  } else if (acknowledges(carrier_)) {
    state_ = State::Acknowledgement;
  }
}

void Outgoing::feed(Bytes bytes) {
  if (state_ != State::Broken) {
    queue_.append(bytes);
  }
}

OutgoingEvent Outgoing::next() {
  if (std::exchange(finished_, false)) {
    state_ = State::Ready;
    return Finished{};
  }
  switch (state_) {
    case State::Answer:
      return is_text(carrier_) ? text_answer() : answer();
    case State::Reply:
      return is_text(carrier_) ? text_reply() : reply();
    case State::Acknowledgement:
      return acknowledgement();
    case State::Ready:
      return queue_.size() > 0 ? refuse("bytes that answer no message") : OutgoingEvent();
    case State::Broken:
      break;
  }
  return error_;
}

OutgoingEvent Outgoing::refuse(std::string text) {
  queue_.clear();
  state_ = State::Broken;
  error_.text = std::move(text);
  return error_;
}

// Returns nothing if the line is incomplete, or if it is too long, which sets the state to Broken.
std::optional<std::string_view> Outgoing::line() {
  const std::optional<std::string_view> line = queue_.take_line();
  if (line ? line->size() > kMaxBottle : queue_.size() > kMaxBottle) {
    refuse("a line that is too long");
    return std::nullopt;
  }
  return line;
}

OutgoingEvent Outgoing::answer() {
  if (queue_.size() < kNumberSize) {
    return {};
  }
  const std::optional<std::int32_t> number = decode_number(queue_.take(kNumberSize));
  if (!number) {
    return refuse("the other side refuses the connection");
  }
  if (carrier_ == Carrier::Udp && (*number < 1 || *number > 65535)) {
    return refuse(fmt::format("the other side offers UDP port {}", *number));
  }
  state_ = State::Ready;
  return Welcomed{*number};
}

OutgoingEvent Outgoing::text_answer() {
  const std::optional<std::string_view> text = line();
  if (!text) {
    return state_ == State::Broken ? OutgoingEvent(error_) : OutgoingEvent();
  }
  if (!text->starts_with("Welcome")) {
    return refuse(fmt::format("the other side refuses the connection: {}", *text));
  }
  state_ = State::Ready;
  return Welcomed{};
}

OutgoingEvent Outgoing::replied(Bytes body) {
  if (acknowledges(carrier_)) {
    state_ = State::Acknowledgement;
  } else {
    finished_ = true;
  }
  return RepliedMessage{body};
}

OutgoingEvent Outgoing::reply() {
  const Bytes bytes = queue_.bytes();
  if (acknowledges(carrier_) && !bytes.empty() && as_text(bytes).front() == 'Y') {
    return acknowledgement();  // a Bottle never begins with 'Y', so there is no reply
  }
  BottleEnd end = find_bottle_end(bytes, generation_);
  if (!end.error.empty()) {
    return refuse("a reply that is " + end.error);
  }
  return end.size > 0 ? replied(queue_.take(end.size)) : OutgoingEvent();
}

OutgoingEvent Outgoing::text_reply() {
  const std::optional<std::string_view> text = line();
  if (!text) {
    return state_ == State::Broken ? OutgoingEvent(error_) : OutgoingEvent();
  }
  if (carrier_ == Carrier::TextAck && *text == kTextAck) {
    state_ = State::Ready;  // there is no reply
    return Finished{};
  }
  return replied(as_bytes(*text));
}

OutgoingEvent Outgoing::acknowledgement() {
  if (is_text(carrier_)) {
    const std::optional<std::string_view> text = line();
    if (!text) {
      return state_ == State::Broken ? OutgoingEvent(error_) : OutgoingEvent();
    }
    if (*text != kTextAck) {
      return refuse(fmt::format("\"{}\" in place of {}", *text, kTextAck));
    }
  } else {
    if (queue_.size() < kNumberSize) {
      return {};
    }
    if (decode_number(queue_.take(kNumberSize)) != 0) {
      return refuse("no acknowledgement (YA<0>RP) where one is due");
    }
  }
  state_ = State::Ready;
  return Finished{};
}

OutputConnection::OutputConnection(net::EventLoop& loop, const net::Address& remote,
                                   Carrier carrier, std::string_view own_name,
                                   Generation generation, Calls calls)
    : loop_(loop),
      remote_(remote),
      own_name_(own_name),
      carrier_(carrier),
      generation_(generation),
      calls_(std::move(calls)),
      outgoing_(carrier, generation) {
  net::TcpStream::Calls to_stream = stream_calls();
  to_stream.connected = [this] {
    Writer writer;
    encode_handshake(writer, carrier_, own_name_);
    named_ = true;
    stream_->send(writer.bytes());
  };
  stream_ = std::make_unique<net::TcpStream>(loop, remote, std::move(to_stream));
}

OutputConnection::OutputConnection(net::EventLoop& loop, std::unique_ptr<net::TcpStream> stream,
                                   Carrier carrier, Generation generation, Calls calls)
    : loop_(loop),
      carrier_(carrier),
      generation_(generation),
      calls_(std::move(calls)),
      outgoing_(carrier, generation, Outgoing::Begin::Open),
      stream_(std::move(stream)) {
  stream_->set_calls(stream_calls());
  stream_->set_reading(true);
}

net::TcpStream::Calls OutputConnection::stream_calls() {
  return {{},
          [this](Bytes bytes) { received(bytes); },
          [this](const std::string& why) {
            if (!udp_) {
              receiver_left(why);
            }
          }};
}

void OutputConnection::received(Bytes bytes) {
  outgoing_.feed(bytes);
  while (stream_ && stream_->is_open()) {
    const OutgoingEvent event = outgoing_.next();
    if (event.index() == 0) {
      return;
    }
    handle(event);
  }
}

void OutputConnection::handle(const OutgoingEvent& event) {
  if (const auto* answer = std::get_if<Welcomed>(&event)) {
    welcomed(answer->number);
  } else if (const auto* reply = std::get_if<RepliedMessage>(&event)) {
    calls_.reply(decode_body(reply->body, carrier_, generation_));
  } else if (std::holds_alternative<Finished>(event)) {
    calls_.finished();
  } else if (const auto* error = std::get_if<ProtocolError>(&event)) {
    fail(error->text);
  }
}

void OutputConnection::welcomed(std::int32_t number) {
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

bool OutputConnection::ready() const {
  return outgoing_.ready() && (udp_ || (stream_ && stream_->is_open() && stream_->unsent() == 0));
}

void OutputConnection::send(EncodedMessage& message) {
  outgoing_.sent(message.head());
  if (udp_) {
    send_datagrams(message);
  } else {
    stream_->send(message.stream(carrier_));
  }
}

void OutputConnection::send(const MessageHead& head, const Bottle& body) {
  Writer writer;
  encode_bottle(writer, body, generation_);
  EncodedMessage message(head, writer.bytes(), generation_);
  send(message);
}

// Datagrams that do not fit into the socket's buffer are lost.
void OutputConnection::send_datagrams(EncodedMessage& message) {
  for (const Writer& datagram : message.datagrams()) {
    const Bytes bytes = datagram.bytes();
    if (::send(udp_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) {
      if (errno == ECONNREFUSED) {
        receiver_left("the receiver is closed");
      }
      return;
    }
  }
}

void OutputConnection::quit(std::function<void()> notified, std::chrono::milliseconds timeout) {
  udp_.reset();
  if (ready()) {
    send({PortCommand::Quit, false, {}});
  }
  if (stream_) {
    stream_->close();
  }
  if (carrier_ == Carrier::Udp && named_ && notified) {
    try {
      disconnect_ =
          std::make_unique<DisconnectSender>(loop_, remote_, own_name_, timeout, notified);
      return;
    } catch (const std::system_error&) {  // the receiver is not reachable
    }
  }
  if (notified) {
    notified();
  }
}

std::unique_ptr<net::TcpStream> OutputConnection::take_stream() {
  stream_->set_calls({});
  return std::move(stream_);
}

void OutputConnection::receiver_left(const std::string& why) {
  named_ = false;
  fail(why);
}

void OutputConnection::fail(const std::string& why) {
  if (stream_) {
    stream_->close();
  }
  udp_.reset();
  calls_.closed(why);
}

}  // namespace servosim::yarp
