// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "net/listener.h"
#include "yarp/name_table.h"

namespace servosim::yarp {

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
  NameServer(net::Reactor& reactor, const net::Address& local, NameServerOptions options = {});
  ~NameServer();

  const net::Address& address() const { return listener_.address(); }
  const NameTable& table() const { return table_; }

 private:
  struct Client;

  void accept(Descriptor socket, const net::Address& peer);
  void make_room();
  void heard(Client& client, Bytes bytes);
  void drop(const std::weak_ptr<Client>& client);

  net::Reactor& reactor_;
  NameServerOptions options_;
  net::Listener listener_;
  NameTable table_;
  std::list<std::shared_ptr<Client>> clients_;  // that silent for longest first
};

}  // namespace servosim::yarp
