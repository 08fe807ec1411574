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

/// A robot of the simulation that is to be an MCU.
struct McuSetup {
  int robot = 0;     ///< of the simulation
  std::string name;  ///< of the MCU
  srvp::McuKind kind = srvp::McuKind::Smart;
  std::vector<McuServo> servos;
};

/// The robots of a run that are MCUs, and the thread that talks for them: with a server of its own,
/// or with one somewhere else.
class McuRunExtension final : public RunExtension {
 public:
  using Say = std::function<void(const std::string&)>;
  using Server = std::variant<srvp::ServerOptions, net::Address>;  ///< own, or where it is

  /// With `lockstep` the simulation advances only while a robot performs a movement, so that its
  /// states do not depend on when an order arrives. `say` is called in any thread.
  /// @throws std::system_error, such as when the port is in use; std::invalid_argument for names
  /// that are of no use, or the same
  McuRunExtension(Simulation& simulation, const std::vector<McuSetup>& setups, const Server& server,
                  bool lockstep, const Say& say);
  ~McuRunExtension() override;

  /// Where the server of its own listens.
  std::optional<net::Address> address() const { return address_; }

  void serve() override { queue_.serve(); }
  int wake_descriptor() override { return queue_.wake_descriptor(); }
  bool ready() const override;
  bool commands(int robot) const override;
  void after_step() override;
  void after_reset() override;

 private:
  // Hands the orders for a robot to the thread of the simulation.
  class Desk final : public srvp::LocalMcu {
   public:
    Desk(net::WorkQueue& queue, const Simulation& simulation, const McuSetup& setup);
    void perform(srvp::McuOrder order, Respond respond) override;
    void log_in(std::function<void(ServerLink::Positions)> respond);

    net::WorkQueue& queue;
    srvp::McuDescription self;
    int number;  // of the robot in the simulation
    McuRobot robot;
  };

  void open(const Server& server, const Say& say);

  bool lockstep_;
  net::WorkQueue queue_;
  std::list<Desk> desks_;
  net::EventLoopThread thread_;
  // The thread's.
  std::unique_ptr<srvp::Server> server_;
  std::list<ServerLink> links_;
  std::optional<net::Address> address_;
};

}  // namespace servosim::srvp::robot
