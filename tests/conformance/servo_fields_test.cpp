// SPDX-License-Identifier: Apache-2.0
// The reference page of Servo, lines 1 to 75: description and fields. Each sentence that states
// behaviour has one test, named by the line on which it begins. README.md lists all of them.
#include <cmath>

#include "conformance/placed_servo.h"
#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

TEST(ServoNode, Line003_IsADevice) {
  Rig rig(placed_servo("linear", "model \"A7\""));
  const DeviceNode* device = rig.simulation.robot("r").find("m");
  ASSERT_NE(device, nullptr) << "found by its name";
  EXPECT_EQ(device->model, "A7");
  EXPECT_EQ(rig.simulation.robot("r").find("M"), nullptr);
}

TEST(ServoNode, Line007_FieldDefaults) {
  Rig rig({.kind = Kind::Servo});
  EXPECT_EQ(rig.motor.type(), JointType::Rotational);
  EXPECT_EQ(rig.motor.limits().max_velocity, 10.0);
  EXPECT_EQ(rig.motor.limits().max_force, 10.0);
  EXPECT_EQ(rig.motor.targets().gains.p, 10.0);
  EXPECT_EQ(rig.motor.targets().acceleration, -1.0);
  EXPECT_EQ(rig.motor.limits().min_position, 0.0);
  EXPECT_EQ(rig.motor.limits().max_position, 0.0);
  // Without position, stops, spring, damper and friction the joint coasts from 0 through a whole
  // turn.
  EXPECT_EQ(rig.position(), 0.0);
  rig.motor.set_force(0.0);
  rig.simulation.joint(0).set_state(0.2, 1.7);
  rig.run(5.0);
  EXPECT_NEAR(rig.position(), 0.2 + 5.0 * 1.7, 1e-3);
}

// Weight and forces from every side move the child along its one degree of freedom only.
TEST(ServoNode, Line026_AddsAJointOfOneDegreeOfFreedom) {
  for (Bench bench : servos()) {
    bench.arm = bench.weighed = true;
    Rig rig(bench);
    rig.motor.set_force(-1.5);
    const Vec3 start = rig.simulation.solid("m").pose().translation;
    rig.run(0.4);
    const Pose now = rig.simulation.solid("m").pose();
    EXPECT_GT(std::abs(rig.position()), 0.2);
    // The anchor of a swinging arm lags behind: ODE corrects a fifth of its error in each step
    // (ERP).
    EXPECT_NEAR(now.translation.x, start.x, 2e-3);
    EXPECT_NEAR(now.translation.y, start.y, 1e-9);
    EXPECT_NEAR(now.translation.z, start.z - (bench.linear ? rig.position() : 0.0), 2e-3);
    EXPECT_NEAR(std::abs(now.rotation(1, 1)), 1.0, 1e-9) << "about y only, if at all";
  }
}

TEST(ServoNode, Line027_ActiveOrPassiveItLetsItsChildrenMove) {
  for (const Bench& bench : servos()) {
    Rig active(bench);
    active.motor.set_position(0.35);
    active.run(2.0);
    EXPECT_NEAR(active.moved(), 0.35, kHeld);
  }
  for (const Bench& bench : servos("maxForce 0")) {
    Rig passive(bench);
    passive.simulation.joint(0).set_state(0.2, 0.6);
    passive.run(0.8);
    EXPECT_NEAR(passive.moved(), 0.2 + 0.8 * 0.6, kHeld);
  }
}

TEST(ServoNode, Line029_TypeIsRotationalOrLinear) {
  EXPECT_EQ(Rig({.kind = Kind::Servo}).motor.type(), JointType::Rotational);
  EXPECT_EQ(Rig({.kind = Kind::Servo, .linear = true}).motor.type(), JointType::Linear);
  Rig other(placed_servo("helical", "rotation 0 0 1 0"));
  EXPECT_TRUE(contains(other.take_messages(), "must be \"rotational\", \"linear\""));
  EXPECT_EQ(other.motor.type(), JointType::Rotational);
}

TEST(ServoNode, Line030_RotationalTurnsLikeAHinge) {
  Rig rig({.kind = Kind::Servo});
  const Vec3 start = rig.simulation.solid("m").pose().translation;
  rig.motor.set_position(-0.7);
  rig.run(3.0);
  expect_at(rig.simulation.solid("m").pose().translation, start);
  EXPECT_NEAR(rig.simulation.solid("m").pose().rotation(0, 0), std::cos(0.7), kHeld);
}

