// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/sockets.h"
#include "servosim/yarp/control_board.h"
#include "yarp/ports/node.h"
#include "yarp/server/timeline.h"

namespace servosim::yarp::server {

/// A control board as ports that YARP's remote_controlboard finds: NAME/rpc:i (4.0: NAME/nws/rpc:i)
/// for requests, NAME/command:i for streamed references, NAME/state:o and NAME/stateExt:o for the
/// joints' measurements. YarpNode::serve(), which the owner calls between the steps, executes
/// requests. The simulation never waits for a client.
///
///     YarpNode node(options, report);
///     BoardServer server(node, timeline, board, {.name = "/icub/left_arm"});
///     for (;;) {
///       node.serve();
///       server.before_step();
///       simulation.step();
///       server.after_step();
///     }
///
/// Only the thread of the simulation may call its functions. The YarpNode, the timeline and the
/// board must outlive it. Its ports belong to the node and refuse every request after its
/// destruction.
class BoardServer {
 public:
  struct Options {
    std::string name;      ///< such as "/icub/left_arm"
    double period = 0.02;  ///< [s] of simulated time between two states; > 0
    Generation generation = Generation::V3;
    net::Address listen{};  ///< port 0 means any free ports; otherwise that port and the next three
    /// Receives warnings about clients, such as refused requests, at most one of a kind per second.
    /// The default is stderr. They quote the client's words unchanged.
    std::function<void(const std::string&)> report;
  };

  /// @throws std::system_error if a port cannot be opened
  BoardServer(YarpNode& node, const Timeline& timeline, ControlBoard& board, Options options);
  ~BoardServer();
  BoardServer(const BoardServer&) = delete;
  BoardServer& operator=(const BoardServer&) = delete;

  /// Calls ControlBoard::before_step().
  void before_step();
  /// Publishes a state if one is due. It copies numbers and never waits.
  void after_step();

  /// Returns the address of a port: "rpc:i", "command:i", "state:o" or "stateExt:o".
  /// @throws std::out_of_range for another name
  Contact contact(const std::string& port) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace servosim::yarp::server
