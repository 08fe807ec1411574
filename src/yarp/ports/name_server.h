// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/sockets.h"
#include "yarp/ports/input_connection.h"
#include "yarp/ports/subscriptions.h"
#include "yarp/protocol/message.h"
#include "yarp/protocol/name_lines.h"

namespace servosim::yarp {

/// The most names that are registered at a time.
inline constexpr std::size_t kMaxNames = 2048;
/// The most properties of one name.
inline constexpr std::size_t kMaxProperties = 8;
/// The first port number that the server assigns.
inline constexpr int kFirstPort = 10002;

/// The registrations of a name server.
///
/// Invariants: `self`, the name server, is always registered; there are at most kMaxNames names,
/// each with at most kMaxProperties properties.
class NameTable {
 public:
  explicit NameTable(Contact self);

  /// Returns the whole answer to a line; the connection is closed after it. `peer_ip` is used for a
  /// port that registers without an address.
  std::string answer(std::string_view line, std::string_view peer_ip);

  /// Returns null if there is no such name. The result is valid until the next answer().
  const Contact* find(std::string_view name) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Contact contact;
    std::map<std::string, std::string, std::less<>> properties;  // values separated by blanks
  };
  struct Answer;

  std::string register_name(Contact contact, std::string_view peer_ip);
  std::string set_property(const SetProperty& request);
  int free_port(std::string_view ip);
  std::string anonymous_name();
  // The result is empty if there is no such property.
  std::string_view property(std::string_view name, std::string_view key) const;

  std::map<std::string, Entry, std::less<>> entries_;
  std::string self_;
  int next_port_ = kFirstPort;
  unsigned next_anonymous_ = 1;
};

struct NameServerOptions {
  /// The address of the name server in its answers. The default is the address at which it listens.
  std::optional<std::uint32_t> announced_ip{};
  /// Time limit for the first byte of a request. Then the connection is closed.
  std::chrono::milliseconds first_byte_timeout = net::kFirstByteTimeout;
  /// Time limit for the rest of a request. Then the connection is closed.
  std::chrono::milliseconds timeout = kMessageTimeout;
  /// Receives warnings for people about subscriptions; see Subscriptions.
  std::function<void(const std::string&)> report{};
};

/// A name server with the requests that clients of YARP use: see name_lines.h. A connection that
/// begins as one by text to a port carries the requests of Subscriptions.
class NameServer {
 public:
  /// The most clients at a time. One more takes the place of the client that has been silent for
  /// longest. Clients whose request has begun are replaced only if there are no others.
  static constexpr std::size_t kMaxClients = 256;

  /// @throws std::system_error, for example if the port is in use
  NameServer(net::EventLoop& loop, const net::Address& local, NameServerOptions options = {});
  ~NameServer();

  const net::Address& address() const { return listener_.address(); }
  const NameTable& table() const { return table_; }

 private:
  struct Client;

  void accept(Descriptor socket, const net::Address& peer);
  void make_room();
  void received(Client& client, Bytes bytes);
  void answer_line(Client& client, std::string_view line);
  void converse(Client& client);
  void close_client(const std::weak_ptr<Client>& client);

  net::EventLoop& loop_;
  NameServerOptions options_;
  net::Listener listener_;
  NameTable table_;
  Subscriptions subscriptions_;
  std::list<std::shared_ptr<Client>> clients_;  // in the order of silence, the longest first
};

}  // namespace servosim::yarp