TEST(ServoNode, Line031_LinearSlides) {
  Rig rig({.kind = Kind::Servo, .linear = true});
  const Pose start = rig.simulation.solid("m").pose();
  rig.motor.set_position(-0.7);
  rig.run(3.0);
  expect_at(rig.simulation.solid("m").pose().translation, start.translation + Vec3{0.0, 0.0, 0.7});
  EXPECT_NEAR(rig.simulation.solid("m").pose().rotation(0, 0), start.rotation(0, 0), 1e-9);
}

TEST(ServoNode, Line037_TypeDefaultsToRotational) {
  std::string text = placed_servo("x", "rotation 0 0 1 0");
  text.replace(text.find("type \"x\""), 8, "");
  EXPECT_EQ(Rig(text).motor.type(), JointType::Rotational);
}

TEST(ServoNode, Line039_MaxVelocityIsLimitAndDefault) {
  for (const Bench& bench : servos("maxVelocity 1.7 maxForce 90")) {
    Rig rig(bench);
    rig.motor.set_position(30.0);
    rig.run(1.0);
    EXPECT_NEAR(rig.velocity(), 1.7, kHeld);
    rig.motor.set_velocity(2.5);
    EXPECT_TRUE(contains(rig.take_messages(), "2.5 replaced by 1.7"));
    rig.run(1.0);
    EXPECT_NEAR(rig.velocity(), 1.7, kHeld);
  }
}

TEST(ServoNode, Line040_VelocityCanBeChangedAtRunTime) {
  for (const Bench& bench : servos("maxVelocity 1.7 maxForce 90")) {
    Rig rig(bench);
    rig.motor.set_position(30.0);
    for (const double v : {0.6, 1.2, 0.3}) {
      rig.motor.set_velocity(v);
      rig.run(0.4);
      EXPECT_NEAR(rig.velocity(), v, kHeld);
    }
  }
}

TEST(ServoNode, Line041_MaxVelocityShouldBePositive) {
  for (const Bench& bench : servos("maxVelocity -3")) {
    Rig rig(bench);
    EXPECT_TRUE(contains(rig.take_messages(), "maxVelocity is -3"));
    EXPECT_EQ(rig.motor.limits().max_velocity, 3.0);
  }
  EXPECT_EQ(Rig({.kind = Kind::Servo}).motor.limits().max_velocity, 10.0);
}

TEST(ServoNode, Line043_MaxForceIsLimitAndDefault) {
  for (const Bench& bench : servos("maxForce 0.8")) {
    Rig rig(bench);
    rig.endless(9.0);
    rig.run(10 * kStep);
    EXPECT_NEAR(rig.velocity(), 10 * kStep * 0.8 / rig.inertia(), 1e-9);
    rig.motor.set_available_force(2.0);
    EXPECT_TRUE(contains(rig.take_messages(), "2 replaced by 0.8"));
    rig.run(10 * kStep);
    EXPECT_NEAR(rig.velocity(), 20 * kStep * 0.8 / rig.inertia(), 1e-9);
  }
}

TEST(ServoNode, Line044_MotorForceIsWhatTheMotorMayUse) {
  for (const Bench& bench : servos("maxForce 3")) {
    Rig rig(bench);
    rig.endless(0.2);
    rig.run(0.8);
    EXPECT_NEAR(rig.velocity(), 0.2, 1e-9) << "no more than it needs";
    rig.endless(-9.0);
    rig.run(3 * kStep);
    EXPECT_NEAR(rig.velocity(), 0.2 - 3 * kStep * 3.0 / rig.inertia(), 1e-9) << "all of it";
  }
}

TEST(ServoNode, Line045_MotorForceCanBeChangedAtRunTime) {
  for (const Bench& bench : servos("maxForce 3")) {
    Rig rig(bench);
    rig.endless(9.0);
    double v = 0.0;
    for (const double force : {0.4, 1.1, 0.7}) {
      rig.motor.set_available_force(force);
      rig.run(10 * kStep);
      v += 10 * kStep * force / rig.inertia();
      EXPECT_NEAR(rig.velocity(), v, 1e-9);
    }
  }
}

