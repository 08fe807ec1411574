// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "servosim/yarp/control_board.h"
#include "support/worlds.h"

namespace servosim::test {

// Four hinges in a row. The last one has no torque control.
inline std::string four_joints() {
  std::string text = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 1 gravity 0 physicsDisableTime 0 }
Robot { name "r" children [
)";
  for (int j = 0; j < 4; ++j) {
    text += fmt::format(R"(HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 0 1 anchor {0} 0 0 }}
      device RotationalMotor {{ name "m{0}" maxTorque 20 }}
      endPoint Solid {{ name "s{0}" translation {0} 0 0 boundingObject Box {{ size 0.3 0.1 0.1 }}
        physics Physics {{ density -1 mass 1.5 }} }} }}
)",
                        j);
  }
  return text + "] }\n";
}

struct Four {
  /// Makes a board of the first `joints` hinges.
  explicit Four(yarp::BoardConfig config = {}, int joints = 4)
      : simulation(load(four_joints())), board(make(config, joints)) {}

  yarp::ControlBoard make(yarp::BoardConfig config, int joints = 4) {
    for (int j = 0; j < joints; ++j) {
      config.joints.emplace_back().motor = fmt::format("m{}", j);
    }
    if (joints > 3) {
      config.joints[3].modes = {yarp::VOCAB_CM_POSITION, yarp::VOCAB_CM_VELOCITY};
    }
    config.notice = [this](std::string_view text) { said += std::string(text) + "\n"; };
    return yarp::ControlBoard(simulation, "r", config);
  }
  std::array<yarp::vocab32_t, 4> modes() const {
    std::array<yarp::vocab32_t, 4> modes{};
    EXPECT_TRUE(board.view<yarp::IControlMode>().getControlMode(yarp::kAllJoints, modes));
    return modes;
  }
  template <class Interface>
  Interface view() {
    return board.view<Interface>();
  }
  void step(int count = 1) {
    for (int n = 0; n < count; ++n) {
      board.before_step();
      simulation.step();
    }
  }

  std::string said;
  Simulation simulation;
  yarp::ControlBoard board;
};

}  // namespace servosim::test
