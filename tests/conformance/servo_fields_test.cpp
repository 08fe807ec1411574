// SPDX-License-Identifier: Apache-2.0
// The reference page of Servo, lines 1 to 124: fields, units, initial position. One test per
// sentence that states behaviour, named by the line on which it begins; README.md lists them all.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

std::vector<Bench> servos(const std::string& motor = "", const std::string& joint = "") {
  return both_types({.kind = Kind::Servo, .motor = motor, .joint = joint});
}

// A Servo with an initial transformation of its own, on a robot that stands aside of the origin.
std::string placed_servo(const std::string& type, const std::string& fields) {
  return fmt::format(R"(#VRML_SIM V7.2.5 utf8
WorldInfo {{ basicTimeStep 8 gravity 0 0 0 }}
Robot {{
  name "r"
  translation 2 0 0
  children [
    Servo {{
      name "m"
      type "{}"
      {}
      children [ Transform {{ translation 0 0.2 0 children [ Solid {{ name "tip" }} ] }} ]
      boundingObject Sphere {{ radius 0.1 }}
      physics Physics {{ density -1 mass 2 }}
    }}
  ]
}}
)",
                     type, fields);
}

void expect_at(const Vec3& point, const Vec3& expected) {
  EXPECT_NEAR(point.x, expected.x, kHeld);
  EXPECT_NEAR(point.y, expected.y, kHeld);
  EXPECT_NEAR(point.z, expected.z, kHeld);
}

TEST(ServoNode, Line007_FieldDefaults) {
  Rig rig({.kind = Kind::Servo});
  EXPECT_EQ(rig.motor.type(), JointType::Rotational);
  EXPECT_EQ(rig.motor.max_velocity(), 10.0);
  EXPECT_EQ(rig.motor.max_force(), 10.0);
  EXPECT_EQ(rig.motor.control_pid().p, 10.0);
  EXPECT_EQ(rig.motor.acceleration(), -1.0);
  EXPECT_EQ(rig.motor.min_position(), 0.0);
  EXPECT_EQ(rig.motor.max_position(), 0.0);
  // No position, stops, spring, damper or friction: it coasts from 0 through a whole turn.
  EXPECT_EQ(rig.position(), 0.0);
  rig.motor.set_force(0.0);
  rig.simulation.set_joint_state(0, 0.2, 1.7);
  rig.run(5.0);
  EXPECT_NEAR(rig.position(), 0.2 + 5.0 * 1.7, 1e-3);
}

// Weight and force from every side move the child in its one way only.
TEST(ServoNode, Line026_AddsAJointOfOneDegreeOfFreedom) {
  for (Bench bench : servos()) {
    bench.arm = bench.weighed = true;
    Rig rig(bench);
    rig.motor.set_force(-1.5);
    const Vec3 start = rig.simulation.solid_pose("m").translation;
    rig.run(0.4);
    const Pose now = rig.simulation.solid_pose("m");
    EXPECT_GT(std::abs(rig.position()), 0.2);
    // The anchor of a swinging arm lags behind: ODE makes a fifth of it good in each step (ERP).
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
    passive.simulation.set_joint_state(0, 0.2, 0.6);
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
  const Vec3 start = rig.simulation.solid_pose("m").translation;
  rig.motor.set_position(-0.7);
  rig.run(3.0);
  expect_at(rig.simulation.solid_pose("m").translation, start);
  EXPECT_NEAR(rig.simulation.solid_pose("m").rotation(0, 0), std::cos(0.7), kHeld);
}

TEST(ServoNode, Line031_LinearSlides) {
  Rig rig({.kind = Kind::Servo, .linear = true});
  const Pose start = rig.simulation.solid_pose("m");
  rig.motor.set_position(-0.7);
  rig.run(3.0);
  expect_at(rig.simulation.solid_pose("m").translation, start.translation + Vec3{0.0, 0.0, 0.7});
  EXPECT_NEAR(rig.simulation.solid_pose("m").rotation(0, 0), start.rotation(0, 0), 1e-9);
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
    EXPECT_EQ(rig.motor.max_velocity(), 3.0);
  }
  EXPECT_EQ(Rig({.kind = Kind::Servo}).motor.max_velocity(), 10.0);
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
  EXPECT_EQ(negative.motor.max_force(), 10.0);
  EXPECT_EQ(Rig({.kind = Kind::Servo}).motor.max_force(), 10.0);
  EXPECT_EQ(Rig({.kind = Kind::Servo, .motor = "maxForce 0"}).motor.max_force(), 0.0);
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
    EXPECT_EQ(rig.motor.control_pid().p, 3.5);
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
      // Slip of the motor row: m·v/h·CFM is 1/400 of the speed for the slider.
      EXPECT_NEAR(rig.velocity(), p * 0.05, 3e-3 * p * 0.05);
    }
  }
}

