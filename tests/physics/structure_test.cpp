// SPDX-License-Identifier: Apache-2.0
// Joints between Solids with and without Physics, through Slots, and in the world itself.
#include <gtest/gtest.h>

#include <cmath>

#include "scene/scene.h"
#include "sim/world_inspector.h"
#include "support/worlds.h"

namespace servosim::test {
namespace physics_structure_test {

constexpr double kH = 0.008;

std::string world(const std::string& nodes, const std::string& gravity = "9.81") {
  return fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 gravity {} physicsDisableTime 0 }}\n{}",
      gravity, nodes);
}

// A pendulum of 0.5 m about y, as the endpoint of some joint.
const std::string kBob =
    "Solid { name \"bob\" translation 0.5 0 0 boundingObject Box { size 0.2 0.1 0.1 } physics "
    "Physics { density -1 mass 2 } }";
const std::string kAboutY = "jointParameters HingeJointParameters { axis 0 1 0 }";

// Where the pendulum is after half a second, hung below a static robot.
Vec3 swung() {
  Simulation simulation = load(world("Robot { name \"r\" children [ HingeJoint { " + kAboutY +
                                     " endPoint " + kBob + " } ] }"));
  simulation.step(60);
  return simulation.solid("bob").pose().translation;
}

TEST(Structure, APassiveJointSwingsFreely) {
  const Vec3 at = swung();
  // A rigid pendulum released level: ω² = 2·g·r·sin(p)/(r² + k²), k² of the box about y. The
  // first-order step is off by about g·h/2 = 0.04 rad/s.
  Simulation simulation = load(world("Robot { name \"r\" children [ HingeJoint { " + kAboutY +
                                     " endPoint " + kBob + " } ] }"));
  simulation.step(40);
  const JointReading r = simulation.joint(0).reading();
  const double k2 = (0.2 * 0.2 + 0.1 * 0.1) / 12.0;
  EXPECT_NEAR(r.velocity, std::sqrt(2.0 * 9.81 * 0.5 * std::sin(r.position) / (0.25 + k2)), 0.08);
  EXPECT_GT(r.velocity, 4.0);
  EXPECT_LT(at.x, 0.1) << "nearly at the bottom, or past it";
}

TEST(Structure, SlotsBetweenJointAndSolidAreTransparent) {
  Simulation simulation = load(world(
      "Robot { name \"r\" children [ HingeJoint { " + kAboutY +
      " endPoint Slot { type \"a+\" endPoint Slot { type \"a-\" endPoint " + kBob + " } } } ] }"));
  ASSERT_EQ(simulation.joints().size(), 1);
  simulation.step(60);
  EXPECT_EQ(simulation.solid("bob").pose().translation, swung());
}

TEST(Structure, SlotsAmongChildrenArePlainContainment) {
  const auto robot = [](const std::string& part) {
    return world(
        "Robot { name \"r\" boundingObject Box { size 0.4 0.4 0.4 } physics Physics { "
        "density -1 mass 3 } linearVelocity 0.3 0 0 angularVelocity 0 0 2 children [ " +
            part + " ] }",
        "0");
  };
  Simulation slot = load(robot("Slot { endPoint Slot { endPoint " + kBob + " } }"));
  Simulation plain = load(robot(kBob));
  slot.step(60);
  plain.step(60);
  EXPECT_EQ(slot.solid("bob").pose().translation, plain.solid("bob").pose().translation);
  EXPECT_EQ(WorldInspector(slot).scene().solids.at(1).joint, -1);
  EXPECT_EQ(WorldInspector(slot).scene().solids.at(1).parent, 0);
  const Vec3 in_robot =
      (inverse(slot.solid("r").pose()) * slot.solid("bob").pose()).translation - Vec3{0.5, 0, 0};
  EXPECT_NEAR(norm(in_robot), 0.0, 1e-15) << "one body";
}

TEST(Structure, AJointInTheWorldItselfHangsOnTheWorld) {
  Simulation simulation = load(world("HingeJoint { " + kAboutY + " endPoint " + kBob + " }"));
  EXPECT_EQ(WorldInspector(simulation).scene().joints.at(0).parent, -1);
  simulation.step(60);
  EXPECT_EQ(simulation.solid("bob").pose().translation, swung());
}

// The nearest Solid above counts, even if a higher one moves.
TEST(Structure, AJointBelowASolidWithoutPhysicsHangsOnTheWorld) {
  Simulation simulation = load(world(
      "Robot { name \"r\" linearVelocity 3 0 0 boundingObject Box { size 0.1 0.1 0.1 } physics "
      "Physics { } children [ Solid { name \"frame\" children [ HingeJoint { " +
      kAboutY + " endPoint " + kBob + " } ] } ] }"));
  simulation.step(60);
  EXPECT_NEAR(simulation.solid("r").pose().translation.x, 3.0 * 60 * kH, 1e-12);
  EXPECT_EQ(simulation.solid("bob").pose().translation, swung());
}

