// SPDX-License-Identifier: Apache-2.0
// TreeSolver against dWorldStep of ODE: every kind of row, and input at the edge of what it can be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "physics/tree/tree_pair.h"
#include "support/case_names.h"

namespace servosim::test {
namespace tree_cases_test {

// The inertia of a body whose principal moments are `x` and twice `y`.
struct Inertia {
  double mass = 1.0;
  double x = 0.01;
  double y = 0.02;
};

std::string physics(const Inertia& i) {
  return fmt::format(
      "physics Physics {{ density -1 mass {} centerOfMass [ 0 0 0 ] inertiaMatrix [ {} {} {}, 0 0 "
      "0 ] }}",
      i.mass, i.x, i.y, i.y);
}

Vec3 to_vec(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

struct Chain {
  bool slider = false;
  std::string world = "basicTimeStep 8";
  std::string parameters;
  std::string base = physics({2.0, 0.05, 0.04});  // empty: the base is static
  std::string motion;                             // of the base
  std::string end;                                // what hangs on the last link
  std::vector<Inertia> links = std::vector<Inertia>(5);
  std::vector<std::string> axes{"0 1 0", "0 0 1"};  // in turn
  double length = 0.2;
};

std::string text_of(const Chain& chain) {
  std::string text = chain.end;
  for (std::size_t i = chain.links.size(); i-- > 0;) {
    text = fmt::format(
        "{}Joint {{ jointParameters {} {{ axis {} {} {} }} device [ {}Motor {{ }} Brake {{ }} ] "
        "endPoint Solid {{ name \"s{}\" translation {} 0 0 {} children [ {} ] }} }}",
        chain.slider ? "Slider" : "Hinge",
        chain.slider ? "JointParameters" : "HingeJointParameters",
        chain.axes[i % chain.axes.size()],
        chain.slider ? "" : fmt::format("anchor {} 0 0", 0.5 * chain.length), chain.parameters,
        chain.slider ? "Linear" : "Rotational", i, chain.length, physics(chain.links[i]), text);
  }
  return fmt::format("WorldInfo {{ {} }}\nSolid {{ name \"base\" {} {} children [ {} ] }}\n",
                     chain.world, chain.base, chain.motion, text);
}

using Drive = JointState::Drive;

// Sets the drives of all joints of ODE's world, by joint and step.
auto driving(Pair& pair, std::function<Drive(int, int)> drive) {
  return [&pair, drive = std::move(drive)](int step) {
    for (int j = 0; j < static_cast<int>(pair.ode().joints().count()); ++j) {
      pair.ode().joints()[j].drive = drive(j, step);
    }
  };
}

class TreeSolverOn : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Each, TreeSolverOn, testing::Bool(), by_joint);

// Motors that turn round: the play is crossed, and both of its sides push. The motors are strong
// enough, or they are not.
TEST_P(TreeSolverOn, JointsWithFreePlay) {
  for (const double max_force : {3.0, 400.0}) {
    Chain chain;
    chain.slider = GetParam();
    chain.parameters = "backlash 0.02 staticFriction 0.05";
    Pair pair(text_of(chain));
    ASSERT_EQ(pair.messages(), Messages{});
    bool pushes[2] = {};
    const auto drive = driving(pair, [&](int joint, int step) -> Drive {
      const double sign = (step / 40 + joint) % 2 == 0 ? 1.0 : -1.0;
      return {sign * (0.5 + 0.3 * joint), max_force, 0.0, 0.0};
    });
    follow(pair, 300, [&](int step) {
      drive(step);
      for (int j = 0; j < static_cast<int>(pair.ode().joints().count()); ++j) {
        const JointState& state = pair.ode().joints()[j];
        const double lag = state.shaft_position() - state.position;
        pushes[0] = pushes[0] || lag > 0.0099;
        pushes[1] = pushes[1] || lag < -0.0099;
      }
    });
    EXPECT_TRUE(pushes[0] && pushes[1]);
  }
}

struct StopCase {
  const char* name;
  bool slider;
  double low;
  double high;
  const char* more;

