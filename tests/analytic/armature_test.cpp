// SPDX-License-Identifier: Apache-2.0
// The armature of a joint is a mass on the diagonal of the mass matrix: (M + a)·q'' = Q.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>

#include "analytic/joint_worlds.h"
#include "analytic/scheme.h"
#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "support/case_names.h"
#include "support/worlds.h"
#include "wbt/world_file.h"

namespace servosim::test {
namespace armature_test {

using namespace joint_worlds;

struct Case {
  bool slider;
  bool heavy_parent;
  Solver solver;

  friend void PrintTo(const Case& c, std::ostream* out) {
    *out << case_name(fmt::format("{}{}_{}", joint_word(c.slider), parent_word(c.heavy_parent),
                                  c.solver == Solver::Ode ? "ode" : "tree"));
  }
};

Simulation load_ode(const std::string& text, Solver solver) {
  LoadOptions options;
  options.solver = solver;
  options.notice = [](std::string_view message) { ADD_FAILURE() << message; };
  Simulation simulation = Simulation::from_text(text, options);
  for (const Diagnostic& diagnostic : simulation.diagnostics()) {
    ADD_FAILURE() << to_string(diagnostic);
  }
  return simulation;
}

class Armature : public testing::TestWithParam<Case> {};

// (m + a)·(v⁺ − v)/h = −k·(p + h·v⁺) − d·v⁺. The effort is what accelerates the mass and the
// armature.
TEST_P(Armature, IsAMassOfTheImplicitStep) {
  const Case& c = GetParam();
  constexpr double kArmature = 0.7;
  for (const auto& [k, d] : {std::array{0.0, 0.0}, std::array{13.0, 0.9}, std::array{40.0, 6.0}}) {
    OneJoint w;
    w.slider = c.slider;
    w.heavy_parent = c.heavy_parent;
    w.parameters = fmt::format("position 0.4 armature {} springConstant {} dampingConstant {}",
                               kArmature, k, d);
    Simulation simulation = load_ode(world_text(w), c.solver);
    Motor& motor = simulation.robot("r").motor("m");
    const double h = 0.008;
    const double m = inertia(w) + kArmature;
    const double force = 0.375;
    double p = 0.4;
    double v = 0.0;
    for (int n = 0; n < 200; ++n) {
      motor.set_force(force);
      const double before = v;
      v = (m * v + h * force - h * k * p) / (m + h * h * k + h * d);
      p += h * v;
      simulation.step();
      // ODE's small-angle rotation loses (h·v)³/12 a step.
      ASSERT_NEAR(simulation.joint(0).position(), p, c.slider ? 2e-8 : 2e-5) << n;
      ASSERT_NEAR(simulation.joint(0).velocity(), v, c.slider ? 2e-8 : 2e-4) << n;
      ASSERT_NEAR(simulation.joint(0).effort(), m * (v - before) / h, c.slider ? 1e-5 : 2e-2) << n;
    }
  }
}

// A motor that accelerates the joint also accelerates the armature.
TEST_P(Armature, TakesItsShareOfTheMotorsForce) {
  const Case& c = GetParam();
  OneJoint w;
  w.slider = c.slider;
  w.heavy_parent = c.heavy_parent;
  w.parameters = "armature 0.7";
  w.motor = c.slider ? "maxForce 3 maxVelocity 100" : "maxTorque 3 maxVelocity 100";
  Simulation simulation = load_ode(world_text(w), c.solver);
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(std::numeric_limits<double>::infinity());
  motor.set_velocity(50.0);
  simulation.step();
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.008 * 3.0 / (inertia(w) + 0.7), 1e-8);
  EXPECT_NEAR(simulation.joint(0).effort(), 3.0, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    KindsAndSolvers, Armature,
    testing::Values(Case{false, false, Solver::Ode}, Case{false, true, Solver::Ode},
                    Case{true, false, Solver::Ode}, Case{true, true, Solver::Ode},
                    Case{false, false, Solver::Tree}, Case{false, true, Solver::Tree},
                    Case{true, false, Solver::Tree}, Case{true, true, Solver::Tree}),
    testing::PrintToStringParamName());

// Returns the time between the first and the last of `count` crossings of the lowest place, upwards
// [s]. A rod of chain() is horizontal at 0 and hangs at π/2.
double time_of_swings(Simulation& simulation, double amplitude, int count) {
  Joint joint = simulation.joint("r/m1");
  const auto from_rest = [&joint] { return joint.position() - 0.5 * std::numbers::pi; };
  joint.set_state(0.5 * std::numbers::pi + amplitude, 0.0);
  double first = 0.0;
  for (int crossings = 0;;) {
    const double before = from_rest();
    const double time = simulation.time();
    simulation.step();
    if (before < 0.0 && from_rest() >= 0.0) {
      const double at = time - before / (from_rest() - before) * (simulation.time() - time);
      first = crossings == 0 ? at : first;
      if (++crossings > count) {
        return at - first;
      }
    }
  }
}

constexpr double kRotor = 0.125;  // [kg·m²]; the rod has 0.083

// T = 2π·√((J + a)/(m·g·r)), and 1 + φ²/16 times as long for a small amplitude φ.
TEST(Armature, LengthensThePeriodOfAPendulum) {
  constexpr double kAmplitude = 0.1;
  const double inertia = kRodInertia + kRodMass * 0.25 * kRod * kRod + kRotor;
  const double period = 2.0 * std::numbers::pi * std::sqrt(inertia / (kRodMass * 9.81 * 0.25)) *
                        (1.0 + kAmplitude * kAmplitude / 16.0);
  const std::string text = world_text(1.0, 9.81, chain(1, fmt::format("armature {}", kRotor)));
  const auto relative_error = [&](Simulation simulation) {
    simulation.robot("r").motor("m1").set_available_force(0.0);
    return time_of_swings(simulation, kAmplitude, 5) / (5.0 * period) - 1.0;
  };
  EXPECT_NEAR(relative_error(load_joint_world(text)), 0.0, 2e-6);
  EXPECT_NEAR(relative_error(load_joint_world(text, 1)), 0.0, 2e-5);
  EXPECT_NEAR(relative_error(load_ode(text, Solver::Tree)), 0.0, 2e-5);
  EXPECT_NEAR(relative_error(load_ode(text, Solver::Ode)), 0.0, 2e-5);
}

using State = std::array<double, 4>;  // q1, q2, q1', q2'

// Returns the change of the state of two rods of chain(), which turn down about y. With r = l/2,
// the distance of a rod's centre from its hinge, c₂ = cos q₂ and s₂ = sin q₂,
//
//     M₂₂ = I + m·r²,    M₁₂ = M₂₂ + m·l·r·c₂,    M₁₁ = 2·M₂₂ + m·l² + 2·m·l·r·c₂
//     (M + diag(a))·q'' = (g₁ + m·l·r·s₂·(2·q₁' + q₂')·q₂', g₂ − m·l·r·s₂·q₁'²)
State slope_of_two_rods(const State& s, double armature1, double armature2) {
  const double r = 0.5 * kRod;
  const double g = 9.81;
  const double c2 = std::cos(s[1]);
  const double s2 = std::sin(s[1]);
  const double m22 = kRodInertia + kRodMass * r * r;
  const double m12 = m22 + kRodMass * kRod * r * c2;
  const double m11 = m22 + m22 + kRodMass * kRod * kRod + 2.0 * kRodMass * kRod * r * c2;
  const double bend = kRodMass * kRod * r * s2;
  const double g2 = kRodMass * g * r * std::cos(s[0] + s[1]);
  const double g1 = kRodMass * g * (r + kRod) * std::cos(s[0]) + g2;
  const auto a = solve<2>({{{m11 + armature1, m12}, {m12, m22 + armature2}}},
                          {g1 + bend * (2.0 * s[2] * s[3] + s[3] * s[3]), g2 - bend * s[2] * s[2]});
  return {s[2], s[3], a[0], a[1]};
}

State after(State s, double time, double armature1, double armature2) {
  const double h = 1e-4;
  const auto moved = [](const State& from, double by, const State& slope) {
    State to = from;
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] += by * slope[i];
    }
    return to;
  };
  const auto slope = [&](const State& at) { return slope_of_two_rods(at, armature1, armature2); };
  for (int n = 0; n < static_cast<int>(std::lround(time / h)); ++n) {
    const State k1 = slope(s);
    const State k2 = slope(moved(s, 0.5 * h, k1));
    const State k3 = slope(moved(s, 0.5 * h, k2));
    const State k4 = slope(moved(s, h, k3));
    s = moved(moved(moved(moved(s, h / 6.0, k1), h / 3.0, k2), h / 3.0, k3), h / 6.0, k4);
  }
  return s;
}

