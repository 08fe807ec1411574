// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/event_loop.h"
#include "base/sockets.h"

namespace servosim::yarp {

/// Finds out whether a port still listens at an address, by a connection that is closed at once.
/// Threads: only that of its loop.
class Probe {
 public:
  enum class Found {
    Listens,
    Refuses,  ///< its computer answers that nothing listens there
    Unknown,  ///< no answer in time, or no way to that computer
  };
  /// Called once, in a later turn of the loop, unless the probe is destroyed before.
  using Done = std::function<void(Found)>;

  /// A shortage of descriptors, of watches or of memory is Unknown.
  /// @throws std::bad_alloc without memory to say even that
  Probe(net::EventLoop& loop, const net::Address& address, std::chrono::milliseconds timeout,
        Done done);

 private:
  void end(Found found);
  void end_soon(Found found);

  Descriptor socket_;
  net::Timer timer_;
  Done done_;
  std::unique_ptr<net::Watch> watch_;  // destroyed before the socket
};

}  // namespace servosim::yarp
