// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "net/stream.h"
#include "yarp/datagram.h"
#include "yarp/incoming.h"

namespace servosim::yarp {

/// A message that asks for something.
struct Request {
  Bottle body;
  MessageHead head;    ///< Data or Admin; whether a reply is wanted; the envelope
  std::string sender;  ///< the name the other side gives itself
};

/// A reply that is no Bottle, byte by byte.
struct RawReply {
  std::string bytes;
};
using PortReply = std::variant<Bottle, RawReply>;
/// To be called once for every request, also if no reply is wanted: only then is it done with. From
/// any thread, while the reactor lives.
using Respond = std::function<void(PortReply)>;

/// A connection on which we hear. Requests are told in order, and the next only when the one before
/// is answered; but up to kMaxUnderWay of those that want no reply may be under way. Then the
/// stream waits, and datagrams are lost.
class InLink : public std::enable_shared_from_this<InLink> {
 public:
  static constexpr int kMaxUnderWay = 64;

  class Owner {
   public:
    virtual ~Owner() = default;
    /// The other side has introduced itself.
    virtual void link_opened(InLink& link) = 0;
    virtual void link_request(InLink& link, Request request, Respond respond) = 0;
    /// The other side wants to hear from now on: take_stream() and make an OutLink of it.
    virtual void link_reversed(InLink& link) = 0;
    /// What this is, for a person.
    virtual std::string link_description() const = 0;
    /// Something that was left out, and why.
    virtual void link_trouble(InLink& link, const std::string& what) = 0;
    /// At the end; bury() it. "" why: as it should be.
    virtual void link_closed(InLink& link, const std::string& why) = 0;
  };

  InLink(Owner& owner, net::Reactor& reactor, Generation generation)
      : owner_(owner), reactor_(reactor), generation_(generation) {}

  // One of these comes first.
  /// A connection just accepted. @throws std::system_error
  void accept(Descriptor socket, const net::Address& peer);
  /// One that we have dialled and turned round, from a port of that name.
  void adopt(std::unique_ptr<net::Stream> stream, Carrier carrier, std::string sender);

  const std::string& sender() const { return sender_; }
  /// None before link_opened().
  std::optional<Carrier> carrier() const { return incoming_.carrier(); }
  const net::Address& peer() const { return peer_; }
  /// When the last datagram came.
  net::Clock::time_point heard() const { return heard_; }
  std::unique_ptr<net::Stream> take_stream();
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
  void answered(const PortReply& reply, bool wanted);
  void acknowledge();
  void reverse();
  void send(const Writer& writer);
  void send_text(std::string_view text);
  void end(const std::string& why);
  bool may_take() const { return !waiting_ && under_way_ < kMaxUnderWay && !ended_; }

  Owner& owner_;
  net::Reactor& reactor_;
  Generation generation_;
  net::Address peer_;
  net::Address local_;
  std::string sender_;
  net::Clock::time_point heard_ = net::Clock::now();
  Incoming incoming_;
  std::unique_ptr<net::Stream> stream_;
  std::unique_ptr<Udp> udp_;
  int under_way_ = 0;     // requests that want no reply
  bool waiting_ = false;  // for the answer to one, or to be turned round
  bool ended_ = false;
};

}  // namespace servosim::yarp
