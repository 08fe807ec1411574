// SPDX-License-Identifier: Apache-2.0
#include "srvp/robot/mcu_run.h"

#include <algorithm>
#include <utility>

namespace servosim::srvp::robot {

McuRunExtension::SimulatedMcu::SimulatedMcu(net::WorkQueue& q, const Simulation& simulation,
                                            const McuSetup& setup)
    : queue(q),
      self{setup.name, setup.kind, setup.servos.size(), {}},
      number(setup.robot),
      robot(simulation, setup.kind, setup.servos) {
  if (setup.kind == srvp::McuKind::Smart) {
    self.positions = robot.positions();
  }
}

void McuRunExtension::SimulatedMcu::perform(srvp::McuOrder order, Respond respond) {
  queue.push([this, order = std::move(order), respond = std::move(respond)] {
    robot.perform(order, respond);
  });
}

void McuRunExtension::SimulatedMcu::log_in(std::function<void(ServerLink::Positions)> respond) {
  queue.push([this, respond = std::move(respond)] {
    robot.clear_stored();
    respond(robot.positions());
  });
}

McuRunExtension::McuRunExtension(Simulation& simulation, const std::vector<McuSetup>& setups,
                                 const Server& server, bool lockstep, const Report& report)
    : lockstep_(lockstep) {
  for (const McuSetup& setup : setups) {
    mcus_.emplace_back(queue_, simulation, setup);
  }
  try {
    thread_.call([&] { open(server, report); });
  } catch (...) {
    thread_.stop();  // it uses the other members
    throw;
  }
}

// The thread ends first. After that nothing is pushed, and waiting orders are dropped.
McuRunExtension::~McuRunExtension() { thread_.stop(); }

void McuRunExtension::open(const Server& server, const Report& report) {
  if (const auto* options = std::get_if<srvp::ServerOptions>(&server)) {
    server_ = std::make_unique<srvp::Server>(thread_.loop(), *options, report);
    address_ = server_->address();
    for (SimulatedMcu& mcu : mcus_) {
      server_->add(mcu.self, mcu);
    }
    return;
  }
  for (SimulatedMcu& mcu : mcus_) {
    const auto log_in = [&mcu](auto respond) { mcu.log_in(std::move(respond)); };
    links_.emplace_back(thread_.loop(), std::get<net::Address>(server), mcu.self,
                        ServerLink::Calls{log_in, mcu, report});
  }
}

bool McuRunExtension::ready() const {
  return !lockstep_ || std::any_of(mcus_.begin(), mcus_.end(),
                                   [](const SimulatedMcu& d) { return d.robot.moving(); });
}

bool McuRunExtension::commands(int robot) const {
  return std::any_of(mcus_.begin(), mcus_.end(),
                     [robot](const SimulatedMcu& mcu) { return mcu.number == robot; });
}

void McuRunExtension::after_step() {
  for (SimulatedMcu& mcu : mcus_) {
    mcu.robot.after_step();
  }
}

void McuRunExtension::after_reset() {
  for (SimulatedMcu& mcu : mcus_) {
    mcu.robot.after_reset();
  }
}

}  // namespace servosim::srvp::robot
