// SPDX-License-Identifier: Apache-2.0
// The reference page of Servo, from line 427 on: what its functions do to the motor. What they
// say to a controller is in servo_functions.c.
#include <algorithm>
#include <cmath>

#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

std::vector<Bench> servos(const std::string& motor = "", const std::string& joint = "") {
  return both_types({.kind = Kind::Servo, .motor = motor, .joint = joint});
}

// With a body above, which feedback needs, and a weight that pulls in the positive direction.
std::vector<Bench> weighed(const std::string& motor, const std::string& joint = "") {
  return both_types({.kind = Kind::Servo,
                     .motor = motor,
                     .joint = joint,
                     .arm = true,
                     .weighed = true,
                     .body_above = true});
}

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

TEST(ServoNode, Line444_EndlessMotionTakesThePresentValues) {
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
    EXPECT_EQ(rig.motor.control_pid().p, 8.0);
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
    // (1 − P·h)^250 of the way is left.
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
    EXPECT_EQ(Rig(bench).motor.control_pid().p, 6.5);
  }
  EXPECT_EQ(Rig({.kind = Kind::Servo}).motor.control_pid().p, 10.0);
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
  for (const Bench& bench : weighed("maxForce 4")) {
    Rig rig(bench);
    rig.sensor.enable(8, 0.0);
    rig.motor.set_position(-0.3);
    rig.run(0.4);
    EXPECT_EQ(rig.motor.target_position(), -0.3);
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

TEST(ServoNode, Line502_AFeedbackEachPeriod) {
  for (const Bench& bench : weighed("maxForce 60")) {
    Rig rig(bench);
    rig.run(2.0);
    rig.motor.enable_force_feedback(20, rig.simulation.time() * 1000.0);
    rig.run(2 * kStep);
    EXPECT_TRUE(std::isnan(rig.motor.force_feedback()));
    rig.run(kStep);
    EXPECT_NEAR(rig.motor.force_feedback(), -rig.weight(), 1e-2);
    EXPECT_EQ(rig.motor.feedback().count(), 1u);
    rig.run(3 * kStep);
    EXPECT_EQ(rig.motor.feedback().count(), 2u);
  }
}

TEST(ServoNode, Line506_FeedbackIsTheMostRecentOne) {
  for (const Bench& bench : weighed("maxForce 60")) {
    Rig rig(bench);
    rig.motor.enable_force_feedback(8, 0.0);
    rig.run(2.0);
    const double held = rig.motor.force_feedback();
    rig.motor.set_available_force(2.0);
    rig.run(kStep);
    EXPECT_NEAR(held, -rig.weight(), 1e-2);
    EXPECT_NEAR(rig.motor.force_feedback(), -2.0, 1e-2);
  }
}

TEST(ServoNode, Line507_FeedbackIsWhatTheMotorUses) {
  for (const Bench& bench : weighed("maxForce 60 acceleration 3 maxVelocity 1")) {
    Rig rig(bench);
    rig.motor.enable_force_feedback(8, 0.0);
    rig.run(2.0);
    EXPECT_NEAR(rig.motor.force_feedback(), -rig.weight(), 1e-2) << "to hold";
    rig.endless(-1.0);
    rig.run(2 * kStep);
    EXPECT_NEAR(rig.motor.force_feedback(), -rig.weight() - 3.0 * rig.inertia(), 2e-2) << "to move";
  }
}

TEST(ServoNode, Line508_FeedbackIsATorqueOrAForce) {
  for (const Bench& bench : weighed("maxForce 60")) {
    Rig rig(bench);
    rig.motor.enable_force_feedback(8, 0.0);
    rig.run(2.0);
    // 2·9.81·0.3 N·m, 2·9.81 N.
    EXPECT_NEAR(rig.motor.force_feedback(), bench.linear ? -19.62 : -5.886, 1e-2);
  }
}

TEST(ServoNode, Line512_FeedbackDoesNotExceedTheMotorForce) {
  for (const Bench& bench : weighed("maxForce 3")) {
    Rig rig(bench);
    rig.motor.enable_force_feedback(8, 0.0);
    rig.motor.set_position(-2.0);
    for (int n = 0; n < 50; ++n) {
      rig.run(kStep);
      // The pose has turned since the force acted: a part of the anchor's force, by h·v/r.
      EXPECT_LT(std::abs(rig.motor.force_feedback()), 3.0 * 1.1) << n;
    }
    EXPECT_GT(std::abs(rig.motor.force_feedback()), 2.0);
  }
}

// Stops and dry friction are measured too: docs/deviations.md, Sentences.
TEST(ServoNode, Line514_FeedbackIsWhatTheJointTransmits) {
  for (const Bench& bench : weighed("maxForce 0", "minStop -0.2 maxStop 0.2")) {
    Rig rig(bench);
    rig.motor.enable_force_feedback(8, 0.0);
    rig.run(20.0);
    const double lever = bench.linear ? 1.0 : std::cos(rig.position());
    EXPECT_NEAR(rig.motor.force_feedback(), -rig.weight() * lever, 0.05) << "the stop's";
  }
  for (const Bench& bench : weighed("maxForce 0", "staticFriction 40")) {
    Rig rig(bench);
    rig.motor.enable_force_feedback(8, 0.0);
    rig.run(0.4);
    EXPECT_NEAR(rig.motor.force_feedback(), -rig.weight(), 0.05) << "friction's";
  }
}

TEST(ServoNode, Line519_SpringAndDamperAreNotMeasured) {
  for (const Bench& bench : weighed("maxForce 0", "springConstant 40 dampingConstant 3")) {
    Rig rig(bench);
    rig.motor.enable_force_feedback(8, 0.0);
    rig.run(40.0);
    EXPECT_GT(rig.position(), 0.1) << "the spring carries the weight";
    EXPECT_NEAR(rig.motor.force_feedback(), 0.0, 1e-3);
  }
}

TEST(ServoNode, Line521_ForceControlIsNotMeasured) {
  for (const Bench& bench : weighed("maxForce 60")) {
    Rig rig(bench);
    rig.motor.enable_force_feedback(8, 0.0);
    rig.motor.set_force(-0.99 * rig.weight());
    rig.run(0.08);
    EXPECT_NEAR(rig.motor.force_feedback(), 0.0, 1e-3);
  }
}

TEST(ServoNode, Line522_ConstraintForcesAreNotMeasured) {
  Bench bench{.kind = Kind::Servo, .motor = "maxForce 60", .weighed = true, .body_above = true};
  Rig hinge(bench);  // the weight pulls at the hinge, but does not turn it
  hinge.motor.enable_force_feedback(8, 0.0);
  hinge.run(1.0);
  EXPECT_NEAR(hinge.motor.force_feedback(), 0.0, 1e-6);
}

// A slider that stands level carries its weight at a right angle to its axis.
std::string level_slider() {
  std::string text = world_text({.kind = Kind::Servo,
                                 .linear = true,
                                 .motor = "maxForce 60",
                                 .weighed = true,
                                 .body_above = true});
  const std::string down = "rotation 1 0 0 3.141592653589793";
  text.replace(text.find(down), down.size(), "rotation 0 1 0 1.5707963267948966");
  return text;
}

TEST(ServoNode, Line523_ForcesOutsideTheDegreeOfFreedomAreIgnored) {
  Rig slider(level_slider());
  slider.motor.enable_force_feedback(8, 0.0);
  slider.run(1.0);
  EXPECT_NEAR(slider.motor.force_feedback(), 0.0, 1e-3) << "of 19.6 N";
}

TEST(ServoNode, Line524_OnlyForcesInTheDegreeOfFreedomCount) {
  Rig slider(level_slider());
  slider.motor.enable_force_feedback(8, 0.0);
  slider.motor.set_acceleration(3.0);
  slider.motor.set_position(9.0);
  slider.run(0.08);
  EXPECT_NEAR(slider.motor.force_feedback(), kMass * 3.0, 1e-3);
}

TEST(ServoNode, Line524_LinearIgnoresWhatPullsAcross) {
  Rig down({.kind = Kind::Servo,
            .linear = true,
            .motor = "maxForce 60",
            .weighed = true,
            .body_above = true});
  Rig level(level_slider());
  for (Rig* rig : {&down, &level}) {
    rig->motor.enable_force_feedback(8, 0.0);
    rig->run(1.0);
  }
  EXPECT_NEAR(down.motor.force_feedback(), -19.62, 1e-2);
  EXPECT_NEAR(level.motor.force_feedback(), 0.0, 1e-3);
}

TEST(ServoNode, Line526_RotationalCountsTheTorqueAboutItsAxis) {
  for (const bool arm : {false, true}) {
    Rig rig({.kind = Kind::Servo,
             .motor = "maxForce 60",
             .arm = arm,
             .weighed = true,
             .body_above = true});
    rig.motor.enable_force_feedback(8, 0.0);
    rig.run(2.0);
    EXPECT_NEAR(rig.motor.force_feedback(), arm ? -5.886 : 0.0, 1e-2);
  }
}

TEST(ServoNode, Line529_FeedbackNeedsPhysics) {
  for (Bench bench : weighed("maxForce 60")) {
    bench.physics = false;
    Rig rig(bench);
    rig.take_messages();
    rig.motor.enable_force_feedback(8, 0.0);
    EXPECT_TRUE(contains(rig.take_messages(), "no force feedback"));
    rig.motor.set_position(0.4);
    rig.run(1.0);
    EXPECT_TRUE(std::isnan(rig.motor.force_feedback()));
    EXPECT_NEAR(rig.position(), 0.4, 1e-6) << "though it moves";
  }
}

TEST(ServoNode, Line542_ForceIsAnAlternativeToTheLaw) {
  a_force_can_be_specified_directly(Kind::Servo);
}

TEST(ServoNode, Line544_ForceBypassesTheMotor) {
  for (const Bench& bench : weighed("maxForce 60")) {
    Rig rig(bench);
    rig.motor.set_force(1.25);
    rig.run(2 * kStep);
    // Straight into the sum of forces: the weight is not held at all. The arm's centre moves on a
    // chord, not an arc, within a step: 0.3 % less.
    EXPECT_NEAR(rig.velocity(), 2 * kStep * (1.25 + rig.weight()) / rig.inertia(), 3e-3);
  }
}

TEST(ServoNode, Line545_AControllerMayBeOnesOwn) {
  for (const Bench& bench : weighed("maxForce 60")) {
    Rig rig(bench);
    double integral = 0.0;
    double last = rig.position();
    for (int n = 0; n < 3000; ++n) {
      const double error = -0.3 - rig.position();
      integral += error * kStep;
      const double rate = (rig.position() - last) / kStep;
      last = rig.position();
      rig.motor.set_force(rig.inertia() * (90.0 * error + 120.0 * integral - 18.0 * rate));
      rig.run(kStep);
    }
    EXPECT_NEAR(rig.position(), -0.3, kHeld);
  }
}

TEST(ServoNode, Line546_ForceTakesTheLawsForceAway) {
  for (const Bench& bench : weighed("maxForce 60")) {
    Rig rig(bench);
    rig.run(2.0);
    EXPECT_NEAR(rig.effort(), -rig.weight(), 1e-2);
    rig.motor.set_force(0.5);
    rig.run(kStep);
    EXPECT_NEAR(rig.effort(), 0.5, 1e-2);
  }
}

TEST(ServoNode, Line550_RotationalTakesATorqueAboutItsAxis) {
  Rig rig({.kind = Kind::Servo});
  rig.motor.set_force(-0.85);
  rig.run(12 * kStep);
  EXPECT_NEAR(rig.velocity(), -12 * kStep * 0.85 / 0.06166666666666667, 1e-9);
}

TEST(ServoNode, Line551_LinearTakesAForceAlongItsAxis) {
  Rig rig({.kind = Kind::Servo, .linear = true});
  rig.motor.set_force(-0.85);
  rig.run(12 * kStep);
  EXPECT_NEAR(rig.velocity(), -12 * kStep * 0.85 / 2.0, 1e-9);
}

TEST(ServoNode, Line553_PositiveForceRaisesThePosition) {
  for (const Bench& bench : servos()) {
    for (const double force : {0.6, -0.6}) {
      Rig rig(bench);
      rig.motor.set_force(force);
      rig.run(0.2);
      EXPECT_GT(rig.position() * force, 1e-4);
      EXPECT_GT(rig.moved() * force, 1e-4);
    }
  }
}

TEST(ServoNode, Line555_ForceCannotExceedTheMotorForce) {
  for (const Bench& bench : servos("maxForce 5")) {
    Rig rig(bench);
    rig.motor.set_force(9.0);
    EXPECT_TRUE(contains(rig.take_messages(), "9 replaced by 5"));
    rig.motor.set_available_force(0.6);
    rig.motor.set_force(-2.0);
    rig.run(10 * kStep);
    rig.take_messages();
    EXPECT_NEAR(rig.velocity(), -10 * kStep * 0.6 / rig.inertia(), 1e-9);
  }
}

TEST(ServoNode, Line560_ForceNeedsPhysics) {
  for (Bench bench : servos("maxForce 5")) {
    bench.physics = false;
    Rig rig(bench);
    rig.take_messages();
    rig.motor.set_force(3.0);
    rig.run(1.0);
    EXPECT_EQ(rig.position(), 0.0);
  }
}

TEST(ServoNode, Line564_SpringsAndDampersOfOnesOwn) {
  for (const Bench& bench : servos("maxForce 60")) {
    Rig rig(bench);
    rig.simulation.set_joint_state(0, 0.4);
    double p = 0.4;
    double v = 0.0;
    for (int n = 0; n < 200; ++n) {
      const double force = -3.0 * rig.position() - 0.3 * rig.velocity();
      rig.motor.set_force(force);
      rig.run(kStep);
      // The explicit step of the controller's own, not the implicit one of the fields.
      v += kStep * (-3.0 * p - 0.3 * v) / rig.inertia();
      p += kStep * v;
      // ODE's small-angle turn loses (h·v)³/12 a step.
      ASSERT_NEAR(rig.position(), p, bench.linear ? 1e-9 : 1e-4) << n;
    }
  }
}

}  // namespace
}  // namespace servosim::test
