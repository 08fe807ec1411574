// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/address.h"
#include "servosim/simulation.h"
#include "servosim/yarp/control_board.h"
#include "yarp/ports/node.h"

namespace servosim::yarp::server {

/// A control board as ports that YARP's remote_controlboard finds: NAME/rpc:i (4.0: NAME/nws/rpc:i)
/// for requests, NAME/command:i for streamed references, NAME/state:o and NAME/stateExt:o with what
/// the joints do. Clients are obeyed in YarpNode::queue().serve(), which the owner calls between
/// the steps; they never hold the simulation up.
///
///     YarpNode node(options, say);
///     BoardServer server(node, simulation, board, {.name = "/icub/left_arm"});
///     for (;;) {
///       node.queue().serve();
///       server.before_step();
///       simulation.step();
///       server.after_step();
///     }
///
/// All its functions are for the thread of the simulation. YarpNode, simulation and board must
/// outlive it; its ports are the node's, and refuse everything once it is gone.
class BoardServer {
 public:
  struct Options {
    std::string name;      ///< "/icub/left_arm"
    double period = 0.02;  ///< [s] of simulated time between two states; > 0
    Generation generation = Generation::V3;
    net::Address listen{};  ///< port 0: any that are free; else that and the next three
    /// What a person should know of clients, such as of commands that cannot be, once a second at
    /// most; stderr by default. Their words are in it as they came.
    std::function<void(const std::string&)> say;
  };

  /// @throws std::system_error when a port cannot be opened
  BoardServer(YarpNode& node, Simulation& simulation, ControlBoard& board, Options options);
  ~BoardServer();
  BoardServer(const BoardServer&) = delete;
  BoardServer& operator=(const BoardServer&) = delete;

  /// ControlBoard::before_step().
  void before_step();
  /// Hands a state out when one is due: copies numbers, and never waits.
  void after_step();

  /// Where a port is: "rpc:i", "command:i", "state:o" or "stateExt:o". @throws std::out_of_range
  Contact contact(const std::string& port) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace servosim::yarp::server
