// SPDX-License-Identifier: Apache-2.0
// TreeSolver against dWorldStep of ODE: the same state into both, step by step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "base/state_archive.h"
#include "physics/physics_world.h"
#include "physics/tree/random_tree.h"
#include "physics/tree/tree_pair.h"
#include "support/repetitions.h"
#include "support/scenes.h"

namespace servosim::test {
namespace {

// What many random trees came to.
struct Outcome {
  Differences motion;  // the largest
  double efforts = 0.0;
  std::uint32_t tree_of_efforts = 0;
  std::uint64_t steps = 0;
  std::uint64_t solved = 0;
  std::uint64_t single = 0;  // bodies without joints, which are ODE's
};

// Steps up to `steps` times, until the tree leaves the range in which ODE works, or an expectation
// fails.
void follow_random_tree(RandomTree random, std::uint32_t seed, int steps, const Bounds& bounds,
                        Outcome& outcome) {
  Pair pair(random.world());
  for (const std::string& message : pair.messages()) {
    EXPECT_NE(message.find("is not effective"), std::string::npos) << message;
  }
  std::mt19937 commands(seed + 1000u);
  std::vector<JointState::Drive> drives;
  for (int k = 0; k < steps && !testing::Test::HasFailure(); ++k) {
    if (k % 10 == 0) {
      drive(pair.ode(), commands);
      drives = drives_of(pair.ode());
    }
    for (std::size_t j = 0; j < drives.size(); ++j) {  // a joint with free play takes its own away
      pair.ode().joints()[static_cast<int>(j)].drive = drives[j];
    }
    try {
      pair.step();
    } catch (const Unstable&) {
      break;
    }
    ++outcome.steps;
    const Differences differences = pair.differences();
    EXPECT_LT(differences.largest(), bounds.motion) << "tree " << seed << ", step " << k;
    outcome.motion.raise_to(differences);
    const double of_efforts = pair.difference_of_efforts();
    EXPECT_LT(of_efforts, bounds.efforts) << "tree " << seed << ", step " << k;
    if (of_efforts > outcome.efforts) {
      outcome.efforts = of_efforts;
      outcome.tree_of_efforts = seed;
    }
  }
  outcome.solved += pair.tree().solver_counts()->tree;
  outcome.single +=
      pair.tree().solver_counts()->ode[static_cast<std::size_t>(OdeReason::LooseBodies)];
}

void report(const Outcome& outcome) {
  testing::Test::RecordProperty("largest", to_string(outcome.motion));
  fmt::print("{} steps; velocities: {}; efforts {:.1e} (tree {})\n", outcome.steps,
             to_string(outcome.motion), outcome.efforts, outcome.tree_of_efforts);
}

TEST(TreeSolver, MovesRandomTreesAsOdeDoes) {
  const int trees = repetitions(170, 5100);
  Outcome outcome;
  for (int seed = 0; seed < trees && !HasFailure(); ++seed) {
    const auto number = static_cast<std::uint32_t>(seed);
    follow_random_tree(RandomTree(number), number, 60, {}, outcome);
  }
  report(outcome);
  EXPECT_LT(outcome.motion.largest(), 1e-10);
  EXPECT_GT(outcome.solved, outcome.steps * 4 / 5);
}

TEST(TreeSolver, MovesRandomTreesOfAllJointsAsOdeDoes) {
  const int trees = repetitions(200, 4000);
  Outcome outcome;
  for (int seed = 0; seed < trees && !HasFailure(); ++seed) {
    const auto number = static_cast<std::uint32_t>(seed);
    follow_random_tree(RandomTree(number, 0, RandomTree::Of::AllJoints), number, 60, {}, outcome);
  }
  report(outcome);
  EXPECT_EQ(outcome.solved + outcome.single, outcome.steps);
  EXPECT_GT(outcome.solved, outcome.steps * 4 / 5);
}

TEST(TreeSolver, MovesRandomTreesOf48JointsAsOdeDoes) {
  const int trees = repetitions(4, 100);
  Outcome outcome;
  for (int seed = 0; seed < trees && !HasFailure(); ++seed) {
    const auto number = static_cast<std::uint32_t>(seed);
    follow_random_tree(RandomTree(number, 49), number, 30, {5e-9, 1e-6}, outcome);
  }
  report(outcome);
  EXPECT_GT(outcome.solved, outcome.steps * 9 / 10);
}

// An arm of hinges whose axes take turns.
std::string arm(int joints, const std::string& parameters = "") {
  std::string text;
  for (int i = joints - 1; i >= 0; --i) {
    text = fmt::format(
        "HingeJoint {{ jointParameters HingeJointParameters {{ axis {} anchor 0.1 0 0 {} }} "
        "endPoint Solid {{ name \"s{}\" translation 0.2 0 0 {} children [ {} ] }} }}",
        i % 2 == 0 ? "0 1 0" : "0 0 1", parameters, i, kPhysics, text);
  }
  return "Solid { name \"base\" children [ " + text + " ] }\n";
}

void drive_all(PhysicsWorld& world, double velocity, double max_force) {
  for (int j = 0; j < static_cast<int>(world.joints().count()); ++j) {
    world.joints()[j].drive = {(j % 3 - 1) * velocity, max_force, 0.0, 0.0};
  }
}

TEST(TreeSolver, MovesAnArmOf48AsOdeDoes) {
  Pair pair("WorldInfo { basicTimeStep 8 }\n" + arm(48));
  drive_all(pair.ode(), 2.0, 100.0);  // too little to hold it
  for (int k = 0; k < 40; ++k) {
    pair.step();
    ASSERT_LT(pair.difference(), 5e-9) << "step " << k;
  }
  EXPECT_EQ(pair.tree().solver_counts()->tree, 40u);
}

TEST(TreeSolver, HoldsJointsAtTheirStopsAsOdeDoes) {
  Pair pair("WorldInfo { basicTimeStep 8 }\n" + arm(6, "minStop -0.3 maxStop 0.2"));
  drive_all(pair.ode(), 3.0, 60.0);
  for (int k = 0; k < 300; ++k) {
    pair.step();
    ASSERT_LT(pair.difference(), 1e-9) << "step " << k;
    ASSERT_LT(pair.difference_of_efforts(), 1e-6) << "step " << k;
  }
}

TEST(TreeSolver, SleepsAndWakesAsOdeDoes) {
  Pair pair("WorldInfo { basicTimeStep 8 physicsDisableTime 0.1 }\n" + arm(3));
  drive_all(pair.ode(), 0.0, 100.0);
  for (int k = 0; k < 60; ++k) {
    pair.step();
    ASSERT_LT(pair.difference(), 1e-9) << "step " << k;
  }
  EXPECT_TRUE(all_asleep(pair.ode().bodies()));
  EXPECT_LT(pair.tree().solver_counts()->tree, 30u);
  pair.ode().joints()[2].drive.velocity = 1.0;
  pair.ode().joints()[2].wake = true;
  for (int k = 0; k < 20; ++k) {
    pair.step();
    ASSERT_LT(pair.difference(), 1e-9) << "step " << k;
  }
  EXPECT_FALSE(any_asleep(pair.tree().bodies()));
}

// A body that spins alone stays ODE's, to the last bit.
TEST(TreeSolver, LeavesLooseBodiesToOde) {
  Pair pair("WorldInfo { basicTimeStep 8 }\n" + arm(4) +
            fmt::format("Solid {{ name \"loose\" translation 0 5 0 angularVelocity 3 2 -1 {} }}\n",
                        kPhysics));
  for (int k = 0; k < 100; ++k) {
    pair.step();
    const int loose = pair.ode().bodies().count() - 1;
    const BodyState a = state_of(pair.ode().bodies()[loose]);
    const BodyState b = state_of(pair.tree().bodies()[loose]);
    ASSERT_EQ(a.velocity, b.velocity) << "step " << k;
    ASSERT_EQ(a.spin, b.spin);
    ASSERT_EQ(a.place.position, b.place.position);
    ASSERT_EQ(a.place.quaternion, b.place.quaternion);
  }
  EXPECT_EQ(to_string(*pair.tree().solver_counts()),
            "tree, 100 island-steps; ODE, 100 island-steps (loose bodies)");
}

// A state has nothing of the solver, whose rows begin at their bounds or not.
TEST(TreeSolver, GoesOnBitForBitFromASavedState) {
  const LoadedScene loaded =
      load_scene("WorldInfo { basicTimeStep 8 }\n" + arm(12, "minStop -0.4 maxStop 0.4"));
  Diagnostics ignored;
  PhysicsWorld first(loaded.scene, ignored, with_tree());
  drive_all(first, 3.0, 20.0);
  for (int k = 0; k < 300; ++k) {
    const StateBlock before = saved(first);
    first.step();
    PhysicsWorld second(loaded.scene, ignored, with_tree());
    StateReader in(before);
    second.restore(in);
    second.step();
    ASSERT_EQ(hash_of(first), hash_of(second)) << "step " << k;
  }
  EXPECT_EQ(first.solver_counts()->tree, 300u);
}

TEST(TreeSolver, SolvesAChainOf300) {
  Pair pair("WorldInfo { basicTimeStep 4 }\n" + arm(300));
  PhysicsWorld& tree = pair.tree();
  drive_all(tree, 1.0, 1000.0);
  for (int k = 0; k < 20; ++k) {
    tree.step();
  }
  EXPECT_EQ(tree.solver_counts()->tree, 20u);
  EXPECT_LT(norm(pose_of(tree.bodies()[299]).translation), 62.0);
}

// I = 0.1 + 2·0.5² about the hinge.
TEST(TreeSolver, SwingsAPendulumInItsTime) {
  const LoadedScene loaded = load_scene(
      "WorldInfo { basicTimeStep 1 CFM 1e-10 }\nSolid { children [ HingeJoint { jointParameters "
      "HingeJointParameters { axis 0 1 0 position 0.01 } endPoint Solid { rotation 0 1 0 0.01 "
      "physics Physics { density -1 mass 2 centerOfMass [ 0 0 -0.5 ] inertiaMatrix [ 0.1 0.1 0.1, "
      "0 "
      "0 0 ] } } } ] }\n");
  Diagnostics ignored;
  PhysicsWorld world(loaded.scene, ignored, with_tree());
  double before = world.joints()[0].position;
  std::vector<double> crossings;
  for (int k = 1; k < 6000; ++k) {
    world.step();
    const double now = world.joints()[0].position;
    if (before < 0.0 && now >= 0.0) {
      crossings.push_back(0.001 * (k - now / (now - before)));
    }
    before = now;
  }
  ASSERT_GE(crossings.size(), 3u);
  const double period =
      (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
  EXPECT_NEAR(period, 2.0 * std::numbers::pi * std::sqrt(0.6 / (2.0 * 9.81 * 0.5)), 1e-3);
}

}  // namespace
}  // namespace servosim::test
