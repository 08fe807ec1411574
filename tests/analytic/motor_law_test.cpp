// SPDX-License-Identifier: Apache-2.0
// The motor law on a joint that follows it is compared with the recurrence of the same discrete
// scheme.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace motor_law_test {

// The motor is so strong that the joint has the commanded velocity after every step. CFM leaves
// some 1e-7 of the force as slip.
OneJoint strong(const std::string& motor) {
  OneJoint w;
  w.motor = "maxTorque 1e4 " + motor;
  return w;
}

TEST(MotorLaw, ProportionalErrorDecaysGeometrically) {
  Simulation simulation = load(strong("maxVelocity 30 controlPID 6 0 0"));
  simulation.robot("r").motor("m").set_position(0.8);
  const double shrink = 1.0 - 6.0 * 0.008;
  for (int k = 1; k <= 60; ++k) {
    simulation.step();
    // ODE's small-angle rotation loses (h·v)³/12 a step: 3e-5 in total at this speed.
    ASSERT_NEAR(0.8 - simulation.joint(0).position(), 0.8 * std::pow(shrink, k), 4e-5) << k;
  }
}

TEST(MotorLaw, SpeedIsBoundedByTheCommandedVelocity) {
  Simulation simulation = load(strong("maxVelocity 3 controlPID 20 0 0"));
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_velocity(1.25);
  motor.set_position(2.0);
  simulation.step(50);
  EXPECT_NEAR(simulation.joint(0).velocity(), 1.25, 1e-5);
  EXPECT_NEAR(simulation.joint(0).position(), 50 * 0.008 * 1.25, 1e-4);
}

// The test steps P, I and D with both limits together with the simulation.
TEST(MotorLaw, FullPidFollowsItsRecurrence) {
  Simulation simulation = load(strong("maxVelocity 2.5 acceleration 9 controlPID 11 4 0.05"));
  simulation.robot("r").motor("m").set_position(0.9);
  const double h = 0.008;
  double p = 0.0;
  double integral = 0.0;
  double last_error = 0.0;
  double v = 0.0;
  bool saturated = false;
  for (int k = 0; k < 250; ++k) {
    const double error = 0.9 - p;
    integral += error * h;
    const double u = 11.0 * error + 4.0 * integral + 0.05 * (error - last_error) / h;
    last_error = error;
    const double wanted = std::clamp(u, -2.5, 2.5);
    saturated = saturated || wanted != u;
    v += std::clamp(wanted - v, -9.0 * h, 9.0 * h);
    p += v * h;
    simulation.step();
    // ODE loses 7e-7 a step at 2.5 rad/s by its small-angle formula.
    ASSERT_NEAR(simulation.joint(0).position(), p, 1e-4) << k;
    ASSERT_NEAR(simulation.joint(0).reading().commanded_velocity, v, 5e-3) << k;
  }
  EXPECT_TRUE(saturated) << "the velocity limit took part";
}

TEST(MotorLaw, AWeakMotorStallsUnderLoad) {
  OneJoint w;
  w.gravity = "9.81";
  w.endpoint = "0.3 0 0";
  w.axis = "0 1 0";
  w.motor = "maxTorque 4";  // the arm weighs 2·9.81·0.3 = 5.9 N·m
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_position(-0.5);  // up
  simulation.step(20);
  EXPECT_GT(simulation.joint(0).position(), 0.0) << "it sinks";
}

TEST(MotorLaw, ZeroForceLetsGo) {
  OneJoint w;
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  simulation.joint(0).set_state(0.0, 0.5);
  motor.set_available_force(0.0);
  simulation.step(100);
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.5, 1e-3);
  EXPECT_EQ(motor.commanded_velocity(), 0.0);
}

TEST(StaticFriction, HoldsUpToItsValueAndBreaksAway) {
  OneJoint w;
  w.slider = true;
  w.parameters = "staticFriction 3";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_force(2.9);
  simulation.step(200);
  EXPECT_NEAR(simulation.joint(0).position(), 0.0, 1e-4);
  motor.set_force(3.5);
  simulation.step(100);
  // A net force of 0.5 N acts on 2 kg for 0.8 s.
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.5 / 2.0 * 0.8, 2e-3);
}

TEST(StaticFriction, IsHiddenByAStrongerMotor) {
  OneJoint w;
  w.slider = true;
  w.parameters = "staticFriction 3";
  w.motor = "maxForce 8 maxVelocity 5";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(INFINITY);
  motor.set_velocity(5.0);
  simulation.step(100);
  // The motor uses max(8, 3), never 8 − 3.
  EXPECT_NEAR(simulation.joint(0).velocity(), 8.0 / 2.0 * 0.8, 1e-3);
}

}  // namespace motor_law_test
}  // namespace servosim::test
