// SPDX-License-Identifier: Apache-2.0
// Springs whose rest position is not 0: −k·(p − r), where p counts turns.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "analytic/joint_worlds.h"
#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "support/worlds.h"

namespace servosim::test {
namespace spring_reference_test {

using namespace joint_worlds;

constexpr double kStiffness = 3.0;

Simulation load_with(const std::string& text, Solver solver, Integrator integrator) {
  LoadOptions options;
  options.solver = solver;
  options.integrator = integrator;
  options.notice = [](std::string_view message) { ADD_FAILURE() << message; };
  Simulation simulation = Simulation::from_text(text, options);
  for (const Diagnostic& diagnostic : simulation.diagnostics()) {
    EXPECT_EQ(diagnostic.severity, Severity::Info) << to_string(diagnostic);
  }
  return simulation;
}

// v⁺ = (v − h·k·(p − r)/J) / (1 + h²·k/J)
TEST(SpringReference, IsWhereTheImplicitStepRests) {
  for (const Solver solver : {Solver::Ode, Solver::Tree}) {
    for (const bool slider : {false, true}) {
      OneJoint w;
      w.slider = slider;
      w.parameters = fmt::format("position 0.4 springConstant {} springReference -0.3", kStiffness);
      Simulation simulation = load_with(world_text(w), solver, Integrator::Ode);
      simulation.robot("r").motor("m").set_available_force(0.0);
      const double h = 0.008;
      const double m = inertia(w);
      double p = 0.4;
      double v = 0.0;
      for (int n = 0; n < 300; ++n) {
        v = (v - h * kStiffness / m * (p + 0.3)) / (1.0 + h * h * kStiffness / m);
        p += h * v;
        simulation.step();
        // ODE's small-angle rotation loses (h·v)³/12 a step.
        ASSERT_NEAR(simulation.joint(0).position(), p, slider ? 1e-8 : 5e-4) << n;
        ASSERT_NEAR(simulation.joint(0).effort(),
                    -kStiffness * (simulation.joint(0).position() + 0.3), 1e-6);
      }
    }
  }
}

// p = r + a·cos(√(k/J)·t)
TEST(SpringReference, IsTheMiddleOfAnOscillation) {
  const double inertia = kRodInertia + kRodMass * 0.25 * kRod * kRod;
  const double omega = std::sqrt(kStiffness / inertia);
  Simulation simulation = load_joint_world(world_text(
      1.0, 0.0, chain(1, fmt::format("springConstant {} springReference 5.5", kStiffness))));
  simulation.robot("r").motor("m1").set_available_force(0.0);
  Joint joint = simulation.joint("r/m1");
  joint.set_state(4.25, 0.0);
  while (simulation.time() < 2.0) {
    simulation.step();
    ASSERT_NEAR(joint.position(), 5.5 - 1.25 * std::cos(omega * simulation.time()), 5e-5);
  }
}

// Without a rest position the spring of a hinge pulls the shorter way to 0, as in Webots, unless
// its stops count turns.
TEST(SpringReference, OfAHingeCountsTurns) {
  struct Case {
    const char* parameters;
    double position;
    double stretch;  // p − r
  };
  for (const auto& [parameters, position, stretch] :
       {Case{"", 4.0, 4.0 - 2.0 * std::numbers::pi}, Case{"minStop -2 maxStop 3", 2.5, 2.5},
        Case{"springReference -0.25", 4.0, 4.25}, Case{"minStop -0.5236 maxStop 4.5379", 4.0, 4.0},
        Case{"minStop -6.3 maxStop 0.5", -6.0, -6.0}}) {
    for (const auto& [solver, integrator] :
         {std::pair{Solver::Ode, Integrator::Ode}, std::pair{Solver::Tree, Integrator::Ode},
          std::pair{Solver::Tree, Integrator::Joint}}) {
      OneJoint w;
      w.parameters = fmt::format("springConstant {} {}", kStiffness, parameters);
      w.mass = 1e6;
      Simulation simulation = load_with(world_text(w), solver, integrator);
      simulation.robot("r").motor("m").set_available_force(0.0);
      simulation.joint(0).set_state(position, 0.0);
      simulation.step();
      EXPECT_NEAR(simulation.joint(0).effort(), -kStiffness * stretch, 1e-5) << parameters;
    }
  }
}

// All axes of joints with several have one.
TEST(SpringReference, IsForEachAxis) {
  const auto text = [](const std::string& joint) {
    return "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }\n"
           "Robot { name \"r\" boundingObject Sphere { radius 0.1 } physics Physics { density -1 "
           "mass 1e6 } children [ " +
           joint +
           " endPoint Solid { name \"e\" translation 0.3 0 0 boundingObject Sphere { radius 0.1 } "
           "physics Physics { density -1 mass 1 } } } ] }";
  };
  const std::string spring = "springConstant 3 dampingConstant 1 springReference";
  for (const Solver solver : {Solver::Ode, Solver::Tree}) {
    Simulation two = load_with(
        text("Hinge2Joint { jointParameters HingeJointParameters { axis 0 0 1 " + spring +
             " 0.4 } jointParameters2 JointParameters { axis 0 1 0 " + spring + " -0.7 }"),
        solver, Integrator::Ode);
    two.step(3000);
    EXPECT_NEAR(two.joint(0).position(), 0.4, 1e-6);
    EXPECT_NEAR(two.joint(1).position(), -0.7, 1e-6);
    EXPECT_NEAR(two.joint(1).effort(), 0.0, 1e-5);
    Simulation ball = load_with(
        text("BallJoint { jointParameters BallJointParameters { " + spring +
             " 0.25 } jointParameters2 JointParameters { axis 1 0 0 " + spring +
             " -0.35 } jointParameters3 JointParameters { axis 0 0 1 " + spring + " 0.45 }"),
        solver, Integrator::Ode);
    ball.step(4000);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(ball.joint(i).effort(), 0.0, 1e-5) << i;
    }
    EXPECT_NEAR(ball.joint(2).position(), 0.45, 1e-5);
  }
}

TEST(SpringReference, GoesOnFromSavedStates) {
  const std::string text =
      world_text(4.0, 9.81, chain(2, "springConstant 2 springReference 0.7 maxStop 4.5"));
  Simulation simulation = load_with(text, Solver::Tree, Integrator::Joint);
  simulation.step(50);
  expect_goes_on(simulation, 50);
}

}  // namespace spring_reference_test
}  // namespace servosim::test
