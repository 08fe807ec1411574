// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/listener.h"
#include "base/report_once.h"
#include "yarp/ports/input_connection.h"
#include "yarp/ports/name_client.h"
#include "yarp/ports/output_connection.h"
#include "yarp/protocol/bottle.h"
#include "yarp/protocol/message.h"

// What is said to a port about its connections: the bodies of PortCommand::Admin, and the replies.
//
//     [ver]                          [ver] 1 2 3
//     [list] [in] | [list] [out]     the names at the other ends
//     [list] [out] "/b"              (from /a) (to /b) (carrier udp) (connectionless 1), the last
//     for
//                                    udp only; nothing if there is no such connection
//     [add] "udp://b/in"             0 "Added connection from /a to udp://b/in\r\n", or -1 and why
//                                    not: dial the port /b/in with this carrier
//     [del] "/b"                     0 "Removed connection from /a to /b\r\n", or -1 and why not
//     [prop] [get] ...               nothing
//     [prop] [set] ...               [ok]
//     anything else                  [fail] and why

namespace servosim::yarp {

struct AdminVersion {};
struct AdminList {
  bool out = false;  ///< connections we send on, else those we hear from
  std::string name;  ///< only the connection with this port; "" all
};
struct AdminAdd {
  Carrier carrier = Carrier::Tcp;
  std::string name;
};
struct AdminRemove {
  std::string name;
};
struct AdminProperty {
  bool set = false;
};

using AdminRequest =
    std::variant<AdminVersion, AdminList, AdminAdd, AdminRemove, AdminProperty, ProtocolError>;

/// A ProtocolError is for admin_failed().
AdminRequest parse_admin(const Bottle& message);
/// The message that asks so; [fail] for a ProtocolError.
Bottle admin_message(const AdminRequest& request);

Bottle admin_version_reply();
Bottle admin_names_reply(std::span<const std::string> names);
Bottle admin_connection_reply(std::string_view from, std::string_view to, Carrier carrier);
Bottle admin_added_reply(std::string_view from, const AdminAdd& to);
Bottle admin_removed_reply(std::string_view from, std::string_view to);
/// -1 and the text: of AdminAdd and AdminRemove that did not work.
Bottle admin_refused_reply(std::string_view why);
Bottle admin_property_reply(const AdminProperty& request);
/// [fail] and the text.
Bottle admin_failed_reply(std::string_view why);

struct PortOptions {
  std::string name;
  net::Address listen{};  ///< loopback, at any port that is free
  /// What others are told to dial, in place of where it listens.
  std::optional<std::uint32_t> announced_ip{};
  Generation generation = Generation::V3;
  /// Most connections in and out; more are closed at once. Of inputs without a handshake the one
  /// silent for longest then makes room; else of those by udp, whose end is not always told; else
  /// of those without the name of a port, if it has been silent for `anonymous_patience`.
  std::size_t max_connections = 256;
  std::chrono::milliseconds anonymous_patience{5000};
  /// For the handshake of a connection, from when it was dialled, by either side.
  std::chrono::milliseconds handshake_patience{5000};
  /// For a receiver by udp to close the connection that tells it the end of a former one.
  std::chrono::milliseconds disconnect_patience{1000};
  /// With a message that has begun; then its connection is closed.
  std::chrono::milliseconds message_patience{10'000};
  /// Most bytes that wait here, of all connections together: beginnings of messages, requests not
  /// yet answered, replies not yet read. Beyond it the connection with most of them is closed.
  std::size_t max_waiting = 16u << 20;
  /// With a reader that takes nothing; then it is dropped.
  std::chrono::milliseconds reader_patience{5000};
  /// Between two messages for people about the trouble with one connection.
  std::chrono::milliseconds trouble_pause{5000};
};

/// A port: others connect to it and it connects to others; Bottles go in and out. Belongs to the
/// thread of its loop.
class Port : private InputConnection::Owner {
 public:
  /// Told of each Request but those about connections, which the port answers itself.
  using Handler = std::function<void(Request, Respond)>;
  using Say = std::function<void(const std::string&)>;
  using Done = std::function<void(const std::string& error)>;

  /// Without a handler every request is refused. `names` finds the ports to connect to; without,
  /// none is. @throws std::system_error, such as when the port number is in use
  Port(net::EventLoop& loop, PortOptions options, NameClient* names, Handler handler, Say say);
  ~Port() override;
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  /// To be enrolled with a name server.
  Contact contact() const;
  /// Offers a message to everyone we send to: once encoded, never waited for. Who is not ready
  /// misses it. `body` is a Bottle in binary.
  void publish(Bytes body, const Stamp& stamp);
  /// Connects to a port by its name. "" error: connected.
  void connect(Carrier carrier, const std::string& name, Done done);
  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return outputs_.size(); }
  /// Ends the connections we send on. Until is_leaving() is false, some receivers are still told.
  void leave();
  bool is_leaving() const { return !leaving_.empty(); }

 private:
  struct Input;
  struct Output;
  struct AdminReply;
  using Outputs = std::list<std::shared_ptr<Output>>;

  void accept(Descriptor socket, const net::Address& peer);
  bool make_room();
  InputConnection* most_silent(const std::function<bool(const InputConnection&)>& among) const;
  void link_opened(InputConnection& link) override;
  void link_request(InputConnection& link, Request request, Respond respond) override;
  void link_reversed(InputConnection& link) override;
  std::string link_disconnects(InputConnection& link, std::string_view sender) override;
  std::string link_description() const override;
  void link_trouble(InputConnection& link, const std::string& what) override;
  void link_closed(InputConnection& link, const std::string& why) override;
  void link_holds(InputConnection& link, std::size_t before, std::size_t now) override;
  bool remove_inputs(std::string_view sender, InputConnection& asker);

  void look_up(const std::shared_ptr<Output>& output);
  void dial(const std::shared_ptr<Output>& output, const Contact& contact);
  OutputConnection::Calls output_calls(const std::shared_ptr<Output>& output);
  void output_done(const std::shared_ptr<Output>& output, const std::string& error);
  bool remove_output(const std::string& name);
  void drop(const std::shared_ptr<Output>& output);
  void offer(EncodedMessage& message, const std::shared_ptr<Output>& output);

  net::EventLoop& loop_;
  PortOptions options_;
  NameClient* names_;
  Handler handler_;
  Say say_;
  bool full_said_ = false;
  std::size_t waiting_ = 0;  // bytes, of all inputs
  std::list<std::shared_ptr<Input>> inputs_;
  Outputs outputs_;
  Outputs leaving_;  // whose receivers are being told
  net::Listener listener_;
};

struct Port::Input {
  Input(InputConnection::Owner& port, net::EventLoop& loop, const PortOptions& options)
      : link(std::make_shared<InputConnection>(port, loop, options.generation,
                                               options.message_patience)),
        timer(loop),
        trouble(options.trouble_pause) {}
  std::shared_ptr<InputConnection> link;
  net::Timer timer;  // of the handshake
  RateLimiter trouble;
};

struct Port::Output {
  explicit Output(net::EventLoop& loop) : timer(loop) {}
  std::string name;
  Carrier carrier = Carrier::Tcp;
  bool asked = false;                      // for the address of that name
  std::unique_ptr<OutputConnection> link;  // null until that is known
  bool open = false;
  Done done;  // told once, of the opening
  net::Timer timer;
  net::Clock::time_point ready = net::Clock::now();  // when it last was
};

}  // namespace servosim::yarp
