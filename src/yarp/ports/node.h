// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/queues.h"
#include "yarp/ports/name_client.h"
#include "yarp/ports/name_server.h"
#include "yarp/ports/port.h"

namespace servosim::yarp {

/// The ports of one simulation, and the thread that serves them. All functions are for the
/// simulation's thread, which never waits for a client:
///
///     YarpNode node(options, report);
///     Port& rpc = node.open({.name = "/arm/rpc:i"}, node.in_simulation(work));
///     net::StatePublisher<State> publisher(node.thread(), state, publish);
///     for (;;) {
///       node.queue().serve();
///       simulation.step();
///       publisher.put(...);
///     }
class YarpNode {
 public:
  struct Options {
    /// "HOST:PORT", or "" for the one in yarp.conf. See find_name_server().
    std::string name_server;
    /// Runs a name server of its own, at that port of `own_ip` (0: any free port).
    std::optional<int> own_name_server;
    std::uint32_t own_ip = INADDR_LOOPBACK;
    /// The address that is announced to others; default: the one where ports and names are served.
    std::optional<std::uint32_t> announced_ip{};
    Registrations::Intervals intervals{};
  };
  using Report = std::function<void(const std::string&)>;
  using Work = std::function<PortReply(const Request&)>;

  /// Without a reachable name server there is a warning, and the ports are registered later.
  /// `report` receives warnings and information for people, while the simulation serves the queue,
  /// at most a few times a second.
  /// @throws std::system_error, such as when the port of the own name server is in use
  YarpNode(Options options, Report report);
  /// Unregisters the ports; waits three seconds for that at most.
  ~YarpNode();
  YarpNode(const YarpNode&) = delete;
  YarpNode& operator=(const YarpNode&) = delete;

  /// Opens a port and registers it in the background. The reference is valid as long as the node;
  /// all functions of the port but contact() are for thread(). @throws std::system_error
  Port& open(PortOptions options, Port::Handler handler);
  /// A handler that calls `work` between two steps, in serve(). An exception becomes the reply
  /// [fail] with its text.
  Port::Handler in_simulation(Work work);

  net::WorkQueue& queue() { return queue_; }
  net::EventLoopThread& thread() { return thread_; }
  /// The address at which others find the name server, if it is known.
  std::optional<net::Address> name_server() const;

 private:
  void report(const std::string& message);
  void close();
  // Calls `idle` in the loop's thread until it returns true, or until `end`.
  void wait_for(const std::function<bool()>& idle, net::Clock::time_point end);

  Options options_;
  Report report_;
  net::Clock::time_point reported_since_{};  // with reported_: for the loop's thread
  int reported_ = 0;
  net::WorkQueue queue_;
  net::EventLoopThread thread_;
  std::unique_ptr<NameServer> own_server_;
  std::unique_ptr<NameClient> names_;
  std::unique_ptr<Registrations> registrations_;
  std::list<Port> ports_;
};

}  // namespace servosim::yarp
