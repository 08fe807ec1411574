// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "base/address.h"
#include "base/event_loop.h"

namespace servosim::net {

/// Within which a caller sends its first byte. Servers close connections that are silent for
/// longer, and where there are as many connections as they have room for, close the one that has
/// been silent for longest in favour of a new one, so that others can connect.
inline constexpr std::chrono::milliseconds kFirstBytePatience{1000};

/// Takes the connections that others dial.
class Listener {
 public:
  using Accepted = std::function<void(Descriptor socket, const Address& peer)>;

  /// @throws std::system_error, such as when the port is in use
  Listener(EventLoop& loop, const Address& local, Accepted accepted);
  const Address& address() const { return address_; }

 private:
  void accept_some();

  Descriptor socket_;
  Address address_;
  Accepted accepted_;
  Timer pause_;
  Watch watch_;
};

/// How many connections a server may have: as many as this process may have files open, but for
/// some that it needs otherwise. Lets it have as many as it can get, for which programs must ask.
std::size_t most_connections();

}  // namespace servosim::net
