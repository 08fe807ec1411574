// SPDX-License-Identifier: Apache-2.0
#include "srvp/robot/mcu_run.h"

#include <algorithm>
#include <utility>

namespace servosim::srvp::robot {

McuRunExtension::Desk::Desk(net::WorkQueue& q, const Simulation& simulation, const McuSetup& setup)
    : queue(q),
      self{setup.name, setup.kind, setup.servos.size(), {}},
      number(setup.robot),
      robot(simulation, setup.kind, setup.servos) {
  if (setup.kind == srvp::McuKind::Smart) {
    self.positions = robot.positions();
  }
}

void McuRunExtension::Desk::perform(srvp::McuOrder order, Respond respond) {
  queue.push([this, order = std::move(order), respond = std::move(respond)] {
    robot.perform(order, respond);
  });
}

void McuRunExtension::Desk::log_in(std::function<void(ServerLink::Positions)> respond) {
  queue.push([this, respond = std::move(respond)] {
    robot.forget_stored();
    respond(robot.positions());
  });
}

McuRunExtension::McuRunExtension(Simulation& simulation, const std::vector<McuSetup>& setups,
                                 const Server& server, bool lockstep, const Say& say)
    : lockstep_(lockstep) {
  for (const McuSetup& setup : setups) {
    desks_.emplace_back(queue_, simulation, setup);
  }
  try {
    thread_.call([&] { open(server, say); });
  } catch (...) {
    thread_.stop();  // before what it has opened is closed
    throw;
  }
}

// Its thread ends first: from then on nobody pushes, and what waits is not done any more.
McuRunExtension::~McuRunExtension() { thread_.stop(); }

void McuRunExtension::open(const Server& server, const Say& say) {
  if (const auto* options = std::get_if<srvp::ServerOptions>(&server)) {
    server_ = std::make_unique<srvp::Server>(thread_.loop(), *options, say);
    address_ = server_->address();
    for (Desk& desk : desks_) {
      server_->add(desk.self, desk);
    }
    return;
  }
  for (Desk& desk : desks_) {
    const auto log_in = [&desk](auto respond) { desk.log_in(std::move(respond)); };
    links_.emplace_back(thread_.loop(), std::get<net::Address>(server), desk.self,
                        ServerLink::Calls{log_in, desk, say});
  }
}

bool McuRunExtension::ready() const {
  return !lockstep_ ||
         std::any_of(desks_.begin(), desks_.end(), [](const Desk& d) { return d.robot.moving(); });
}

bool McuRunExtension::commands(int robot) const {
  return std::any_of(desks_.begin(), desks_.end(),
                     [robot](const Desk& desk) { return desk.number == robot; });
}

void McuRunExtension::after_step() {
  for (Desk& desk : desks_) {
    desk.robot.after_step();
  }
}

void McuRunExtension::after_reset() {
  for (Desk& desk : desks_) {
    desk.robot.after_reset();
  }
}

}  // namespace servosim::srvp::robot