  friend void PrintTo(const StopCase& c, std::ostream* out) { *out << c.name; }
};

class TreeSolverAtStops : public testing::TestWithParam<StopCase> {};

// Into one stop, out of it and into the other, with motors that are too strong for the stops or
// too weak to lift the links.
TEST_P(TreeSolverAtStops, DrivesJointsAgainstThem) {
  const StopCase& c = GetParam();
  int at_stop = 0;
  for (const double max_force : {2.0, 500.0}) {
    Chain chain;
    chain.slider = c.slider;
    chain.world = "basicTimeStep 16";
    chain.parameters = fmt::format("minStop {} maxStop {} {}", c.low, c.high, c.more);
    Pair pair(text_of(chain));
    ASSERT_EQ(pair.messages(), Messages{});
    const auto drive = driving(pair, [&](int joint, int step) -> Drive {
      // Without a velocity ODE takes the motor's direction from the stop.
      const double signs[] = {1.0, 0.0, -1.0, 0.0};
      return {signs[(step / 100 + joint) % 4] * 1.2 * (c.high - c.low), max_force, 0.1, 0.0};
    });
    follow(pair, 400, [&](int step) {
      drive(step);
      const double at = pair.ode().joints()[2].position;
      at_stop += at <= c.low || at >= c.high ? 1 : 0;
    });
  }
  EXPECT_GT(at_stop, 20);
}

INSTANTIATE_TEST_SUITE_P(
    Each, TreeSolverAtStops,
    testing::Values(
        StopCase{"Hinge", false, -0.3, 0.2, ""},
        StopCase{"HingeStopErp", false, -0.3, 0.2, "stopERP 0.85"},
        StopCase{"HingeStopCfm", false, -0.3, 0.2, "stopCFM 2e-3"},
        StopCase{"HingeHardStops", false, -0.3, 0.2, "stopERP 0.05 stopCFM 1e-9"},
        StopCase{"HingeFarStops", false, -2.5, 2.2, ""},
        StopCase{"HingeFarStopsErpCfm", false, -2.5, 2.2, "stopERP 0.6 stopCFM 1e-4"},
        StopCase{"HingeFarStopsLeftInOneStep", false, -2.5, 2.2, "stopERP 1"},
        StopCase{"HingeSpring", false, -0.3, 0.2, "springConstant 40 dampingConstant 0.3"},
        StopCase{"Slider", true, -0.1, 0.05, ""},
        StopCase{"SliderSpring", true, -0.1, 0.05, "springConstant 300 dampingConstant 2"}),
    testing::PrintToStringParamName());

// ODE leaves the feedback of a joint without rows as it was. Random trees find that of far stops.
TEST(TreeSolverCases, HasNoEffortOfABallWhoseMotorHasLetGo) {
  Pair pair(fmt::format(
      "WorldInfo {{ basicTimeStep 8 gravity 0 }}\nSolid {{ {} children [ BallJoint {{ device "
      "RotationalMotor {{ }} endPoint Solid {{ name \"end\" {} }} }} ] }}\n",
      physics({1e6, 1e6, 1e6}), physics({})));
  ASSERT_EQ(pair.messages(), Messages{});
  JointState& state = pair.ode().joints()[0];
  follow(pair, 40, [&](int step) {
    pair.ode().joints().measure(0);
    EXPECT_NEAR(state.constraint_effort, step > 0 && step <= 20 ? 0.02 : 0.0, 1e-9) << step;
    state.drive = {0.5, step < 20 ? 0.02 : 0.0, 0.0, 0.0};
  });
}

// At a stop from the first step on, with a force that moves everything else.
TEST_P(TreeSolverOn, AJointAtItsStopWithItsMotorDrivenAgainstIt) {
  for (const double direction : {1.0, -1.0}) {
    Chain chain;
    chain.slider = GetParam();
    chain.parameters = "position 0.1 minStop -0.2 maxStop 0.1";
    Pair pair(text_of(chain));
    follow(pair, 100, driving(pair, [&](int, int) -> Drive {
             return {direction * 2.0, 5000.0, 0.0, 0.0};
           }));
  }
}

// A body spins at most 1e4 rad/s.
TEST(TreeSolverCases, LimitsTheSpin) {
  Chain chain;
  chain.links = std::vector<Inertia>(1);
  chain.length = 0.0;
  Pair pair(text_of(chain));
  follow(pair, 20, driving(pair, [](int, int) -> Drive { return {4e4, 1e6, 0.0, 0.0}; }));
  EXPECT_NEAR(norm(to_vec(state_of(pair.tree().bodies()[1]).spin)), 1e4, 1e-6);
}

// With spins at which the two torques differ.
TEST(TreeSolverCases, HasEitherGyroscopicTorque) {
  Chain chain;
  chain.motion = "angularVelocity 3 9 -4";
  chain.links = std::vector<Inertia>(5, {1.0, 0.002, 0.02});
  std::vector<Vec3> spins;
  for (const bool is_explicit : {false, true}) {
    PhysicsOptions options;
    options.explicit_gyroscopic = is_explicit;
    Pair pair(text_of(chain), options);
    follow(pair, 100, driving(pair, [](int joint, int) -> Drive {
             return {joint % 2 == 0 ? 6.0 : -4.0, 3.0, 0.0, 0.0};
           }));
    spins.push_back(to_vec(state_of(pair.tree().bodies()[0]).spin));
  }
  EXPECT_GT(norm(spins[1] - spins[0]), 1e-3);
}

// ---- fixed joints

std::string sensor(const std::string& children = "") {
  return "TouchSensor { name \"touch\" type \"force\" translation 0.1 0.02 -0.03 " +
         physics({0.3, 0.001, 0.002}) + " boundingObject Group { } children [ " + children + " ] }";
}

void expect_same_force(Pair& pair, int solid) {
  const Vec3 by_ode = pair.ode().attachments().mounting_load(solid).force;
  const Vec3 by_tree = pair.tree().attachments().mounting_load(solid).force;
  EXPECT_GT(norm(by_ode), 0.1);
  EXPECT_LT(norm(by_ode - by_tree), 1e-6 * (1.0 + norm(by_ode)));
}

TEST(TreeSolverCases, MeasuresTheForceOfAMounting) {
  Chain chain;
  chain.end = sensor();
  chain.base = "";
  Pair pair(text_of(chain));
  ASSERT_EQ(pair.messages(), Messages{});
  const int solid = static_cast<int>(pair.scene().solids.size()) - 1;
  const auto drive = driving(pair, [](int joint, int step) -> Drive {
    return {std::sin(0.1 * step + joint), 60.0, 0.0, 0.0};
  });
  follow(pair, 200, [&](int step) {
    if (step > 0) {
      expect_same_force(pair, solid);
    }
    drive(step);
  });
}

// With a chain that hangs on it.
TEST(TreeSolverCases, MeasuresTheForceOfAMountingToTheWorld) {
  Chain chain;
  chain.base = "";
  chain.links.clear();
  chain.end = sensor(
      "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } device RotationalMotor { } "
      "endPoint Solid { translation 0.2 0 0 " +
      physics({}) + " } }");
  Pair pair(text_of(chain));
  follow(pair, 200, [&](int step) {
    if (step > 0) {
      expect_same_force(pair, 1);
    }
  });
}

// ---- the edge of what can be

struct Edge {
  std::string name;
  Chain chain;
  Bounds bounds;

