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

#include "base/listener.h"
#include "yarp/protocol/name_lines.h"

namespace servosim::yarp {

/// Most names registered at a time.
inline constexpr std::size_t kMaxNames = 2048;
/// Most properties of one name.
inline constexpr std::size_t kMaxProperties = 8;
/// The first port number the server chooses.
inline constexpr int kFirstPort = 10002;

/// The names of a name server. Knows itself, too: `self` is the first registration, and stays.
class NameTable {
 public:
  explicit NameTable(Contact self);

  /// The answer to one line, whole, ready to be sent; the connection is then closed. `peer_ip` is
  /// the address of a port that does not say its own.
  std::string answer(std::string_view line, std::string_view peer_ip);

  /// Null: no such name. Valid until the next answer().
  const Contact* find(std::string_view name) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Contact contact;
    std::map<std::string, std::string, std::less<>> properties;  // values with blanks between
  };
  struct Answer;

  std::string register_name(Contact contact, std::string_view peer_ip);
  std::string set_property(const SetProperty& request);
  int free_port(std::string_view ip);
  std::string anonymous_name();
  // "" when there is none.
  std::string_view property(std::string_view name, std::string_view key) const;

  std::map<std::string, Entry, std::less<>> entries_;
  std::string self_;
  int next_port_ = kFirstPort;
  unsigned next_anonymous_ = 1;
};

/// The port that name servers have if nobody says otherwise.
inline constexpr int kNameServerPort = 10000;

struct NameServerOptions {
  /// What clients are told of itself, if not where it listens.
  std::optional<std::uint32_t> announced_ip{};
  /// For the first byte of a question; then its connection is closed.
  std::chrono::milliseconds first_byte_patience = net::kFirstBytePatience;
  /// With a question that has begun; then its connection is closed.
  std::chrono::milliseconds patience{10'000};
};

/// A name server: as much of one as clients of YARP need.
class NameServer {
 public:
  /// Most clients at a time; for one more the one silent for longest is closed, of those
  /// whose question has begun only where there are no others.
  static constexpr std::size_t kMaxClients = 256;

  /// @throws std::system_error, such as when the port is in use
  NameServer(net::EventLoop& loop, const net::Address& local, NameServerOptions options = {});
  ~NameServer();

  const net::Address& address() const { return listener_.address(); }
  const NameTable& table() const { return table_; }

 private:
  struct Client;

  void accept(Descriptor socket, const net::Address& peer);
  void make_room();
  void heard(Client& client, Bytes bytes);
  void drop(const std::weak_ptr<Client>& client);

  net::EventLoop& loop_;
  NameServerOptions options_;
  net::Listener listener_;
  NameTable table_;
  std::list<std::shared_ptr<Client>> clients_;  // that silent for longest first
};

}  // namespace servosim::yarp
