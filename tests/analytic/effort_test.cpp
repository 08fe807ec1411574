// SPDX-License-Identifier: Apache-2.0
// Efforts and feedback equal the values of the textbook.
#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace effort_test {

OneJoint horizontal_arm(bool heavy_parent) {
  OneJoint w;
  w.gravity = "9.81";
  w.endpoint = "0.3 0 0";
  w.axis = "0 1 0";  // positive turns the arm down
  w.heavy_parent = heavy_parent;
  w.motor = "maxTorque 50";
  return w;
}

TEST(Effort, HoldsAHorizontalArmWithAStaticParentToo) {
  Simulation simulation = load(horizontal_arm(false));
  simulation.step(300);
  // The motor lifts against the weight, so its effort about +y is negative.
  EXPECT_NEAR(simulation.joint(0).effort(), -2.0 * 9.81 * 0.3, 1e-3);
}

TEST(Effort, OfASliderThatHoldsAWeight) {
  OneJoint w;
  w.slider = true;
  w.axis = "0 0 -1";
  w.gravity = "9.81";
  w.motor = "maxForce 60";
  Simulation simulation = load(w);
  simulation.step(300);
  EXPECT_NEAR(simulation.joint(0).effort(), -2.0 * 9.81, 1e-3);
}

TEST(Effort, InForceControlIsTheForce) {
  OneJoint w;
  w.slider = true;
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_force(1.75);
  simulation.step(5);
  EXPECT_NEAR(simulation.joint(0).effort(), 1.75, 1e-9);
}

TEST(Feedback, NeedsPhysicsOnBothSides) {
  std::string said;
  LoadOptions options;
  options.solver = solver_of_tests();
  options.notice = [&said](std::string_view message) { said = message; };
  Simulation simulation =
      Simulation::from_text(world_text(horizontal_arm(false)), std::move(options));
  Motor& motor = simulation.robot("r").motor("m");
  motor.enable(8, 0.0);
  simulation.step(10);
  EXPECT_TRUE(std::isnan(motor.sampler().value()));
  EXPECT_NE(said.find("do not both have Physics"), std::string::npos) << said;
}

// A motor drives two free bodies apart: what one gains the other loses.
TEST(Momentum, OfTwoFreeBodiesIsKept) {
  const char* text = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }
Robot {
  name "r"
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 anchor 0.4 0 0 }
      device RotationalMotor { name "m" maxVelocity 3 maxTorque 5 }
      endPoint Solid {
        name "end"
        translation 0.8 0 0
        boundingObject Box { size 0.7 0.2 0.1 }
        physics Physics { density -1 mass 1.7 }
      }
    }
  ]
  boundingObject Box { size 0.6 0.3 0.2 }
  physics Physics { density -1 mass 3.1 }
})";
  Simulation simulation = load(text);
  Motor& motor = simulation.robot("r").motor("m");
  motor.enable(8, 0.0);
  motor.set_position(INFINITY);
  motor.set_velocity(3.0);
  simulation.step(200);
  const Vec3 a = simulation.solid("r").pose().translation;
  const Vec3 b = simulation.solid("end").pose().translation;
  // The common centre of mass stays where it was. The joint turns by more than two turns.
  EXPECT_NEAR((3.1 * a.x + 1.7 * b.x) / 4.8, 1.7 * 0.8 / 4.8, 1e-6);
  EXPECT_NEAR((3.1 * a.y + 1.7 * b.y) / 4.8, 0.0, 1e-6);
  EXPECT_GT(simulation.joint(0).position(), 4.0);
  EXPECT_FALSE(std::isnan(motor.sampler().value()));
}

// If a joint is moved between steps, the efforts of the joints between it and the base do not
// belong to the present poses.
TEST(Effort, IsUnknownBehindAJointPutByHand) {
  const auto link = [](const std::string& name, const std::string& child) {
    return fmt::format(R"(HingeJoint {{
  jointParameters HingeJointParameters {{ axis 0 1 0 }}
  device RotationalMotor {{ name "{0}" maxTorque 200 }}
  endPoint Solid {{ name "{0}" translation 0.4 0 0 children [ {1} ]
    boundingObject Box {{ size 0.2 0.1 0.1 }} physics Physics {{ density -1 mass 2 }} }}
}})",
                       name, child);
  };
  Simulation simulation = load(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 gravity 9.81 physicsDisableTime 0 }\n"
      "Robot { name \"r\" children [ " +
      link("a", link("b", link("c", ""))) + " ] }");
  simulation.step(100);
  double before[3];
  for (int j = 0; j < 3; ++j) {
    before[j] = simulation.joint(j).effort();
    EXPECT_GT(std::abs(before[j]), 5.0);
  }
  simulation.joint(1).set_state(0.25);
  EXPECT_EQ(simulation.joint(0).effort(), before[0]);
  EXPECT_EQ(simulation.joint(1).effort(), 0.0);
  EXPECT_EQ(simulation.joint(2).effort(), 0.0);
  Simulation twin = simulation.clone();
  EXPECT_EQ(twin.joint(2).effort(), 0.0);
  simulation.step(100);
  for (int j = 0; j < 3; ++j) {
    EXPECT_GT(std::abs(simulation.joint(j).effort()), 5.0);
  }
}

}  // namespace effort_test
}  // namespace servosim::test
