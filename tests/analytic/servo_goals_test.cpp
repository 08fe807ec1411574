// SPDX-License-Identifier: Apache-2.0
// Every servo of the catalogue reaches a goal that jumps, at any step and with either solver. It
// does so from outside of what its output can do, where a D gain must not throw it from one bound
// of the output to the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "physics/rows/servo_law.h"
#include "servo_models/catalogue.h"
#include "support/servo_rig.h"

namespace servosim::test {
namespace servo_goals_test {

constexpr double kGoal = 1.0;
constexpr std::array<double, 6> kSteps{1.0, 2.0, 4.0, 8.0, 16.0, 32.0};

/// Returns whether the friction of a servo without a load holds it at this error.
bool friction_holds(const ServoModel& model, double error) {
  const ServoNumbers n = numbers_of(model);
  const ServoCommand command = command_of(model, kGoal);
  const double output = std::abs(detail::loop_output(n, command.p, error).output);
  const double current =
      model.firmware.law == ServoLaw::Current
          ? output
          : std::min(output, command.max_duty) * command.volts / n.cold_resistance;
  const double motor = n.kt * std::min(current, command.max_current);
  return motor <= 1.001 * detail::friction_budget(n, motor, 0.0, 0.0);
}

/// Expects a servo with a light rod to rest at its goal after six seconds.
void expect_reaches(const ServoModel& model, Solver solver, const std::string& name) {
  const std::vector<RigLink> rod{{{0.0, 1.0, 0.0}, {0.1, 0.0, 0.0}, 0.05}};
  for (const double step_ms : kSteps) {
    const ServoRig rig(chain_world(rod, step_ms, 0.0), {model}, solver);
    rig.set_goal(0, kGoal);
    for (double ms = 0.0; ms < 6000.0; ms += step_ms) {
      rig.step();
    }
    const double error = kGoal - rig.position(0);
    // A dead zone ends with a jump of the output, so that a servo without friction may go on
    // between its ends at a long step.
    const double dead_zone = model.firmware.dead_zone;
    EXPECT_TRUE(std::abs(error) < std::max(2e-3, 1.25 * dead_zone) || friction_holds(model, error))
        << name << " at " << step_ms << " ms is off by " << error << " rad";
    EXPECT_TRUE(dead_zone > 0.0 || std::abs(rig.rate(0)) < 1e-2)
        << name << " at " << step_ms << " ms";
  }
}

class ServoGoals : public testing::TestWithParam<Solver> {};
INSTANTIATE_TEST_SUITE_P(Each, ServoGoals, testing::Values(Solver::Ode, Solver::Tree),
                         testing::PrintToStringParamName());

TEST_P(ServoGoals, AreReachedByAllOfTheCatalogue) {
  for (const ServoFile& file : ServoCatalogue::builtin()) {
    expect_reaches(file.find({})->model, GetParam(), file.name);
  }
}

// The host of these drives sends the gains: in N·m/rad and N·m·s/rad, up to 500 and 5.
TEST_P(ServoGoals, AreReachedWithTheGainsOfAHost) {
  int drives = 0;
  for (const ServoFile& file : ServoCatalogue::builtin()) {
    ServoModel model = file.find({})->model;
    if (model.firmware.law != ServoLaw::Current || model.firmware.p_scale == 1.0) {
      continue;
    }
    ++drives;
    for (const auto& [p, d] : {std::pair(20.0, 1.0), {40.0, 2.0}, {50.0, 2.0}, {100.0, 5.0}}) {
      model.firmware.p = p;
      model.firmware.d = d;
      expect_reaches(model, GetParam(), file.name + " with " + std::to_string(p));
    }
  }
  EXPECT_GT(drives, 15);
}

}  // namespace servo_goals_test
}  // namespace servosim::test
