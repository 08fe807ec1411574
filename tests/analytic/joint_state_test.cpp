// SPDX-License-Identifier: Apache-2.0
// What is set from outside, and what is saved, with the integrator "joint". Tests of other sources
// run with SERVOSIM_TEST_INTEGRATOR=joint, too: CMakeLists.txt has their list.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "servosim/solid.h"

namespace servosim::test {
namespace joint_state_test {

// Two rods of 0.5 m on hinges about y, the first on the world, and a body that hangs on nothing.
constexpr const char* kRods =
    "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }\nRobot { "
    "name \"r\" children [ HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } device "
    "[ RotationalMotor { name \"m\" maxTorque 100 } PositionSensor { name \"a\" } ] endPoint Solid "
    "{ name \"first\" translation 0.25 0 0 physics Physics { density -1 mass 1 centerOfMass [ 0 0 "
    "0 ] inertiaMatrix [ 0.001 0.02 0.02, 0 0 0 ] } children [ HingeJoint { jointParameters "
    "HingeJointParameters { axis 0 1 0 anchor 0.25 0 0 } device PositionSensor { name \"b\" } "
    "endPoint Solid { name \"second\" translation 0.5 0 0 physics Physics { density -1 mass 1 "
    "centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.001 0.02 0.02, 0 0 0 ] } } } ] } } ] }\n"
    "Solid { name \"loose\" translation 3 0 0 physics Physics { density -1 mass 2 centerOfMass [ 0 "
    "0 0 ] inertiaMatrix [ 0.01 0.02 0.03, 0 0 0 ] } }\n";

Simulation rods() {
  LoadOptions options;
  options.integrator = Integrator::Joint;
  options.notice = [](std::string_view message) { ADD_FAILURE() << message; };
  return Simulation::from_text(kRods, options);
}

double out_of_plane(const Simulation& simulation, const std::string& solid) {
  const Pose pose = simulation.solid(solid).pose();
  return std::abs(pose.translation.y) + std::abs(pose.rotation(1, 0)) +
         std::abs(pose.rotation(1, 2));
}

// A joint keeps of a pose what it can do: its angle, which is that of the whole turn, as ODE
// measures it. The rest is gone after the step.
TEST(JointState, ProjectsAPoseOnTheJoints) {
  Simulation simulation = rods();
  simulation.robot("r").motor("m").set_available_force(0.0);
  simulation.step(5);
  const Mat3 turned = rotation_matrix({{0.0, 1.0, 0.0}, 0.3});
  // About the rod, which no joint does; and 7 mm to the side, and 20 mm off the anchor.
  const Mat3 twisted = turned * rotation_matrix({{1.0, 0.0, 0.0}, 0.2});
  simulation.solid("first").set_pose(
      {twisted, turned * Vec3{0.25, 0.0, 0.0} + Vec3{0.02, 0.007, 0.0}});
  simulation.step();
  EXPECT_NEAR(simulation.joint("r/m").position(), 2.0 * std::acos(std::cos(0.15) * std::cos(0.1)),
              1e-9);
  EXPECT_NEAR(simulation.joint("r/m").velocity(), 0.0, 1e-12);
  EXPECT_LT(out_of_plane(simulation, "first"), 1e-12);
  EXPECT_LT(out_of_plane(simulation, "second"), 1e-12);
  EXPECT_NEAR(norm(simulation.solid("first").pose().translation), 0.25, 1e-12);
  // The second rod went along with what carries it.
  EXPECT_NEAR(simulation.joint("r/b").position(), 0.0, 1e-12);
}

// A pose of the second rod alone is an angle of its own joint.
TEST(JointState, TurnsTheJointOfALinkThatIsPut) {
  Simulation simulation = rods();
  simulation.robot("r").motor("m").set_available_force(0.0);
  const Mat3 turned = rotation_matrix({{0.0, 1.0, 0.0}, -0.7});
  simulation.solid("second").set_pose(
      {turned, Vec3{0.5, 0.0, 0.0} + turned * Vec3{0.25, 0.0, 0.0}});
  simulation.step();
  EXPECT_NEAR(simulation.joint("r/m").position(), 0.0, 1e-12);
  EXPECT_NEAR(simulation.joint("r/b").position(), -0.7, 1e-12);
}

// A body without joints has any pose and velocity; a step adds its way.
TEST(JointState, PutsAndThrowsALooseBody) {
  Simulation simulation = rods();
  simulation.step(5);
  const Mat3 turned = rotation_matrix({{0.0, 0.6, 0.8}, 1.1});
  simulation.solid("loose").set_pose({turned, {1.0, 2.0, 3.0}});
  simulation.solid("loose").set_velocity({{4.0, 0.0, -2.0}, {}});
  simulation.step(10);
  const Pose pose = simulation.solid("loose").pose();
  EXPECT_LT(norm(pose.translation - Vec3{1.32, 2.0, 2.84}), 1e-12);
  for (int k = 0; k < 9; ++k) {
    EXPECT_NEAR(pose.rotation.m[k], turned.m[k], 1e-12) << k;
  }
}

// The accelerations of the last steps belong to the state, so a hash tells two states with equal
// poses and velocities apart.
TEST(JointState, HasTheAccelerationsOfTheLastSteps) {
  Simulation simulation = rods();
  Joint first = simulation.joint("r/m");
  Joint second = simulation.joint("r/b");
  simulation.robot("r").motor("m").set_available_force(0.0);
  first.set_state(0.2, 3.0);
  second.set_state(0.9, -1.0);
  simulation.step(20);
  const SimulationState saved = simulation.save();
  const auto hash = simulation.state_hash();
  const double position = second.position();
  const double velocity = second.velocity();
  second.set_state(position, velocity);
  EXPECT_NE(simulation.state_hash(), hash);
  simulation.restore(saved);
  EXPECT_EQ(simulation.state_hash(), hash);
}

// Rates and accelerations that the next step does not use are not in the hash.
TEST(JointState, HasNothingOfAPastThatIsOver) {
  const auto hash = [](double speed) {
    Simulation simulation = rods();
    Solid loose = simulation.solid("loose");
    loose.set_velocity({{speed, 0.0, 0.0}, {}});
    simulation.step(3);
    loose.set_pose({Mat3{}, {1.0, 2.0, 3.0}});
    loose.set_velocity({});
    return simulation.state_hash();
  };
  EXPECT_EQ(hash(1.0), hash(2.0));
}

TEST(JointState, BeginsAnewAfterAReset) {
  Simulation simulation = rods();
  const auto run = [&simulation] {
    simulation.robot("r").motor("m").set_position(0.8);
    simulation.joint("r/b").set_state(0.4, 5.0);
    simulation.step(50);
    return simulation.state_hash();
  };
  const auto hash = run();
  simulation.reset();
  EXPECT_EQ(run(), hash);
  const std::vector<std::byte> saved = simulation.save_bytes();
  simulation.step(50);
  const auto later = simulation.state_hash();
  simulation.restore_bytes(saved);
  EXPECT_EQ(simulation.state_hash(), hash);
  simulation.step(50);
  EXPECT_EQ(simulation.state_hash(), later);
}

// A Solid with Physics that no joint separates from its parent is a part of the parent's body.
TEST(JointState, TakesTheVelocityOfAPart) {
  constexpr const char* kPhysics =
      "physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.01 0.01, "
      "0 0 0 ] }";
  LoadOptions options;
  options.integrator = Integrator::Joint;
  Simulation simulation = Simulation::from_text(
      std::string("#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 gravity 0 "
                  "physicsDisableTime 0 }\nRobot { name \"r\" children [ Solid { name \"part\" "
                  "translation 0.5 0 0 ") +
          kPhysics + " } ] " + kPhysics + " }\n",
      options);
  simulation.step(2);
  const Solid part = simulation.solid("part");
  simulation.solid("part").set_velocity({{1.0, 0.0, 0.0}, {}});
  simulation.step(10);
  EXPECT_NEAR(part.pose().translation.x, 0.58, 1e-9);
  simulation.solid("part").reset_physics();
  simulation.step(10);
  EXPECT_NEAR(part.pose().translation.x, 0.58, 1e-9);
}

// ODE fails to step a heap that needs more memory than it may have, after the arm has found the
// rates of the step. Those are not the rates of the state, which has not moved.
TEST(JointState, KeepsItsRatesInAStepThatFails) {
  constexpr int kBoxes = 80;
  constexpr double kApart = 0.2;    // [m]
  constexpr double kHeaped = 0.09;  // [m], less than the size of a box
  std::string text =
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 16 physicsDisableTime 0 }\nRobot { name "
      "\"a\" children [ HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } device "
      "RotationalMotor { name \"m\" maxTorque 0 } endPoint Solid { name \"link\" translation 0.5 0 "
      "0 physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.01 "
      "0.01, 0 0 0 ] } } } ] }\n";
  for (int i = 0; i < kBoxes; ++i) {
    text += "Solid { name \"b" + std::to_string(i) + "\" translation " +
            std::to_string(5.0 + kApart * i) +
            " 0 0 boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 1 "
            "centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.002 0.002 0.002, 0 0 0 ] } }\n";
  }
  LoadOptions options;
  options.integrator = Integrator::Joint;
  options.evaluations = 1;
  options.notice = [](std::string_view) {};
  Simulation untroubled = Simulation::from_text(text, options);
  options.step_memory = 4'000'000;
  Simulation simulation = Simulation::from_text(text, options);
  const auto put_boxes = [&simulation](double apart) {
    for (int i = 0; i < kBoxes; ++i) {
      simulation.solid("b" + std::to_string(i)).set_pose({Mat3{}, {5.0 + apart * i, 0.0, 0.0}});
    }
  };
  for (int n = 0; n < 20; ++n) {
    if (n == 5) {
      put_boxes(kHeaped);
      EXPECT_THROW(simulation.step(), StepFailed);
      simulation.restore(simulation.save());
      put_boxes(kApart);
    }
    untroubled.step();
    simulation.step();
    ASSERT_NEAR(simulation.joint("a/m").velocity(), untroubled.joint("a/m").velocity(), 1e-9) << n;
  }
}

}  // namespace joint_state_test
}  // namespace servosim::test
