// SPDX-License-Identifier: Apache-2.0
// The reference page of Servo, lines 77 to 123: units, initial transformation and position.
#include <cmath>
#include <numbers>

#include "conformance/placed_servo.h"
#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

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
  const Pose pose = rig.simulation.solid("m").pose();
  expect_at(pose.translation, {2.3, 0.5, 0.7});
  EXPECT_NEAR(pose.rotation(0, 0), std::cos(0.4), 1e-12);
}

TEST(ServoNode, Line094_TheyStandBetweenParentAndChildren) {
  Rig rig(placed_servo("linear", "translation 0.3 0.5 0.7 rotation 0 0 1 0.4"));
  expect_at(rig.simulation.solid("tip").pose().translation,
            {2.3 - 0.2 * std::sin(0.4), 0.5 + 0.2 * std::cos(0.4), 0.7});
}

// A point on the axis stays. The axis goes through the Servo's own origin.
TEST(ServoNode, Line097_TranslationPlacesTheAxisOfRotation) {
  Rig rig(placed_servo("rotational", "translation 0.3 0.5 0.7 rotation 0 0 1 0"));
  rig.motor.set_position(0.8);
  rig.run(3.0);
  expect_at(rig.simulation.solid("m").pose().translation, {2.3, 0.5, 0.7});
  expect_at(rig.simulation.solid("tip").pose().translation,
            {2.3 - 0.2 * std::sin(0.8), 0.5 + 0.2 * std::cos(0.8), 0.7});
}

TEST(ServoNode, Line098_RotationDirectsTheAxisOfRotation) {
  Rig rig(placed_servo("rotational", "translation 0.3 0.5 0.7 rotation 1 0 0 0"));
  rig.motor.set_position(0.8);
  rig.run(3.0);
  expect_at(rig.simulation.solid("tip").pose().translation,
            {2.3, 0.5 + 0.2 * std::cos(0.8), 0.7 + 0.2 * std::sin(0.8)});
}

TEST(ServoNode, Line106_TranslationPlacesTheSlidingAxis) {
  Rig rig(placed_servo("linear", "translation 0.3 0.5 0.7 rotation 0 0 1 0"));
  rig.motor.set_position(-0.4);
  rig.run(3.0);
  expect_at(rig.simulation.solid("m").pose().translation, {2.3, 0.5, 0.3});
}

TEST(ServoNode, Line107_RotationDirectsTheSlidingAxis) {
  Rig rig(placed_servo("linear", "translation 0.3 0.5 0.7 rotation 1 0 0 0.5"));
  rig.motor.set_position(0.4);
  rig.run(3.0);
  // The axis is the Servo's own z axis, turned about x by 0.5.
  expect_at(rig.simulation.solid("m").pose().translation,
            {2.3, 0.5 - 0.4 * std::sin(0.5), 0.7 + 0.4 * std::cos(0.5)});
}

TEST(ServoNode, Line115_PositionIsADifferenceToTheInitialTransformation) {
  Rig hinge(placed_servo("rotational", "rotation 0 0 1 0.4 position 0.3"));
  EXPECT_NEAR(hinge.simulation.solid("m").pose().rotation(0, 0), std::cos(0.7), 1e-12);
  Rig slider(placed_servo("linear", "translation 0.3 0.5 0.7 position 0.25"));
  expect_at(slider.simulation.solid("m").pose().translation, {2.3, 0.5, 0.95});
}

TEST(ServoNode, Line117_PositionZeroIsTheInitialTransformation) {
  for (const char* type : {"rotational", "linear"}) {
    const std::string fields = "translation 0.3 0.5 0.7 rotation 0 0 1 0.4";
    Rig zero(placed_servo(type, fields));
    Rig moved(placed_servo(type, fields + " position 0.6"));
    moved.motor.set_position(0.0);
    moved.run(4.0);
    const Pose a = zero.simulation.solid("m").pose();
    const Pose b = moved.simulation.solid("m").pose();
    expect_at(a.translation, {2.3, 0.5, 0.7});
    expect_at(b.translation, a.translation);
    EXPECT_NEAR(a.rotation(1, 0), std::sin(0.4), 1e-12);
    EXPECT_NEAR(b.rotation(1, 0), std::sin(0.4), kHeld);
  }
}

TEST(ServoNode, Line118_ExampleStandsAtNinetyDegrees) {
  Rig rig(placed_servo("rotational", "rotation 0 0 1 0.4 position 1.5708"));
  const Vec3 x = rig.simulation.solid("m").pose().rotation * Vec3{1.0, 0.0, 0.0};
  // 1.5708 differs from 90° by 4e-6.
  EXPECT_NEAR(x.x, std::cos(0.4 + std::numbers::pi / 2), 1e-5);
  EXPECT_NEAR(x.y, std::sin(0.4 + std::numbers::pi / 2), 1e-5);
}

TEST(ServoNode, Line120_TargetsCountFromZero) {
  for (Bench bench : servos("", "position 0.6")) {
    for (const bool physics : {true, false}) {
      bench.physics = physics;
      Rig rig(bench);
      rig.motor.set_position(0.15);
      rig.run(3.0);
      EXPECT_NEAR(rig.moved(), 0.15, kHeld) << physics;
    }
  }
}

TEST(ServoNode, Line122_LimitsCountFromZero) { limits_count_from_zero(Kind::Servo); }

}  // namespace
}  // namespace servosim::test
