// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/socket_stream.h"
#include "yarp/protocol/message.h"

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

/// A message that asks for something.
struct Request {
  Bottle body;
  MessageHead head;    ///< Data or Admin; whether a reply is wanted; the envelope
  std::string sender;  ///< the name the other side gives itself
};

/// A reply that is no Bottle, byte by byte, and what text carriers say instead.
struct RawReply {
  std::string bytes;
  Bottle text;
};
using PortReply = std::variant<Bottle, RawReply>;
/// To be called once for every request, also if no reply is wanted: only then is it done with. From
/// any thread, while the loop lives.
using Respond = std::function<void(PortReply)>;

/// A connection on which we hear. Requests are told in order, and the next only when the one before
/// is answered; but up to kMaxUnderWay of those that want no reply may be under way. Then the
/// stream waits, and datagrams are lost.
class InputConnection : public std::enable_shared_from_this<InputConnection> {
 public:
  static constexpr int kMaxUnderWay = 64;

  class Owner {
   public:
    virtual ~Owner() = default;
    /// The other side has introduced itself.
    virtual void link_opened(InputConnection& link) = 0;
    virtual void link_request(InputConnection& link, Request request, Respond respond) = 0;
    /// The other side wants to hear from now on: take_stream() and make an OutputConnection of it.
    virtual void link_reversed(InputConnection& link) = 0;
    /// Who sends in that name sends no more. What was done, for a person.
    virtual std::string link_disconnects(InputConnection& link, std::string_view sender) = 0;
    /// What this is, for a person.
    virtual std::string link_description() const = 0;
    /// Something that was left out, and why.
    virtual void link_trouble(InputConnection& link, const std::string& what) = 0;
    /// At the end; bury() it. "" why: as it should be.
    virtual void link_closed(InputConnection& link, const std::string& why) = 0;
    /// held() has changed. The owner may close the link.
    virtual void link_holds([[maybe_unused]] InputConnection& link,
                            [[maybe_unused]] std::size_t before, [[maybe_unused]] std::size_t now) {
    }
  };

  /// `patience`: with a message that has begun.
  InputConnection(Owner& owner, net::EventLoop& loop, Generation generation,
                  std::chrono::milliseconds patience = std::chrono::seconds(10))
      : owner_(owner), loop_(loop), generation_(generation), patience_(patience), stalled_(loop) {}

  // One of these comes first.
  /// A connection just accepted. @throws std::system_error
  void accept(Descriptor socket, const net::Address& peer);
  /// One that we have dialled and turned round, from a port of that name.
  void adopt(std::unique_ptr<net::Stream> stream, Carrier carrier, std::string sender);

  const std::string& sender() const { return sender_; }
  /// None before link_opened().
  std::optional<Carrier> carrier() const { return incoming_.carrier(); }
  const net::Address& peer() const { return peer_; }
  /// When something came last.
  net::Clock::time_point heard() const { return heard_; }
  /// Bytes that wait here: of a message that has begun, of requests that are not answered and of
  /// replies that are not read.
  std::size_t held() const { return held_; }
  /// The same, counted anew: what is read meanwhile is not told.
  std::size_t count_held();
  std::unique_ptr<net::Stream> take_stream();
  /// Takes nothing more, and closes when what is under way is answered.
  void leave() { leaving_ = true; }
  void close();

 private:
  struct Udp {
    explicit Udp(Descriptor bound) : socket(std::move(bound)) {}
    Descriptor socket;
    DatagramReader reader;
    std::unique_ptr<net::Watch> watch;
  };

  net::Stream::Calls stream_calls();
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
  void watch_stall(bool heard_some);
  void account();
  void acknowledge();
  void reverse();
  void send(const Writer& writer);
  void send_text(std::string_view text);
  void end(const std::string& why);
  bool may_take() const { return !waiting_ && under_way_ < kMaxUnderWay && !leaving_ && !ended_; }

  Owner& owner_;
  net::EventLoop& loop_;
  Generation generation_;
  std::chrono::milliseconds patience_;
  net::Timer stalled_;
  net::Address peer_;
  net::Address local_;
  std::string sender_;
  net::Clock::time_point heard_ = net::Clock::now();
  Incoming incoming_;
  std::unique_ptr<net::Stream> stream_;
  std::unique_ptr<Udp> udp_;
  int under_way_ = 0;  // requests that want no reply
  std::size_t under_way_bytes_ = 0;
  std::size_t held_ = 0;
  bool waiting_ = false;  // for the answer to one, or to be turned round
  bool begun_ = false;    // a message whose end has not come
  bool leaving_ = false;
  bool ended_ = false;
};

}  // namespace servosim::yarp
