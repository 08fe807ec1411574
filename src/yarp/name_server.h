// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "net/listener.h"
#include "yarp/name_table.h"

namespace servosim::yarp {

/// The port that name servers have if nobody says otherwise.
inline constexpr int kNameServerPort = 10000;

/// A name server: as much of one as clients of YARP need.
class NameServer {
 public:
  /// Most clients at a time; for one more the oldest is closed.
  static constexpr std::size_t kMaxClients = 256;

  /// @throws std::system_error, such as when the port is in use
  /// `announced_ip`: what clients are told of itself, if not where it listens.
  NameServer(net::Reactor& reactor, const net::Address& local,
             std::optional<std::uint32_t> announced_ip = {});
  ~NameServer();

  const net::Address& address() const { return listener_.address(); }
  const NameTable& table() const { return table_; }

 private:
  struct Client;

  void accept(Descriptor socket, const net::Address& peer);
  void heard(Client& client, Bytes bytes);
  void drop(const std::weak_ptr<Client>& client);

  net::Reactor& reactor_;
  net::Listener listener_;
  NameTable table_;
  std::list<std::shared_ptr<Client>> clients_;  // the oldest first
};

}  // namespace servosim::yarp
