// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
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

/// The ports of one simulation, and the thread that serves them. Only the simulation's thread,
/// which never waits for a client, may call its functions:
///
///     YarpNode node(options, report);
///     Port& rpc = node.open({.name = "/arm/rpc:i"}, node.in_simulation(work));
///     net::StatePublisher<State> publisher(node.thread(), state, publish);
///     for (;;) {
///       node.serve();
///       simulation.step();
///       publisher.put(...);
///     }
class YarpNode {
 public:
  struct Options {
    /// "HOST:PORT"; empty means the address in yarp.conf. See find_name_server().
    std::string name_server;
    /// Runs an own name server at that port of `own_ip`; 0 means any free port.
    std::optional<int> own_name_server;
    std::uint32_t own_ip = INADDR_LOOPBACK;
    /// The address that is announced to others. The default is the address at which ports and names
    /// are served.
    std::optional<std::uint32_t> announced_ip{};
    Registrations::Intervals intervals{};
  };
  using Report = std::function<void(const std::string&)>;
  using Work = std::function<PortReply(const PortRequest&)>;
  using LaterWork = std::function<void(const PortRequest&, const Respond&)>;

  /// If no name server is reachable, there is a warning, and the ports are registered later.
  /// `report` receives warnings and information for people at most a few times per second, while
  /// the simulation serves the queue.
  /// @throws std::system_error, for example if the port of the own name server is in use
  YarpNode(Options options, Report report);
  /// Unregisters the ports, which takes at most three seconds.
  ~YarpNode();
  YarpNode(const YarpNode&) = delete;
  YarpNode& operator=(const YarpNode&) = delete;

  /// Opens a port and registers it in the background. The reference is valid as long as the node.
  /// All functions of the port except contact() must be called in thread(). @throws
  /// std::system_error
  Port& open(PortOptions options, Port::Handler handler);
  /// Executes the requests that have arrived, and never waits.
  void serve();
  /// From now on requests wait, in their order, until the first serve() after release().
  void hold() { holds_ = true; }
  void release() { holds_ = false; }
  /// Returns a handler that calls `work` between two steps, in serve(). An exception results in the
  /// reply [fail] with its text.
  Port::Handler in_simulation(Work work);
  /// The same for work whose reply may come in a later step. Work that throws must not have
  /// responded.
  Port::Handler in_simulation_later(LaterWork work);

  net::WorkQueue& queue() { return queue_; }
  net::EventLoopThread& thread() { return thread_; }
  /// Returns the address at which others find the name server, if it is known.
  std::optional<net::Address> name_server() const;

 private:
  void report(const std::string& message);
  void close();
  // Calls `idle` in the loop's thread until it returns true, or until `end`.
  void wait_for(const std::function<bool()>& idle, net::Clock::time_point end);

  Options options_;
  Report report_;
  net::Clock::time_point reported_since_{};  // only the loop's thread uses it and reported_
  int reported_ = 0;
  net::WorkQueue queue_;
  bool holds_ = false;
  std::deque<std::function<void()>> held_;  // requests that have left the queue
  net::EventLoopThread thread_;
  std::unique_ptr<NameServer> own_server_;
  std::unique_ptr<NameClient> names_;
  std::unique_ptr<Registrations> registrations_;
  std::list<Port> ports_;
};

}  // namespace servosim::yarp
