// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "servosim/yarp/control_board.h"
#include "support/worlds.h"

namespace servosim::test {

/// A world with one joint and steps of 1 ms, and a board for that joint. `said` has the board's
/// notices.
struct BoardBench {
  static OneJoint world(OneJoint w = {}) {
    w.time_step_ms = 1.0;
    w.motor = w.motor.empty() ? (w.slider ? "maxForce 50" : "maxTorque 50") : w.motor;
    return w;
  }
  static yarp::JointConfig joint_config() {
    yarp::JointConfig joint;
    joint.motor = "m";
    return joint;
  }
  explicit BoardBench(const OneJoint& w = {}, const yarp::JointConfig& joint = joint_config(),
                      yarp::BoardConfig config = {})
      : one_joint(world(w)),
        simulation(load(one_joint)),
        board(simulation, "r", with(std::move(config), joint)) {}

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
  void run(double seconds) { step(static_cast<int>(std::lround(seconds * 1000.0))); }
  template <class Interface>
  double get(yarp::ReturnValue (Interface::*one)(yarp::JointSet, yarp::Results) const) const {
    double value = std::nan("");
    EXPECT_TRUE((board.view<Interface>().*one)(0, &value));
    return value;
  }
  double position() const { return get(&yarp::IEncodersTimed::getEncoder); }
  double speed() const { return get(&yarp::IEncodersTimed::getEncoderSpeed); }
  double torque() const { return get(&yarp::ITorqueControl::getTorque); }
  double output() const { return get(&yarp::IPWMControl::getDutyCycle); }
  double reference(yarp::vocab32_t type = yarp::VOCAB_PIDTYPE_POSITION) const {
    double value = std::nan("");
    EXPECT_TRUE(board.view<yarp::IPidControl>().getPidReference(type, 0, &value));
    return value;
  }
  yarp::vocab32_t mode() const {
    yarp::vocab32_t mode = 0;
    EXPECT_TRUE(board.view<yarp::IControlMode>().getControlMode(0, &mode));
    return mode;
  }
  bool done() const {
    bool done = false;
    EXPECT_TRUE(board.view<yarp::IPositionControl>().checkMotionDone(0, &done));
    return done;
  }
  /// Returns the unit of the board in SI units.
  double unit() const { return one_joint.slider ? 1.0 : std::numbers::pi / 180.0; }

  std::string said;
  OneJoint one_joint;
  Simulation simulation;
  yarp::ControlBoard board;

 private:
  yarp::BoardConfig with(yarp::BoardConfig config, const yarp::JointConfig& joint) {
    config.joints = {joint};
    config.notice = [this](std::string_view text) { said += std::string(text) + "\n"; };
    return config;
  }
};

}  // namespace servosim::test
