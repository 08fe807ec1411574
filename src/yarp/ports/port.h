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

#include "base/report_once.h"
#include "base/sockets.h"
#include "yarp/ports/input_connection.h"
#include "yarp/ports/name_client.h"
#include "yarp/ports/output_connection.h"
#include "yarp/ports/probe.h"
#include "yarp/protocol/bottle.h"
#include "yarp/protocol/message.h"

// Requests to a port about its connections: the bodies of PortCommand::Admin, and the replies.
//
//     [ver]                          [ver] 1 2 3
//     [list] [in] | [list] [out]     the names at the other ends
//     [list] [out] "/b"              (from /a) (to /b) (carrier udp) (connectionless 1)
//                                    the last item for udp only; nothing without such a connection
//     [add] "udp://b/in"             0 "Added connection from /a to udp://b/in\r\n", or -1 and the
//                                    reason: connects to the port /b/in with this carrier, without
//                                    adding modifiers
//     [del] "/b"                     0 "Removed connection from /a to /b\r\n", or -1 and the reason
//     [prop] [get] ...               nothing
//     [prop] [set] ...               [ok]
//     anything else                  [fail] and the reason

namespace servosim::yarp {

struct AdminVersion {};
struct AdminList {
  /// Selects the connections on which the port sends; otherwise those on which it receives.
  bool out = false;
  std::string name;  ///< the connection with this port; empty means all
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
/// A connection that cannot be made.
struct AdminImpossible {
  std::string why;
};

using AdminRequest = std::variant<AdminVersion, AdminList, AdminAdd, AdminRemove, AdminProperty,
                                  AdminImpossible, ProtocolError>;

/// The reply to a ProtocolError is admin_failed_reply().
AdminRequest parse_admin(const Bottle& message);
/// Returns the message of a request; [fail] for a ProtocolError.
Bottle admin_message(const AdminRequest& request);

Bottle admin_version_reply();
Bottle admin_names_reply(std::span<const std::string> names);
Bottle admin_connection_reply(std::string_view from, std::string_view to, Carrier carrier);
Bottle admin_added_reply(std::string_view from, const AdminAdd& to);
Bottle admin_removed_reply(std::string_view from, std::string_view to);
/// Returns -1 and the text, for an AdminAdd or AdminRemove that failed, or for an AdminImpossible.
Bottle admin_refused_reply(std::string_view why);
Bottle admin_property_reply(const AdminProperty& request);
/// Returns [fail] and the text.
Bottle admin_failed_reply(std::string_view why);

struct PortOptions {
  std::string name;
  net::Address listen{};  ///< the default is loopback at any free port
  /// The address that is announced to others. The default is the address at which the port listens.
  std::optional<std::uint32_t> announced_ip{};
  Generation generation = Generation::V3;
  /// A new output gets the last message at once, since the next one may come late or never.
  bool latched = false;
  /// The most connections, inputs and outputs together. One more takes the place of an input. The
  /// first choice is the input without a handshake that has been silent for longest; the second is
  /// an input without a port name that has been silent for `anonymous_timeout`. If there is none,
  /// the new connection is told so and closed.
  std::size_t max_connections = 256;
  /// The silence of a udp input after which it is checked whether the port of its sender still
  /// listens. If not, the input is closed. Nothing else reports the end of a killed udp sender. The
  /// sender's address is the first one that the name server has for it, if that is on the computer
  /// that sends; without one the input stays.
  std::chrono::milliseconds udp_silence{5000};
  std::chrono::milliseconds anonymous_timeout{5000};
  /// Time limit from the beginning of a connection, by either side, to the end of its handshake.
  std::chrono::milliseconds handshake_timeout{5000};
  /// Time limit for a udp receiver to close the connection that carries a disconnect command.
  std::chrono::milliseconds disconnect_timeout{1000};
  /// Time limit for the rest of an incomplete message. Then its connection is closed.
  std::chrono::milliseconds message_timeout = kMessageTimeout;
  /// The most bytes in memory of all connections together: incomplete messages, unanswered requests
  /// and unsent replies. Beyond it the connection with most of them is closed.
  std::size_t max_waiting = 16u << 20;
  /// Time limit for a reader that reads nothing. Then its connection is closed.
  std::chrono::milliseconds reader_timeout{5000};
  /// The least time between two warnings about one connection.
  std::chrono::milliseconds warning_interval{5000};
};

/// A port of YARP. It accepts and opens connections, and sends and receives Bottles. All functions
/// except contact() must be called in the thread of its loop.
///
/// Invariant: a connection is in exactly one of inputs_, outputs_ and closing_.
class Port : private InputConnection::Owner {
 public:
  /// Receives each PortRequest except those about connections, which the port answers itself.
  using Handler = std::function<void(PortRequest, Respond)>;
  using Report = std::function<void(const std::string&)>;
  using Done = std::function<void(const std::string& error)>;

