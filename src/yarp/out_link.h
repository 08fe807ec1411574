// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/stream.h"
#include "yarp/disconnect_sender.h"
#include "yarp/encoded_message.h"
#include "yarp/outgoing.h"

namespace servosim::yarp {

/// A connection on which we send. As with net::Stream: not to be destroyed while it calls.
class OutLink {
 public:
  struct Calls {
    std::function<void()> opened;                     ///< messages may be sent; of one that dials
    std::function<void(const BottleOrError&)> reply;  ///< to the message sent last
    std::function<void()> finished;                   ///< with the message sent last
    std::function<void(const std::string& why)> closed;
  };

  /// Dials the port of somebody else in the name of one of ours. @throws std::system_error
  OutLink(net::Reactor& reactor, const net::Address& remote, Carrier carrier,
          std::string_view own_name, Generation generation, Calls calls);
  /// Goes on with a connection that the other side has dialled and turned round.
  OutLink(net::Reactor& reactor, std::unique_ptr<net::Stream> stream, Carrier carrier,
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

  net::Reactor& reactor_;
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
