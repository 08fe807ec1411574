// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/socket_stream.h"
#include "yarp/protocol/message.h"

namespace servosim::yarp {

/// Sends the disconnect command to a receiver by udp: on a connection by text to its port, as
/// datagrams have no end of their own.
class DisconnectSender {
 public:
  /// `done` is called once: when the receiver has closed that connection, or after `patience`. Not
  /// to be destroyed while it calls. @throws std::system_error
  DisconnectSender(net::EventLoop& loop, const net::Address& receiver, std::string_view from,
                   std::chrono::milliseconds patience, std::function<void()> done);

 private:
  void end();

  std::function<void()> done_;
  net::Timer timer_;
  std::unique_ptr<net::Stream> stream_;
};

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

/// A connection on which we send. As with net::Stream: not to be destroyed while it calls.
class OutputConnection {
 public:
  struct Calls {
    std::function<void()> opened;                     ///< messages may be sent; of one that dials
    std::function<void(const BottleOrError&)> reply;  ///< to the message sent last
    std::function<void()> finished;                   ///< with the message sent last
    std::function<void(const std::string& why)> closed;
  };

  /// Dials the port of somebody else in the name of one of ours. @throws std::system_error
  OutputConnection(net::EventLoop& loop, const net::Address& remote, Carrier carrier,
                   std::string_view own_name, Generation generation, Calls calls);
  /// Goes on with a connection that the other side has dialled and turned round.
  OutputConnection(net::EventLoop& loop, std::unique_ptr<net::Stream> stream, Carrier carrier,
                   Generation generation, Calls calls);

  Carrier carrier() const { return carrier_; }
  /// Whether a message may be sent now: the one before has left and is acknowledged.
  bool ready() const;
  /// Only when ready().
  void send(EncodedMessage& message);
  void send(const MessageHead& head, const Bottle& body = {});
  /// Sends the quit command, if there is room for it, and closes. A receiver by udp gets the
  /// disconnect command on a connection of its own, also when it has not answered the handshake
  /// yet, if somebody waits for that: `told` is called at its end or after `patience`, else at
  /// once.
  void quit(std::function<void()> told = {},
            std::chrono::milliseconds patience = std::chrono::seconds(1));
  /// The connection, to be used otherwise.
  std::unique_ptr<net::Stream> take_stream();

 private:
  net::Stream::Calls stream_calls();
  void received(Bytes bytes);
  void handle(const OutgoingEvent& event);
  void welcomed(std::int32_t number);
  void send_datagrams(EncodedMessage& message);
  void receiver_left(const std::string& why);
  void fail(const std::string& why);

  net::EventLoop& loop_;
  net::Address remote_;
  std::string own_name_;
  Carrier carrier_;
  Generation generation_;
  Calls calls_;
  Outgoing outgoing_;
  std::unique_ptr<net::Stream> stream_;
  Descriptor udp_;
  bool named_ = false;  // the receiver has our name, and has not ended the connection
  std::unique_ptr<DisconnectSender> disconnect_;
};

}  // namespace servosim::yarp