  /// Without a handler every request is refused. `names` finds the ports to connect to; without it
  /// connect() fails. @throws std::system_error, for example if the port number is in use
  Port(net::EventLoop& loop, PortOptions options, NameClient* names, Handler handler,
       Report report);
  ~Port() override;
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  /// Returns name and address for a name server. Any thread may call it.
  Contact contact() const;
  /// Sends a message on all outputs that are ready; the others miss it. It never waits. `body` is a
  /// binary Bottle, which is encoded once for each carrier.
  void publish(Bytes body, const Stamp& stamp);
  /// The same without an envelope.
  void publish(Bytes body);
  /// Connects to a port by its name. An empty error means success.
  void connect(Carrier carrier, const std::string& name, Done done);
  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return outputs_.size(); }
  /// Closes all outputs. While is_closing() is true, some receivers are still being notified.
  void close_outputs();
  bool is_closing() const { return !closing_.empty(); }

 private:
  struct Input;
  struct Output;
  struct AdminReply;
  using Outputs = std::list<std::shared_ptr<Output>>;

  void accept(Descriptor socket, const net::Address& peer);
  bool make_room();
  InputConnection* longest_silent(const std::function<bool(const InputConnection&)>& among) const;
  void refuse(const Descriptor& socket);
  std::string names_of_unknown() const;
  /// The action that follows when the home of an input is known.
  enum class Then { Watch, Ask };
  void find_home(const std::shared_ptr<Input>& input, Then then);
  void watch_silence(const std::shared_ptr<Input>& input);
  void ask_home(const std::shared_ptr<Input>& input);
  void link_opened(InputConnection& link) override;
  void link_request(InputConnection& link, PortRequest request, Respond respond) override;
  void link_reversed(InputConnection& link) override;
  std::string link_disconnects(InputConnection& link, std::string_view sender) override;
  std::string link_description() const override;
  void link_problem(InputConnection& link, const std::string& what) override;
  void link_closed(InputConnection& link, const std::string& why) override;
  void link_buffered(InputConnection& link, std::size_t before, std::size_t now) override;
  bool remove_inputs(std::string_view sender, InputConnection& asker);

  void look_up_address(const std::shared_ptr<Output>& output);
  void connect_to(const std::shared_ptr<Output>& output, const Contact& contact);
  OutputConnection::Calls output_calls(const std::shared_ptr<Output>& output);
  void output_done(const std::shared_ptr<Output>& output, const std::string& error);
  bool remove_output(const std::string& name);
  void drop(const std::shared_ptr<Output>& output);
  void publish(Bytes body, const MessageHead& head);
  void send_last(const std::shared_ptr<Output>& output);
  void send_if_ready(EncodedMessage& message, const std::shared_ptr<Output>& output);

  net::EventLoop& loop_;
  PortOptions options_;
  NameClient* names_;
  Handler handler_;
  Report report_;
  bool limit_reported_ = false;
  net::Clock::time_point refused_{};  // time of the last refusal that checked the senders
  std::size_t waiting_ = 0;           // bytes in memory of all inputs
  MessageHead last_head_;             // of the last message, if it is kept
  std::vector<std::byte> last_body_;  // empty if there is none
  std::list<std::shared_ptr<Input>> inputs_;
  Outputs outputs_;
  Outputs closing_;  // outputs whose receivers are being notified
  net::Listener listener_;
};

struct Port::Input {
  Input(InputConnection::Owner& port, net::EventLoop& loop, const PortOptions& options)
      : link(std::make_shared<InputConnection>(port, loop, options.generation,
                                               options.message_timeout)),
        timer(loop),
        problems(options.warning_interval) {}
  std::shared_ptr<InputConnection> link;
  net::Timer timer;  // limits the handshake, then a udp input's silence
  RateLimiter problems;
  std::optional<net::Address> home;  // for udp: where the sender's port listens
  std::unique_ptr<Probe> probe;      // checks whether it still listens
};

struct Port::Output {
  explicit Output(net::EventLoop& loop) : timer(loop) {}
  std::string name;
  Carrier carrier = Carrier::Tcp;
  bool looked_up = false;                  // the address of that name is being looked up
  std::unique_ptr<OutputConnection> link;  // null until the address is known
  bool open = false;
  Done done;  // called once, when the output is open or has failed
  net::Timer timer;
  net::Clock::time_point ready = net::Clock::now();  // time at which it was last ready
};

}  // namespace servosim::yarp
