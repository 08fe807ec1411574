// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "yarp/byte_queue.h"
#include "yarp/message.h"

namespace servosim::yarp {

/// Somebody has introduced themselves: answer with encode_answer().
struct Opened {
  Carrier carrier = Carrier::Tcp;
  std::string_view sender;  ///< without a leading '/' it is nobody's port: "admin", "external"
};

/// What the bytes so far were. Nothing: more are needed. After a ProtocolError the connection is of
/// no use; its text is fit to be sent to whoever dialled.
using IncomingEvent = std::variant<std::monostate, Opened, Message, ProtocolError>;

/// The receiver's ear: the stream of a connection that others have dialled, cut anywhere.
///
///     incoming.feed(bytes);
///     for (auto event = incoming.next(); event.index() != 0; event = incoming.next()) ...
///
/// Call next() until it gives nothing before the next feed(): then no more than kMaxMessage bytes
/// and one feed are kept. Views hold until the next feed().
///
/// On text carriers, what is no command comes as PortCommand::Other with its line as the body.
/// After Quit, Reverse and Describe the caller closes, turns round or describes, and answers with
/// encode_ack() as after every message.
class Incoming {
 public:
  /// From the handshake on.
  Incoming() = default;
  /// After it: the sender has turned the connection round with PortCommand::Reverse.
  explicit Incoming(Carrier carrier) : carrier_(carrier) {}

  void feed(Bytes bytes);
  IncomingEvent next();
  /// None before Opened.
  std::optional<Carrier> carrier() const { return carrier_; }
  /// Bytes that are not understood yet.
  std::size_t held() const { return queue_.size(); }

 private:
  IncomingEvent handshake();
  IncomingEvent text_handshake(Carrier carrier);
  IncomingEvent binary_message();
  IncomingEvent text_message();
  std::optional<std::string_view> line();
  IncomingEvent refuse(std::string text);

  ByteQueue queue_;
  std::optional<Carrier> carrier_;
  std::optional<MessageHead> head_;  // of a text message whose body is still to come
  std::optional<ProtocolError> error_;
};

}  // namespace servosim::yarp
