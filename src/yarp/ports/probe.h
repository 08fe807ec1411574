// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/event_loop.h"
#include "base/sockets.h"

namespace servosim::yarp {

/// Finds out whether a port still listens at an address, by a connection that is closed at once.
/// Threads: only the one of its loop.
class Probe {
 public:
  enum class Found {
    Listens,
    Refuses,  ///< the computer reports that nothing listens there
    Unknown,  ///< no answer in time, or no route to that computer
  };
  /// Called once, in a later turn of the loop, unless the probe is destroyed before that.
  using Done = std::function<void(Found)>;

  /// A shortage of descriptors, watches or memory results in Unknown.
  /// @throws std::bad_alloc if there is no memory even for that result
  Probe(net::EventLoop& loop, const net::Address& address, std::chrono::milliseconds timeout,
        Done done);

 private:
  void end(Found found);
  void end_soon(Found found);

  Descriptor socket_;
  net::Timer timer_;
  Done done_;
  std::unique_ptr<net::DescriptorWatch> watch_;  // destroyed before the socket
};

}  // namespace servosim::yarp
