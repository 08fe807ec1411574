// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/sockets.h"
#include "yarp/protocol/message.h"

namespace servosim::yarp {

/// The sender's handshake is complete. Answer it with encode_answer().
struct Opened {
  Carrier carrier = Carrier::Tcp;
  /// A sender that does not begin with '/' is not a port: "admin", "external".
  std::string_view sender;
};

/// The content of the received bytes. Nothing means that more bytes are needed. After a
/// ProtocolError the connection is unusable; the text of the error may be sent to the other side.
using IncomingEvent = std::variant<std::monostate, Opened, Message, ProtocolError>;

/// Parses the stream of an accepted connection, in pieces of any length.
///
///     incoming.feed(bytes);
///     for (auto event = incoming.next(); event.index() != 0; event = incoming.next()) ...
///
/// Call next() until it returns nothing before the next feed(). Then at most kMaxMessage bytes and
/// one feed are buffered. Views are valid until the next feed().
///
/// On text carriers, a line that is no command is PortCommand::Other with the line as body. After
/// Quit, Reverse and Describe the caller closes, reverses or describes, and answers with
/// encode_ack() as after every message.
///
/// Invariant: no text message is begun, and no event but Opened is returned, before the handshake.
class Incoming {
 public:
  /// Parses a stream that begins with the handshake.
  Incoming() = default;
  /// Parses a stream that begins after the handshake, in a connection that PortCommand::Reverse has
  /// reversed.
  explicit Incoming(Carrier carrier) : carrier_(carrier) {}

  void feed(Bytes bytes);
  IncomingEvent next();
  /// Returns nothing before Opened.
  std::optional<Carrier> carrier() const { return carrier_; }
  /// Returns the number of bytes of incomplete messages.
  std::size_t buffered() const { return queue_.size(); }

 private:
  IncomingEvent handshake();
  IncomingEvent text_handshake(Carrier carrier);
  IncomingEvent binary_message();
  IncomingEvent text_message();
  std::optional<std::string_view> line();
  IncomingEvent refuse(std::string text);

  ByteQueue queue_;
  std::optional<Carrier> carrier_;
  std::optional<MessageHead> head_;  // head of a text message whose body has not arrived yet
  std::optional<ProtocolError> error_;
};

/// A message of the Data or Admin command.
struct PortRequest {
  Bottle body;
  /// The command (Data or Admin), whether a reply is requested, and the envelope.
  MessageHead head;
  std::string sender;  ///< the name that the other side gives for itself
};

/// A reply that is no Bottle: its bytes, and its form on text carriers.
struct RawReply {
  std::string bytes;
  Bottle text;
};
using PortReply = std::variant<Bottle, RawReply>;
/// Call it once for every request, even if no reply is requested: the request is pending until
/// then. Any thread may call it while the loop exists.
using Respond = std::function<void(PortReply)>;

/// A connection on which a port receives. Requests are delivered in order, each after the answer to
/// the previous one. Up to kMaxUnderWay requests without a reply may be pending. At that limit the
/// stream is not read, and datagrams are dropped.
///
/// Invariants: 0 <= pending requests <= kMaxUnderWay; after close() or take_stream() nothing is
/// delivered to the owner.
class InputConnection : public std::enable_shared_from_this<InputConnection> {
 public:
  static constexpr int kMaxUnderWay = 64;

  class Owner {
   public:
    virtual ~Owner() = default;
    /// The handshake is complete.
    virtual void link_opened(InputConnection& link) = 0;
    virtual void link_request(InputConnection& link, PortRequest request, Respond respond) = 0;
    /// From now on the other side receives. The owner calls take_stream() and makes an
    /// OutputConnection.
    virtual void link_reversed(InputConnection& link) = 0;
    /// The connections of that sender have ended. Returns a text for people about what was done.
    virtual std::string link_disconnects(InputConnection& link, std::string_view sender) = 0;
    /// Returns a description of the port for people.
    virtual std::string link_description() const = 0;
    /// Something was dropped; `what` tells what and why.
    virtual void link_problem(InputConnection& link, const std::string& what) = 0;
    /// The connection has ended. Destroy it later. An empty `why` means that there was no error.
    virtual void link_closed(InputConnection& link, const std::string& why) = 0;
    /// buffered() has changed. The owner may close the connection.
    virtual void link_buffered([[maybe_unused]] InputConnection& link,
                               [[maybe_unused]] std::size_t before,
                               [[maybe_unused]] std::size_t now) {}
  };

  /// `timeout` limits the time of a message that has begun.
  InputConnection(Owner& owner, net::EventLoop& loop, Generation generation,
                  std::chrono::milliseconds timeout = kMessageTimeout)
      : owner_(owner),
        loop_(loop),
        generation_(generation),
        timeout_(timeout),
        stall_timer_(loop) {}

  // Call one of these two functions first.
  /// Uses an accepted connection. @throws std::system_error
  void accept(Descriptor socket, const net::Address& peer);
  /// Uses a connection to a port of that name, which this side has opened and reversed.
  void attach(std::unique_ptr<net::TcpStream> stream, Carrier carrier, std::string sender);

  const std::string& sender() const { return sender_; }
  /// Returns nothing before link_opened().
  std::optional<Carrier> carrier() const { return incoming_.carrier(); }
  const net::Address& peer() const { return peer_; }
  /// Returns the time at which bytes were last received.
  net::Clock::time_point last_received() const { return last_received_; }
  /// Returns the number of bytes in memory: those of an incomplete message, unanswered requests and
  /// unsent replies.
  std::size_t buffered() const { return buffered_; }
  /// Counts these bytes again, since unsent replies change without a call.
  std::size_t recount_buffered();
  std::unique_ptr<net::TcpStream> take_stream();
  /// Accepts no more messages, and closes once the pending requests are answered.
  void finish() { finishing_ = true; }
  void close();

 private:
  struct Udp {
    explicit Udp(Descriptor bound) : socket(std::move(bound)) {}
    Descriptor socket;
    DatagramReader reader;
    std::unique_ptr<net::DescriptorWatch> watch;
  };

  net::TcpStream::Calls stream_calls();
  void pump();
  void handle(const IncomingEvent& event);
  void open(const Opened& opened);
  std::uint16_t open_udp();
  void read_datagrams();
  void take_datagram(Bytes datagram);
  void take(const Message& message);
  void take_request(const Message& message);
  void answered(const PortReply& reply, bool wanted, std::size_t size);
  void send_reply(const PortReply& reply);
  void watch_for_stall(bool some_received);
  void update_buffered();
  void acknowledge();
  void reverse();
  void send(const Writer& writer);
  void send_text(std::string_view text);
  void end(const std::string& why);
  bool can_accept() const {
    return !waiting_ && under_way_ < kMaxUnderWay && !finishing_ && !ended_;
  }

  Owner& owner_;
  net::EventLoop& loop_;
  Generation generation_;
  std::chrono::milliseconds timeout_;
  net::Timer stall_timer_;
  net::Address peer_;
  net::Address local_;
  std::string sender_;
  net::Clock::time_point last_received_ = net::Clock::now();
  Incoming incoming_;
  std::unique_ptr<net::TcpStream> stream_;
  std::unique_ptr<Udp> udp_;
  int under_way_ = 0;  // requests without a reply that are pending
  std::size_t under_way_bytes_ = 0;
  std::size_t buffered_ = 0;
  bool waiting_ = false;        // for the reply to a request, or for the reversal
  bool message_begun_ = false;  // a message is incomplete
  bool finishing_ = false;
  bool ended_ = false;
};

}  // namespace servosim::yarp