// An endpoint without Physics is moved by its motor, and carried by what moves above it.
TEST(Structure, AnEndpointWithoutPhysicsFollowsMotorAndParent) {
  for (const bool parent_has_physics : {true, false}) {
    Simulation simulation =
        load(world(std::string("Robot { name \"r\" ") +
                       (parent_has_physics ? "linearVelocity 0.7 0 0 boundingObject Box { size 0.4 "
                                             "0.4 0.4 } physics Physics { } "
                                           : "") +
                       "children [ SliderJoint { jointParameters JointParameters { axis 0 0 1 } "
                       "device LinearMotor { name \"m\" maxVelocity 0.5 } endPoint Solid { name "
                       "\"lift\" translation 0 2 0 } } ] }",
                   "0"));
    simulation.robot("r").motor("m").set_position(0.3);
    simulation.step(100);
    const Vec3 at = simulation.solid("lift").pose().translation;
    const double x = parent_has_physics ? 0.7 * 100 * kH : 0.0;
    EXPECT_NEAR(norm(at - Vec3{x, 2, 0.3}), 0.0, 1e-6) << "the motor stops within 1e-6 m";
    EXPECT_EQ(WorldInspector(simulation).scene().solids.at(1).physics.has_value(), false);
  }
}

// The robot is the endpoint's mass away from being a static one: 1e9 kg.
TEST(Structure, AStaticParentGivesTheMotionOfAHeavyOne) {
  for (const bool slider : {false, true}) {
    OneJoint w;
    w.slider = slider;
    w.endpoint = "0.1 0.05 0";
    w.parameters = "springConstant 4 dampingConstant 0.3 position 0.2 staticFriction 0.05";
    Simulation reversed = load(w);
    w.heavy_parent = true;
    Simulation dynamic = load(w);
    for (Simulation* simulation : {&reversed, &dynamic}) {
      simulation->robot("r").motor("m").set_position(0.9);
    }
    for (int n = 0; n < 200; ++n) {
      reversed.step();
      dynamic.step();
      ASSERT_NEAR(reversed.joint(0).position(), dynamic.joint(0).position(), 1e-6) << n;
      ASSERT_NEAR(reversed.joint(0).velocity(), dynamic.joint(0).velocity(), 1e-6) << n;
    }
    EXPECT_GT(reversed.joint(0).position(), 0.6);
  }
}

// Sensors that are Solids with Physics weigh as parts of the body they are in, nested ones too.
TEST(Structure, DevicesThatAreSolidsAreMerged) {
  Simulation simulation = load(world(
      "Robot { name \"r\" children [ SliderJoint { jointParameters JointParameters { axis 1 0 0 } "
      "device LinearMotor { name \"m\" maxForce 20 } endPoint Solid { name \"cart\" boundingObject "
      "Box { size 0.4 0.4 0.4 } physics Physics { density -1 mass 2 } children [ Accelerometer { "
      "name \"acc\" translation 0 0 0.5 boundingObject Box { size 0.1 0.2 0.1 } physics Physics { "
      "density -1 mass 0.7 } children [ GPS { name \"gps\" translation 0 0 0.1 boundingObject Box "
      "{ size 0.1 0.2 0.1 } physics Physics { density -1 mass 0.3 } } ] } ] } } ] }"));
  simulation.robot("r").motor("m").set_force(6.0);
  simulation.step(50);
  // 3 kg in all; the slider's rows bear the tilting moment with a give of 1e-5.
  EXPECT_NEAR(simulation.joint(0).velocity(), 50 * kH * 6.0 / 3.0, 1e-4);
  EXPECT_NE(simulation.robot("r").find("gps"), nullptr);
}

// Webots gives Solids of these names a body of their own that nothing holds. Here they are parts of
// their robot, unless that is a DifferentialWheels: docs/explanation/deviations.md.
TEST(Structure, SolidsCalledLeftOrRightWheelAreParts) {
  for (const char* name : {"left wheel", "Right Wheel"}) {
    Simulation simulation =
        load(world("Robot { name \"r\" linearVelocity 0.3 0 0 angularVelocity 0 0 2 boundingObject "
                   "Box { size 0.4 0.4 0.4 } physics Physics { density -1 mass 3 } children [ "
                   "Solid { name \"" +
                       std::string(name) +
                       "\" translation 0 0.5 0 boundingObject Box { size 0.2 0.1 0.2 } physics "
                       "Physics { density -1 mass 0.5 } } ] }",
                   "0"));
    simulation.step(60);
    const Pose wheel = inverse(simulation.solid("r").pose()) * simulation.solid(name).pose();
    EXPECT_NEAR(norm(wheel.translation - Vec3{0, 0.5, 0}), 0.0, 1e-15);
    EXPECT_GT(simulation.solid("r").pose().translation.x, 0.05);
  }
}

}  // namespace physics_structure_test
}  // namespace servosim::test
