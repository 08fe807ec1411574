// SPDX-License-Identifier: Apache-2.0
// Free, damped and driven pendulums. They are compared first with the recurrence of the same
// discrete scheme, and then with the continuous motion, to which the error must fall with the
// scheme's first order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analytic/scheme.h"
#include "support/worlds.h"

namespace servosim::test {
namespace pendulum_test {

struct Swing {
  const char* name;
  double damping;    // [N·m·s/rad]
  double amplitude;  // of the driving torque [N·m]; 0 is none

  friend void PrintTo(const Swing& swing, std::ostream* out) { *out << swing.name; }
};

constexpr double kDrive = 5.0;  // angular frequency of the driving torque [rad/s]

double torque_at(const Swing& swing, double time) {
  return swing.amplitude * std::sin(kDrive * time);
}

OneJoint world(const Swing& swing, double step_ms, const std::string& gravity = "9.81") {
  OneJoint w;
  w.axis = "0 1 0";
  w.endpoint = "0.3 0 0";
  w.gravity = gravity;
  w.time_step_ms = step_ms;
  w.motor = "maxTorque 50";
  w.parameters = fmt::format("dampingConstant {}", swing.damping);
  return w;
}

// Returns the inertia of the box about y through its centre.
double own_inertia(const OneJoint& w) { return w.mass * (0.6 * 0.6 + 0.1 * 0.1) / 12.0; }

void drive(Simulation& simulation, const Swing& swing) {
  simulation.robot("r").motor("m").set_force(torque_at(swing, simulation.time()));
}

class PendulumTest : public testing::TestWithParam<Swing> {};

TEST_P(PendulumTest, FollowsTheRecurrence) {
  const Swing& swing = GetParam();
  const OneJoint w = world(swing, 8.0);
  Simulation simulation = load(w);
  Pendulum expected;
  expected.inertia = own_inertia(w);
  expected.damping = swing.damping;
  for (int n = 0; n < 300; ++n) {
    drive(simulation, swing);
    expected.step(torque_at(swing, n * expected.h));
    simulation.step();
    // A swing of 300 steps multiplies rounding by about 100.
    ASSERT_NEAR(simulation.joint(0).position(), expected.theta, 1e-9) << n;
    ASSERT_NEAR(simulation.joint(0).velocity(), expected.omega, 1e-8) << n;
    // The hinge itself puts no torque on the arm about its axis, at any speed.
    ASSERT_NEAR(simulation.joint(0).effort(),
                torque_at(swing, n * expected.h) - swing.damping * expected.omega, 1e-7)
        << n;
  }
  EXPECT_GT(expected.theta, 0.5) << "it swung";
}

// Integrates θ'' = (m·g·L·cos θ − d·θ' + τ(t)) / (I + m·L²) by a Runge-Kutta method of fourth
// order, whose own error at 0.1 ms is below 1e-12. Returns the angles at 8 ms, 16 ms and so on.
std::vector<double> continuous_angles(const OneJoint& w, const Swing& swing, int count) {
  const double about_hinge = own_inertia(w) + w.mass * 0.3 * 0.3;
  using State = std::array<double, 2>;
  const auto rate = [&](const State& s, double t) -> State {
    return {s[1],
            (w.mass * 9.81 * 0.3 * std::cos(s[0]) - swing.damping * s[1] + torque_at(swing, t)) /
                about_hinge};
  };
  const auto along = [](const State& s, const State& slope, double h) -> State {
    return {s[0] + h * slope[0], s[1] + h * slope[1]};
  };
  State s{0.0, 0.0};
  const double h = 1e-4;
  std::vector<double> angles;
  for (int n = 0; n < 80 * count; ++n) {
    const double t = n * h;
    const State a = rate(s, t);
    const State b = rate(along(s, a, h / 2), t + h / 2);
    const State c = rate(along(s, b, h / 2), t + h / 2);
    const State d = rate(along(s, c, h), t + h);
    for (int i = 0; i < 2; ++i) {
      s[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    }
    if ((n + 1) % 80 == 0) {
      angles.push_back(s[0]);
    }
  }
  return angles;
}

TEST_P(PendulumTest, ConvergesWithFirstOrder) {
  const Swing& swing = GetParam();
  const std::vector<double> exact = continuous_angles(world(swing, 8.0), swing, 120);
  double last = 0.0;
  for (const int step_ms : {8, 4, 2, 1}) {
    // The hinge must be rigid: the softness of its anchor would add an error that does not fall
    // with the step.
    Simulation simulation = load(world(swing, step_ms, "9.81 CFM 1e-12"));
    double error = 0.0;  // the largest error, sampled every 8 ms
    for (const double angle : exact) {
      for (int n = 0; n < 8 / step_ms; ++n) {
        drive(simulation, swing);
        simulation.step();
      }
      error = std::max(error, std::abs(simulation.joint(0).position() - angle));
    }
    if (last > 0.0) {
      // Halving the step halves the error, except for terms of second order.
      EXPECT_NEAR(last / error, 2.0, step_ms > 2 ? 0.4 : 0.2) << step_ms;
    }
    last = error;
  }
  EXPECT_LT(last, 0.02) << "at 1 ms";
  EXPECT_GT(last, 1e-6) << "an error was there to fall";
}

INSTANTIATE_TEST_SUITE_P(FreeDampedDriven, PendulumTest,
                         testing::Values(Swing{"Free", 0.0, 0.0}, Swing{"Damped", 0.7, 0.0},
                                         Swing{"Driven", 0.0, 0.9},
                                         Swing{"DampedAndDriven", 0.7, 1.7}),
                         testing::PrintToStringParamName());

// The period of a full swing from the horizontal is 4·K(1/√2)·√(I/(m·g·L)), with K(1/√2) =
// 1.85407467730.
TEST(PendulumPeriod, IsTheEllipticIntegral) {
  const Swing swing{"Free", 0.0, 0.0};
  const OneJoint w = world(swing, 1.0, "9.81 CFM 1e-12");
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_available_force(0.0);
  double before = 0.0;
  int crossings = 0;
  double crossing[3] = {};
  for (int n = 0; n < 3000 && crossings < 3; ++n) {
    simulation.step();
    const double now = simulation.joint(0).position() - 1.5707963267948966;
    if (n > 0 && before * now < 0.0) {
      crossing[crossings++] = simulation.time() - 1e-3 * now / (now - before);
    }
    before = now;
  }
  ASSERT_EQ(crossings, 3);
  const double about_hinge = own_inertia(w) + w.mass * 0.3 * 0.3;
  const double period = 4.0 * 1.85407467730 * std::sqrt(about_hinge / (w.mass * 9.81 * 0.3));
  // The error is of first order in the step. The amplitude decays a little: 1 ms of 1.5 s.
  EXPECT_NEAR(crossing[2] - crossing[0], period, 5e-3);
}

}  // namespace pendulum_test
}  // namespace servosim::test