TEST(ServoNode, Line046_MaxForceShouldNotBeNegative) {
  Rig negative({.kind = Kind::Servo, .motor = "maxForce -4"});
  EXPECT_TRUE(contains(negative.take_messages(), "maxForce is -4"));
  EXPECT_EQ(negative.motor.limits().max_force, 10.0);
  EXPECT_EQ(Rig({.kind = Kind::Servo}).motor.limits().max_force, 10.0);
  EXPECT_EQ(Rig({.kind = Kind::Servo, .motor = "maxForce 0"}).motor.limits().max_force, 0.0);
}

TEST(ServoNode, Line047_SmallMaxForceMayMissTheTarget) {
  for (Bench bench : servos("maxForce 3")) {
    bench.arm = bench.weighed = true;
    Rig weak(bench);
    weak.motor.set_position(-0.5);
    weak.run(0.8);
    EXPECT_GT(weak.position(), 0.1) << "the weight pulls it the other way";
    bench.motor = "maxForce 60";
    Rig strong(bench);
    strong.motor.set_position(-0.5);
    strong.run(3.0);
    EXPECT_NEAR(strong.position(), -0.5, kHeld);
  }
}

TEST(ServoNode, Line050_ControlPIsTheFirstGain) {
  for (const Bench& bench : servos("controlP 3.5")) {
    Rig rig(bench);
    EXPECT_EQ(rig.motor.targets().gains.p, 3.5);
    rig.motor.set_position(0.4);
    rig.run(kStep);
    EXPECT_DOUBLE_EQ(rig.motor.commanded_velocity(), 3.5 * 0.4);
  }
}

TEST(ServoNode, Line051_HighPRespondsMore) {
  for (const Bench& bench : servos("maxForce 4000 maxVelocity 50")) {
    for (const double p : {2.0, 20.0, 80.0}) {
      Rig rig(bench);
      rig.motor.set_control_pid({p, 0.0, 0.0});
      rig.motor.set_position(0.05);
      rig.run(kStep);
      // The motor row slips by m·v/h·CFM, which is 1/400 of the speed for the slider.
      EXPECT_NEAR(rig.velocity(), p * 0.05, 3e-3 * p * 0.05);
    }
  }
}

// If P·h > 2, which is P > 250/s at 8 ms, each error becomes a larger error of the other sign.
TEST(ServoNode, Line052_TooHighPIsUnstable) {
  for (const Bench& bench : servos("maxForce 90000 maxVelocity 1e6 controlP 300")) {
    Rig rig(bench);
    rig.motor.set_position(1e-3);
    double last = 1e-3;
    for (int n = 0; n < 12; ++n) {
      rig.run(kStep);
      const double error = 1e-3 - rig.position();
      // The factor is 1 − P·h = −1.4, less the slip of the motor row.
      EXPECT_NEAR(error / last, -1.4, 0.02);
      last = error;
    }
  }
}

TEST(ServoNode, Line053_SmallPTakesMoreStepsAndIsStable) {
  for (const Bench& bench : servos("maxForce 900")) {
    int last = 0;
    for (const double p : {20.0, 10.0, 5.0, 2.5}) {
      Rig rig(bench);
      rig.motor.set_control_pid({p, 0.0, 0.0});
      rig.motor.set_position(0.3);
      int steps = 0;
      for (; steps < 2000 && std::abs(rig.position() - 0.3) > 0.003; ++steps) {
        rig.run(kStep);
        ASSERT_LT(rig.position(), 0.3 + kHeld) << "never beyond";
      }
      // (1 − P·h)^n = 1/100. The slip of the motor row costs at most one step.
      EXPECT_NEAR(steps, std::log(0.01) / std::log(1.0 - p * kStep), 1.5) << p;
      EXPECT_GT(steps, last);
      last = steps;
    }
  }
}

TEST(ServoNode, Line055_PCanBeChangedAtRunTime) {
  for (const Bench& bench : servos("controlP 3")) {
    Rig rig(bench);
    rig.motor.set_position(0.4);
    rig.run(0.2);
    for (const double p : {7.0, 4.0}) {
      rig.motor.set_control_pid({p, 0.0, 0.0});
      const double error = 0.4 - rig.position();
      rig.run(kStep);
      EXPECT_DOUBLE_EQ(rig.motor.commanded_velocity(), p * error);
    }
  }
}

