// SPDX-License-Identifier: Apache-2.0
#include "yarp/incoming.h"

#include <algorithm>
#include <string>
#include <utility>

namespace servosim::yarp {

namespace {

constexpr std::string_view kTextBegin = "CONNECT ";
constexpr std::string_view kTextAckBegin = "CONNACK ";

// Whether a handshake of ours may begin with these bytes.
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

// None: the line goes on, or error_ says that it is too long.
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

}  // namespace servosim::yarp