// P·h > 2 turns each error into a larger one of the other sign: from P = 250/s on at 8 ms.
TEST(ServoNode, Line052_TooHighPIsUnstable) {
  for (const Bench& bench : servos("maxForce 90000 maxVelocity 1e6 controlP 300")) {
    Rig rig(bench);
    rig.motor.set_position(1e-3);
    double last = 1e-3;
    for (int n = 0; n < 12; ++n) {
      rig.run(kStep);
      const double error = 1e-3 - rig.position();
      // 1 − P·h = −1.4, less the slip of the motor row.
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
      // (1 − P·h)^n = 1/100; the slip of the motor row costs a step at most.
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
    EXPECT_EQ(rig.motor.acceleration(), 2.5);
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
  const Mat3 turned = rig.simulation.solid_pose("m").rotation;
  EXPECT_NEAR(turned(0, 0), std::cos(-0.6), 1e-12);
  EXPECT_NEAR(turned(0, 2), std::sin(-0.6), 1e-12);
}

TEST(ServoNode, Line063_LinearPositionIsTheDistance) {
  Rig rig({.kind = Kind::Servo, .linear = true, .joint = "position -0.6"});
  EXPECT_NEAR(rig.simulation.solid_pose("m").translation.z, 0.6, 1e-12);
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
    rig.simulation.set_joint_state(0, 0.5);
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
      rig.simulation.set_joint_state(0, 0.2, v);
      rig.run(3 * kStep);
      EXPECT_NEAR(rig.velocity(), v - std::copysign(3 * kStep * 0.3 / rig.inertia(), v), 1e-9);
    }
  }
}

TEST(ServoNode, Line079_UnitsAreRadiansAndMetres) { positions_are_radians_or_metres(Kind::Servo); }
TEST(ServoNode, Line085_PositionInRadiansAndMetres) {
  for (const Bench& bench : servos("", "position 1.25")) {
    EXPECT_NEAR(Rig(bench).moved(), 1.25, 1e-12);
  }
}

TEST(ServoNode, Line086_VelocityInRadiansAndMetresASecond) {
  for (const Bench& bench : servos("maxForce 900")) {
    Rig rig(bench);
    rig.endless(0.45);
    rig.run(2.0);
    EXPECT_NEAR(rig.moved(), 2.0 * 0.45, 2e-4);
  }
}

TEST(ServoNode, Line087_AccelerationPerSecondSquared) {
  for (const Bench& bench : servos("maxForce 900 acceleration 0.7")) {
    Rig rig(bench);
    rig.endless(9.0);
    rig.run(1.6);
    // v = a·n·h and p = a·h²·n(n+1)/2 with n = 200.
    EXPECT_NEAR(rig.velocity(), 0.7 * 1.6, kHeld);
    EXPECT_NEAR(rig.moved(), 0.7 * kStep * kStep * 200 * 201 / 2, 2e-4);
  }
}

TEST(ServoNode, Line088_TorqueInNewtonMetresAndForceInNewtons) {
  Rig hinge({.kind = Kind::Servo});
  hinge.motor.set_force(0.37);
  hinge.run(kStep);
  // 2·(0.6² + 0.1²)/12 kg·m².
  EXPECT_NEAR(hinge.velocity(), kStep * 0.37 / 0.06166666666666667, 1e-12);
  Rig slider({.kind = Kind::Servo, .linear = true});
  slider.motor.set_force(0.37);
  slider.run(kStep);
  EXPECT_NEAR(slider.velocity(), kStep * 0.37 / 2.0, 1e-12);
}

TEST(ServoNode, Line093_InheritsTranslationAndRotation) {
  Rig rig(placed_servo("rotational", "translation 0.3 0.5 0.7 rotation 0 0 1 0.4"));
  const Pose pose = rig.simulation.solid_pose("m");
  expect_at(pose.translation, {2.3, 0.5, 0.7});
  EXPECT_NEAR(pose.rotation(0, 0), std::cos(0.4), 1e-12);
}

TEST(ServoNode, Line094_TheyStandBetweenParentAndChildren) {
  Rig rig(placed_servo("linear", "translation 0.3 0.5 0.7 rotation 0 0 1 0.4"));
  expect_at(rig.simulation.solid_pose("tip").translation,
            {2.3 - 0.2 * std::sin(0.4), 0.5 + 0.2 * std::cos(0.4), 0.7});
}

