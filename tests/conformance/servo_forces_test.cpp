// SPDX-License-Identifier: Apache-2.0
// The reference page of Servo, lines 252 to 320: springs, dampers, friction.
#include <cmath>
#include <tuple>

#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

// One implicit step of spring and damper is v⁺ = (v + h·(F − k·p)/m) / (1 + h²·k/m + h·d/m).
struct Oscillator {
  double k = 0.0;
  double d = 0.0;
  double inertia = 0.0;
  double p = 0.0;
  double v = 0.0;

  void step(double force) {
    v = (v + kStep * (force - k * p) / inertia) /
        (1.0 + kStep * kStep * k / inertia + kStep * d / inertia);
    p += kStep * v;
  }
};

// All forces add up in one step, whatever their kind. `motor` is the force of force control.
void expect_forces(Bench bench, double k, double d, double motor) {
  Rig rig(bench);
  Oscillator expected{k, d, rig.inertia(), 0.35, -0.6};
  rig.simulation.joint(0).set_state(expected.p, expected.v);
  if (motor != 0.0) {
    rig.motor.set_force(motor);
  }
  for (int n = 0; n < 120; ++n) {
    rig.run(kStep);
    expected.step(motor);
    // ODE's small-angle turn loses (h·v)³/12 a step, at most 3e-6 at 4 rad/s. This adds up to 5e-4.
    ASSERT_NEAR(rig.position(), expected.p, bench.linear ? 1e-8 : 5e-4) << n;
    ASSERT_NEAR(rig.velocity(), expected.v, bench.linear ? 1e-7 : 2e-3) << n;
  }
}

TEST(ServoNode, Line254_SpringConstantIsTheStiffness) {
  for (Bench bench : servos("maxForce 0", "springConstant 3")) {
    expect_forces(bench, 3.0, 0.0, 0.0);
    bench.joint = "springConstant 7.5";
    expect_forces(bench, 7.5, 0.0, 0.0);
  }
}

TEST(ServoNode, Line255_SpringConstantMustNotBeNegative) {
  for (const Bench& bench : servos("maxForce 0", "springConstant -3")) {
    Rig rig(bench);
    EXPECT_TRUE(contains(rig.take_messages(), "springConstant is -3"));
    rig.simulation.joint(0).set_state(0.4);
    rig.run(kStep);
    EXPECT_NEAR(rig.effort(), -3.0 * rig.position(), 1e-6) << "its absolute value";
  }
}

TEST(ServoNode, Line256_SpringConstantOfZeroIsNoSpring) {
  for (const Bench& bench : servos("maxForce 0", "springConstant 0")) {
    expect_forces(bench, 0.0, 0.0, 0.0);
  }
}

TEST(ServoNode, Line257_SpringForceAddsToTheOthers) {
  for (const Bench& bench : servos("", "springConstant 4 dampingConstant 0.3")) {
    expect_forces(bench, 4.0, 0.3, 1.7);
  }
}

TEST(ServoNode, Line259_SpringForceIsHookes) {
  for (const Bench& bench : servos("maxForce 0", "springConstant 3")) {
    for (const double p : {0.2, 0.5, -0.9}) {
      Rig rig(bench);
      rig.simulation.joint(0).set_state(p);
      rig.run(kStep);
      EXPECT_NEAR(rig.effort(), -3.0 * rig.position(), 1e-6);
      EXPECT_NEAR(rig.position(), p, 0.01);
    }
  }
}

TEST(ServoNode, Line261_SpringMovesBackToZero) {
  for (const Bench& bench : servos("maxForce 0", "springConstant 3 dampingConstant 0.7")) {
    for (const double p : {0.5, -0.9}) {
      Rig rig(bench);
      rig.simulation.joint(0).set_state(p);
      rig.run(0.1);
      EXPECT_LT(rig.velocity() * p, 0.0) << "towards zero";
      rig.run(60.0);
      EXPECT_NEAR(rig.position(), 0.0, kHeld);
    }
  }
}

// The spring rests at position 0, even if the file sets another position:
// docs/explanation/deviations.md, Sentences.
TEST(ServoNode, Line263_SpringRestsAtPositionZero) {
  for (const Bench& bench :
       servos("maxForce 0", "position 0.45 springConstant 3 dampingConstant 0.7")) {
    Rig rig(bench);
    rig.run(kStep);
    EXPECT_NEAR(rig.effort(), -3.0 * rig.position() - 0.7 * rig.velocity(), 1e-6);
    rig.run(60.0);
    EXPECT_NEAR(rig.position(), 0.0, kHeld) << "not at 0.45";
  }
}