// Lagrange's equations of two rods by the Runge-Kutta method of order 4, whose step of 0.1 ms has
// no visible error. The midpoint rule is of second order.
TEST(Armature, IsOnTheDiagonalOfTheMassMatrix) {
  const State start{0.3, -0.8, 0.0, 1.5};
  const State wanted = after(start, 0.512, kRotor, 0.03);
  double last_error = 0.0;
  for (const double step_ms : {4.0, 2.0, 1.0}) {
    std::string text = chain(2, "armature 0.125");
    text.replace(text.rfind("0.125"), 5, "0.03");
    Simulation simulation = load_joint_world(world_text(step_ms, 9.81, text));
    for (const char* const name : {"m1", "m2"}) {
      simulation.robot("r").motor(name).set_available_force(0.0);
    }
    simulation.joint("r/m1").set_state(start[0], start[2]);
    simulation.joint("r/m2").set_state(start[1], start[3]);
    simulation.step(static_cast<std::int64_t>(512.0 / step_ms));
    const double error = std::hypot(simulation.joint("r/m1").position() - wanted[0],
                                    simulation.joint("r/m2").position() - wanted[1]);
    EXPECT_LT(error, 1e-5 * step_ms * step_ms) << step_ms;
    if (last_error > 0.0) {
      EXPECT_NEAR(std::log2(last_error / error), 2.0, 0.2) << step_ms;
    }
    last_error = error;
  }
  EXPECT_GT(std::hypot(wanted[0] - start[0], wanted[1] - start[1]), 0.5);
}

