// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "run/run_extension.h"
#include "yarp/ports/node.h"
#include "yarp/server/board_server.h"
#include "yarp/server/clock_server.h"
#include "yarp/server/sensor_server.h"
#include "yarp/server/timeline.h"

namespace servosim::yarp::server {

/// Makes robots of a simulation, or sets of their motors, control boards of YARP in a run, and
/// serves their sensors and the time.
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
    std::vector<SensorServer::Options> sensors;  ///< name, robot, devices and period
    std::string clock;  ///< name of the port of the time, such as "/clock"; empty for none
  };

  /// `report` receives warnings and information for people. The simulation must outlive this
  /// object.
  /// @throws std::out_of_range for a robot or motor that the world does not have,
  ///   std::invalid_argument for other wrong boards, std::system_error if it cannot listen
  YarpRunExtension(Simulation& simulation, Options options, const YarpNode::Report& report);

  void begin(std::optional<double> realtime_factor) override;
  void speed_changed(double speed) override;
  void serve() override { node_.serve(); }
  int wake_descriptor() override { return node_.queue().wake_descriptor(); }
  bool ready() const override { return !clock_ || clock_->ready(); }
  bool commands(int robot) const override;
  RunChanges take_changes() override { return clock_ ? clock_->take_changes() : RunChanges(); }
  void before_step() override;
  void after_step() override;
  void after_reset() override;

  /// Returns what it serves and the addresses of all ports as lines for people.
  std::vector<std::string> summary() const;

 private:
  struct Part {
    Part(YarpNode& node, const Timeline& timeline, Simulation& simulation, const Board& board,
         const BoardServer::Options& options);
    std::string robot;
    std::string name;
    std::vector<std::string> motors;
    ControlBoard board;
    BoardServer server;
  };

  Simulation& simulation_;
  Timeline timeline_;
  YarpNode node_;
  // These are destroyed before the node, since they use its ports.
  std::list<Part> parts_;
  std::list<SensorServer> sensors_;
  std::optional<ClockServer> clock_;
};

}  // namespace servosim::yarp::server
