// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/queues.h"
#include "run/run_extension.h"
#include "srvp/robot/mcu_robot.h"
#include "srvp/robot/server_link.h"
#include "srvp/server/server.h"

namespace servosim::srvp::robot {

/// A robot of the simulation that acts as an MCU.
struct McuSetup {
  int robot = 0;     ///< index in the simulation
  std::string name;  ///< name of the MCU
  srvp::McuKind kind = srvp::McuKind::Smart;
  std::vector<McuServo> servos;
};

/// The robots of a run that act as MCUs, and the thread of their network. They connect to a server
/// in this process, or to one elsewhere.
class McuRunExtension final : public RunExtension {
 public:
  using Report = std::function<void(const std::string&)>;
  using Server =
      std::variant<srvp::ServerOptions, net::Address>;  ///< options of an own one, or an address

  /// With `lockstep` the simulation advances only while a movement is active, so that its states do
  /// not depend on when an order arrives. `report` may be called in any thread.
  /// @throws std::system_error, for example if the port is in use; std::invalid_argument for names
  /// that are invalid or not unique
  McuRunExtension(Simulation& simulation, const std::vector<McuSetup>& setups, const Server& server,
                  bool lockstep, const Report& report);
  ~McuRunExtension() override;

  /// Returns the address of the server in this process, if there is one.
  std::optional<net::Address> address() const { return address_; }

  void serve() override { queue_.serve(); }
  int wake_descriptor() override { return queue_.wake_descriptor(); }
  bool ready() const override;
  bool commands(int robot) const override;
  void after_step() override;
  void after_reset() override;

 private:
  // Passes the orders for a robot to the thread of the simulation.
  class SimulatedMcu final : public srvp::LocalMcu {
   public:
    SimulatedMcu(net::WorkQueue& queue, const Simulation& simulation, const McuSetup& setup);
    void perform(srvp::McuOrder order, Respond respond) override;
    void log_in(std::function<void(ServerLink::Positions)> respond);

    net::WorkQueue& queue;
    srvp::McuDescription self;
    int number;  // index of the robot in the simulation
    McuRobot robot;
  };

  void open(const Server& server, const Report& report);

  bool lockstep_;
  net::WorkQueue queue_;
  std::list<SimulatedMcu> mcus_;
  net::EventLoopThread thread_;
  // Only thread_ uses these.
  std::unique_ptr<srvp::Server> server_;
  std::list<ServerLink> links_;
  std::optional<net::Address> address_;
};

}  // namespace servosim::srvp::robot