// A point on the axis stays; that is the Servo's own origin.
TEST(ServoNode, Line097_TranslationPlacesTheAxisOfRotation) {
  Rig rig(placed_servo("rotational", "translation 0.3 0.5 0.7 rotation 0 0 1 0"));
  rig.motor.set_position(0.8);
  rig.run(3.0);
  expect_at(rig.simulation.solid_pose("m").translation, {2.3, 0.5, 0.7});
  expect_at(rig.simulation.solid_pose("tip").translation,
            {2.3 - 0.2 * std::sin(0.8), 0.5 + 0.2 * std::cos(0.8), 0.7});
}

TEST(ServoNode, Line098_RotationDirectsTheAxisOfRotation) {
  Rig rig(placed_servo("rotational", "translation 0.3 0.5 0.7 rotation 1 0 0 0"));
  rig.motor.set_position(0.8);
  rig.run(3.0);
  expect_at(rig.simulation.solid_pose("tip").translation,
            {2.3, 0.5 + 0.2 * std::cos(0.8), 0.7 + 0.2 * std::sin(0.8)});
}

TEST(ServoNode, Line106_TranslationPlacesTheSlidingAxis) {
  Rig rig(placed_servo("linear", "translation 0.3 0.5 0.7 rotation 0 0 1 0"));
  rig.motor.set_position(-0.4);
  rig.run(3.0);
  expect_at(rig.simulation.solid_pose("m").translation, {2.3, 0.5, 0.3});
}

TEST(ServoNode, Line107_RotationDirectsTheSlidingAxis) {
  Rig rig(placed_servo("linear", "translation 0.3 0.5 0.7 rotation 1 0 0 0.5"));
  rig.motor.set_position(0.4);
  rig.run(3.0);
  // Its own z axis: turned about x by 0.5.
  expect_at(rig.simulation.solid_pose("m").translation,
            {2.3, 0.5 - 0.4 * std::sin(0.5), 0.7 + 0.4 * std::cos(0.5)});
}

TEST(ServoNode, Line115_PositionIsADifferenceToTheInitialTransformation) {
  Rig hinge(placed_servo("rotational", "rotation 0 0 1 0.4 position 0.3"));
  EXPECT_NEAR(hinge.simulation.solid_pose("m").rotation(0, 0), std::cos(0.7), 1e-12);
  Rig slider(placed_servo("linear", "translation 0.3 0.5 0.7 position 0.25"));
  expect_at(slider.simulation.solid_pose("m").translation, {2.3, 0.5, 0.95});
}

TEST(ServoNode, Line117_PositionZeroIsTheInitialTransformation) {
  for (const char* type : {"rotational", "linear"}) {
    const std::string fields = "translation 0.3 0.5 0.7 rotation 0 0 1 0.4";
    Rig zero(placed_servo(type, fields));
    Rig moved(placed_servo(type, fields + " position 0.6"));
    moved.motor.set_position(0.0);
    moved.run(4.0);
    const Pose a = zero.simulation.solid_pose("m");
    const Pose b = moved.simulation.solid_pose("m");
    expect_at(a.translation, {2.3, 0.5, 0.7});
    expect_at(b.translation, a.translation);
    EXPECT_NEAR(a.rotation(1, 0), std::sin(0.4), 1e-12);
    EXPECT_NEAR(b.rotation(1, 0), std::sin(0.4), kHeld);
  }
}

TEST(ServoNode, Line118_ExampleStandsAtNinetyDegrees) {
  Rig rig(placed_servo("rotational", "rotation 0 0 1 0.4 position 1.5708"));
  const Vec3 x = rig.simulation.solid_pose("m").rotation * Vec3{1.0, 0.0, 0.0};
  // 1.5708 is 90° but for 4e-6.
  EXPECT_NEAR(x.x, std::cos(0.4 + std::numbers::pi / 2), 1e-5);
  EXPECT_NEAR(x.y, std::sin(0.4 + std::numbers::pi / 2), 1e-5);
}

TEST(ServoNode, Line120_TargetsCountFromZero) {
  for (const Bench& bench : servos("", "position 0.6")) {
    Rig rig(bench);
    rig.motor.set_position(0.15);
    rig.run(3.0);
    EXPECT_NEAR(rig.moved(), 0.15, kHeld);
  }
}

TEST(ServoNode, Line122_LimitsCountFromZero) { limits_count_from_zero(Kind::Servo); }

}  // namespace
}  // namespace servosim::test
