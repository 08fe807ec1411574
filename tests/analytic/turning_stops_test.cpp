// SPDX-License-Identifier: Apache-2.0
// Stops beyond half a turn, as the thigh of a quadruped and the wrist of an arm have them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "support/worlds.h"

namespace servosim::test {
namespace turning_stops_test {

struct Way {
  const char* name;
  Solver solver;
  Integrator integrator;
  int evaluations;

  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
};

class TurningStops : public testing::TestWithParam<Way> {
 protected:
  static Simulation load_way(const std::string& parameters) {
    OneJoint w;
    w.parameters = parameters + " dampingConstant 0.05";
    LoadOptions options;
    options.solver = GetParam().solver;
    options.integrator = GetParam().integrator;
    if (GetParam().integrator == Integrator::Joint) {
      options.evaluations = GetParam().evaluations;
    }
    options.notice = [](std::string_view message) { ADD_FAILURE() << message; };
    Simulation simulation = Simulation::from_text(world_text(w), options);
    for (const Diagnostic& diagnostic : simulation.diagnostics()) {
      EXPECT_EQ(diagnostic.severity, Severity::Info) << to_string(diagnostic);
    }
    return simulation;
  }
};

TEST_P(TurningStops, HoldAJointThatPassesHalfATurn) {
  Simulation simulation = load_way("minStop -0.5236 maxStop 4.5379");
  Motor& motor = simulation.robot("r").motor("m");
  double highest = 0.0;
  motor.set_force(0.8);
  for (int n = 0; n < 1500; ++n) {
    simulation.step();
    highest = std::max(highest, simulation.joint(0).position());
  }
  EXPECT_NEAR(simulation.joint(0).position(), 4.5379, 1e-3);
  EXPECT_LT(highest, 4.5379 + 0.3) << "an impact passes it for a step";
  EXPECT_NEAR(simulation.joint(0).effort(), 0.0, 1e-3) << "motor and stop cancel";
  const SimulationState saved = simulation.save();
  Simulation twin = simulation.clone();
  motor.set_force(-0.8);
  twin.robot("r").motor("m").set_force(-0.8);
  simulation.step(1500);
  EXPECT_NEAR(simulation.joint(0).position(), -0.5236, 1e-3);
  const std::uint64_t hash = simulation.state_hash();
  twin.step(1500);
  EXPECT_EQ(twin.state_hash(), hash);
  simulation.restore(saved);
  EXPECT_NEAR(simulation.joint(0).position(), 4.5379, 1e-3) << "a state has the turns";
  simulation.robot("r").motor("m").set_force(-0.8);
  simulation.step(1500);
  EXPECT_EQ(simulation.state_hash(), hash);
}

TEST_P(TurningStops, HoldAJointThatStartsBeyondHalfATurn) {
  Simulation simulation = load_way("position 4 minStop -6.28319 maxStop 6.28319");
  Motor& motor = simulation.robot("r").motor("m");
  EXPECT_EQ(simulation.joint(0).position(), 4.0);
  motor.set_force(0.8);
  simulation.step(1500);
  EXPECT_NEAR(simulation.joint(0).position(), 6.28319, 1e-3);
  motor.set_force(-0.8);
  simulation.step(2500);
  EXPECT_NEAR(simulation.joint(0).position(), -6.28319, 1e-3);
  simulation.joint(0).set_state(5.5, 0.0);
  motor.set_force(0.0);
  simulation.step(100);
  EXPECT_NEAR(simulation.joint(0).position(), 5.5, 1e-9) << "it is within its stops";
}

INSTANTIATE_TEST_SUITE_P(SolversAndIntegrators, TurningStops,
                         testing::Values(Way{"Ode", Solver::Ode, Integrator::Ode, 0},
                                         Way{"Tree", Solver::Tree, Integrator::Ode, 0},
                                         Way{"Joint", Solver::Tree, Integrator::Joint, 0},
                                         Way{"JointWithOneEvaluation", Solver::Tree,
                                             Integrator::Joint, 1}),
                         testing::PrintToStringParamName());

}  // namespace turning_stops_test
}  // namespace servosim::test