// An armature dictates no rate, so it does not end the balance of energy, in which it has a part.
TEST(Armature, KeepsItsEnergy) {
  for (const double armature : {1e-9, 0.02}) {
    Simulation simulation =
        load_joint_world(world_text(16.0, 9.81, chain(3, fmt::format("armature {}", armature))));
    for (const char* const name : {"m1", "m2", "m3"}) {
      simulation.robot("r").motor(name).set_available_force(0.0);
    }
    const auto whole_energy = [&simulation, armature] {
      double sum = energy(simulation);
      for (const char* const name : {"r/m1", "r/m2", "r/m3"}) {
        const double rate = simulation.joint(name).velocity();
        sum += 0.5 * armature * rate * rate;
      }
      return sum;
    };
    const double start = whole_energy();
    double worst = 0.0;
    double fastest = 0.0;
    while (simulation.time() < 10.0 - 1e-6) {
      simulation.step();
      worst = std::max(worst, std::abs(whole_energy() - start) / depth_of(3));
      fastest = std::max(fastest, std::abs(simulation.joint("r/m3").velocity()));
    }
    EXPECT_LT(worst, 1e-9) << armature;
    EXPECT_GT(fastest, 5.0) << armature;
  }
}

// Nothing holds the robot, so that its momentum stays: the armature is between its two parts.
TEST(Armature, TurnsBothSidesOfItsJoint) {
  const auto text = [](double armature) {
    return fmt::format(
        "#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 4 gravity 0 physicsDisableTime 0 }}\n"
        "Robot {{ name \"r\" children [ HingeJoint {{ jointParameters HingeJointParameters {{ axis "
        "0 0 1 armature {} }} device RotationalMotor {{ name \"m\" maxTorque 100 }} endPoint Solid "
        "{{ name \"s\" physics Physics {{ density -1 mass 2 centerOfMass [ 0 0 0 ] inertiaMatrix [ "
        "0.3 0.3 0.3, 0 0 0 ] }} }} }} ] physics Physics {{ density -1 mass 3 centerOfMass [ 0 0 0 "
        "] inertiaMatrix [ 0.6 0.6 0.6, 0 0 0 ] }} }}",
        armature);
  };
  for (const bool is_joint : {false, true}) {
    Simulation simulation =
        is_joint ? load_joint_world(text(0.4)) : load_ode(text(0.4), Solver::Tree);
    simulation.robot("r").motor("m").set_force(1.5);
    simulation.step();
    // The reduced inertia of both sides is 0.2 kg·m².
    EXPECT_NEAR(simulation.joint("r/m").velocity(), 0.004 * 1.5 / (0.2 + 0.4), 1e-10);
    EXPECT_NEAR(simulation.solid("s").velocity().angular.z * 0.3,
                -simulation.solid("r").velocity().angular.z * 0.6, 1e-12);
  }
}

