// SPDX-License-Identifier: Apache-2.0
// The reference page of Servo, lines 499 to 567: force feedback and force control by function.
#include <cmath>

#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

TEST(ServoNode, Line502_AFeedbackEachPeriod) {
  for (const Bench& bench : weighed_servos("maxForce 60")) {
    Rig rig(bench);
    rig.run(2.0);
    rig.motor.enable(20, rig.simulation.time() * 1000.0);
    rig.run(2 * kStep);
    EXPECT_TRUE(std::isnan(rig.motor.sampler().value()));
    rig.run(kStep);
    EXPECT_NEAR(rig.motor.sampler().value(), -rig.weight(), 1e-2);
    EXPECT_EQ(rig.motor.sampler().count(), 1u);
    rig.run(3 * kStep);
    EXPECT_EQ(rig.motor.sampler().count(), 2u);
  }
}

TEST(ServoNode, Line506_FeedbackIsTheMostRecentOne) {
  for (const Bench& bench : weighed_servos("maxForce 60")) {
    Rig rig(bench);
    rig.motor.enable(8, 0.0);
    rig.run(2.0);
    const double held = rig.motor.sampler().value();
    rig.motor.set_available_force(2.0);
    rig.run(kStep);
    EXPECT_NEAR(held, -rig.weight(), 1e-2);
    EXPECT_NEAR(rig.motor.sampler().value(), -2.0, 1e-2);
  }
}

TEST(ServoNode, Line507_FeedbackIsWhatTheMotorUses) {
  for (const Bench& bench : weighed_servos("maxForce 60 acceleration 3 maxVelocity 1")) {
    Rig rig(bench);
    rig.motor.enable(8, 0.0);
    rig.run(2.0);
    EXPECT_NEAR(rig.motor.sampler().value(), -rig.weight(), 1e-2) << "to hold";
    rig.endless(-1.0);
    rig.run(2 * kStep);
    EXPECT_NEAR(rig.motor.sampler().value(), -rig.weight() - 3.0 * rig.inertia(), 2e-2)
        << "to move";
  }
}

TEST(ServoNode, Line509_FeedbackIsATorqueOrAForce) {
  for (const Bench& bench : weighed_servos("maxForce 60")) {
    Rig rig(bench);
    rig.motor.enable(8, 0.0);
    rig.run(2.0);
    // 2·9.81·0.3 N·m and 2·9.81 N.
    EXPECT_NEAR(rig.motor.sampler().value(), bench.linear ? -19.62 : -5.886, 1e-2);
  }
}

TEST(ServoNode, Line512_FeedbackDoesNotExceedTheMotorForce) {
  for (const Bench& bench : weighed_servos("maxForce 3")) {
    Rig rig(bench);
    rig.motor.enable(8, 0.0);
    rig.motor.set_position(-2.0);
    for (int n = 0; n < 50; ++n) {
      rig.run(kStep);
      // The pose has turned since the force acted, so the feedback has a part of the anchor's
      // force: h·v/r of it.
      EXPECT_LT(std::abs(rig.motor.sampler().value()), 3.0 * 1.1) << n;
    }
    EXPECT_GT(std::abs(rig.motor.sampler().value()), 2.0);
  }
}

// The feedback includes stops and dry friction: docs/explanation/deviations.md, Sentences.
TEST(ServoNode, Line514_FeedbackIsWhatTheJointTransmits) {
  for (const Bench& bench : weighed_servos("maxForce 0", "minStop -0.2 maxStop 0.2")) {
    Rig rig(bench);
    rig.motor.enable(8, 0.0);
    rig.run(20.0);
    const double lever = bench.linear ? 1.0 : std::cos(rig.position());
    EXPECT_NEAR(rig.motor.sampler().value(), -rig.weight() * lever, 0.05) << "the stop's";
  }
  for (const Bench& bench : weighed_servos("maxForce 0", "staticFriction 40")) {
    Rig rig(bench);
    rig.motor.enable(8, 0.0);
    rig.run(0.4);
    EXPECT_NEAR(rig.motor.sampler().value(), -rig.weight(), 0.05) << "friction's";
  }
}

TEST(ServoNode, Line519_SpringAndDamperAreNotMeasured) {
  for (const Bench& bench : weighed_servos("maxForce 0", "springConstant 40 dampingConstant 3")) {
    Rig rig(bench);
    rig.motor.enable(8, 0.0);
    rig.run(40.0);
    EXPECT_GT(rig.position(), 0.1) << "the spring carries the weight";
    EXPECT_NEAR(rig.motor.sampler().value(), 0.0, 1e-3);
  }
}

TEST(ServoNode, Line521_ForceControlIsNotMeasured) {
  for (const Bench& bench : weighed_servos("maxForce 60")) {
    Rig rig(bench);
    rig.motor.enable(8, 0.0);
    rig.motor.set_force(-0.99 * rig.weight());
    rig.run(0.08);
    EXPECT_NEAR(rig.motor.sampler().value(), 0.0, 1e-3);
  }
}

TEST(ServoNode, Line522_ConstraintForcesAreNotMeasured) {
  Bench bench{.kind = Kind::Servo, .motor = "maxForce 60", .weighed = true, .body_above = true};
  Rig hinge(bench);  // the weight pulls at the hinge, but does not turn it
  hinge.motor.enable(8, 0.0);
  hinge.run(1.0);
  EXPECT_NEAR(hinge.motor.sampler().value(), 0.0, 1e-6);
}

