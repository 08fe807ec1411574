// SPDX-License-Identifier: Apache-2.0
// Worlds of the two examples of the Servo documentation: Serial Servos and Overlayed Joint Axes.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "servosim/solid.h"
#include "support/solver.h"

namespace servosim::test {
namespace servo_worlds_test {

constexpr double kG = 9.81;

Simulation world(const std::string& name) {
  LoadOptions options;
  options.solver = solver_of_tests();
  options.notice = [](std::string_view message) { throw std::runtime_error(std::string(message)); };
  Simulation simulation(std::string(SERVOSIM_WORLDS_DIR) + '/' + name, std::move(options));
  EXPECT_TRUE(simulation.diagnostics().empty()) << to_string(simulation.diagnostics().front());
  return simulation;
}

// servo-node.md, "Serial Servos": a motor controls the rest position of a spring.
TEST(SerialServos, TheMotorMovesWhereTheSpringRests) {
  Simulation simulation = world("serial_servos.wbt");
  Motor& motor = simulation.robot("serial").motor("motor");
  const int carriage = simulation.joint("motor").index();
  const int spring = simulation.joint("spring").index();
  for (const double target : {0.25, -0.05}) {
    motor.set_position(target);
    simulation.step(600);
    // Spring and weight are in balance at p = -m·g/k. The bodies fall asleep one second after they
    // are slower than 0.01 m/s. The damper's exp(-6·t) leaves 2e-6 m of that, which is 2e-4 N.
    EXPECT_NEAR(simulation.joint(carriage).position(), target, 2e-5);
    EXPECT_NEAR(simulation.joint(spring).position(), -0.5 * kG / 80.0, 5e-6);
    EXPECT_NEAR(simulation.joint(spring).effort(), 0.5 * kG, 5e-4) << "the spring bears its mass";
    EXPECT_NEAR(simulation.joint(carriage).effort(), (0.5 + 0.8) * kG, 5e-4) << "the motor both";
    EXPECT_NEAR(simulation.solid("spring").pose().translation.y,
                0.3 + 0.4 + target - 0.5 * kG / 80.0, 2e-5);
  }
}

// The spring and the weight answer a step of the motor with a damped oscillation.
TEST(SerialServos, TheWeightSwingsAboutItsNewPlace) {
  Simulation simulation = world("serial_servos.wbt");
  Motor& motor = simulation.robot("serial").motor("motor");
  const int spring = simulation.joint("spring").index();
  motor.set_position(0.0);
  simulation.step(600);
  const double rest = simulation.joint(spring).position();
  motor.set_position(0.25);
  double lowest = 0.0;
  double highest = -1.0;
  for (int n = 0; n < 200; ++n) {
    simulation.step();
    lowest = std::min(lowest, simulation.joint(spring).position());
    highest = std::max(highest, simulation.joint(spring).position());
  }
  EXPECT_LT(lowest, rest - 0.01) << "it lags behind the motor";
  EXPECT_GT(highest, rest + 0.002) << "and overshoots";
}

// servo-node.md, "Simulating Overlayed Joint Axes".
TEST(PanTilt, TheAxesReachTheirTargetsIndependently) {
  Simulation simulation = world("pan_tilt.wbt");
  const int pan = simulation.joint("pan").index();
  const int tilt = simulation.joint("tilt").index();
  for (const auto& [p, t] : {std::pair{0.9, 0.4}, {-1.2, 0.4}, {-1.2, -0.6}}) {
    simulation.robot("head").motor("pan").set_position(p);
    simulation.robot("head").motor("tilt").set_position(t);
    simulation.step(400);
    EXPECT_NEAR(simulation.joint(pan).position(), p, 1e-4);
    EXPECT_NEAR(simulation.joint(tilt).position(), t, 1e-4);
    // The head pans about y and then tilts about the x axis, which pan carries.
    const Mat3 r = simulation.solid("tilt").pose().rotation;
    const Mat3 expected = rotation_matrix({{0, 1, 0}, p}) * rotation_matrix({{1, 0, 0}, t});
    for (int k = 0; k < 9; ++k) {
      EXPECT_NEAR(r.m[k], expected.m[k], 3e-4) << k;
    }
    const Vec3 cross = simulation.solid("tilt").pose().translation - Vec3{0, 0.5, 0};
    EXPECT_NEAR(norm(cross), 0.0, 1e-3) << "the axes cross";
  }
}

TEST(PanTilt, OneAxisStandsStillWhileTheOtherMoves) {
  Simulation simulation = world("pan_tilt.wbt");
  simulation.robot("head").motor("tilt").set_position(0.3);
  simulation.step(300);
  simulation.robot("head").motor("pan").set_position(1.1);
  for (int n = 0; n < 200; ++n) {
    simulation.step();
    ASSERT_NEAR(simulation.joint("tilt").position(), 0.3, 2e-3) << n;
  }
  EXPECT_NEAR(simulation.joint("pan").position(), 1.1, 1e-3);
}

// Each leg is a loop over the floor. Friction that depends on the load of the gears must not take
// the stiffness of the contacts for a mass, which held the knees of the tree solver straight.
TEST(Biped, BendsItsKneesWithEachSolverAndIntegrator) {
  const auto knee = [](Solver solver, Integrator integrator, double& height) {
    LoadOptions options;
    options.solver = solver;
    options.integrator = integrator;
    Simulation simulation(std::string(SERVOSIM_WORLDS_DIR) + "/biped.wbt", std::move(options));
    Robot& biped = simulation.robot("biped");
    for (const std::string side : {"left_", "right_"}) {
      biped.motor(side + "hip_pitch").set_position(-0.3);
      biped.motor(side + "knee").set_position(0.6);
      biped.motor(side + "ankle").set_position(-0.3);
    }
    simulation.step(125);
    height = simulation.solid("biped").pose().translation.z;
    return simulation.joint("left_knee").position();
  };
  double height = 0.0;
  const double expected = knee(Solver::Ode, Integrator::Ode, height);
  EXPECT_NEAR(expected, 0.6, 0.05);
  for (const Integrator integrator : {Integrator::Ode, Integrator::Joint}) {
    double other = 0.0;
    EXPECT_NEAR(knee(Solver::Tree, integrator, other), expected, 0.01);
    EXPECT_NEAR(other, height, 0.001);
  }
}

}  // namespace servo_worlds_test
}  // namespace servosim::test
