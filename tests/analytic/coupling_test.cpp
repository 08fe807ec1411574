// SPDX-License-Identifier: Apache-2.0
// Couplings of joints are rows of the solver: gears, differentials and fingers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "analytic/joint_worlds.h"
#include "physics/bodies.h"
#include "servosim/batch.h"
#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "servosim/solid.h"
#include "sim/world_inspector.h"

namespace servosim::test {
namespace coupling_test {

using namespace joint_worlds;

/// How a world moves.
struct Scheme {
  const char* name;
  bool is_joint;
  int evaluations;

  friend void PrintTo(const Scheme& s, std::ostream* out) { *out << s.name; }
};

Simulation load_scheme(const std::string& text, const Scheme& scheme) {
  if (scheme.is_joint) {
    return load_joint_world(text, scheme.evaluations);
  }
  LoadOptions options;
  options.solver = Solver::Tree;
  options.integrator = Integrator::Ode;
  options.notice = [](std::string_view message) {
    // Steps of 32 ms lose energy with the integrator ODE, as they do without couplings.
    EXPECT_NE(message.find("of its energy per step"), std::string_view::npos) << message;
  };
  Simulation simulation = Simulation::from_text(text, options);
  for (const Diagnostic& diagnostic : simulation.diagnostics()) {
    ADD_FAILURE() << to_string(diagnostic);
  }
  return simulation;
}

class Coupling : public testing::TestWithParam<Scheme> {
 protected:
  static Simulation load(const std::string& text) { return load_scheme(text, GetParam()); }
};

// One evaluation keeps no momentum, with or without couplings.
class CouplingOfAFreeRobot : public Coupling {};

constexpr double kWheel = 0.02;  // inertia of a wheel about its axis [kg·m²]

// Returns a wheel about y at x.
std::string wheel(const std::string& name, double x, const std::string& parameters,
                  double inertia = kWheel, double out_of_axis = 0.0) {
  return fmt::format(
      "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor {0} 0 0 {2} }} "
      "device RotationalMotor {{ name \"{1}\" maxTorque 100 maxVelocity 1000 }} endPoint Solid {{ "
      "name \"s{1}\" translation {0} 0 0 physics Physics {{ density -1 mass 1 centerOfMass [ {4} 0 "
      "0 ] inertiaMatrix [ {3} {3} {3}, 0 0 0 ] }} }} }} ",
      x, name, parameters, inertia, out_of_axis);
}

void release(Simulation& simulation, std::initializer_list<const char*> motors) {
  for (const char* const motor : motors) {
    simulation.robot("r").motor(motor).set_available_force(0.0);
  }
}

// With q_a = 5·q_b, a torque τ on a moves b by the reduced inertia J_b + 25·J_a:
// (J_b + 25·J_a)·q_b'' = 5·τ.
TEST_P(Coupling, GearHasTheReducedInertia) {
  Simulation simulation =
      load(world_text(4.0, 9.81, wheel("a", 0.0, "coupling \"5 b\"") + wheel("b", 0.5, "", 0.3)));
  release(simulation, {"b"});
  const double torque = 0.7;
  const double slow = 5.0 * torque / (0.3 + 25.0 * kWheel);
  for (int n = 1; n <= 100; ++n) {
    simulation.robot("r").motor("a").set_force(torque);
    simulation.step();
    const double a = simulation.joint("r/a").velocity();
    const double b = simulation.joint("r/b").velocity();
    // Bodies of ODE turn by 2·atan(h·ω/2) in a step, which the coupling makes up for in positions.
    ASSERT_NEAR(b, slow * 0.004 * n, GetParam().is_joint ? 1e-10 : 2e-4 * n * slow) << n;
    ASSERT_NEAR(a, 5.0 * b, GetParam().is_joint ? 1e-11 : 1e-3) << n;
    ASSERT_NEAR(simulation.joint("r/a").position(), 5.0 * simulation.joint("r/b").position(), 1e-12)
        << n;
  }
}

// Returns a robot that flies, with a wheel about y.
std::string flier(const std::string& name, double z, const std::string& motor,
                  const std::string& parameters, double base, double inertia) {
  return fmt::format(
      "Robot {{ name \"{0}\" translation 0 0 {1} children [ {2} ] physics Physics {{ density -1 "
      "mass 2 centerOfMass [ 0 0 0 ] inertiaMatrix [ {3} {3} {3}, 0 0 0 ] }} }}\n",
      name, z, wheel(motor, 0.0, parameters, inertia), base);
}

double spin_of(const Simulation& simulation, std::size_t body) {
  return WorldInspector(simulation).physics().bodies()[static_cast<int>(body)].spin[1];
}

// Two robots that fly, whose wheels are coupled. The coupling turns each wheel against its own
// base, so each robot keeps its momentum, and λ and 5·λ are what the wheels get: with the motor's
// torque τ on a, J_a·ω_a = (τ + λ)·t and J_b·ω_b = −5·λ·t for q_a = 5·q_b.
TEST_P(Coupling, GearCarriesFiveTimesTheTorqueWithReactionsAtBothBases) {
  constexpr double kBaseA = 0.11;
  constexpr double kBaseB = 0.4;
  constexpr double kB = 0.3;
  const double h = 0.002;
  Simulation simulation =
      load("#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 2 gravity 0 physicsDisableTime 0 }\n" +
           flier("one", 0.0, "a", "coupling \"5 other/b\"", kBaseA, kWheel) +
           flier("other", 3.0, "b", "", kBaseB, kB));
  simulation.robot("other").motor("b").set_available_force(0.0);
  const double torque = 0.05;
  for (int n = 1; n <= 200; ++n) {
    simulation.robot("one").motor("a").set_force(torque);
    simulation.step();
    // In the order of the file: base, wheel, base, wheel.
    const double of_a = kWheel * spin_of(simulation, 1);
    const double of_b = kB * spin_of(simulation, 3);
    ASSERT_NEAR(kBaseA * spin_of(simulation, 0) + of_a, 0.0, 1e-12) << n;
    ASSERT_NEAR(kBaseB * spin_of(simulation, 2) + of_b, 0.0, 1e-12) << n;
    ASSERT_NEAR(of_b, 5.0 * (torque * h * n - of_a), 1e-12) << n;
    ASSERT_GT(of_b, 0.0) << n;
    ASSERT_NEAR(simulation.joint("one/a").position(), 5.0 * simulation.joint("other/b").position(),
                1e-12)
        << n;
  }
}

// On a robot that flies and tumbles, the joints of a coupling are internal: its momentum stays, and
// so does its angular momentum but for the error of the integrator: the motor gives its wheel up to
// 0.5·0.3 kg·m²/s.
TEST_P(CouplingOfAFreeRobot, KeepsItsMomentum) {
  const std::string text = fmt::format(
      "#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 1 gravity 0 physicsDisableTime 0 }}\n"
      "Robot {{ name \"r\" children [ {} {} ] physics Physics {{ density -1 mass 2 centerOfMass [ "
      "0 "
      "0 0 ] inertiaMatrix [ 0.1 0.1 0.1, 0 0 0 ] }} }}\n",
      wheel("a", 0.3, "coupling \"-3 b\"", 0.02, 0.1), wheel("b", -0.4, "", 0.05, -0.2));
  Simulation simulation = load(text);
  release(simulation, {"b"});
  double most_angular = 0.0;
  for (int n = 1; n <= 300; ++n) {
    simulation.robot("r").motor("a").set_force(0.5);
    simulation.step();
    Vec3 sum;
    Vec3 angular;
    const std::array<double, 3> mass{2.0, 1.0, 1.0};
    const std::array<double, 3> inertia{0.1, 0.02, 0.05};
    for (std::size_t b = 0; b < mass.size(); ++b) {
      const Body& body = WorldInspector(simulation).physics().bodies()[static_cast<int>(b)];
      const auto vector = [](const double* v) { return Vec3{v[0], v[1], v[2]}; };
      sum = sum + mass[b] * vector(body.velocity);
      angular = angular + inertia[b] * vector(body.spin) +
                mass[b] * cross(vector(body.position), vector(body.velocity));
    }
    most_angular = std::max(most_angular, norm(angular));
    // In coordinates, a robot that is not solved alone keeps it to the order of the midpoint rule.
    ASSERT_LT(norm(sum), GetParam().is_joint ? 1e-6 : 1e-12) << n;
  }
  EXPECT_LT(most_angular, GetParam().is_joint ? 3e-7 : 1e-6);
  EXPECT_GT(std::abs(simulation.joint("r/b").position()), 0.1);
}

// 2·q_c = q_a + q_b: with λ on c, both wheels get λ/2, and
// J_a·q_a'' = λ/2, J_b·q_b'' = λ/2, J_c·q_c'' = τ − λ.
TEST_P(Coupling, DifferentialSharesTheTorque) {
  constexpr double kA = 0.02;
  constexpr double kB = 0.05;
  constexpr double kC = 0.01;
  Simulation simulation = load(world_text(1.0, 9.81,
                                          wheel("c", 0.0, "coupling \"0.5 a + 0.5 b\"", kC) +
                                              wheel("a", 1.0, "", kA) + wheel("b", 2.0, "", kB)));
  release(simulation, {"a", "b"});
  const double torque = 0.3;
  const double load = torque / (1.0 + 0.25 * kC * (1.0 / kA + 1.0 / kB));
  for (int n = 1; n <= 50; ++n) {
    simulation.robot("r").motor("c").set_force(torque);
    simulation.step();
    const double t = 0.001 * n;
    const double tolerance = GetParam().is_joint ? 1e-10 : 1e-5;
    ASSERT_NEAR(simulation.joint("r/a").velocity(), 0.5 * load / kA * t, tolerance);
    ASSERT_NEAR(simulation.joint("r/b").velocity(), 0.5 * load / kB * t, tolerance);
    ASSERT_NEAR(simulation.joint("r/c").velocity(), (torque - load) / kC * t, tolerance);
    ASSERT_NEAR(2.0 * simulation.joint("r/c").position(),
                simulation.joint("r/a").position() + simulation.joint("r/b").position(), 1e-12);
  }
}

// A rack moves a pinion of the radius r: x = r·q, and (m + J/r²)·x'' = F + τ/r.
TEST_P(Coupling, RackAndPinionMixUnits) {
  constexpr double kRadius = 0.05;
  constexpr double kMass = 2.0;
  Simulation simulation = load(world_text(
      2.0, 0.0,
      fmt::format(
          "SliderJoint {{ jointParameters JointParameters {{ axis 1 0 0 coupling \"{} "
          "pinion\" }} device LinearMotor {{ name \"rack\" maxForce 100 maxVelocity 1000 }} "
          "endPoint Solid {{ name \"bar\" translation 0 2 0 physics Physics {{ density -1 "
          "mass {} centerOfMass [ 0 0 0 ] inertiaMatrix [ 1 1 1, 0 0 0 ] }} }} }} ",
          kRadius, kMass) +
          wheel("pinion", 0.0, "")));
  const double force = 3.0;
  const double torque = -0.05;
  const double acceleration = (force + torque / kRadius) / (kMass + kWheel / (kRadius * kRadius));
  for (int n = 1; n <= 200; ++n) {
    simulation.robot("r").motor("rack").set_force(force);
    simulation.robot("r").motor("pinion").set_force(torque);
    simulation.step();
    const double x = simulation.joint("r/rack").position();
    ASSERT_NEAR(x, kRadius * simulation.joint("r/pinion").position(), 1e-12) << n;
    ASSERT_NEAR(simulation.joint("r/rack").velocity(), acceleration * 0.002 * n,
                GetParam().is_joint ? 1e-10 : 1e-4)
        << n;
  }
}

// A motor turns the first joint of a finger, two others follow, and its tip lifts a load on a
// slider. Between two places where all is at rest, the work of the motor is that of the load's
// spring: (τ₁ + τ₂)/2·Δq = (F₁ + F₂)/2·Δx, but for a term of third order.
TEST_P(Coupling, FingerOfThreeJointsLiftsAnObject) {
  const auto phalanx = [](int number, const std::string& coupling, const std::string& children) {
    return fmt::format(
        "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 -1 0 anchor {0} 0 0 "
        "dampingConstant 0.05 {1} }} device RotationalMotor {{ name \"m{2}\" maxTorque 100 }} "
        "endPoint Solid {{ name \"s{2}\" translation {0} 0 0 children [ {3} ] boundingObject Pose "
        "{{ "
        "translation 0.04 0 0 children [ Capsule {{ radius 0.008 height 0.05 }} ] rotation 0 1 0 "
        "1.5708 }} physics Physics {{ density -1 mass 0.02 centerOfMass [ 0.03 0 0 ] inertiaMatrix "
        "[ "
        "1e-5 1e-5 1e-5, 0 0 0 ] }} }} }} ",
        number == 1 ? 0.0 : 0.07, coupling, number, children);
  };
  const std::string text =
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 2 gravity 0 physicsDisableTime 0 "
      "contactProperties ContactProperties { coulombFriction 0 bounce 0 softCFM 1e-7 } }\n"
      "Robot { name \"r\" children [ " +
      phalanx(1, "", phalanx(2, "coupling \"0.8 m1\"", phalanx(3, "coupling \"0.6 m1\"", ""))) +
      "] }\nRobot { name \"object\" translation 0.16 0 0.05 children [ SliderJoint { "
      "jointParameters JointParameters { axis 0 0 1 springConstant 20 dampingConstant 5 } device "
      "PositionSensor { name \"x\" } endPoint Solid { name \"box\" boundingObject Box { size 0.5 "
      "0.1 "
      "0.02 } physics Physics { density -1 mass 0.1 } } } ] }\n";
  Simulation simulation = load(text);
  release(simulation, {"m2", "m3"});
  std::array<double, 2> q{};
  std::array<double, 2> x{};
  const std::array<double, 2> torque{0.1, 0.11};
  for (std::size_t i = 0; i < q.size(); ++i) {
    for (int n = 0; n < 4000; ++n) {
      simulation.robot("r").motor("m1").set_force(torque[i]);
      simulation.step();
    }
    q[i] = simulation.joint("r/m1").position();
    x[i] = simulation.joint("object/x").position();
    EXPECT_NEAR(simulation.joint("r/m2").position(), 0.8 * q[i], 1e-12);
    EXPECT_NEAR(simulation.joint("r/m3").position(), 0.6 * q[i], 1e-12);
    EXPECT_NEAR(simulation.joint("r/m1").velocity(), 0.0, 1e-7);
  }
  EXPECT_GT(x[0], 0.005);
  const double work = 0.5 * (torque[0] + torque[1]) * (q[1] - q[0]);
  EXPECT_NEAR(0.5 * 20.0 * (x[1] * x[1] - x[0] * x[0]) / work, 1.0, 2e-3);
}

// Two pendulums swing and turn over for a minute, in steps of 32 ms.
TEST_P(Coupling, KeepsItsRatioToRounding) {
  Simulation simulation =
      load(world_text(32.0, 9.81,
                      wheel("a", 0.0, "position 0.6 coupling \"-2.5 b + 0.6\"", 0.02, 0.3) +
                          wheel("b", 1.0, "", 0.05, -0.25)));
  release(simulation, {"a", "b"});
  double furthest = 0.0;
  for (int n = 1; n <= 1875; ++n) {
    simulation.step();
    const double a = simulation.joint("r/a").position();
    const double b = simulation.joint("r/b").position();
    ASSERT_NEAR(a, -2.5 * b + 0.6, 1e-11) << n;
    furthest = std::max(furthest, std::abs(b));
  }
  EXPECT_GT(furthest, 0.5);
}

// With b held, a torque τ on a winds the coupling up by τ·compliance.
TEST_P(Coupling, YieldsByItsCompliance) {
  Simulation simulation = load(
      world_text(2.0, 0.0,
                 wheel("a", 0.0, "dampingConstant 0.3 coupling \"2 b\" couplingCompliance 0.05") +
                     wheel("b", 1.0, "")));
  for (int n = 0; n < 3000; ++n) {
    simulation.robot("r").motor("a").set_force(0.4);
    simulation.step();
  }
  EXPECT_NEAR(simulation.joint("r/a").position() - 2.0 * simulation.joint("r/b").position(),
              0.4 * 0.05, 1e-9);
}

// Two wheels on a shaft with the compliance c: ω² = (1/J_a + 1/J_b)/c.
TEST_P(Coupling, SwingsAsTheSpringThatItIs) {
  constexpr double kB = 0.05;
  constexpr double kCompliance = 0.1;
  Simulation simulation = load(
      world_text(1.0, 0.0,
                 wheel("a", 0.0, fmt::format("coupling \"b\" couplingCompliance {}", kCompliance)) +
                     wheel("b", 1.0, "", kB)));
  release(simulation, {"a", "b"});
  simulation.joint("r/a").set_state(0.1, 0.0);
  const double frequency = std::sqrt((1.0 / kWheel + 1.0 / kB) / kCompliance);
  const auto periods = 4.0;
  const double time = periods * 2.0 * std::numbers::pi / frequency;
  simulation.step(std::lround(time / 0.001));
  const double apart = simulation.joint("r/a").position() - simulation.joint("r/b").position();
  // The midpoint rule keeps the energy; an implicit step loses h·ω/2 of the amplitude per radian.
  const double left = GetParam().evaluations == 1 || !GetParam().is_joint
                          ? std::exp(-0.5 * 0.001 * frequency * frequency * time)
                          : 1.0;
  EXPECT_NEAR(apart, 0.1 * left, 1e-3);
}

// The joint that has the field may move by half of the backlash to each side.
TEST_P(Coupling, MovesFreelyWithinItsBacklash) {
  Simulation simulation = load(world_text(
      2.0, 0.0, wheel("a", 0.0, "coupling \"2 b\" couplingBacklash 0.06") + wheel("b", 1.0, "")));
  const auto run = [&simulation](double torque, int steps) {
    for (int n = 0; n < steps; ++n) {
      simulation.robot("r").motor("a").set_force(torque);
      simulation.step();
    }
  };
  const auto lead = [&simulation] {
    return simulation.joint("r/a").position() - 2.0 * simulation.joint("r/b").position();
  };
  run(0.1, 20);  // τ/J·t²/2, as if there were no coupling
  const double t = 0.04;
  EXPECT_NEAR(lead(), 0.5 * 0.1 / kWheel * t * t, 0.1 / kWheel * t * 0.002);
  run(0.1, 1000);
  EXPECT_NEAR(lead(), 0.03, 1e-9);
  run(-0.1, 1000);
  EXPECT_NEAR(lead(), -0.03, 1e-9);
}

TEST_P(Coupling, StatesAndClonesGoOnToTheSameBits) {
  Simulation simulation = load(world_text(
      8.0, 9.81,
      wheel("a", 0.0, "coupling \"-2 b\" couplingBacklash 0.01", 0.02, 0.3) +
          wheel("b", 1.0, "", 0.05, -0.25) + wheel("c", 2.0, "coupling \"a + b\"", 0.02, 0.1)));
  release(simulation, {"a", "b", "c"});
  simulation.step(37);
  expect_goes_on(simulation, 200);
}

// b is slower than what counts as rest, and a is not.
TEST_P(Coupling, FallsAsleepAndIsWokenAsOne) {
  Simulation simulation = load(
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0.2 }\n"
      "Robot { name \"r\" children [ " +
      wheel("a", 0.0, "coupling \"3 b\"") + wheel("b", 1.0, "", 0.3) + "] }\n");
  release(simulation, {"a", "b"});
  const auto turn = [&simulation](double rate_of_b) {
    simulation.joint("r/a").set_state(0.0, 3.0 * rate_of_b);
    simulation.joint("r/b").set_state(0.0, rate_of_b);
  };
  const auto sleepers = [&simulation] {
    const Bodies& bodies = WorldInspector(simulation).physics().bodies();
    return std::count_if(bodies.begin(), bodies.end(),
                         [](const Body& body) { return !is_awake(body.id, nullptr); });
  };
  turn(0.008);
  for (int n = 1; n <= 200; ++n) {
    simulation.step();
    ASSERT_NEAR(simulation.joint("r/a").velocity(), 0.024, 1e-8) << n;
    ASSERT_EQ(sleepers(), 0) << n;
  }
  turn(0.003);
  for (int n = 1; n <= 40; ++n) {
    simulation.step();
    ASSERT_EQ(sleepers(), n < 25 ? 0 : 2) << n;
  }
  simulation.joint("r/b").set_state(0.0, 0.008);
  for (int n = 1; n <= 10; ++n) {
    simulation.step();
    ASSERT_EQ(sleepers(), 0) << n;
  }
  EXPECT_GT(simulation.joint("r/a").velocity(), 0.005);
}

// Two supports are coupled, and one of them holds. A plate lies on both, by contacts without
// softness, whose forces are redundant.
TEST_P(Coupling, HoldsWhereContactsHaveNoSoftness) {
  const auto support = [](const std::string& name, double x, const std::string& parameters) {
    return fmt::format(
        "SliderJoint {{ jointParameters JointParameters {{ axis 0 0 1 {2} }} device LinearMotor {{ "
        "name \"{0}\" maxForce 100 }} endPoint Solid {{ name \"s{0}\" translation {1} 0 0 "
        "boundingObject Box {{ size 0.1 0.2 0.1 }} physics Physics {{ density -1 mass 0.5 }} }} "
        "}} ",
        name, x, parameters);
  };
  Simulation simulation = load(
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 4 physicsDisableTime 0 contactProperties "
      "ContactProperties { softCFM 1e-300 bounce 0 } }\nRobot { name \"r\" children [ " +
      support("left", -0.3, "") + support("right", 0.3, "coupling \"left\"") +
      "] }\nSolid { name \"plate\" translation 0.1 0 0.1 boundingObject Box { size 0.9 0.3 0.1 } "
      "physics Physics { density -1 mass 2 } }\n");
  release(simulation, {"right"});
  for (int n = 1; n <= 500; ++n) {
    simulation.step();
    ASSERT_NEAR(simulation.joint("r/left").position(), simulation.joint("r/right").position(),
                1e-11)
        << n;
  }
  EXPECT_NEAR(simulation.joint("r/left").position(), 0.0, 1e-3);
  EXPECT_NEAR(simulation.solid("plate").pose().translation.z, 0.1, 1e-2);
  const SolverCounts counts = WorldInspector(simulation).physics().solver_counts().value();
  EXPECT_EQ(counts.ode, decltype(counts.ode){});
}

INSTANTIATE_TEST_SUITE_P(Schemes, Coupling,
                         testing::Values(Scheme{"ode", false, 0}, Scheme{"joint", true, 0},
                                         Scheme{"joint_once", true, 1}),
                         testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Schemes, CouplingOfAFreeRobot,
                         testing::Values(Scheme{"ode", false, 0}, Scheme{"joint", true, 0}),
                         testing::PrintToStringParamName());

// Returns what is reported of a world.
std::string reports_of(const std::string& text, Solver solver = Solver::Tree) {
  LoadOptions options;
  options.solver = solver;
  try {
    const Simulation simulation = Simulation::from_text(text, options);
    std::string reports;
    for (const Diagnostic& diagnostic : simulation.diagnostics()) {
      reports += to_string(diagnostic) + '\n';
    }
    return reports;
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(CouplingErrors, SayWhatIsWrong) {
  const auto report = [](const std::string& coupling, const std::string& of_b = "") {
    return reports_of(world_text(8.0, 0.0,
                                 wheel("a", 0.0, fmt::format("coupling \"{}\"", coupling)) +
                                     wheel("b", 1.0, of_b) +
                                     "HingeJoint { device RotationalMotor { name \"light\" } "
                                     "endPoint Solid { name \"l\" } } "
                                     "Hinge2Joint { device RotationalMotor { name \"two\" } "
                                     "endPoint Solid { name \"k\" physics "
                                     "Physics { density -1 mass 1 } } }"));
  };
  const auto says = [&](const std::string& coupling, const std::string& what,
                        const std::string& of_b = "") {
    const std::string found = report(coupling, of_b);
    EXPECT_NE(found.find(what), std::string::npos) << coupling << ": " << found;
  };
  EXPECT_EQ(report("2 b").find("coupling"), std::string::npos) << report("2 b");
  EXPECT_EQ(report("- 2 * 'b' - 1").find("coupling"), std::string::npos);
  EXPECT_EQ(report("r/b").find("coupling"), std::string::npos);
  says("2 c", "coupling \"2 c\" of joint \"r/a\": there is no joint 'c'");
  says("a", "the joint would follow itself");
  says("b + 2 b", "it names joint 'b' twice");
  says("0 b", "the ratio 0 is not within 1e-06 and 1e+06");
  says("nan b", "the ratio nan is not within");
  says("inf b", "the ratio inf is not within");
  says("b + inf", "the offset inf is not within");
  says("3", "it names no joint");
  says("2 b +", "after \"2 b +\" a number or the name of a joint is missing");
  says("2 b 3", "between \"2 b\" and \"3\" a + or - is missing");
  says("2 *", "after \"2 *\" the name of a joint is missing");
  says("'b", "the name that begins with the ' at character 1 does not end");
  says("two", "joint 'r/two' has several axes, so it cannot be coupled");
  says("light", "has an endPoint without Physics, so it cannot be coupled");
  says("2 b", "other couplings determine it already", "coupling \"0.5 a\"");
}

TEST(CouplingErrors, OdesSolverIsRefused) {
  const std::string found = reports_of(
      world_text(8.0, 0.0, wheel("a", 0.0, "coupling \"b\"") + wheel("b", 1.0, "")), Solver::Ode);
  EXPECT_NE(found.find("coupled joints need the tree solver: leave out --solver ode, or the "
                       "coupling"),
            std::string::npos)
      << found;
}

// 100 boxes of 12 rows each lie on a plate that is coupled with another one.
TEST(CouplingErrors, IslandsWithTooManyContactsMoveWithoutThem) {
  const auto plate = [](const std::string& name, double x, const std::string& parameters) {
    return fmt::format(
        "SliderJoint {{ jointParameters JointParameters {{ axis 0 0 1 {2} }} device LinearMotor {{ "
        "name \"{0}\" maxForce 10000 }} endPoint Solid {{ name \"s{0}\" translation {1} 0 0 "
        "boundingObject Box {{ size 9 9 0.1 }} physics Physics {{ density -1 mass 50 }} }} }} ",
        name, x, parameters);
  };
  std::string text =
      world_text(4.0, 9.81, plate("one", 0.0, "") + plate("two", 20.0, "coupling \"one\""));
  for (int i = 0; i < 100; ++i) {
    text += fmt::format(
        "Solid {{ name \"box {}\" translation {} {} 0.1 boundingObject Box {{ size 0.1 0.1 0.1 }} "
        "physics Physics {{ density -1 mass 0.3 }} }}\n",
        i, 0.15 * (i % 10), 0.15 * (i / 10));
  }
  std::vector<std::string> notices;
  LoadOptions options;
  options.integrator = Integrator::Ode;
  options.notice = [&notices](std::string_view notice) { notices.emplace_back(notice); };
  Simulation simulation = Simulation::from_text(text, options);
  simulation.step();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0],
            "\"sone\" moves without its couplings in a step (many rows between bodies), and they "
            "close again later; so do others like it (reported once)");
  EXPECT_GT(std::abs(simulation.joint("r/one").position() - simulation.joint("r/two").position()),
            1e-9);
}

TEST(CouplingErrors, LanesSayWhyTheyAreNotUsed) {
  const Batch batch =
      Batch(Simulation::from_text(
                world_text(8.0, 0.0, wheel("a", 0.0, "coupling \"b\"") + wheel("b", 1.0, "")),
                joint_options()),
            4);
  const BatchLanes lanes = batch.lanes();
  EXPECT_EQ(lanes.instances, 0u);
  ASSERT_EQ(lanes.alone.size(), 1u);
  EXPECT_EQ(lanes.alone[0].first, "joints are coupled");
  EXPECT_EQ(lanes.alone[0].second, 4u);
}

}  // namespace coupling_test
}  // namespace servosim::test
