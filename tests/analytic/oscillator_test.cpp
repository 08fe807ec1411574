// SPDX-License-Identifier: Apache-2.0
// A sliding mass on spring and damper, under-, critically and over-damped, follows the implicit
// step
//   v⁺ = (v − h·k·p/m) / (1 + h²·k/m + h·d/m)
// to rounding, and converges to the closed solution with the order of that step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace oscillator_test {

struct Case {
  const char* name;
  double k;
  double d;

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

constexpr double kMass = 2.0;
constexpr double kStart = 0.4;

class Oscillator : public testing::TestWithParam<Case> {
 protected:
  static OneJoint world(double step_ms) {
    OneJoint w;
    w.slider = true;
    w.mass = kMass;
    w.time_step_ms = step_ms;
    w.motor = "maxForce 0";
    w.parameters = fmt::format("position {} springConstant {} dampingConstant {}", kStart,
                               GetParam().k, GetParam().d);
    return w;
  }
  // Solves m·p'' + d·p' + k·p = 0 from rest at kStart.
  static double closed(double t) {
    const double k = GetParam().k;
    const double a = GetParam().d / (2.0 * kMass);
    const double discriminant = a * a - k / kMass;
    if (std::abs(discriminant) < 1e-9) {
      return kStart * std::exp(-a * t) * (1.0 + a * t);
    }
    const double w = std::sqrt(std::abs(discriminant));
    return discriminant < 0.0
               ? kStart * std::exp(-a * t) * (std::cos(w * t) + a / w * std::sin(w * t))
               : kStart * std::exp(-a * t) * (std::cosh(w * t) + a / w * std::sinh(w * t));
  }
};

TEST_P(Oscillator, FollowsTheImplicitStepToRounding) {
  const double k = GetParam().k;
  const double d = GetParam().d;
  const double h = 0.008;
  Simulation simulation = load(world(8.0));
  double p = kStart;
  double v = 0.0;
  for (int n = 0; n < 500; ++n) {
    v = (v - h * k * p / kMass) / (1.0 + h * h * k / kMass + h * d / kMass);
    p += h * v;
    simulation.step();
    ASSERT_NEAR(simulation.joint(0).position(), p, 1e-9) << n;
    ASSERT_NEAR(simulation.joint(0).velocity(), v, 1e-9) << n;
  }
}

TEST_P(Oscillator, ConvergesToTheClosedAnswerWithFirstOrder) {
  double last = 0.0;
  for (const int step_ms : {8, 4, 2, 1}) {
    Simulation simulation = load(world(step_ms));
    double error = 0.0;  // the largest error, sampled every 8 ms
    for (int n = 1; n <= 120; ++n) {
      simulation.step(8 / step_ms);
      error = std::max(error, std::abs(simulation.joint(0).position() - closed(simulation.time())));
    }
    if (last > 0.0) {
      // Halving the step halves the error, except for terms of second order.
      EXPECT_NEAR(last / error, 2.0, 0.25) << step_ms;
    }
    last = error;
  }
  EXPECT_LT(last, 4e-3) << "at 1 ms";
  EXPECT_GT(last, 1e-7) << "an error was there to fall";
}

// Overdamped and critical motion never passes zero; underdamped motion does.
TEST_P(Oscillator, PassesZeroOnlyWhenUnderdamped) {
  Simulation simulation = load(world(8.0));
  double lowest = kStart;
  for (int n = 0; n < 1000; ++n) {
    simulation.step();
    lowest = std::min(lowest, simulation.joint(0).position());
  }
  const bool under = GetParam().d * GetParam().d < 4.0 * kMass * GetParam().k - 1e-9;
  EXPECT_EQ(lowest < -1e-3, under) << lowest;
}

// Damping is critical at d² = 4·m·k.
INSTANTIATE_TEST_SUITE_P(Damped, Oscillator,
                         testing::Values(Case{"Under", 30.0, 2.5}, Case{"Critical", 18.0, 12.0},
                                         Case{"Over", 18.0, 27.0}, Case{"Stiff", 90.0, 5.0}),
                         testing::PrintToStringParamName());

}  // namespace oscillator_test
}  // namespace servosim::test