  friend void PrintTo(const Edge& edge, std::ostream* out) { *out << edge.name; }
};

class TreeSolverAtEdges : public testing::TestWithParam<Edge> {};

TEST_P(TreeSolverAtEdges, MovesAsOdeDoes) {
  Pair pair(text_of(GetParam().chain));
  ASSERT_EQ(pair.messages(), Messages{});
  const auto drive = driving(pair, [](int joint, int step) -> Drive {
    return {std::sin(0.07 * step + joint), joint % 3 == 0 ? 1e4 : 5.0, 0.0, 0.0};
  });
  follow(pair, 200, drive, GetParam().bounds);
}

// From 1e-6 kg to 1e6 kg, each ten times the one before, or in an order without order.
std::vector<Inertia> masses(const std::vector<int>& powers) {
  std::vector<Inertia> all;
  for (const int power : powers) {
    const double m = std::pow(10.0, power);
    all.push_back({m, 0.01 * m, 0.02 * m});
  }
  return all;
}

std::vector<Edge> edges() {
  const std::vector<int> rising{-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6};
  const std::vector<int> falling(rising.rbegin(), rising.rend());
  const std::vector<int> mixed{0, -6, 6, -3, 2, 5, -5, -1, 4, -4, 1, -2, 3};
  std::vector<Inertia> ratios;
  for (int i = 0; i < 8; ++i) {
    ratios.push_back(i % 2 == 0 ? Inertia{1.0, 1e-6, 1e-2} : Inertia{1e-3, 1e-6, 1e-6});
  }
  // There ODE is so far from the solution, and the tree solver 1e-14: benchmarks/lcp_residual.
  const Bounds ode_errs{1e-4, 1e-2};
  std::vector<Edge> all;
  for (const bool slider : {false, true}) {
    const auto add = [&](const std::string& name, const std::function<void(Chain&)>& change,
                         const Bounds& bounds = {}) {
      Chain chain;
      chain.slider = slider;
      change(chain);
      all.push_back({name, chain, bounds});
    };
    const auto add_masses = [&](const char* name, const std::vector<int>& powers,
                                const Bounds& bounds) {
      add(
          name, [&](Chain& c) { c.links = masses(powers); }, bounds);
      add(
          fmt::format("Anchored{}", name),
          [&](Chain& c) {
            c.links = masses(powers);
            c.base = "";
          },
          bounds);
    };
    add_masses(slider ? "SlidersOfRisingMass" : "HingesOfRisingMass", rising, ode_errs);
    add_masses(slider ? "SlidersOfFallingMass" : "HingesOfFallingMass", falling, {});
    add_masses(slider ? "SlidersOfAllMasses" : "HingesOfAllMasses", mixed, ode_errs);
    add(slider ? "SlidersOfInertiaRatio1e4" : "HingesOfInertiaRatio1e4",
        [&](Chain& c) { c.links = ratios; });
    add(slider ? "ParallelSliders" : "ParallelHinges", [](Chain& c) { c.axes = {"0.6 0.8 0"}; });
    add(slider ? "SlidersWithNextToNoCfm" : "HingesWithNextToNoCfm",
        [](Chain& c) { c.world = "basicTimeStep 8 CFM 1e-300"; });
    add(slider ? "SlidersInAHugeStep" : "HingesInAHugeStep",
        [](Chain& c) { c.world = "basicTimeStep 200"; });
  }
  Chain on_one_line;
  on_one_line.axes = {"1 0 0"};
  all.push_back({"HingesOnOneLine", on_one_line, {}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Each, TreeSolverAtEdges, testing::ValuesIn(edges()),
                         testing::PrintToStringParamName());

}  // namespace tree_cases_test
}  // namespace servosim::test
