// SPDX-License-Identifier: Apache-2.0
// Either solver of the equations of a step agrees with closed forms of mechanics.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "physics/physics_world.h"
#include "sim/world_inspector.h"
#include "support/solver.h"
#include "support/worlds.h"

namespace servosim::test {
namespace tree_solver_test {

class EitherSolver : public testing::TestWithParam<Solver> {
 protected:
  // Checks that the tree solver, if it is the one under test, has solved all of the steps.
  static void expect_solved(const Simulation& simulation, std::uint64_t steps) {
    const auto counts = WorldInspector(simulation).physics().solver_counts();
    ASSERT_EQ(counts.has_value(), GetParam() == Solver::Tree);
    if (counts) {
      EXPECT_EQ(counts->tree, steps) << to_string(*counts);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Each, EitherSolver, testing::Values(Solver::Ode, Solver::Tree),
                         testing::PrintToStringParamName());

struct Link {
  double mass;
  double inertia;  // about y through its centre
  double length;   // from hinge to hinge; the centre is half-way
};

constexpr Link kUpper{1.3, 0.02, 0.4};
constexpr Link kLower{0.7, 0.008, 0.3};

std::string link(const Link& l, const std::string& name, double x, const std::string& children) {
  return fmt::format(
      "Solid {{ name \"{0}\" translation {1} 0 0 children [ {2} ] physics Physics {{ density -1 "
      "mass {3} centerOfMass [ 0 0 0 ] inertiaMatrix [ {4} {4} {4}, 0 0 0 ] }} }}",
      name, x, children, l.mass, l.inertia);
}

// Two links along x hang on hinges about y; z is up.
std::string double_pendulum(double step_ms, double gravity) {
  const auto hinge = [](const char* motor, double anchor, const std::string& end) {
    return fmt::format(
        "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor {} 0 0 }} device "
        "RotationalMotor {{ name \"{}\" maxTorque 1000 maxVelocity 1000 }} endPoint {} }}",
        anchor, motor, end);
  };
  const std::string lower = hinge("elbow", 0.5 * kUpper.length,
                                  link(kLower, "lower", 0.5 * (kUpper.length + kLower.length), ""));
  return fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep {} gravity {} CFM 1e-12 "
      "physicsDisableTime 0 }}\nRobot {{ name \"r\" children [ {} ] }}\n",
      step_ms, gravity, hinge("shoulder", 0.0, link(kUpper, "upper", 0.5 * kUpper.length, lower)));
}

double energy(const Simulation& simulation) {
  const Bodies& bodies = WorldInspector(simulation).physics().bodies();
  double sum = 0.0;
  for (int b = 0; b < 2; ++b) {
    const Link& l = b == 0 ? kUpper : kLower;
    const Body& body = bodies[b];
    const double* v = body.velocity;
    const double* w = body.spin;
    sum += 0.5 * l.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           0.5 * l.inertia * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) +
           l.mass * 9.81 * body.position[2];
  }
  return sum;
}

// Returns the largest energy error within 3 s of a double pendulum that falls from the horizontal,
// relative to the energy that the fall releases.
double worst_energy(double step_ms, Solver solver) {
  Simulation simulation = load(double_pendulum(step_ms, 9.81), solver);
  for (const char* motor : {"shoulder", "elbow"}) {
    simulation.robot("r").motor(motor).set_available_force(0.0);
  }
  const double start = energy(simulation);
  double worst = 0.0;
  for (int n = 0; n < static_cast<int>(3000 / step_ms); ++n) {
    simulation.step();
    worst = std::max(worst, std::abs(energy(simulation) - start));
  }
  return worst / (9.81 * (kUpper.mass * 0.5 * kUpper.length +
                          kLower.mass * (kUpper.length + 0.5 * kLower.length)));
}

// The error of the scheme is of first order in the step. The solver must neither add to it nor
// reduce it.
TEST(TreeSolverEnergy, OfADoublePendulumDriftsAsWithOde) {
  double last = 0.0;
  for (const double step_ms : {1.0, 0.5, 0.25, 0.125}) {
    const double by_ode = worst_energy(step_ms, Solver::Ode);
    const double by_tree = worst_energy(step_ms, Solver::Tree);
    // Three seconds of such a fall multiply rounding by about 1e5.
    EXPECT_NEAR(by_tree, by_ode, 1e-7) << step_ms;
    EXPECT_GT(by_tree, 1e-4) << step_ms;
    if (last > 0.0) {
      EXPECT_NEAR(last / by_tree, 2.0, 0.3) << step_ms;
    }
    last = by_tree;
    RecordProperty(fmt::format("at_{}_ms", step_ms), fmt::format("{} {}", by_ode, by_tree));
  }
  EXPECT_LT(last, 0.02);
}

// The implicit step turns the phase by atan(h·ω) per step with ω = √(k/I). The period is 2π/ω as h
// goes to 0.
TEST_P(EitherSolver, SwingsOnASpringInItsPeriod) {
  OneJoint w;
  w.motor = "maxTorque 0";
  w.parameters = "springConstant 3";
  w.time_step_ms = 4.0;
  Simulation simulation = load(w, GetParam());
  simulation.joint(0).set_state(0.05, 0.0);
  std::vector<double> crossings;  // upward crossings
  double before = 0.05;
  for (int n = 1; n <= 2500; ++n) {
    simulation.step();
    const double now = simulation.joint(0).position();
    if (before < 0.0 && now >= 0.0) {
      crossings.push_back(0.004 * (n - now / (now - before)));
    }
    before = now;
  }
  ASSERT_GE(crossings.size(), 5u);
  const double period =
      (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
  const double natural = std::sqrt(3.0 / inertia(w));
  EXPECT_NEAR(period, 2.0 * std::numbers::pi * 0.004 / std::atan(0.004 * natural), 1e-5);
  expect_solved(simulation, 2500);
}

// Two links at rest without weight accelerate by τ = M(q)·q̈.
TEST_P(EitherSolver, AcceleratesTwoLinksBySaturatedMotors) {
  Simulation simulation = load(double_pendulum(1.0, 0.0), GetParam());
  const double torques[] = {4.0, -0.6};
  const char* const names[] = {"shoulder", "elbow"};
  for (int i = 0; i < 2; ++i) {
    Motor& motor = simulation.robot("r").motor(names[i]);
    motor.set_position(INFINITY);
    motor.set_velocity(std::copysign(900.0, torques[i]));
    motor.set_available_force(std::abs(torques[i]));
  }
  simulation.step();
  const double lower = kLower.inertia + kLower.mass * 0.25 * kLower.length * kLower.length;
  const double both = kLower.mass * kUpper.length * 0.5 * kLower.length;  // the elbow is straight
  const double upper = kUpper.inertia + kUpper.mass * 0.25 * kUpper.length * kUpper.length +
                       kLower.mass * kUpper.length * kUpper.length;
  const double m[2][2] = {{upper + lower + 2.0 * both, lower + both}, {lower + both, lower}};
  const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
  const double expected[] = {(m[1][1] * torques[0] - m[0][1] * torques[1]) / det,
                             (m[0][0] * torques[1] - m[1][0] * torques[0]) / det};
  for (int i = 0; i < 2; ++i) {
    // The hinges yield by 1e-12 of their forces, which is 1e-9 of the rate.
    EXPECT_NEAR(simulation.joint(i).velocity(), 1e-3 * expected[i], 1e-9) << i;
    EXPECT_NEAR(simulation.joint(i).effort(), torques[i], 1e-6) << i;
  }
  expect_solved(simulation, 1);
}

// A motor accelerates a single mass until it reaches the motor's velocity.
TEST_P(EitherSolver, AcceleratesAMassByASaturatedMotor) {
  for (const bool slider : {false, true}) {
    OneJoint w;
    w.slider = slider;
    w.motor = slider ? "maxForce 0.3 maxVelocity 5" : "maxTorque 0.3 maxVelocity 5";
    Simulation simulation = load(w, GetParam());
    Motor& motor = simulation.robot("r").motor("m");
    motor.set_position(INFINITY);
    motor.set_velocity(1.5);
    const double per_step = 0.008 * 0.3 / inertia(w);
    for (int n = 1; n <= 60; ++n) {
      simulation.step();
      // The motor's row yields by 1e-5 of its force.
      ASSERT_NEAR(simulation.joint(0).velocity(), std::min(1.5, n * per_step), 3.1e-6) << n;
    }
    expect_solved(simulation, 60);
  }
}

}  // namespace tree_solver_test
}  // namespace servosim::test