TEST(ServoNode, Line268_DampingConstantIsTheDamping) {
  for (Bench bench : servos("maxForce 0", "dampingConstant 0.4")) {
    expect_forces(bench, 0.0, 0.4, 0.0);
    bench.joint = "dampingConstant 1.7";
    expect_forces(bench, 0.0, 1.7, 0.0);
  }
}

TEST(ServoNode, Line269_DampingConstantMustNotBeNegative) {
  for (const Bench& bench : servos("maxForce 0", "dampingConstant -0.4")) {
    Rig rig(bench);
    EXPECT_TRUE(contains(rig.take_messages(), "dampingConstant is -0.4"));
    rig.simulation.joint(0).set_state(0.2, 0.9);
    rig.run(kStep);
    EXPECT_NEAR(rig.effort(), -0.4 * rig.velocity(), 1e-6) << "its absolute value";
    EXPECT_LT(rig.velocity(), 0.9);
  }
}

TEST(ServoNode, Line269_DampingConstantOfZeroIsNoDamping) {
  for (const Bench& bench : servos("maxForce 0", "dampingConstant 0")) {
    Rig rig(bench);
    rig.simulation.joint(0).set_state(0.2, 0.9);
    rig.run(8.0);
    EXPECT_NEAR(rig.velocity(), 0.9, 1e-9);
  }
}

TEST(ServoNode, Line270_DampingForceAddsToTheOthers) {
  for (const Bench& bench : servos("", "springConstant 2 dampingConstant 0.5")) {
    expect_forces(bench, 2.0, 0.5, -1.2);
  }
}

TEST(ServoNode, Line273_DampingForceIsProportionalToTheVelocity) {
  for (const Bench& bench : servos("maxForce 0", "dampingConstant 0.4")) {
    for (const double v : {0.3, 1.5, -0.8}) {
      Rig rig(bench);
      rig.simulation.joint(0).set_state(0.2, v);
      rig.run(kStep);
      EXPECT_NEAR(rig.effort(), -0.4 * rig.velocity(), 1e-6);
      EXPECT_NEAR(rig.velocity(), v / (1.0 + kStep * 0.4 / rig.inertia()), 1e-7);
    }
  }
}

// A Servo of 2 kg is on a free body of 3 kg. What one gains the other loses.
constexpr const char* kTwoMasses = R"(#VRML_SIM V7.2.5 utf8
WorldInfo { basicTimeStep 8 gravity 0 0 0 physicsDisableTime 0 }
Robot {
  name "r"
  children [
    Servo {
      name "m"
      type "linear"
      translation 0.4 0 0
      rotation 0 1 0 1.5707963267948966
      springConstant 6
      maxForce 40
      boundingObject Box { size 0.2 0.2 0.2 }
      physics Physics { density -1 mass 2 }
    }
  ]
  boundingObject Box { size 0.2 0.3 0.2 }
  physics Physics { density -1 mass 3 }
}
)";

TEST(ServoNode, Line282_JoinsTwoMasses) {
  Rig rig(kTwoMasses);
  rig.motor.set_position(INFINITY);
  rig.motor.set_available_force(0.0);
  rig.simulation.joint(0).set_state(0.5);
  // The motion is an oscillation of the reduced mass.
  Oscillator expected{6.0, 0.0, 2.0 * 3.0 / 5.0, 0.5, 0.0};
  for (int n = 0; n < 200; ++n) {
    rig.run(kStep);
    expected.step(0.0);
    ASSERT_NEAR(rig.position(), expected.p, 1e-6) << n;
  }
}

TEST(ServoNode, Line283_ParentsPhysicsIsTheOneMass) {
  Rig rig(kTwoMasses);
  rig.motor.set_force(4.0);
  rig.run(kStep);
  // The parent recoils from the 4 N, less the spring's h·6·h·v⁺ in the first step.
  const double v = kStep * 4.0 / 1.2 / (1.0 + kStep * kStep * 6.0 / 1.2);
  EXPECT_NEAR(rig.simulation.solid("r").pose().translation.x, -kStep * v * 2.0 / 5.0, 1e-9);
}

