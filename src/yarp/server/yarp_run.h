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
class YarpFrontEnd : public FrontEnd {
 public:
  struct Board {
    std::string robot;
    std::string port;          ///< "/icub/left_arm"
    double period = 0.02;      ///< [s] of simulated time between two states; > 0
    yarp::BoardConfig config;  ///< without joints: all drivable_motors()
  };
  struct Options {
    yarp::Station::Options station;
    net::Address listen{};  ///< of all ports
    yarp::Generation generation = yarp::Generation::V3;
    std::vector<Board> boards;
  };

  /// `say` is told what a person should know. The simulation must outlive this.
  /// @throws std::out_of_range, std::invalid_argument for boards that cannot be, and
  ///   std::system_error where it cannot listen
  YarpFrontEnd(Simulation& simulation, Options options, const yarp::Station::Say& say);

  void serve() override { station_.queue().serve(); }
  int wake_descriptor() override { return station_.queue().wake_descriptor(); }
  bool commands(int robot) const override;
  void before_step() override;
  void after_step() override;
  void after_reset() override;

  /// What is open, in lines for people.
  std::vector<std::string> report() const;

 private:
  struct Part {
    Part(yarp::Station& station, Simulation& simulation, const Board& board,
         const BoardServer::Options& options);
    std::string robot;
    std::string name;
    std::vector<std::string> motors;
    yarp::ControlBoard board;
    BoardServer server;
  };

  Simulation& simulation_;
  yarp::Station station_;
  std::list<Part> parts_;  // before the station
};

}  // namespace servosim::wire