TEST(ServoNode, Line057_AccelerationIsTheDefault) {
  for (const Bench& bench : servos("acceleration 2.5 maxForce 90")) {
    Rig rig(bench);
    EXPECT_EQ(rig.motor.targets().acceleration, 2.5);
    rig.motor.set_position(9.0);
    rig.run(0.4);
    EXPECT_NEAR(rig.velocity(), 2.5 * 0.4, kHeld);
  }
}

TEST(ServoNode, Line057_MinusOneIsNoLimit) {
  for (const Bench& bench : servos("acceleration -1")) {
    Rig rig(bench);
    rig.motor.set_position(0.9);
    rig.run(kStep);
    EXPECT_DOUBLE_EQ(rig.motor.commanded_velocity(), 9.0) << "at once";
  }
}

TEST(ServoNode, Line059_AccelerationCanBeChangedAtRunTime) {
  for (const Bench& bench : servos("acceleration 2.5 maxForce 90")) {
    Rig rig(bench);
    rig.motor.set_position(9.0);
    rig.motor.set_acceleration(0.5);
    rig.run(0.4);
    rig.motor.set_acceleration(6.0);
    rig.run(0.4);
    EXPECT_NEAR(rig.velocity(), 0.5 * 0.4 + 6.0 * 0.4, 2 * kHeld);
  }
}

TEST(ServoNode, Line061_PositionIsTheCurrentOne) {
  for (const Bench& bench : servos("", "position 0.35")) {
    Rig rig(bench);
    EXPECT_EQ(rig.position(), 0.35);
    EXPECT_NEAR(rig.moved(), 0.35, 1e-12);
    rig.motor.set_force(0.4);
    rig.run(0.4);
    EXPECT_GT(rig.position(), 0.36);
    EXPECT_NEAR(rig.position(), rig.moved(), 1e-6);
  }
}

TEST(ServoNode, Line062_RotationalPositionIsTheAngle) {
  Rig rig({.kind = Kind::Servo, .joint = "position -0.6"});
  const Mat3 turned = rig.simulation.solid("m").pose().rotation;
  EXPECT_NEAR(turned(0, 0), std::cos(-0.6), 1e-12);
  EXPECT_NEAR(turned(0, 2), std::sin(-0.6), 1e-12);
}

TEST(ServoNode, Line063_LinearPositionIsTheDistance) {
  Rig rig({.kind = Kind::Servo, .linear = true, .joint = "position -0.6"});
  EXPECT_NEAR(rig.simulation.solid("m").pose().translation.z, 0.6, 1e-12);
}

TEST(ServoNode, Line065_MinAndMaxPositionAreSoftLimits) { targets_are_clipped(Kind::Servo); }

TEST(ServoNode, Line068_MinAndMaxStopAreStops) {
  for (const Bench& bench : servos("", "minStop -0.3 maxStop 0.45")) {
    Rig rig(bench);
    rig.motor.set_force(2.5);
    rig.run(4.0);
    EXPECT_NEAR(rig.position(), 0.45, kHeld);
    rig.motor.set_force(-2.5);
    rig.run(4.0);
    EXPECT_NEAR(rig.position(), -0.3, kHeld);
  }
}

TEST(ServoNode, Line071_ASpringAndADamperCanBeAdded) {
  for (const Bench& bench : servos("maxForce 0", "springConstant 4 dampingConstant 3")) {
    Rig rig(bench);
    rig.simulation.joint(0).set_state(0.5);
    rig.run(kStep);
    EXPECT_NEAR(rig.effort(), -4.0 * rig.position() - 3.0 * rig.velocity(), 1e-6);
    rig.run(20.0);
    EXPECT_NEAR(rig.position(), 0.0, kHeld);
  }
}

TEST(ServoNode, Line074_StaticFrictionOpposesTheMovement) {
  for (const Bench& bench : servos("maxForce 0", "staticFriction 0.3")) {
    for (const double v : {0.9, -0.9}) {
      Rig rig(bench);
      rig.simulation.joint(0).set_state(0.2, v);
      rig.run(3 * kStep);
      EXPECT_NEAR(rig.velocity(), v - std::copysign(3 * kStep * 0.3 / rig.inertia(), v), 1e-9);
    }
  }
}

}  // namespace
}  // namespace servosim::test
