// SPDX-License-Identifier: Apache-2.0
// Which Solids form one body, which hang on the world, which fall.
#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace {

constexpr double kH = 0.008;

// How far a free body has fallen after n steps of semi-implicit Euler.
double fallen(int n, double g = 9.81) { return g * kH * kH * n * (n + 1) / 2.0; }

std::string world(const std::string& nodes, const std::string& info = "") {
  return fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 physicsDisableTime 0 {} }}\n{}", info,
      nodes);
}

TEST(Bodies, ATopSolidFalls) {
  Simulation simulation =
      load(world("Solid { name \"a\" translation 2 3 4 boundingObject Box { size 0.2 0.3 0.4 } "
                 "physics Physics { } }"));
  simulation.step(50);
  EXPECT_NEAR(simulation.solid("a").pose().translation.z, 4.0 - fallen(50), 1e-12);
}

TEST(Bodies, ASolidBelowAStaticOneIsFixedToTheWorld) {
  Simulation simulation = load(world(R"(
Solid { name "table" translation 2 3 4 children [
  Solid { name "lamp" translation 0 0 1 boundingObject Box { size 0.2 0.3 0.4 } physics Physics { } } ] })"));
  simulation.step(100);
  // The fixed joint gives way by about weight·CFM·h.
  EXPECT_NEAR(norm(simulation.solid("lamp").pose().translation - Vec3{2, 3, 5}), 0.0, 1e-4);
}

TEST(Bodies, ASolidBelowAStaticOneBelowADynamicOneFloatsFree) {
  Simulation simulation = load(world(R"(
Robot { name "boat" linearVelocity 3 0 0 boundingObject Box { } physics Physics { } children [
  Solid { name "deck" translation 0 0 1 children [
    Solid { name "crate" translation 0 0 1 boundingObject Sphere { radius 0.25 } physics Physics { } } ] } ] })"));
  simulation.step(50);
  EXPECT_NEAR(simulation.solid("boat").pose().translation.x, 3.0 * 50 * kH, 1e-12);
  EXPECT_NEAR(simulation.solid("deck").pose().translation.x, 3.0 * 50 * kH, 1e-12);
  EXPECT_NEAR(simulation.solid("crate").pose().translation.x, 0.0, 1e-12);
  EXPECT_NEAR(simulation.solid("crate").pose().translation.z, 2.0 - fallen(50), 1e-12);
}

TEST(Bodies, AServoOfTypeNoneFallsByItself) {
  Simulation simulation = Simulation::from_text(R"(#VRML_SIM V6.0 utf8
WorldInfo { basicTimeStep 8 }
Robot { name "r" children [ Servo { name "s" type "none" translation 0 2 0
  boundingObject Box { size 0.2 0.2 0.2 } physics Physics { } } ] })");
  simulation.step(50);
  EXPECT_NEAR(simulation.solid("s").pose().translation.y, 2.0 - fallen(50), 1e-12);
}

// An arm that turns about z with a second Solid of 1.5 kg merged into it, 0.7 m out and turned.
TEST(Bodies, MergedSolidsWeighTogether) {
  Simulation simulation = load(world(R"(
Robot { name "r" children [ HingeJoint {
  jointParameters HingeJointParameters { axis 0 0 1 }
  device RotationalMotor { name "m" }
  endPoint Solid { name "arm" boundingObject Box { size 0.6 0.2 0.1 } physics Physics { density -1 mass 2 }
    children [ Solid { name "hand" translation 0.4 0.3 0.5 rotation 0 0 1 0.5
      children [ Solid { name "finger" translation 0.2 0 0 boundingObject Box { size 0.3 0.4 0.1 }
        physics Physics { density -1 mass 1.5 } } ]
      boundingObject Box { size 0.2 0.2 0.2 } physics Physics { density -1 mass 0.5 } } ] } } ] })",
                                     "gravity 0"));
  const Vec3 finger = Vec3{0.4, 0.3, 0} + rotation_matrix({{0, 0, 1}, 0.5}) * Vec3{0.2, 0, 0};
  const double inertia =
      2.0 * (0.36 + 0.04) / 12 + 0.5 * (0.08 / 12 + 0.25) + 1.5 * (0.25 / 12 + dot(finger, finger));
  simulation.robot("r").motor("m").set_force(1.25);
  simulation.step(10);
  // The hinge's rows give way a little under the centrifugal load: 1e-5.
  EXPECT_NEAR(simulation.joint(0).velocity(), 10 * kH * 1.25 / inertia, 1e-5);
  const Pose arm = simulation.solid("arm").pose();
  const Pose rest{rotation_matrix({{0, 0, 1}, 0.5}), {0.4, 0.3, 0.5}};
  EXPECT_NEAR(norm((inverse(arm) * simulation.solid("hand").pose()).translation - rest.translation),
              0.0, 1e-15);
  EXPECT_GT(simulation.joint(0).position(), 0.004);
}

TEST(Bodies, TouchNothingWithAPlaneOfTheirOwn) {
  Simulation simulation = Simulation::from_text(world(R"(
Solid { name "floor" boundingObject Box { size 9 9 0.2 } }
Solid { name "a" translation 0 0 3 physics Physics { } boundingObject Group { children [
Plane { } Box { size 0.2 0.2 0.2 } ] } })"));
  ASSERT_EQ(simulation.diagnostics().size(), 1u);
  EXPECT_EQ(simulation.diagnostics()[0].message,
            "a Plane cannot be the bounding object of a Solid with Physics; it is left out");
  EXPECT_EQ(simulation.diagnostics()[0].line, 6);
  simulation.step(200);
  EXPECT_NEAR(simulation.solid("a").pose().translation.z, 0.2, 0.01) << "on its Box";
}

TEST(Bodies, ThatCannotBeWeighedTogetherAreReported) {
  Simulation simulation = Simulation::from_text(world(R"(
Solid { name "a" boundingObject Box { } physics Physics { density -1 mass 2e13 } children [
  Pose { translation 9e8 0 0 children Solid { name "b" boundingObject Box { } physics Physics { density -1 mass 3e13 } } } ] })"));
  ASSERT_EQ(simulation.diagnostics().size(), 1u);
  EXPECT_EQ(
      simulation.diagnostics()[0].message,
      "the Solids that form one body with \"a\" cannot be weighed together; the mass of \"a\" "
      "alone is used");
  simulation.step(50);
  EXPECT_NEAR(simulation.solid("a").pose().translation.z, -fallen(50), 1e-12);
}

TEST(Bodies, ATouchSensorHasItsOwnAndHoldsOnToItsParent) {
  Simulation simulation = load(world(R"(
Robot { name "r" angularVelocity 0 0 2 boundingObject Box { size 0.4 0.4 0.4 } physics Physics { } children [
  TouchSensor { name "foot" translation 0.5 0 0 boundingObject Box { size 0.1 0.1 0.1 }
    physics Physics { } } ] })",
                                     "gravity 0"));
  simulation.step(100);
  const Vec3 there =
      (inverse(simulation.solid("r").pose()) * simulation.solid("foot").pose()).translation;
  const double drift = norm(there - Vec3{0.5, 0, 0});
  EXPECT_LT(drift, 1e-3);
  EXPECT_GT(drift, 1e-12) << "a merged Solid would not move at all";
}

TEST(Bodies, StartWithTheVelocitiesOfTheFile) {
  Simulation simulation =
      load(world("Solid { name \"a\" linearVelocity 2 -3 4 angularVelocity 0 0 0.5 boundingObject "
                 "Sphere { radius 0.2 } "
                 "physics Physics { } }",
                 "gravity 0"));
  simulation.step(40);
  const Pose pose = simulation.solid("a").pose();
  EXPECT_NEAR(norm(pose.translation - 40 * kH * Vec3{2, -3, 4}), 0.0, 1e-12);
  // ODE's small-angle rotation turns by 2·atan(ω·h/2) a step.
  EXPECT_NEAR(std::atan2(pose.rotation(1, 0), pose.rotation(0, 0)), 40 * 2 * std::atan(0.25 * kH),
              1e-12);
}

TEST(Bodies, TurnByAtMostTenThousandRadiansPerSecond) {
  const auto turned = [](double spin) {
    Simulation simulation = load(world(
        fmt::format(
            "Solid {{ name \"a\" angularVelocity 0 0 {} boundingObject Sphere {{ radius 0.2 }} "
            "physics Physics {{ }} }}",
            spin),
        "gravity 0"));
    simulation.step(2);
    const Mat3 r = simulation.solid("a").pose().rotation;
    return std::atan2(r(1, 0), r(0, 0));
  };
  // ODE's small-angle rotation by 2·atan(ω·h/2), twice.
  const auto angle = [](double spin) { return 4.0 * std::atan(spin * kH / 2.0); };
  EXPECT_NEAR(std::remainder(turned(9000.0) - angle(9000.0), 2.0 * M_PI), 0.0, 1e-12);
  EXPECT_NEAR(std::remainder(turned(15000.0) - angle(1e4), 2.0 * M_PI), 0.0, 1e-12);
}

TEST(Bodies, KeepTheirMomentumInACollision) {
  Simulation simulation = load(world(R"(
Solid { name "a" translation -1 0 0 linearVelocity 2 0 0 boundingObject Sphere { radius 0.2 }
  physics Physics { density -1 mass 3 } }
Solid { name "b" translation 0.5 0.125 0 boundingObject Sphere { radius 0.3 }
  physics Physics { density -1 mass 5 } })",
                                     "gravity 0"));
  simulation.step(200);
  const Vec3 a = simulation.solid("a").pose().translation;
  const Vec3 b = simulation.solid("b").pose().translation;
  EXPECT_GT(b.y, 0.2) << "they met, off centre";
  const Vec3 center = (1.0 / 8.0) * (3.0 * a + 5.0 * b);
  const Vec3 expected{(-3.0 + 2.5) / 8.0 + 200 * kH * 2.0 * 3.0 / 8.0, 5.0 * 0.125 / 8.0, 0};
  EXPECT_NEAR(norm(center - expected), 0.0, 1e-12);
}

}  // namespace
}  // namespace servosim::test