TEST(Armature, GoesOnFromSavedStates) {
  const std::string text =
      world_text(4.0, 9.81, chain(3, "armature 0.05 springConstant 2 dampingConstant 0.02"));
  for (const int evaluations : {0, 1, 2}) {
    Simulation simulation = load_joint_world(text, evaluations);
    simulation.step(50);
    expect_goes_on(simulation, 50);
  }
  for (const Solver solver : {Solver::Ode, Solver::Tree}) {
    Simulation simulation = load_ode(text, solver);
    simulation.step(50);
    expect_goes_on(simulation, 50);
  }
}

// An edit of the field, as by a supervisor, keeps the motion and changes what accelerates it.
TEST(Armature, ChangesWithItsField) {
  const auto text = [](double armature) {
    OneJoint w;
    w.slider = true;
    w.parameters = fmt::format("armature {}", armature);
    return world_text(w);
  };
  for (const Solver solver : {Solver::Ode, Solver::Tree}) {
    Simulation simulation = load_ode(text(0.5), solver);
    Motor& motor = simulation.robot("r").motor("m");
    motor.set_force(3.0);
    simulation.step(10);
    const double before = 0.08 * 3.0 / (2.0 + 0.5);
    EXPECT_NEAR(simulation.joint(0).velocity(), before, 1e-9);
    Diagnostics diagnostics;
    WorldControl(simulation)
        .rebuild(std::make_shared<const wbt::WorldFile>(
            wbt::read_world_text(text(4.0), "world", ".", {}, diagnostics)));
    EXPECT_NEAR(simulation.joint(0).velocity(), before, 1e-9);
    simulation.step(10);
    EXPECT_NEAR(simulation.joint(0).velocity(), before + 0.08 * 3.0 / (2.0 + 4.0), 1e-8);
  }
}

// The rotor of a servo and the armature of its joint add up.
TEST(Armature, AddsToThatOfAServo) {
  const auto text = [](double of_joint, double of_servo) {
    return world_text(
        2.0, 9.81,
        fmt::format(
            "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 armature {} }} "
            "device "
            "RotationalMotor {{ name \"m\" servo \"XL330-M288-T friction.coulomb=0 "
            "friction.stribeck=0 friction.external=0 friction.motor=0 friction.external_stribeck=0 "
            "friction.motor_stribeck=0 drive.armature={}\" }} endPoint Solid {{ translation 0.05 0 "
            "0 physics Physics {{ density -1 mass 0.2 centerOfMass [ 0 0 0 ] inertiaMatrix [ 1e-4 "
            "1e-4 1e-4, 0 0 0 ] }} }} }}",
            of_joint, of_servo));
  };
  const auto compare = [](Simulation apart, Simulation together) {
    for (Simulation* const simulation : {&apart, &together}) {
      simulation->robot("r").motor("m").set_position(0.7);
    }
    for (int n = 0; n < 300; ++n) {
      apart.step();
      together.step();
      ASSERT_NEAR(apart.joint("r/m").position(), together.joint("r/m").position(), 1e-7) << n;
    }
    EXPECT_NEAR(apart.joint("r/m").position(), 0.7, 0.3);
  };
  compare(load_joint_world(text(0.0075, 0.0025)), load_joint_world(text(0.0, 0.01)));
  for (const Solver solver : {Solver::Ode, Solver::Tree}) {
    compare(load_ode(text(0.0075, 0.0025), solver), load_ode(text(0.0, 0.01), solver));
  }
}

}  // namespace armature_test
}  // namespace servosim::test
