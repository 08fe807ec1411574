// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <string>
#include <vector>

#include "run/run_extension.h"
#include "yarp/ports/node.h"
#include "yarp/server/board_server.h"

namespace servosim::wire {

/// Names of the motors of a robot that a board can drive, in the order of the world.
/// @throws std::out_of_range for a robot that is not there
std::vector<std::string> drivable_motors(Simulation& simulation, const std::string& robot);

/// Robots of a simulation, or parts of them, as control boards of YARP, for whoever steps it.
class YarpRunExtension : public RunExtension {
 public:
  struct Board {
    std::string robot;
    std::string port;          ///< "/icub/left_arm"
    double period = 0.02;      ///< [s] of simulated time between two states; > 0
    yarp::BoardConfig config;  ///< without joints: all drivable_motors()
  };
  struct Options {
    yarp::YarpNode::Options node;
    net::Address listen{};  ///< of all ports
    yarp::Generation generation = yarp::Generation::V3;
    std::vector<Board> boards;
  };

  /// `say` is told what a person should know. The simulation must outlive this.
  /// @throws std::out_of_range, std::invalid_argument for boards that cannot be, and
  ///   std::system_error where it cannot listen
  YarpRunExtension(Simulation& simulation, Options options, const yarp::YarpNode::Say& say);

  void serve() override { node_.queue().serve(); }
  int wake_descriptor() override { return node_.queue().wake_descriptor(); }
  bool commands(int robot) const override;
  void before_step() override;
  void after_step() override;
  void after_reset() override;

  /// What is open, in lines for people.
  std::vector<std::string> report() const;

 private:
  struct Part {
    Part(yarp::YarpNode& node, Simulation& simulation, const Board& board,
         const BoardServer::Options& options);
    std::string robot;
    std::string name;
    std::vector<std::string> motors;
    yarp::ControlBoard board;
    BoardServer server;
  };

  Simulation& simulation_;
  yarp::YarpNode node_;
  std::list<Part> parts_;  // before the node
};

}  // namespace servosim::wire
