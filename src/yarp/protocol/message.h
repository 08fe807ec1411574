// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "yarp/protocol/bottle.h"
#include "yarp/protocol/carrier.h"

// Messages on an open connection.
//
//     binary:  YA<10>RP | n, m, ff · 8 | n · int32 length | m · int32 0 | command | body
//     command: int32 0, '~', key, 0, 1               key 'd' or 'D'
//          or: int32 length, '~', 0, 0, 1, text, NUL    text "D 4814 1795164583.03147", "q", "a"
//     text:    "d\n" and the body as a line; "D" or "do": no reply; "q\n", "*\n" and "~/from\n"
//              have no body
//
// The n lengths, 255 at most, cut command and body anywhere; only their sum says something. On udp
// the same bytes travel in datagrams (datagram.h). A reply is the bare Bottle, or its line.

namespace servosim::yarp {

/// Longest command and body together, in bytes.
inline constexpr std::size_t kMaxMessage = kMaxBottle + 4096;

enum class PortCommand : std::uint8_t {
  Data,        ///< 'd' wants a reply, 'D' does not
  Admin,       ///< 'a': a Bottle about the port; see admin.h. Wants a reply
  Quit,        ///< 'q': the connection ends
  Reverse,     ///< 'r': from now on the receiver sends the messages
  Describe,    ///< '*': a person asks what this port is
  Disconnect,  ///< '~': the port whose name follows sends no more; on a connection of its own
  Other,       ///< the body is what was sent instead
};

/// When a message was made: its envelope.
struct Stamp {
  std::int32_t sequence = 0;
  double time = 0.0;  ///< [s]
};

struct MessageHead {
  PortCommand command = PortCommand::Data;
  bool reply = false;  ///< the sender waits for one
  std::optional<Stamp> stamp;
};

/// Data and Admin.
inline bool has_body(const MessageHead& head) {
  return head.command == PortCommand::Data || head.command == PortCommand::Admin;
}

struct Message {
  MessageHead head;
  Bytes body;  ///< of Data and Admin: decode_body() reads it; of Disconnect the name of the sender
};

/// A Bottle as it travels on this carrier: in text or in binary.
BottleOrError decode_body(Bytes body, Carrier carrier, Generation generation);

/// Where a message stands that is being written.
struct MessageMark {
  std::size_t length_at = 0;
  std::size_t body_at = 0;
};
/// Appends what comes before the body. Where there is one, append it to the same writer, in binary
/// or as text, then call end_message().
MessageMark begin_message(Writer& writer, Carrier carrier, const MessageHead& head);
void end_message(Writer& writer, Carrier carrier, const MessageMark& mark);
/// Appends a whole message; `body` counts for Data and Admin only.
void encode_message(Writer& writer, Carrier carrier, const MessageHead& head, const Bottle& body,
                    Generation generation);
/// Appends what ends a connection by udp: Disconnect in the name of its sender and Quit, for a
/// connection by text to the receiver's port.
void encode_disconnect(Writer& writer, std::string_view from);
/// Appends a reply; encode_ack() then adds the acknowledgement.
void encode_reply(Writer& writer, Carrier carrier, const Bottle& reply, Generation generation);

/// The binary message with which `bytes` begin.
struct FoundMessage {
  std::size_t size = 0;  ///< its bytes, or 0: it goes on beyond those that are here
  std::string error;     ///< or why there is none
  Message message;       ///< a view into `bytes`
};
FoundMessage find_message(Bytes bytes);
/// What the text of a command says: "D 4814 1795164583.03147", "do", "q".
MessageHead parse_command(std::string_view text);

/// One message for many connections: worked out once for each way of writing it, and only if
/// somebody wants it so.
class EncodedMessage {
 public:
  /// `body` is a Bottle in binary, and must outlive this.
  EncodedMessage(const MessageHead& head, Bytes body, Generation generation)
      : head_(head), body_(body), generation_(generation) {}

  const MessageHead& head() const { return head_; }
  /// As it goes through a stream.
  Bytes stream(Carrier carrier);
  /// As it goes by udp.
  const std::vector<Writer>& datagrams();

 private:
  MessageHead head_;
  Bytes body_;
  Generation generation_;
  std::optional<Writer> binary_;
  std::optional<Writer> text_;
  std::vector<Writer> datagrams_;
};

}  // namespace servosim::yarp