TEST(ServoNode, Line283_ServosPhysicsIsTheOther) {
  Rig rig(kTwoMasses);
  rig.motor.set_force(4.0);
  rig.run(kStep);
  const double v = kStep * 4.0 / 1.2 / (1.0 + kStep * kStep * 6.0 / 1.2);
  EXPECT_NEAR(rig.simulation.solid("m").pose().translation.x, 0.4 + kStep * v * 3.0 / 5.0, 1e-9);
}

TEST(ServoNode, Line284_InitialTranslationIsTheServosOwn) {
  Rig rig(kTwoMasses);
  EXPECT_NEAR(rig.simulation.solid("m").pose().translation.x, 0.4, 1e-12);
  rig.motor.set_position(0.25);
  rig.run(4.0);
  const double apart = rig.simulation.solid("m").pose().translation.x -
                       rig.simulation.solid("r").pose().translation.x;
  EXPECT_NEAR(apart, 0.4 + rig.position(), 1e-6);
}

TEST(ServoNode, Line286_PositionIsTheCurrentOne) {
  Rig rig(kTwoMasses);
  rig.motor.set_position(0.25);
  rig.run(4.0);
  EXPECT_NEAR(rig.position(), 0.25, kHeld);
  EXPECT_NEAR(rig.simulation.solid("m").pose().translation.x, 0.4 + 0.25 * 3.0 / 5.0, kHeld);
}

TEST(ServoNode, Line291_ThreeForcesActOnAServo) {
  for (const Bench& bench : servos("", "springConstant 4 dampingConstant 0.3")) {
    Rig rig(bench);
    rig.simulation.joint(0).set_state(0.3, 0.5);
    rig.motor.set_force(1.7);
    rig.run(kStep);
    EXPECT_NEAR(rig.effort(), 1.7 - 4.0 * rig.position() - 0.3 * rig.velocity(), 1e-6);
  }
}

TEST(ServoNode, Line292_TheyAreSwitchedIndependently) {
  for (const double motor : {0.0, 0.4}) {
    for (const double k : {0.0, 3.0}) {
      for (const double d : {0.0, 0.4}) {
        for (const Bench& bench : servos(
                 motor > 0.0 ? "maxForce 5" : "maxForce 0",
                 "springConstant " + std::to_string(k) + " dampingConstant " + std::to_string(d))) {
          expect_forces(bench, k, d, motor);
        }
      }
    }
  }
}

TEST(ServoNode, Line294_MaxForceOfZeroIsPassive) {
  for (const Bench& bench : servos("maxForce 0")) {
    Rig rig(bench);
    rig.motor.set_position(0.9);
    rig.simulation.joint(0).set_state(-0.2, 0.35);
    rig.run(2.0);
    EXPECT_NEAR(rig.velocity(), 0.35, 1e-9) << "whatever its target";
  }
}

// These are the rows of "Servo Forces".

// Returns which of the three effects are there, each measured by the change of the velocity after
// 20 steps.
std::tuple<bool, bool, bool> forces_on(const std::string& motor, const std::string& joint) {
  Rig pushed({.kind = Kind::Servo, .linear = true, .motor = motor, .joint = joint});
  pushed.endless(9.0);
  pushed.run(kStep);
  Rig displaced({.kind = Kind::Servo, .linear = true, .motor = motor, .joint = joint});
  displaced.motor.set_available_force(0.0);
  displaced.simulation.joint(0).set_state(0.5);
  displaced.run(kStep);
  Rig moving({.kind = Kind::Servo, .linear = true, .motor = motor, .joint = joint});
  moving.motor.set_available_force(0.0);
  moving.simulation.joint(0).set_state(-0.8 * kStep, 0.8);  // passes zero: no spring force
  moving.run(kStep);
  return {pushed.velocity() > 1e-3, displaced.velocity() < -1e-3, moving.velocity() < 0.8 - 1e-3};
}

TEST(ServoNode, Line300_WhatTurnsEachForceOn) {
  EXPECT_EQ(forces_on("maxForce 2", ""), std::tuple(true, false, false));
  EXPECT_EQ(forces_on("maxForce 0", "springConstant 3"), std::tuple(false, true, false));
  EXPECT_EQ(forces_on("maxForce 0", "dampingConstant 0.9"), std::tuple(false, false, true));
}

