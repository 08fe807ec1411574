// SPDX-License-Identifier: Apache-2.0
// The reference page of Servo, lines 427 to 497: the effect of its functions on the motor.
// servo_functions.c tests what they return to a controller.
#include <algorithm>
#include <cmath>

#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

TEST(ServoNode, Line434_TargetIsReachedIfPhysicsAllows) {
  for (const auto& [motor, joint] :
       {std::pair("maxForce 60", "minStop -0.2 maxStop 0.25"),
        std::pair("maxForce 4", "springConstant 20 dampingConstant 2"),
        std::pair("maxForce 0.1", "staticFriction 0.05 dampingConstant 5")}) {
    for (const Bench& bench : servos(motor, joint)) {
      Rig rig(bench);
      rig.motor.set_position(0.9);
      rig.run(3.0);
      EXPECT_LT(rig.position(), 0.3) << motor << " " << joint;
      EXPECT_GT(rig.position(), 0.05);
    }
  }
  for (const Bench& bench : servos("maxForce 60")) {
    Rig free(bench);
    free.motor.set_position(0.9);
    free.run(3.0);
    EXPECT_NEAR(free.position(), 0.9, kHeld);
  }
}

TEST(ServoNode, Line443_EndlessMotionTakesThePresentValues) {
  for (const Bench& bench : servos("maxForce 60 maxVelocity 3")) {
    Rig rig(bench);
    rig.motor.set_velocity(1.2);
    rig.motor.set_acceleration(2.0);
    rig.motor.set_position(INFINITY);
    rig.run(0.4);
    EXPECT_NEAR(rig.velocity(), 0.8, kHeld);
    rig.run(2.0);
    EXPECT_NEAR(rig.velocity(), 1.2, kHeld);
    Rig weak(bench);
    weak.motor.set_available_force(0.05);
    weak.motor.set_position(INFINITY);
    weak.run(0.4);
    EXPECT_NEAR(weak.velocity(), 0.05 * 0.4 / weak.inertia(), 1e-9);
  }
}

TEST(ServoNode, Line444_VelocityOfAnEndlessRotation) {
  Rig rig({.kind = Kind::Servo});
  rig.motor.set_position(INFINITY);
  for (const double v : {2.5, -1.3, 0.4}) {
    rig.motor.set_velocity(v);
    rig.run(1.0);
    EXPECT_NEAR(rig.velocity(), v, kHeld);
  }
}

TEST(ServoNode, Line452_VelocityOnTheWayToTheTarget) {
  for (const Bench& bench : servos("maxForce 60")) {
    Rig rig(bench);
    rig.motor.set_velocity(0.65);
    rig.motor.set_position(1.5);
    rig.run(1.0);
    EXPECT_NEAR(rig.velocity(), 0.65, kHeld);
    rig.motor.set_position(-1.5);
    rig.run(1.0);
    EXPECT_NEAR(rig.velocity(), -0.65, kHeld);
  }
}

TEST(ServoNode, Line453_AcceleratesUntilTheVelocityIsReached) {
  for (const Bench& bench : servos("maxForce 60")) {
    Rig rig(bench);
    rig.motor.set_velocity(0.65);
    rig.motor.set_acceleration(0.9);
    rig.motor.set_position(9.0);
    for (int n = 1; n <= 150; ++n) {
      rig.run(kStep);
      EXPECT_NEAR(rig.velocity(), std::min(0.65, 0.9 * n * kStep), kHeld);
    }
  }
}

TEST(ServoNode, Line455_VelocityCannotExceedMaxVelocity) {
  for (const Bench& bench : servos("maxForce 60 maxVelocity 1.4")) {
    for (const double v : {3.0, -3.0}) {
      Rig rig(bench);
      rig.endless(v);
      EXPECT_TRUE(contains(rig.take_messages(), "velocity beyond maxVelocity"));
      rig.run(1.0);
      EXPECT_NEAR(rig.velocity(), std::copysign(1.4, v), kHeld);
    }
  }
}

TEST(ServoNode, Line458_AccelerationOfTheLaw) {
  for (const Bench& bench : servos("maxForce 60")) {
    Rig rig(bench);
    rig.motor.set_acceleration(1.75);
    rig.motor.set_position(9.0);
    rig.run(0.8);
    EXPECT_NEAR(rig.velocity(), 1.75 * 0.8, kHeld);
  }
}

TEST(ServoNode, Line459_AccelerationOfMinusOneIsInfinite) {
  for (const Bench& bench : servos("acceleration 0.5")) {
    Rig rig(bench);
    rig.motor.set_acceleration(-1.0);
    rig.motor.set_position(0.6);
    rig.run(kStep);
    EXPECT_DOUBLE_EQ(rig.motor.commanded_velocity(), 6.0);
  }
}