// A horizontal slider carries its weight at a right angle to its axis.
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
  slider.motor.enable(8, 0.0);
  slider.run(1.0);
  EXPECT_NEAR(slider.motor.sampler().value(), 0.0, 1e-3) << "of 19.6 N";
}

TEST(ServoNode, Line524_OnlyForcesInTheDegreeOfFreedomCount) {
  Rig slider(level_slider());
  slider.motor.enable(8, 0.0);
  slider.motor.set_acceleration(3.0);
  slider.motor.set_position(9.0);
  slider.run(0.08);
  EXPECT_NEAR(slider.motor.sampler().value(), kMass * 3.0, 1e-3);
}

TEST(ServoNode, Line524_LinearIgnoresWhatPullsAcross) {
  Rig down({.kind = Kind::Servo,
            .linear = true,
            .motor = "maxForce 60",
            .weighed = true,
            .body_above = true});
  Rig level(level_slider());
  for (Rig* rig : {&down, &level}) {
    rig->motor.enable(8, 0.0);
    rig->run(1.0);
  }
  EXPECT_NEAR(down.motor.sampler().value(), -19.62, 1e-2);
  EXPECT_NEAR(level.motor.sampler().value(), 0.0, 1e-3);
}

TEST(ServoNode, Line526_RotationalCountsTheTorqueAboutItsAxis) {
  for (const bool arm : {false, true}) {
    Rig rig({.kind = Kind::Servo,
             .motor = "maxForce 60",
             .arm = arm,
             .weighed = true,
             .body_above = true});
    rig.motor.enable(8, 0.0);
    rig.run(2.0);
    EXPECT_NEAR(rig.motor.sampler().value(), arm ? -5.886 : 0.0, 1e-2);
  }
}

TEST(ServoNode, Line529_FeedbackNeedsPhysics) {
  for (Bench bench : weighed_servos("maxForce 60")) {
    bench.physics = false;
    Rig rig(bench);
    EXPECT_TRUE(contains(rig.take_messages(), "no effect on Solid \"base\""));
    rig.motor.enable(8, 0.0);
    EXPECT_TRUE(contains(rig.take_messages(), "no force feedback"));
    rig.motor.set_position(0.4);
    rig.run(1.0);
    EXPECT_TRUE(std::isnan(rig.motor.sampler().value()));
    EXPECT_NEAR(rig.position(), 0.4, 1e-6) << "though it moves";
  }
}

// This causes no more than a warning: the file gives the mass, and the inertia is taken as 1 kg·m².
std::string without_bounding_object() {
  std::string text = world_text({.kind = Kind::Servo,
                                 .linear = true,
                                 .motor = "maxForce 60",
                                 .weighed = true,
                                 .body_above = true});
  const std::size_t begin = text.find("boundingObject");
  text.replace(begin, text.find("physics Physics", begin) - begin, "");
  return text;
}

TEST(ServoNode, Line529_WithoutABoundingObjectThereIsAWarning) {
  Rig rig(without_bounding_object());
  EXPECT_TRUE(contains(rig.take_messages(), "inertia"));
  rig.motor.enable(8, 0.0);
  rig.run(1.0);
  EXPECT_NEAR(rig.motor.sampler().value(), -kMass * kGravity, 1e-2);
}

TEST(ServoNode, Line542_ForceIsAnAlternativeToTheLaw) {
  a_force_can_be_specified_directly(Kind::Servo);
}

TEST(ServoNode, Line544_ForceBypassesTheMotor) {
  for (const Bench& bench : weighed_servos("maxForce 60")) {
    Rig rig(bench);
    rig.motor.set_force(1.25);
    rig.run(2 * kStep);
    // The effort goes directly into the sum of forces, so nothing holds the weight. The arm's
    // centre moves on a chord, not on an arc, within a step: 0.3 % less.
    EXPECT_NEAR(rig.velocity(), 2 * kStep * (1.25 + rig.weight()) / rig.inertia(), 3e-3);
  }
}

TEST(ServoNode, Line545_AControllerMayBeOnesOwn) {
  for (const Bench& bench : weighed_servos("maxForce 60")) {
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
  for (const Bench& bench : weighed_servos("maxForce 60")) {
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
    rig.motor.set_force(3.0);
    rig.run(1.0);
    EXPECT_EQ(rig.position(), 0.0);
  }
}

TEST(ServoNode, Line560_WithoutABoundingObjectThereIsAWarning) {
  Rig rig(without_bounding_object());
  EXPECT_TRUE(contains(rig.take_messages(), "inertia"));
  rig.motor.set_force(-8.0);
  rig.run(10 * kStep);
  // The joint that holds the base yields by effort·CFM.
  EXPECT_NEAR(rig.velocity(), 10 * kStep * (kGravity - 8.0 / kMass), 3e-4);
}

TEST(ServoNode, Line564_SpringsAndDampersOfOnesOwn) {
  for (const Bench& bench : servos("maxForce 60")) {
    Rig rig(bench);
    rig.simulation.joint(0).set_state(0.4);
    double p = 0.4;
    double v = 0.0;
    for (int n = 0; n < 200; ++n) {
      const double force = -3.0 * rig.position() - 0.3 * rig.velocity();
      rig.motor.set_force(force);
      rig.run(kStep);
      // This is the explicit step of the controller's own spring, not the implicit step of the
      // fields.
      v += kStep * (-3.0 * p - 0.3 * v) / rig.inertia();
      p += kStep * v;
      // ODE's small-angle turn loses (h·v)³/12 a step.
      ASSERT_NEAR(rig.position(), p, bench.linear ? 1e-9 : 1e-4) << n;
    }
  }
}

}  // namespace
}  // namespace servosim::test
