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

/// The ports of one simulation, and the thread that serves them. Its functions are for the
/// simulation's thread, which never waits for a client:
///
///     YarpNode node(options, say);
///     Port& rpc = node.open({.name = "/arm/rpc:i"}, node.in_simulation(work));
///     net::StatePublisher<State> outbox(node.thread(), state, [&port](const State& s) { ...
///     publish
///     }); while (...) { simulation.step(1); node.queue().serve(); outbox.put(...); }
class YarpNode {
 public:
  struct Options {
    /// "HOST:PORT", or "" for what yarp.conf says. See find_name_server().
    std::string name_server;
    /// Serves names itself, at that port of `own_ip` (0: any that is free).
    std::optional<int> own_name_server;
    std::uint32_t own_ip = INADDR_LOOPBACK;
    /// What others are told to dial, in place of the address where ports and names are served.
    std::optional<std::uint32_t> announced_ip{};
    Registrations::Pauses pauses{};
  };
  using Say = std::function<void(const std::string&)>;
  using Work = std::function<PortReply(const Request&)>;

  /// A name server that is not there is only said, and the ports have no names until it is: `say`
  /// is called when the simulation serves the queue, at most a few times a second.
  /// @throws std::system_error, such as when the port of the own name server is in use
  YarpNode(Options options, Say say);
  /// Takes the names back; waits three seconds for that at most.
  ~YarpNode();
  YarpNode(const YarpNode&) = delete;
  YarpNode& operator=(const YarpNode&) = delete;

  /// Opens a port and registers it; the latter goes on in the background. Valid as long as this is,
  /// for its thread() only, but for contact(). @throws std::system_error
  Port& open(PortOptions options, Port::Handler handler);
  /// A handler that has requests done between the steps: `work` is called in serve(). What it
  /// throws is the reply [fail] and why.
  Port::Handler in_simulation(Work work);

  net::WorkQueue& queue() { return queue_; }
  net::EventLoopThread& thread() { return thread_; }
  /// Where others find the name server, if one is known.
  std::optional<net::Address> name_server() const;

 private:
  void say(const std::string& message);
  void leave();
  // Calls `idle` in the loop's thread until it is true, or until `end`.
  void wait_for(const std::function<bool()>& idle, net::Clock::time_point end);

  Options options_;
  Say say_;
  net::Clock::time_point said_since_{};  // with said_: the loop's
  int said_ = 0;
  net::WorkQueue queue_;
  net::EventLoopThread thread_;
  std::unique_ptr<NameServer> own_server_;
  std::unique_ptr<NameClient> names_;
  std::unique_ptr<Registrations> registrations_;
  std::list<Port> ports_;
};

}  // namespace servosim::yarp
