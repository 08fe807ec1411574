// SPDX-License-Identifier: Apache-2.0
// Muscles against closed forms: length, radius, and how hard they pull.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "support/worlds.h"

namespace servosim::test {
namespace {

const std::string kMuscle =
    "muscles [ Muscle { volume 0.002 startOffset 0 0.5 0 endOffset 0.25 0 0 } ]";

double radius(double length) { return std::sqrt(3.0 * 0.002 / (4.0 * std::numbers::pi * length)); }

// The endpoint's frame is at the axis: the muscle and its two ends make a triangle with the sides
// 0.5 and 0.25 and the angle 90° − p between them.
double hinge_length(double p) {
  return std::sqrt(0.5 * 0.5 + 0.25 * 0.25 - 2.0 * 0.5 * 0.25 * std::sin(p));
}

// On a robot of 5 kg instead of a heavy one, held where it is.
Simulation pinned(const OneJoint& w) {
  std::string text = world_text(w);
  Simulation s = load(text.replace(text.find("mass 1e9"), 8, "mass 5"));
  s.solid(s.robot(0).solid()).pin(true);
  return s;
}

// Joints drift by about this under load.
constexpr double kDrift = 1e-9;

TEST(Muscles, StretchByTheCosineRuleAndKeepTheirVolume) {
  OneJoint w;
  w.motor = kMuscle;
  Simulation s = load(w);
  ASSERT_EQ(s.joint(0).muscle_count(), 1);
  for (const double p : {0.0, 0.75, -1.25}) {
    s.joint(0).set_state(p);
    const MuscleReading muscle = s.joint(0).muscle(0);
    EXPECT_NEAR(muscle.length, hinge_length(p), kDrift);
    EXPECT_NEAR(muscle.radius, radius(hinge_length(p)), kDrift);
  }
  try {
    s.joint(0).muscle(1);
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "muscle 1 of 1");
  }
}

TEST(Muscles, OfASliderGetLongerAlongItsAxis) {
  OneJoint w;
  w.slider = true;
  w.motor = kMuscle;
  Simulation s = load(w);
  s.joint(0).set_state(0.625);
  EXPECT_NEAR(s.joint(0).muscle(0).length, std::hypot(0.875, 0.5), kDrift);
}

TEST(Muscles, InForceControlPullByTheForce) {
  OneJoint w;
  w.motor = "maxTorque 8 " + kMuscle;
  Simulation s = load(w);
  s.robot("r").motor("m").set_force(-3.0);
  s.step();
  EXPECT_EQ(s.joint(0).muscle(0).status, -0.375);
  s.joint(0).set_state(0.25);
  EXPECT_EQ(s.joint(0).muscle(0).status, 0.0) << "nothing pulled it there";
  s.step();
  EXPECT_EQ(s.joint(0).muscle(0).status, -0.375);
}

TEST(Muscles, AreShownNoPullByARestoredOrClonedMoveByHandEither) {
  OneJoint w;
  w.motor = "maxTorque 8 " + kMuscle;
  Simulation s = load(w);
  s.robot("r").motor("m").set_force(-3.0);
  s.step();
  const SimulationState pulled = s.save();
  s.joint(0).set_state(0.25);
  const SimulationState moved = s.save();
  EXPECT_EQ(s.clone().joint(0).muscle(0).status, 0.0);
  s.restore(pulled);
  EXPECT_EQ(s.joint(0).muscle(0).status, -0.375);
  s.restore(moved);
  EXPECT_EQ(s.joint(0).muscle(0).status, 0.0);
  s.step();
  EXPECT_EQ(s.joint(0).muscle(0).status, -0.375);
}

TEST(Muscles, NeedAnEndPointToEndAt) {
  const std::string robot =
      "#VRML_SIM R2023b utf8\nRobot { translation 5 6 7 children [ HingeJoint { device "
      "RotationalMotor { " +
      kMuscle + " } ";
  Simulation without = Simulation::from_text(robot + "} ] }");
  ASSERT_EQ(without.joints().size(), 1);
  EXPECT_EQ(without.joint(0).muscle_count(), 0);
  EXPECT_THROW(without.joint(0).muscle(0), std::out_of_range);
  Simulation with = Simulation::from_text(robot + "endPoint Solid { } } ] }");
  EXPECT_NEAR(with.joint(0).muscle(0).length, hinge_length(0.0), kDrift);
}

TEST(Muscles, InPositionControlPullByTheFeedback) {
  for (const bool slider : {false, true}) {
    OneJoint w;
    w.slider = slider;
    w.heavy_parent = true;
    w.gravity = "9.81";
    w.axis = slider ? "0 0 -1" : "0 1 0";  // positive is down
    w.endpoint = "0.3 0 0";
    w.motor = (slider ? "maxForce 50 " : "maxTorque 50 ") + kMuscle;
    Simulation s = pinned(w);
    s.step(200);
    const double effort = -2.0 * 9.81 * (slider ? 1.0 : 0.3);
    EXPECT_NEAR(s.joint(0).muscle(0).status, (slider ? -1.0 : 1.0) * effort / 50.0, 1e-4);
  }
}

TEST(Muscles, PullNoHarderThanTheyCan) {
  OneJoint w;
  w.heavy_parent = true;
  w.gravity = "9.81";
  w.axis = "0 1 0";
  w.endpoint = "0.3 0 0";
  w.motor = "maxTorque 2 " + kMuscle;  // of 5.9 N·m
  w.parameters = "minStop -0.5 maxStop 0.1";
  Simulation s = pinned(w);
  s.step(100);
  EXPECT_EQ(s.joint(0).muscle(0).status, -1.0) << "the stop's share of the feedback is on top";
}

TEST(Muscles, WithoutPhysicsPullByTheVelocity) {
  OneJoint w;
  w.child_physics = "NULL";
  w.motor = "maxVelocity 2 acceleration 5 maxTorque 100 " + kMuscle;
  Simulation s = load(w);
  s.robot("r").motor("m").set_position(-1.0);
  s.step(10);
  EXPECT_NEAR(s.joint(0).muscle(0).status, -10 * 0.008 * 5.0 / 2.0, 1e-12);
  EXPECT_NEAR(s.joint(0).muscle(0).length, hinge_length(s.joint(0).position()), 1e-12);
  s.step(200);
  EXPECT_EQ(s.joint(0).muscle(0).status, 0.0) << "arrived";
}

TEST(Muscles, NoneForMostMotors) { EXPECT_EQ(load(OneJoint{}).joint(0).muscle_count(), 0); }

}  // namespace
}  // namespace servosim::test
