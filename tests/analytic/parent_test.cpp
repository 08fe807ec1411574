// SPDX-License-Identifier: Apache-2.0
// A joint moves equally whether its parent is no body (ODE then swaps the two bodies, and the joint
// is called reversed), a body welded to the world, or a free body that is too heavy to move.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "support/case_names.h"
#include "support/worlds.h"

namespace servosim::test {
namespace parent_test {

struct Case {
  const char* name;
  std::string motor;
  std::string parameters;
  std::function<void(Simulation&, int)> command;  // called before each step

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

enum class Parent { None, Welded, Heavy };

Motor& motor_of(Simulation& simulation) { return simulation.robot("r").motor("m"); }

std::vector<Case> cases() {
  const auto once = [](void (*what)(Motor&)) {
    return [what](Simulation& simulation, int n) {
      if (n == 0) {
        what(motor_of(simulation));
      }
    };
  };
  const auto let_go = [](Simulation& simulation, int n) {
    if (n == 0) {
      motor_of(simulation).set_available_force(0.0);
      simulation.joint(0).set_state(0.3, -0.8);
    }
  };
  return {
      {"Position", "maxVelocity 2 acceleration 8 controlPID 9 4 0.1", "",
       once([](Motor& m) { m.set_position(0.7); })},
      {"Velocity", "maxVelocity 2", "", once([](Motor& m) { m.set_position(INFINITY); })},
      {"Force", "", "",
       [](Simulation& s, int n) { motor_of(s).set_force(1.4 * std::sin(0.1 * n)); }},
      {"SpringAndDamper", "", "position 0.4 springConstant 9 dampingConstant 0.4", let_go},
      {"SpringAgainstMotor", "maxVelocity 1", "springConstant 9 dampingConstant 0.4",
       once([](Motor& m) { m.set_position(0.6); })},
      {"Friction", "", "staticFriction 0.2", let_go},
      {"Stops", "", "minStop -0.25 maxStop 0.4",
       [](Simulation& s, int n) { motor_of(s).set_force(n < 120 ? 1.5 : -1.5); }},
      {"FarStops", "", "position 0.2 minStop -2.6 maxStop 2.2",
       [](Simulation& s, int n) { motor_of(s).set_force(n < 120 ? 1.5 : -1.5); }},
      {"MotorIntoStop", "maxVelocity 3", "minStop -0.25 maxStop 0.4",
       once([](Motor& m) { m.set_position(2.0); })},
  };
}

class ParentTest : public testing::TestWithParam<std::tuple<Case, bool, bool>> {
 protected:
  static OneJoint world() {
    const auto& [c, slider, weighed] = GetParam();
    OneJoint w;
    w.slider = slider;
    w.axis = slider ? "0.6 0 -0.8" : "0 1 0";
    // The centre of mass is off the axis, so that the anchor's forces take part.
    w.endpoint = slider ? "0.1 0 0" : "0.15 0 0.1";
    // With ODE's usual CFM a weld yields by 1e-5 m/s per newton. The force of a slider acts in the
    // middle between its two bodies and turns them slightly; a slider without a parent does not
    // turn.
    w.gravity = weighed ? "9.81 CFM 1e-12" : "0 CFM 1e-12";
    w.motor = c.motor;
    w.parameters = c.parameters;
    return w;
  }
  static Simulation make(Parent parent) {
    OneJoint w = world();
    w.heavy_parent = parent != Parent::None;
    std::string text = world_text(w);
    if (parent == Parent::Welded) {
      text.replace(text.find("mass 1e9"), 8, "mass 4.0");
    }
    LoadOptions options;
    options.solver = solver_of_tests();
    options.notice = [](std::string_view) {};  // some targets are deliberately beyond the stops
    Simulation simulation = Simulation::from_text(text, std::move(options));
    simulation.solid(simulation.robot(0).solid()).pin(parent == Parent::Welded);
    return simulation;
  }
  static void expect_alike(Parent other) {
    const auto& command = std::get<0>(GetParam()).command;
    Simulation reversed = make(Parent::None);
    Simulation dynamic = make(other);
    double way = 0.0;
    for (int n = 0; n < 250; ++n) {
      command(reversed, n);
      command(dynamic, n);
      reversed.step();
      dynamic.step();
      const JointReading a = reversed.joint(0).reading();
      const JointReading b = dynamic.joint(0).reading();
      ASSERT_NEAR(a.position, b.position, 1e-6) << n;
      ASSERT_NEAR(a.velocity, b.velocity, 1e-5) << n;
      way = std::max(way, std::abs(a.position));
    }
    EXPECT_GT(way, 0.1) << "it moved";
  }
};

TEST_P(ParentTest, WeldedMovesLikeNone) { expect_alike(Parent::Welded); }

// These cases have no weight, under which a free parent would fall.
class HeavyParentTest : public ParentTest {};

TEST_P(HeavyParentTest, MovesLikeNone) { expect_alike(Parent::Heavy); }

std::string name_of(const testing::TestParamInfo<std::tuple<Case, bool, bool>>& test) {
  return std::string(std::get<0>(test.param).name) + joint_word(std::get<1>(test.param)) +
         (std::get<2>(test.param) ? "Weighed" : "Weightless");
}

INSTANTIATE_TEST_SUITE_P(EveryLaw, ParentTest,
                         testing::Combine(testing::ValuesIn(cases()), testing::Bool(),
                                          testing::Bool()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(EveryLaw, HeavyParentTest,
                         testing::Combine(testing::ValuesIn(cases()), testing::Bool(),
                                          testing::Values(false)),
                         name_of);

}  // namespace parent_test
}  // namespace servosim::test