TEST(ServoNode, Line301_WhatTurnsEachForceOff) {
  EXPECT_EQ(forces_on("maxForce 0", "springConstant 3 dampingConstant 0.9"),
            std::tuple(false, true, true));
  EXPECT_EQ(forces_on("maxForce 2", "springConstant 0 dampingConstant 0.9"),
            std::tuple(true, false, true));
  EXPECT_EQ(forces_on("maxForce 2", "springConstant 3 dampingConstant 0"),
            std::tuple(true, true, false));
}

TEST(ServoNode, Line302_RegularMotorIsTheDefault) {
  EXPECT_EQ(forces_on("", ""), std::tuple(true, false, false));
}
TEST(ServoNode, Line303_RegularSpringAndDamper) {
  EXPECT_EQ(forces_on("maxForce 0", "springConstant 5 dampingConstant 1.2"),
            std::tuple(false, true, true));
}
TEST(ServoNode, Line304_DamperWithoutSpring) {
  EXPECT_EQ(forces_on("maxForce 0", "dampingConstant 1.2"), std::tuple(false, false, true));
}
TEST(ServoNode, Line305_MotorWithFriction) {
  EXPECT_EQ(forces_on("maxForce 7", "dampingConstant 1.2"), std::tuple(true, false, true));
}
TEST(ServoNode, Line306_SpringWithoutAnyFriction) {
  EXPECT_EQ(forces_on("maxForce 0", "springConstant 5"), std::tuple(false, true, false));
}

TEST(ServoNode, Line309_SpringAndDamperElement) {
  for (const Bench& bench : servos("maxForce 0", "springConstant 5 dampingConstant 0.6")) {
    expect_forces(bench, 5.0, 0.6, 0.0);
  }
}

TEST(ServoNode, Line310_PureSpring) {
  for (const Bench& bench : servos("maxForce 0", "springConstant 5 dampingConstant 0")) {
    expect_forces(bench, 5.0, 0.0, 0.0);
  }
}

// There is no air friction, but the implicit step itself takes a little energy:
// docs/explanation/deviations.md, Sentences.
TEST(ServoNode, Line312_PureSpringSwingsOnWithoutAirFriction) {
  for (const Bench& bench : servos("maxForce 0", "springConstant 1.3")) {
    Rig rig(bench);
    rig.simulation.joint(0).set_state(0.5);
    const double energy = 0.5 * 1.3 * 0.5 * 0.5;
    rig.run(4.0);
    const double left = 0.5 * rig.inertia() * rig.velocity() * rig.velocity() +
                        0.5 * 1.3 * rig.position() * rig.position();
    // p² + v²·m/k shrinks by 1/(1 + h²·k/m) a step, on average over a period.
    const double expected = std::pow(1.0 + kStep * kStep * 1.3 / rig.inertia(), -500);
    EXPECT_NEAR(left / energy, expected, 0.03);
    EXPECT_GT(left, 0.4 * energy) << "it still swings";
  }
}

// The available force counts, not the field: docs/explanation/deviations.md, Sentences.
TEST(ServoNode, Line318_FrictionIsTheLargerOfForceAndFriction) {
  for (const Bench& bench : servos("maxForce 9", "staticFriction 0.3")) {
    for (const auto& [available, friction] : {std::pair(0.8, 0.8), std::pair(0.1, 0.3)}) {
      Rig rig(bench);
      rig.motor.set_available_force(available);
      rig.simulation.joint(0).set_state(0.2, 1.5);
      rig.motor.set_position(INFINITY);
      rig.motor.set_velocity(-4.0);
      rig.run(5 * kStep);
      EXPECT_NEAR(rig.velocity(), 1.5 - 5 * kStep * friction / rig.inertia(), 1e-9) << available;
    }
  }
}

TEST(ServoNode, Line319_StaticFrictionStopsAPassiveServo) {
  for (const Bench& bench : servos("maxForce 0", "staticFriction 0.3")) {
    Rig rig(bench);
    rig.simulation.joint(0).set_state(0.2, 0.4);
    rig.run(4.0);
    EXPECT_NEAR(rig.velocity(), 0.0, 1e-9);
    // The part stops after v²·m/(2·F), to the distance of one step.
    EXPECT_NEAR(rig.position(), 0.2 + 0.4 * 0.4 * rig.inertia() / 0.6, 0.4 * kStep);
  }
}

}  // namespace
}  // namespace servosim::test
