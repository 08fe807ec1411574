// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "yarp/byte_queue.h"
#include "yarp/message.h"

namespace servosim::yarp {

/// The receiver has answered the handshake; messages may be sent.
struct Welcomed {
  /// The receiver's port; on udp the one to send datagrams to, 1 to 65535, and the stream is done
  /// with. 0 on text carriers.
  std::int32_t number = 0;
};

struct Reply {
  Bytes body;  ///< decode_body() reads it
};

/// The message sent last is done with, reply, acknowledgement and all. Not told of messages that
/// want neither.
struct Finished {};

/// What the bytes so far were. Nothing: more are needed. After a ProtocolError the connection is of
/// no use.
using OutgoingEvent = std::variant<std::monostate, Welcomed, Reply, Finished, ProtocolError>;

/// The sender's ear: what comes back on a connection that we have dialled, cut anywhere. One
/// message at a time waits for its reply and acknowledgement.
///
///     encode_handshake(...)         →  Welcomed
///     encode_message(...), sent()   →  Reply, Finished
///
/// To hear from a port instead, send PortCommand::Reverse and go on with an Incoming(carrier).
class Outgoing {
 public:
  enum class Begin : std::uint8_t {
    Dialled,  ///< the handshake was sent, and its answer comes first
    Open,     ///< the other side has dialled, and turned the connection round
  };

  /// The generation of the replies: their end cannot be found without.
  Outgoing(Carrier carrier, Generation generation, Begin begin = Begin::Dialled)
      : carrier_(carrier),
        generation_(generation),
        state_(begin == Begin::Open ? State::Ready : State::Answer) {}

  /// Whether a message may be sent now. A stream of states leaves out those for which it may not.
  bool ready() const { return state_ == State::Ready; }
  /// Notes that a message was sent; only when ready().
  void sent(const MessageHead& head);

  /// As with Incoming: next() until it gives nothing before the next feed().
  void feed(Bytes bytes);
  OutgoingEvent next();

 private:
  enum class State : std::uint8_t { Answer, Ready, Reply, Acknowledgement, Broken };

  OutgoingEvent answer();
  OutgoingEvent text_answer();
  OutgoingEvent reply();
  OutgoingEvent text_reply();
  OutgoingEvent acknowledgement();
  OutgoingEvent replied(Bytes body);
  OutgoingEvent refuse(std::string text);
  std::optional<std::string_view> line();

  Carrier carrier_;
  Generation generation_;
  State state_;
  bool finished_ = false;  // Finished is still to be told
  ByteQueue queue_;
  ProtocolError error_;
};

}  // namespace servosim::yarp
