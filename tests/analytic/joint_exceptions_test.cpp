// SPDX-License-Identifier: Apache-2.0
// What the integrator "joint" does not move, or refuses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "analytic/joint_worlds.h"
#include "physics/physics_world.h"
#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "servosim/solid.h"
#include "sim/world_inspector.h"

namespace servosim::test {
namespace joint_exceptions_test {

using namespace joint_worlds;

TEST(JointIntegratorExceptions, RefusesWhatItCannotDo) {
  const auto message = [](auto change) {
    LoadOptions options = joint_options();
    change(options);
    try {
      Simulation::from_text(world_text(8.0, 0.0, chain(1)), options);
    } catch (const LoadError& error) {
      return error.list().front().message;
    }
    return std::string();
  };
  EXPECT_EQ(message([](LoadOptions& options) { options.solver = Solver::Ode; }),
            "the integrator \"joint\" needs the tree solver: leave out --solver ode, or choose "
            "--integrator ode");
  EXPECT_EQ(message([](LoadOptions& options) { options.compat_webots = true; }),
            "the integrator \"joint\" cannot behave as Webots' engine: leave out --compat webots, "
            "or choose --integrator ode");
  EXPECT_EQ(message([](LoadOptions& options) { options.evaluations = 9; }),
            "a step takes 0 to 8 evaluations, not 9");
  for (const double bad : {-1e-4, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(message([bad](LoadOptions& options) { options.accuracy = bad; }),
              fmt::format("the accuracy of a step is 0 to 1 [rad or m], not {:g}", bad));
  }
  EXPECT_EQ(message([](LoadOptions&) {}), "");
  const auto to_ode = [](LoadOptions& options) { options = {}; };
  EXPECT_EQ(
      message([&to_ode](LoadOptions& options) {
        to_ode(options);
        options.evaluations = 3;
      }),
      "steps of the integrator \"ode\" have no evaluations: leave out --evaluations, or choose "
      "--integrator joint");
  EXPECT_EQ(message([&to_ode](LoadOptions& options) {
              to_ode(options);
              options.accuracy = 1e-4;
            }),
            "steps of the integrator \"ode\" have no accuracy: leave out --accuracy, or choose "
            "--integrator joint");
}

// The inner of two rods ends at a hinge on the world, which closes a loop.
TEST(JointIntegratorExceptions, LeavesLoopsToTheOtherIntegrator) {
  const std::string text =
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 physicsDisableTime 0 gravity 0 }\nRobot "
      "{ name \"outer\" translation 0.75 0 0 angularVelocity 0 -12 0 linearVelocity 0 0 6 physics "
      "Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.001 0.02 0.02, 0 0 0 ] "
      "} children [ HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor -0.25 0 "
      "0 } endPoint Solid { name \"inner\" translation -0.5 0 0 angularVelocity 0 -6 0 "
      "linearVelocity 0 0 1.5 physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] "
      "inertiaMatrix [ 0.001 0.02 0.02, 0 0 0 ] } children [ HingeJoint { jointParameters "
      "HingeJointParameters { axis 0 1 0 anchor -0.25 0 0 } endPoint SolidReference { solidName "
      "\"<static environment>\" } } ] } } ] }\n";
  std::vector<std::string> notices;
  LoadOptions options = joint_options();
  options.notice = [&notices](std::string_view message) { notices.emplace_back(message); };
  Simulation simulation = Simulation::from_text(text, options);
  Simulation ode = Simulation::from_text(text);
  simulation.step(500);
  ode.step(500);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0],
            "\"outer\" moves as with the integrator ode while joints close a loop in it, or it is "
            "attached to something; so do others like it (reported once)");
  EXPECT_EQ(simulation.joint(0).position(), ode.joint(0).position());
  // With the bias of the whole step the tip would be twice as fast in the end.
  EXPECT_LT(std::abs(simulation.solid("outer").velocity().linear.z), 6.5);
}

// Two boxes that fall on each other are a heap without joints, which ODE solves.
TEST(JointIntegratorExceptions, TellsOnceWhatMovesOtherwise) {
  std::vector<std::string> notices;
  LoadOptions options = joint_options();
  options.notice = [&notices](std::string_view message) { notices.emplace_back(message); };
  const auto box = [](const std::string& name, double x, double z) {
    return fmt::format(
        "Solid {{ name \"{}\" translation {} 0 {} boundingObject Box {{ size 0.1 0.1 0.1 }} "
        "physics Physics {{ density -1 mass 1 }} }}\n",
        name, x, z);
  };
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\nSolid { boundingObject Plane { size 9 "
      "9 } }\n" +
          box("a", 0.0, 0.1) + box("b", 0.02, 0.25) + box("c", 1.0, 0.1) + box("d", 1.02, 0.25),
      options);
  simulation.step(100);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0],
            "\"a\" moves as with the integrator ode while it touches other bodies, in a heap or "
            "without joints; so do others like it (reported once)");
  EXPECT_NEAR(simulation.solid("b").pose().translation.z, 0.15, 0.01);
}

// The box lies on a robot whose ball the integrator cannot move; the box is the first of the two.
TEST(JointIntegratorExceptions, NamesTheTreeThatMovesOtherwise) {
  std::vector<std::string> notices;
  LoadOptions options = joint_options();
  options.notice = [&notices](std::string_view message) { notices.emplace_back(message); };
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\nSolid { name \"box\" translation 0 0 "
      "0.299 boundingObject Box { size 0.2 0.2 0.2 } physics Physics { density -1 mass 1 } "
      "}\nRobot "
      "{ name \"base\" translation 0 0 0.1 boundingObject Box { size 0.2 0.2 0.2 } physics Physics "
      "{ "
      "density -1 mass 3 } children [ BallJoint { jointParameters BallJointParameters { anchor 0.3 "
      "0 "
      "0 } endPoint Solid { name \"end\" translation 0.5 0 0 physics Physics { density -1 mass 1 "
      "centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.01 0.01, 0 0 0 ] } } } ] }\n",
      options);
  simulation.step();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(
      notices[0],
      "\"base\" moves as with the integrator ode since it has a joint with more than one axis; "
      "so do others like it (reported once)");
}

// A rod that was held by its motor is fixed to the world, which bears a part of its weight.
TEST(JointIntegratorExceptions, MeasuresTheForcesOfTheLastStep) {
  const auto effort = [](bool measures_before) {
    Simulation simulation = Simulation::from_text(world_text(8.0, 9.81, chain(1)), joint_options());
    simulation.robot("r").motor("m1").set_position(0.0);
    simulation.step();
    const double before = measures_before ? simulation.joint(0).effort() : 0.0;
    const PhysicsWorld& physics = WorldInspector(simulation).physics();
    physics.attachments().fix_to_world(physics.bodies()[0].solid, true);
    simulation.step();
    EXPECT_NE(simulation.joint(0).effort(), before);
    return simulation.joint(0).effort();
  };
  EXPECT_EQ(effort(false), effort(true));
}

}  // namespace joint_exceptions_test
}  // namespace servosim::test