TEST(ServoNode, Line463_MotorForceIsTheMost) {
  for (const Bench& bench : servos()) {
    Rig rig(bench);
    rig.motor.set_available_force(0.7);
    rig.endless(8.0);
    rig.run(15 * kStep);
    EXPECT_NEAR(rig.velocity(), 15 * kStep * 0.7 / rig.inertia(), 1e-9);
    EXPECT_NEAR(rig.effort(), 0.7, 1e-9);
  }
}

TEST(ServoNode, Line464_MotorForceCannotExceedMaxForce) {
  for (const Bench& bench : servos("maxForce 0.9")) {
    Rig rig(bench);
    rig.motor.set_available_force(5.0);
    EXPECT_TRUE(contains(rig.take_messages(), "available force beyond the maximum: 5"));
    rig.endless(8.0);
    rig.run(15 * kStep);
    EXPECT_NEAR(rig.velocity(), 15 * kStep * 0.9 / rig.inertia(), 1e-9);
  }
}

TEST(ServoNode, Line468_ControlPChangesTheGain) {
  for (const Bench& bench : servos("controlP 3")) {
    Rig rig(bench);
    rig.motor.set_control_pid({8.0, 0.0, 0.0});
    EXPECT_EQ(rig.motor.targets().gains.p, 8.0);
    rig.motor.set_position(0.4);
    rig.run(kStep);
    EXPECT_DOUBLE_EQ(rig.motor.commanded_velocity(), 8.0 * 0.4);
  }
}

TEST(ServoNode, Line469_VelocityIsPTimesTheError) {
  for (const Bench& bench : servos("controlP 6 maxForce 60")) {
    Rig rig(bench);
    rig.motor.set_position(0.4);
    for (int n = 0; n < 60; ++n) {
      const double error = 0.4 - rig.position();
      rig.run(kStep);
      ASSERT_DOUBLE_EQ(rig.motor.commanded_velocity(), 6.0 * error);
    }
  }
}

TEST(ServoNode, Line471_SmallPIsSlowAndLargePUnstable) {
  for (const Bench& bench : servos("maxForce 90000 maxVelocity 1e6")) {
    Rig slow(bench);
    slow.motor.set_control_pid({0.5, 0.0, 0.0});
    slow.motor.set_position(0.02);
    slow.run(2.0);
    // (1 − P·h)^250 of the distance is left.
    EXPECT_NEAR(0.02 - slow.position(), 0.02 * std::pow(1.0 - 0.5 * kStep, 250), kHeld);
    Rig wild(bench);
    wild.motor.set_control_pid({320.0, 0.0, 0.0});
    wild.motor.set_position(1e-3);
    wild.run(12 * kStep);
    EXPECT_GT(std::abs(wild.position()), 0.05);
  }
}

TEST(ServoNode, Line472_ControlPIsTheDefault) {
  for (const Bench& bench : servos("controlP 6.5")) {
    EXPECT_EQ(Rig(bench).motor.targets().gains.p, 6.5);
  }
  EXPECT_EQ(Rig({.kind = Kind::Servo}).motor.targets().gains.p, 10.0);
}

TEST(ServoNode, Line481_AMeasurementEachPeriod) {
  for (const Bench& bench : servos("maxForce 60")) {
    Rig rig(bench);
    rig.endless(0.7);
    rig.run(0.4);
    rig.sensor.enable(20, rig.simulation.time() * 1000.0);
    double last = std::nan("");
    for (int n = 1; n <= 12; ++n) {
      rig.run(kStep);
      if (n % 3 == 0) {  // 20 ms are rounded up to three steps
        last = rig.position();
      }
      if (n < 3) {
        EXPECT_TRUE(std::isnan(rig.sensor.value()));
      } else {
        EXPECT_EQ(rig.sensor.value(), last) << n;
      }
    }
  }
}

TEST(ServoNode, Line484_EffectivePositionDiffersFromTheTarget) {
  for (const Bench& bench : weighed_servos("maxForce 4")) {
    Rig rig(bench);
    rig.sensor.enable(8, 0.0);
    rig.motor.set_position(-0.3);
    rig.run(0.4);
    EXPECT_EQ(rig.motor.targets().position, -0.3);
    EXPECT_EQ(rig.sensor.value(), rig.position());
    EXPECT_GT(rig.sensor.value(), 0.05) << "the weight has pulled it away";
  }
}

TEST(ServoNode, Line487_PositionsAreRadiansOrMetres) {
  for (const Bench& bench : servos("", "position 0.85")) {
    Rig rig(bench);
    rig.sensor.enable(8, 0.0);
    rig.run(kStep);
    EXPECT_NEAR(rig.sensor.value(), rig.moved(), 1e-9);
    EXPECT_NEAR(rig.sensor.value(), 0.85, kHeld);
  }
}

}  // namespace
}  // namespace servosim::test
