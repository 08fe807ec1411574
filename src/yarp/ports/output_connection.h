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

/// Sends the disconnect command to a udp receiver, by a text connection to its port. Otherwise the
/// receiver would not notice the end of a stream of datagrams.
class DisconnectSender {
 public:
  /// `done` is called once: when the receiver has closed that connection, or after `timeout`. The
  /// object must not be destroyed within that call. @throws std::system_error
  DisconnectSender(net::EventLoop& loop, const net::Address& receiver, std::string_view from,
                   std::chrono::milliseconds timeout, std::function<void()> done);

 private:
  void end();

  std::function<void()> done_;
  net::Timer timer_;
  std::unique_ptr<net::TcpStream> stream_;
};

/// The receiver has answered the handshake, so messages may be sent.
struct Welcomed {
  /// The receiver's port. On udp it is the port for datagrams, 1 to 65535, and the stream is no
  /// longer used. It is 0 on text carriers.
  std::int32_t number = 0;
};

struct RepliedMessage {
  Bytes body;  ///< decode_body() reads it
};

/// The reply and the acknowledgement of the last message have arrived. Messages that have neither
/// cause no event.
struct Finished {};

/// The content of the received bytes. Nothing means that more bytes are needed. After a
/// ProtocolError the connection is unusable.
using OutgoingEvent =
    std::variant<std::monostate, Welcomed, RepliedMessage, Finished, ProtocolError>;

/// Parses the answers on a connection that this side has opened, in pieces of any length. Only one
/// message at a time waits for its reply and acknowledgement.
///
/// Invariant: a message is sent only in the state Ready; its answers lead back to Ready, or to
/// Broken.
///
///     encode_handshake(...)         →  Welcomed
///     encode_message(...), sent()   →  RepliedMessage, Finished
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

  /// Returns whether a message may be sent now. A stream of states omits a state while this is
  /// false.
  bool ready() const { return state_ == State::Ready; }
  /// Records that a message was sent. Call it only if ready().
  void sent(const MessageHead& head);

  /// As for Incoming, call next() until it returns nothing before the next feed().
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

/// A connection on which a port sends. Like net::TcpStream, it must not be destroyed in one of its
/// calls.
///
/// Invariant: no message is sent unless ready().
class OutputConnection {
 public:
  struct Calls {
    std::function<void()> opened;                     ///< for the first constructor: ready to send
    std::function<void(const BottleOrError&)> reply;  ///< the reply to the last message
    std::function<void()> finished;                   ///< the last message is done
    std::function<void(const std::string& why)> closed;
  };

  /// Connects to a port on behalf of a port of this process. @throws std::system_error
  OutputConnection(net::EventLoop& loop, const net::Address& remote, Carrier carrier,
                   std::string_view own_name, Generation generation, Calls calls);
  /// Continues a connection that the other side has opened and reversed.
  OutputConnection(net::EventLoop& loop, std::unique_ptr<net::TcpStream> stream, Carrier carrier,
                   Generation generation, Calls calls);

  Carrier carrier() const { return carrier_; }
  /// Returns whether a message may be sent now: the previous one is sent and acknowledged.
  bool ready() const;
  /// Call these only if ready().
  void send(EncodedMessage& message);
  void send(const MessageHead& head, const Bottle& body = {});
  /// Sends the quit command if ready(), and closes. If `notified` is set, a udp receiver gets the
  /// disconnect command on another connection, even if it has not answered the handshake yet.
  /// `notified` is called at the end of that connection, after `timeout`, or at once if there is no
  /// such connection.
  void quit(std::function<void()> notified = {},
            std::chrono::milliseconds timeout = std::chrono::seconds(1));
  /// Hands over the connection, which this object no longer uses.
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
  bool named_ = false;  // the receiver knows the sender's name and has not ended the connection
  std::unique_ptr<DisconnectSender> disconnect_;
};

}  // namespace servosim::yarp
