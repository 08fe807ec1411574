// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "servosim/yarp/control_board.h"

namespace servosim::test {

/// Moves the arm of worlds/ through every control mode, stiff and compliant, with each joint in a
/// different mode. Returns its state at the end.
inline std::uint64_t exercise_board(const std::string& worlds) {
  using namespace yarp;
  constexpr std::array kModes{VOCAB_CM_POSITION, VOCAB_CM_POSITION_DIRECT, VOCAB_CM_VELOCITY,
                              VOCAB_CM_MIXED,    VOCAB_CM_VELOCITY_DIRECT, VOCAB_CM_TORQUE,
                              VOCAB_CM_PWM,      VOCAB_CM_CURRENT};
  LoadOptions options;
  options.notice = [](std::string_view) {};
  Simulation simulation(worlds + "/icub_arm.wbt", std::move(options));
  BoardConfig config;
  config.notice = [](std::string_view) {};
  ControlBoard board(simulation, "icub", config);
  int axes = 0;
  board.view<IPositionControl>().getAxes(&axes);
  for (std::size_t turn = 0; turn < 2 * kModes.size(); ++turn) {
    for (int j = 0; j < axes; ++j) {
      board.view<IInteractionMode>().setInteractionMode(
          j, turn % 2 == 0 ? VOCAB_IM_STIFF : VOCAB_IM_COMPLIANT);
      board.view<IControlMode>().setControlMode(
          j, kModes[(turn + static_cast<std::size_t>(j)) % kModes.size()]);
      board.view<IPositionControl>().positionMove(j, 12.0 - 5.0 * j);
      board.view<IPositionDirect>().setPosition(j, 3.0 - j);
      board.view<IVelocityControl>().velocityMove(j, 8.0);
      board.view<IVelocityDirect>().setDesiredVelocity(j, -7.0);
      board.view<ITorqueControl>().setRefTorque(j, 0.4);
      board.view<IPWMControl>().setRefDutyCycle(j, -0.3);
      board.view<ICurrentControl>().setRefCurrent(j, 0.2);
    }
    for (int n = 0; n < 100; ++n) {
      board.before_step();
      simulation.step();
    }
  }
  return simulation.state_hash();
}

}  // namespace servosim::test
