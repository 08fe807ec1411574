// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <string>
#include <vector>

#include "run/run_extension.h"
#include "yarp/ports/node.h"
#include "yarp/server/board_server.h"

namespace servosim::yarp::server {

/// Makes robots of a simulation, or sets of their motors, control boards of YARP in a run.
///
/// Invariants: each motor belongs to at most one board, and names of ports are unique.
class YarpRunExtension : public RunExtension {
 public:
  struct Board {
    std::string robot;
    std::string port;      ///< such as "/icub/left_arm"
    double period = 0.02;  ///< [s] of simulated time between two states; > 0
    BoardConfig config;    ///< without joints it has all driven_joints() of the robot
  };
  struct Options {
    YarpNode::Options node;
    net::Address listen{};  ///< address of all ports
    Generation generation = Generation::V3;
    std::vector<Board> boards;
  };

  /// `report` receives warnings and information for people. The simulation must outlive this
  /// object.
  /// @throws std::out_of_range for a robot or motor that the world does not have,
  ///   std::invalid_argument for other wrong boards, std::system_error if it cannot listen
  YarpRunExtension(Simulation& simulation, Options options, const YarpNode::Report& report);

  void serve() override { node_.queue().serve(); }
  int wake_descriptor() override { return node_.queue().wake_descriptor(); }
  bool commands(int robot) const override;
  void before_step() override;
  void after_step() override;
  void after_reset() override;

  /// Returns boards and addresses of their ports as lines for people.
  std::vector<std::string> summary() const;

 private:
  struct Part {
    Part(YarpNode& node, Simulation& simulation, const Board& board,
         const BoardServer::Options& options);
    std::string robot;
    std::string name;
    std::vector<std::string> motors;
    ControlBoard board;
    BoardServer server;
  };

  Simulation& simulation_;
  YarpNode node_;
  std::list<Part> parts_;  // destroyed before the node, since they use its ports
};

}  // namespace servosim::yarp::server
