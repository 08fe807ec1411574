// SPDX-License-Identifier: Apache-2.0
// The effort of a joint is the force of its rows on the axis where they acted, however fast its
// bodies turn meanwhile: a motor that is too weak puts its whole force on the joint.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/worlds.h"

namespace servosim::test {
namespace {

constexpr double kForce = 0.375;  // maximum force of the motor [N·m|N]

// Returns two bodies that turn about another direction than the axis, without gravity.
Simulation spinning_pair(const char* joint, const char* motor, Solver solver) {
  LoadOptions options;
  options.solver = solver;
  const char* const physics =
      "physics Physics { density -1 mass 2 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.02 0.03 0.04, "
      "0 "
      "0 0 ] } boundingObject Group { }";
  return Simulation::from_text(
      fmt::format(
          "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 16 gravity 0 "
          "physicsDisableTime 0 }}\nRobot {{ angularVelocity 3 -5 7 {1} children [ {0}Joint "
          "{{ jointParameters {2} {{ axis 0.6 0 0.8 }} device {3} endPoint Solid {{ "
          "translation 0.3 0.2 0.1 angularVelocity 3 -5 7 {1} }} }} ] }}\n",
          joint, physics, joint[0] == 'H' ? "HingeJointParameters" : "JointParameters", motor),
      std::move(options));
}

void expect_whole_force(const char* joint, const char* motor) {
  for (const Solver solver : {Solver::Tree, Solver::Ode}) {
    Simulation simulation = spinning_pair(joint, motor, solver);
    Motor& strained = *simulation.robot(0).devices()[0].get<Motor>();
    strained.set_position(std::numeric_limits<double>::infinity());
    strained.set_velocity(90.0);
    for (int n = 0; n < 8; ++n) {
      simulation.step();
      EXPECT_NEAR(simulation.joint(0).effort(), kForce, 1e-9)
          << joint << ", step " << n << ", solver " << static_cast<int>(solver);
    }
  }
}

TEST(JointEffort, OfAHingeInFastMotionIsTheForceOfItsMotor) {
  expect_whole_force("Hinge", "RotationalMotor { maxVelocity 100 maxTorque 0.375 }");
}

TEST(JointEffort, OfASliderInFastMotionIsTheForceOfItsMotor) {
  expect_whole_force("Slider", "LinearMotor { maxVelocity 100 maxForce 0.375 }");
}

}  // namespace
}  // namespace servosim::test
