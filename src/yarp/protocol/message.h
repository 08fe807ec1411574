// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/assert.h"
#include "base/bytes.h"
#include "yarp/protocol/bottle.h"

namespace servosim::yarp {

/// Received bytes that are not parsed yet. Views into it are valid until the next append().
///
/// Invariant: taken_ is at most the size of bytes_; there is no line end between taken_ and
/// searched_.
class ByteQueue {
 public:
  void append(Bytes bytes) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(taken_));
    searched_ -= std::min(searched_, taken_);
    taken_ = 0;
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void clear() {
    bytes_.clear();
    taken_ = searched_ = 0;
  }
  Bytes bytes() const { return Bytes(bytes_).subspan(taken_); }
  std::size_t size() const { return bytes_.size() - taken_; }
  Bytes take(std::size_t size) {
    SERVOSIM_ASSERT(size <= this->size(), "{} of {} bytes", size, this->size());
    const Bytes taken = bytes().first(size);
    taken_ += size;
    return taken;
  }
  /// Returns the next complete line without its end, \n or \r\n. It searches no byte twice.
  std::optional<std::string_view> take_line() {
    const std::string_view all = as_text(bytes_);
    const std::size_t end = all.find('\n', std::max(taken_, searched_));
    if (end == all.npos) {
      searched_ = all.size();
      return std::nullopt;
    }
    std::string_view line = all.substr(taken_, end - taken_);
    taken_ = end + 1;
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    return line;
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t taken_ = 0;
  std::size_t searched_ = 0;  // there is no \n before it
};

// The carriers of a connection between two ports, and how it begins.
//
//     sender, who connects                           receiver, who accepts
//     handshake             ───────────────────▶
//                           ◀───────────────────     answer
//     messages              ───────────────────▶     on udp: as datagrams
//                           ◀───────────────────     reply to each that wants one, then the
//                                                    acknowledgement if the carrier has them
//
// encode_handshake() and Incoming are the two ends of the handshake; encode_answer() and Outgoing
// are those of the answer.

enum class Carrier : std::uint8_t { Udp, Tcp, FastTcp, Text, TextAck };

/// Returns "udp", "tcp", "fast_tcp", "text" or "text_ack".
std::string_view carrier_name(Carrier carrier);
std::optional<Carrier> carrier_named(std::string_view name);
bool is_text(Carrier carrier);
/// Returns true for Tcp and TextAck, where the receiver acknowledges every message.
bool acknowledges(Carrier carrier);

/// The size of a "YARP number": 'Y' 'A' int32 'R' 'P' [bytes].
inline constexpr std::size_t kNumberSize = 8;
void encode_number(Writer& writer, std::int32_t number);
/// Decodes the first eight bytes.
std::optional<std::int32_t> decode_number(Bytes bytes);

/// The longest name of a port or a property [bytes], including its NUL.
inline constexpr std::size_t kMaxName = 1024;

/// Appends the handshake. Binary: YA<7777 + code>RP, int32 length, name, NUL, where code is 0 for
/// udp, 131 for tcp, 3 for fast_tcp. Text: "CONNECT NAME\r\n"; text_ack: "CONNACK NAME\r\n".
void encode_handshake(Writer& writer, Carrier carrier, std::string_view sender);
/// Returns the carrier that YA<number>RP requests, if it is supported.
std::optional<Carrier> carrier_of_number(std::int32_t number);

/// Appends the answer. Binary: YA<number>RP. For udp the number is the port to which datagrams are
/// sent; otherwise it is the receiver's own port, which senders do not use. Text: "Welcome
/// SENDER\r\n".
void encode_answer(Writer& writer, Carrier carrier, std::int32_t number, std::string_view sender);
/// Appends the acknowledgement. Binary: YA<0>RP. Text: "<ACK>\r\n". Appends nothing for carriers
/// without acknowledgement.
void encode_ack(Writer& writer, Carrier carrier);

// Messages on an open connection.
//
//     binary:  YA<10>RP | n, m, ff · 8 | n · int32 length | m · int32 0 | command | body
//     command: int32 0, '~', key, 0, 1               key 'd' or 'D'
//          or: int32 length, '~', 0, 0, 1, text, NUL    text "D 4814 1795164583.03147", "q", "a"
//     text:    "d\n" and the body as a line; "D" or "do": no reply; "q\n", "*\n" and "~/from\n"
//              have no body
//
// The n lengths, at most 255, split command and body anywhere; only their sum has a meaning. On udp
// datagrams contain the same bytes, see below. A reply is the Bottle alone, or its line.

/// The time limit for the rest of an incomplete message or of a request to a name server. It is
/// longer than a slow network takes.
inline constexpr std::chrono::milliseconds kMessageTimeout{10'000};
/// The largest size of command and body together [bytes].
inline constexpr std::size_t kMaxMessage = kMaxBottle + 4096;

enum class PortCommand : std::uint8_t {
  Data,        ///< 'd' requests a reply, 'D' does not
  Admin,       ///< 'a': a Bottle about the port, see AdminRequest; requests a reply
  Quit,        ///< 'q': the connection ends
  Reverse,     ///< 'r': from now on the receiver sends the messages
  Describe,    ///< '*': requests a description of the port, for people
  Disconnect,  ///< '~': the port whose name follows sends no more; comes on a separate connection
  Other,       ///< an unknown command; the body contains what was received
};

/// The number and time of a message, which YARP calls its envelope.
struct Stamp {
  std::int32_t sequence = 0;  ///< starts at 0; 0 follows the largest number
  double time = 0.0;          ///< [s]
};
/// Returns the sequence number of the message after `count` others.
inline std::int32_t sequence_number(std::uint32_t count) {
  return static_cast<std::int32_t>(count & 0x7fffffff);
}

struct MessageHead {
  PortCommand command = PortCommand::Data;
  bool reply = false;  ///< the sender waits for a reply
  std::optional<Stamp> stamp;
};

/// Returns true for Data and Admin.
inline bool has_body(const MessageHead& head) {
  return head.command == PortCommand::Data || head.command == PortCommand::Admin;
}

struct Message {
  MessageHead head;
  /// For Data and Admin, decode_body() reads it; for Disconnect it is the name of the sender.
  Bytes body;
};

/// Decodes a Bottle in the encoding of the carrier, text or binary.
BottleOrError decode_body(Bytes body, Carrier carrier, Generation generation);

/// The position of a message that is being written.
struct MessageMark {
  std::size_t length_at = 0;
  std::size_t body_at = 0;
};
/// Appends the part before the body. If has_body(), append the body to the same writer, in binary
/// or as text, then call end_message().
MessageMark begin_message(Writer& writer, Carrier carrier, const MessageHead& head);
void end_message(Writer& writer, Carrier carrier, const MessageMark& mark);
/// Appends a whole message; `body` is used only for Data and Admin.
void encode_message(Writer& writer, Carrier carrier, const MessageHead& head, const Bottle& body,
                    Generation generation);
/// Appends the two messages that end a udp connection, for a text connection to the receiver's
/// port: Disconnect with the name of the sender, and Quit.
void encode_disconnect(Writer& writer, std::string_view from);
/// Appends a reply; encode_ack() then adds the acknowledgement.
void encode_reply(Writer& writer, Carrier carrier, const Bottle& reply, Generation generation);

/// The binary message at the beginning of `bytes`.
struct FoundMessage {
  std::size_t size = 0;  ///< [bytes]; 0 means that more bytes are needed, or that there is an error
  std::string error;     ///< why the bytes are no message; empty if they are or may become one
  Message message;       ///< a view into `bytes`
};
FoundMessage find_message(Bytes bytes);
/// Parses the text of a command: "D 4814 1795164583.03147", "do", "q".
MessageHead parse_command(std::string_view text);

/// One message for many connections. Each encoding is computed once, when it is first needed.
class EncodedMessage {
 public:
  /// `body` is a binary Bottle, and must outlive this object.
  EncodedMessage(const MessageHead& head, Bytes body, Generation generation)
      : head_(head), body_(body), generation_(generation) {}

  const MessageHead& head() const { return head_; }
  /// Returns the bytes for a stream.
  Bytes stream(Carrier carrier);
  /// Returns the datagrams for udp.
  const std::vector<Writer>& datagrams();

 private:
  MessageHead head_;
  Bytes body_;
  Generation generation_;
  std::optional<Writer> binary_;
  std::optional<Writer> text_;
  std::vector<Writer> datagrams_;
};

// A message of a binary carrier in UDP datagrams:
//
//     uint32 CRC-32 | int32 0 in the first, 1, 2, ... in those that follow | bytes
//
// The checksum covers the bytes from index 8 on, not the number. Number −1 wakes a waiting receiver
// and belongs to no message.

/// The longest datagram, and its part before the message's bytes [bytes].
inline constexpr std::size_t kMaxDatagram = 65507;
inline constexpr std::size_t kDatagramHead = 8;

/// Returns how many datagrams a message takes.
std::size_t datagram_count(Bytes message);
/// Appends the datagram with this number, counted from 0.
void encode_datagram(Writer& writer, Bytes message, std::size_t number);

/// Nothing means that more datagrams are needed. A ProtocolError is about the last datagram: its
/// message is dropped, and the next message is read again.
using DatagramEvent = std::variant<std::monostate, Message, ProtocolError>;

/// Joins datagrams to messages. Use it like Incoming: feed() one datagram, then call next() until
/// it returns nothing.
class DatagramReader {
 public:
  void feed(Bytes datagram);
  DatagramEvent next();
  /// Returns the number of bytes of an incomplete message.
  std::size_t buffered() const { return queue_.size(); }

 private:
  void drop(std::string why);

  ByteQueue queue_;
  std::int32_t expected_ = 0;  // number of the datagram that continues the queue; 0 if none does
  std::string error_;
};

}  // namespace servosim::yarp
