// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/input_connection.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/assert.h"
#include "base/per_thread.h"

namespace servosim::yarp {

namespace {

constexpr std::string_view kTextBegin = "CONNECT ";
constexpr std::string_view kTextAckBegin = "CONNACK ";

// Returns whether a supported handshake may begin with these bytes.
bool may_begin(std::string_view begin) {
  return kTextBegin.starts_with(begin) || kTextAckBegin.starts_with(begin) ||
         std::string_view("YA").starts_with(begin.substr(0, 2));
}

}  // namespace

void Incoming::feed(Bytes bytes) {
  if (!error_) {
    queue_.append(bytes);
  }
}

IncomingEvent Incoming::next() {
  if (error_) {
    return *error_;
  }
  if (!carrier_) {
    return handshake();
  }
  return is_text(*carrier_) ? text_message() : binary_message();
}

IncomingEvent Incoming::refuse(std::string text) {
  queue_.clear();
  error_ = ProtocolError{std::move(text)};
  return *error_;
}

// Returns nothing if the line is incomplete, or if it is too long, which sets error_.
std::optional<std::string_view> Incoming::line() {
  const std::optional<std::string_view> line = queue_.take_line();
  if (line ? line->size() > kMaxBottle : queue_.size() > kMaxBottle) {
    refuse("a line that is too long");
    return std::nullopt;
  }
  return line;
}

IncomingEvent Incoming::handshake() {
  const Bytes bytes = queue_.bytes();
  const std::string_view begin = as_text(bytes).substr(0, kNumberSize);
  if (begin == kTextBegin || begin == kTextAckBegin) {
    return text_handshake(begin == kTextBegin ? Carrier::Text : Carrier::TextAck);
  }
  if (begin.size() < kNumberSize && may_begin(begin)) {
    return {};
  }
  const std::optional<std::int32_t> number = decode_number(bytes);
  const std::optional<Carrier> carrier = number ? carrier_of_number(*number) : std::nullopt;
  if (!carrier) {
    return refuse(
        "This is a YARP port. It speaks tcp, fast_tcp, udp, text and text_ack: begin with "
        "\"CONNECT name\" to type to it.");
  }
  Reader reader(bytes.subspan(kNumberSize));
  const std::int32_t length = reader.i32();
  if (!reader.ok()) {
    return {};
  }
  if (length < 1 || static_cast<std::size_t>(length) > kMaxName) {
    return refuse("a name of " + std::to_string(length) + " bytes");
  }
  const std::string_view name = as_text(reader.take(static_cast<std::size_t>(length)));
  if (!reader.ok()) {
    return {};
  }
  queue_.take(bytes.size() - reader.left());
  carrier_ = carrier;
  return Opened{*carrier, name.substr(0, name.find('\0'))};
}

IncomingEvent Incoming::text_handshake(Carrier carrier) {
  const std::optional<std::string_view> line = queue_.take_line();
  if (line ? line->size() > kNumberSize + kMaxName : queue_.size() > kNumberSize + kMaxName) {
    return refuse("a name that is too long");
  }
  if (!line) {
    return {};
  }
  carrier_ = carrier;
  return Opened{carrier, line->substr(std::min(kNumberSize, line->size()))};
}

IncomingEvent Incoming::binary_message() {
  FoundMessage found = find_message(queue_.bytes());
  if (!found.error.empty()) {
    return refuse(std::move(found.error));
  }
  if (found.size == 0) {
    return {};
  }
  queue_.take(found.size);
  return found.message;
}

IncomingEvent Incoming::text_message() {
  const auto event = [this](Bytes body) {
    return Message{*std::exchange(head_, std::nullopt), body};
  };
  if (!head_) {
    const std::optional<std::string_view> command = line();
    if (!command) {
      return error_ ? IncomingEvent(*error_) : IncomingEvent();
    }
    head_ = parse_command(*command);
    if (head_->command == PortCommand::Other) {
      return event(as_bytes(*command));
    }
    if (head_->command == PortCommand::Disconnect) {
      return event(as_bytes(command->substr(1)));
    }
    if (!has_body(*head_)) {
      return event({});
    }
  }
  const std::optional<std::string_view> body = line();
  if (!body) {
    return error_ ? IncomingEvent(*error_) : IncomingEvent();
  }
  return event(as_bytes(*body));
}

namespace {

constexpr int kMaxDatagramsPerCall = 32;  // so that other connections are served, too

}  // namespace

void InputConnection::accept(Descriptor socket, const net::Address& peer) {
  peer_ = peer;
  local_ = net::local_address(socket);
  stream_ = std::make_unique<net::TcpStream>(loop_, std::move(socket), stream_calls());
}

void InputConnection::attach(std::unique_ptr<net::TcpStream> stream, Carrier carrier,
                             std::string sender) {
  incoming_ = Incoming(carrier);
  sender_ = std::move(sender);
  stream_ = std::move(stream);
  stream_->set_calls(stream_calls());
}

net::TcpStream::Calls InputConnection::stream_calls() {
  return {{},
          [this](Bytes bytes) {
            last_received_ = net::Clock::now();
            incoming_.feed(bytes);
            pump();
            update_buffered();
          },
          [this](const std::string& why) {
            if (!udp_) {  // a udp connection uses the stream only for the handshake
              end(why);
            }
          }};
}

void InputConnection::pump() {
  bool some_received = false;
  while (can_accept() && !udp_) {
    const IncomingEvent event = incoming_.next();
    if (event.index() == 0) {
      break;
    }
    some_received = true;
    handle(event);
  }
  watch_for_stall(some_received);
  if (stream_ && stream_->is_open()) {
    stream_->set_reading(can_accept());
  }
}

// An incomplete message has a timeout here. The owner handles the timeout of the handshake.
void InputConnection::watch_for_stall(bool some_received) {
  const bool begun = can_accept() && !udp_ && carrier() && incoming_.buffered() > 0;
  if (!begun) {
    stall_timer_.stop();
  } else if (some_received || !message_begun_) {
    stall_timer_.start(timeout_, [this] {
      owner_.link_problem(*this, "an incomplete message");
      end("");
    });
  }
  message_begun_ = begun;
}

std::size_t InputConnection::recount_buffered() {
  buffered_ = under_way_bytes_ + incoming_.buffered() + (udp_ ? udp_->reader.buffered() : 0) +
              (stream_ ? stream_->unsent() : 0);
  return buffered_;
}

void InputConnection::update_buffered() {
  const std::size_t before = buffered_;
  if (recount_buffered() != before && !ended_) {
    owner_.link_buffered(*this, before, buffered_);
  }
}

void InputConnection::handle(const IncomingEvent& event) {
  if (const auto* opened = std::get_if<Opened>(&event)) {
    open(*opened);
  } else if (const auto* message = std::get_if<Message>(&event)) {
    take(*message);
  } else if (const auto* error = std::get_if<ProtocolError>(&event)) {
    send_text(error->text + "\r\n");
    owner_.link_problem(*this, error->text);
    end("");
  }
}

void InputConnection::open(const Opened& opened) {
  sender_ = std::string(opened.sender);
  const std::uint16_t number = opened.carrier == Carrier::Udp ? open_udp() : local_.port;
  Writer writer;
  encode_answer(writer, opened.carrier, number, sender_);
  send(writer);
  if (!ended_) {
    owner_.link_opened(*this);
  }
}

std::uint16_t InputConnection::open_udp() {
  udp_ = std::make_unique<Udp>(net::udp_socket({local_.ip, 0}));
  udp_->watch = std::make_unique<net::DescriptorWatch>(loop_, udp_->socket.get(), EPOLLIN,
                                                       [this](std::uint32_t) { read_datagrams(); });
  return net::local_address(udp_->socket).port;
}

void InputConnection::read_datagrams() {
  constexpr std::size_t kMaxSize = 1u << 16;  // longer than any datagram
  static PerThread<std::array<std::byte, kMaxSize>> buffers;
  std::array<std::byte, kMaxSize>& buffer = buffers.get();
  for (int i = 0; i < kMaxDatagramsPerCall && udp_; ++i) {
    sockaddr_in from{};
    socklen_t from_size = sizeof from;
    const ssize_t size = ::recvfrom(udp_->socket.get(), buffer.data(), buffer.size(), 0,
                                    reinterpret_cast<sockaddr*>(&from), &from_size);
    if (size < 0) {
      return;
    }
    if (ntohl(from.sin_addr.s_addr) == peer_.ip) {
      take_datagram(Bytes(buffer).first(static_cast<std::size_t>(size)));
    }
  }
}

void InputConnection::take_datagram(Bytes datagram) {
  last_received_ = net::Clock::now();
  try {
    udp_->reader.feed(datagram);
    while (udp_) {
      const DatagramEvent event = udp_->reader.next();
      if (event.index() == 0) {
        return update_buffered();
      }
      if (const auto* error = std::get_if<ProtocolError>(&event)) {
        owner_.link_problem(*this, error->text);
      } else if (!can_accept()) {
        owner_.link_problem(*this,
                            "messages arrive faster than they are handled; some are dropped");
      } else {
        take(std::get<Message>(event));
      }
    }
  } catch (const std::exception& error) {  // for example a lack of memory
    end(error.what());
  }
}

void InputConnection::take(const Message& message) {
  switch (message.head.command) {
    case PortCommand::Data:
    case PortCommand::Admin:
      return take_request(message);
    case PortCommand::Quit:
      acknowledge();
      return end("");
    case PortCommand::Reverse:
      return reverse();
    case PortCommand::Disconnect:
      send_text(owner_.link_disconnects(*this, as_text(message.body)));
      return acknowledge();
    case PortCommand::Describe:
      send_text(owner_.link_description());
      return acknowledge();
    case PortCommand::Other:
      send_text(fmt::format(
          "no such command; there are: d and a line, the reply to it comes back; do and a line, no "
          "reply; a and a line about connections; * what this is; q the end\r\n"));
      return acknowledge();
  }
}

void InputConnection::take_request(const Message& message) {
  const Carrier carrier = *incoming_.carrier();
  const bool wanted = message.head.reply && carrier != Carrier::Udp;
  BottleOrError body = decode_body(message.body, carrier, generation_);
  const std::size_t size = message.body.size();
  ++under_way_;
  under_way_bytes_ += size;
  waiting_ = wanted;
  if (!wanted) {
    acknowledge();
  }
  if (const auto* error = std::get_if<ProtocolError>(&body)) {
    owner_.link_problem(*this, error->text);
    return answered(Bottle{{Vocab("fail"), error->text}}, wanted, size);
  }
  Respond respond = [weak = weak_from_this(), wanted, size, &loop = loop_](PortReply reply) {
    loop.post([weak, wanted, size, reply = std::move(reply)] {
      if (const auto link = weak.lock()) {
        link->answered(reply, wanted, size);
        link->pump();
        link->update_buffered();
      }
    });
  };
  owner_.link_request(*this, {std::move(std::get<Bottle>(body)), message.head, sender_},
                      std::move(respond));
}

void InputConnection::answered(const PortReply& reply, bool wanted, std::size_t size) {
  SERVOSIM_ASSERT(under_way_ > 0, "an answer without a request, of {}", sender_);
  --under_way_;
  under_way_bytes_ -= size;
  if (wanted && !ended_) {
    send_reply(reply);
  }
  if (finishing_ && under_way_ == 0) {
    end("");
  }
}

void InputConnection::send_reply(const PortReply& reply) {
  waiting_ = false;
  Writer writer;
  const Carrier carrier = *incoming_.carrier();
  const auto* const raw = std::get_if<RawReply>(&reply);
  if (raw != nullptr && !is_text(carrier)) {
    writer.chars(raw->bytes);
  } else {
    encode_reply(writer, carrier, raw ? raw->text : std::get<Bottle>(reply), generation_);
  }
  encode_ack(writer, carrier);
  send(writer);
}

void InputConnection::acknowledge() {
  Writer writer;
  encode_ack(writer, *incoming_.carrier());
  send(writer);
}

// A later turn of the loop does this, since the stream is calling this object.
void InputConnection::reverse() {
  if (udp_) {
    return owner_.link_problem(*this, "a connection by udp cannot be reversed");
  }
  acknowledge();
  waiting_ = true;
  loop_.post([weak = weak_from_this()] {
    if (const auto link = weak.lock(); link && !link->ended_) {
      link->owner_.link_reversed(*link);
    }
  });
}

std::unique_ptr<net::TcpStream> InputConnection::take_stream() {
  ended_ = true;
  stall_timer_.stop();
  stream_->set_calls({});
  return std::move(stream_);
}

void InputConnection::send(const Writer& writer) {
  if (stream_ && stream_->is_open()) {
    stream_->send(writer.bytes());
  }
}

// After the handshake, binary carriers have no format for text.
void InputConnection::send_text(std::string_view text) {
  if (!incoming_.carrier() || is_text(*incoming_.carrier())) {
    Writer writer;
    writer.chars(text);
    send(writer);
  }
}

void InputConnection::close() {
  ended_ = true;
  stall_timer_.stop();
  udp_.reset();
  if (stream_) {
    stream_->close();
  }
}

void InputConnection::end(const std::string& why) {
  if (!ended_) {
    close();
    owner_.link_closed(*this, why);
  }
}

}  // namespace servosim::yarp
