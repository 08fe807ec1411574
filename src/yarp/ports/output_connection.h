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

#include "base/sockets.h"
#include "yarp/protocol/message.h"

namespace servosim::yarp {

/// Sends the disconnect command to a receiver by udp, on a connection by text to its port: the end
/// of a stream of datagrams is not visible otherwise.
class DisconnectSender {
 public:
  /// `done` is called once: when the receiver has closed that connection, or after `timeout`. Must
  /// not be destroyed in that call. @throws std::system_error
  DisconnectSender(net::EventLoop& loop, const net::Address& receiver, std::string_view from,
                   std::chrono::milliseconds timeout, std::function<void()> done);

 private:
  void end();

  std::function<void()> done_;
  net::Timer timer_;
  std::unique_ptr<net::TcpStream> stream_;
};

/// The receiver has answered the handshake; messages may be sent.
struct Welcomed {
  /// The receiver's port; on udp the port for datagrams, 1 to 65535, and the stream is not used any
  /// more. 0 on text carriers.
  std::int32_t number = 0;
};

struct Reply {
  Bytes body;  ///< decode_body() reads it
};

/// The reply and the acknowledgement of the last message have been received. No event for messages
/// that have neither.
struct Finished {};

/// What the received bytes contain. Nothing: more bytes are needed. After a ProtocolError the
/// connection is unusable.
using OutgoingEvent = std::variant<std::monostate, Welcomed, Reply, Finished, ProtocolError>;

/// Parses the answers on a connection that this side has opened, in pieces of any length. One
/// message at a time waits for its reply and acknowledgement.
///
/// Invariant: a message is sent in the state Ready only; its answers lead back to Ready, or to
/// Broken.
///
///     encode_handshake(...)         →  Welcomed
///     encode_message(...), sent()   →  Reply, Finished
///
/// To receive from a port instead, send PortCommand::Reverse and continue with Incoming(carrier).
class Outgoing {
 public:
  enum class Begin : std::uint8_t {
    Dialled,  ///< the handshake was sent, and its answer comes first
    Open,     ///< the other side has opened and reversed the connection
  };

  /// The end of a reply depends on the generation.
  Outgoing(Carrier carrier, Generation generation, Begin begin = Begin::Dialled)
      : carrier_(carrier),
        generation_(generation),
        state_(begin == Begin::Open ? State::Ready : State::Answer) {}

  /// Whether a message may be sent now. A stream of states omits a state for which it is false.
  bool ready() const { return state_ == State::Ready; }
  /// Notes that a message was sent; only when ready().
  void sent(const MessageHead& head);

  /// As with Incoming: call next() until it returns nothing before the next feed().
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
  bool finished_ = false;  // Finished is the next event
  ByteQueue queue_;
  ProtocolError error_;
};

/// A connection on which a port sends. As net::TcpStream, it must not be destroyed in one of its
/// calls.
///
/// Invariant: no message is sent unless ready().
class OutputConnection {
 public:
  struct Calls {
    std::function<void()> opened;                     ///< the first constructor's: ready to send
    std::function<void(const BottleOrError&)> reply;  ///< to the message sent last
    std::function<void()> finished;                   ///< with the message sent last
    std::function<void(const std::string& why)> closed;
  };

  /// Connects to a port in the name of one of this process. @throws std::system_error
  OutputConnection(net::EventLoop& loop, const net::Address& remote, Carrier carrier,
                   std::string_view own_name, Generation generation, Calls calls);
  /// Continues a connection that the other side has opened and reversed.
  OutputConnection(net::EventLoop& loop, std::unique_ptr<net::TcpStream> stream, Carrier carrier,
                   Generation generation, Calls calls);

  Carrier carrier() const { return carrier_; }
  /// Whether a message may be sent now: the one before is sent and acknowledged.
  bool ready() const;
  /// Only when ready().
  void send(EncodedMessage& message);
  void send(const MessageHead& head, const Bottle& body = {});
  /// Sends the quit command, if ready(), and closes. If there is a function `notified`, a receiver
  /// by udp gets the disconnect command on another connection, also before it has answered the
  /// handshake; `notified` is called at the end of that connection, after `timeout`, or, if there
  /// is none, at once.
  void quit(std::function<void()> notified = {},
            std::chrono::milliseconds timeout = std::chrono::seconds(1));
  /// Hands over the connection; this object does not use it any more.
  std::unique_ptr<net::TcpStream> take_stream();

 private:
  net::TcpStream::Calls stream_calls();
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
  std::unique_ptr<net::TcpStream> stream_;
  Descriptor udp_;
  bool named_ = false;  // the receiver has the handshake, and has not ended the connection
  std::unique_ptr<DisconnectSender> disconnect_;
};

}  // namespace servosim::yarp
