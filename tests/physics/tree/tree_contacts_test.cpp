// SPDX-License-Identifier: Apache-2.0
// Contacts, loops and attachments: TreeSolver against dWorldStep of ODE, the same state into both,
// step by step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "physics/tree/random_fall.h"
#include "physics/tree/tree_pair.h"
#include "support/repetitions.h"

namespace servosim::test {
namespace {

void add(SolverCounts& to, const SolverCounts& counts) {
  to.tree += counts.tree;
  for (std::size_t i = 0; i < kOdeReasons; ++i) {
    to.ode[i] += counts.ode[i];
  }
}

class RandomFalls {
 public:
  // `before_step`: called with the pair, its step and a source of random numbers.
  template <typename BeforeStep>
  void run(int scenes, RandomFall::With with, BeforeStep before_step) {
    for (int seed = 0; seed < scenes; ++seed) {
      Pair pair(RandomFall(static_cast<std::uint32_t>(seed), with, of).world());
      std::mt19937 random(static_cast<std::uint32_t>(seed) + 1000u);
      for (int k = 0; k < 100; ++k) {
        before_step(pair.ode(), k, random);
        if (!step(pair, fmt::format("scene {}, step {}", seed, k))) {
          break;
        }
      }
      add(counts, *pair.tree().solver_counts());
    }
    fmt::print("{} steps: velocities to {:.1e}, efforts to {:.1e}; {}\n", steps, largest,
               largest_effort, to_string(counts));
  }

  RandomFall::Of of = RandomFall::Of::Plain;
  double bound = 1e-9;
  std::uint64_t steps = 0;
  double largest = 0.0;
  double largest_effort = 0.0;
  SolverCounts counts;

 private:
  bool step(Pair& pair, const std::string& where) {
    try {
      pair.step();
    } catch (const Unstable&) {
      return false;
    }
    ++steps;
    const double difference = pair.difference();
    EXPECT_LT(difference, bound) << where;
    largest = std::max(largest, difference);
    const double of_efforts = pair.difference_of_efforts();
    EXPECT_LT(of_efforts, 1e-6) << where;
    largest_effort = std::max(largest_effort, of_efforts);
    return difference < bound && of_efforts < 1e-6;
  }
};

// What has joints is the tree solver's, but for heaps.
void expect_solved(const RandomFalls& falls) {
  const auto by_ode = [&falls](OdeReason reason) {
    return falls.counts.ode[static_cast<std::size_t>(reason)];
  };
  EXPECT_GT(falls.counts.tree, falls.steps / 2);
  EXPECT_LT(by_ode(OdeReason::ManyPairs), falls.steps / 20);
  EXPECT_EQ(by_ode(OdeReason::Unsolved), 0u);
}

TEST(TreeSolver, MovesBodiesThatTouchAsOdeDoes) {
  RandomFalls falls;
  falls.run(repetitions(120, 4000), RandomFall::With::Contacts, drive_at_times);
  expect_solved(falls);
}

TEST(TreeSolver, MovesBodiesOfAllJointsThatTouchAsOdeDoes) {
  RandomFalls falls;
  falls.of = RandomFall::Of::AllJoints;
  falls.run(repetitions(100, 2000), RandomFall::With::Contacts, drive_at_times);
  expect_solved(falls);
}

TEST(TreeSolver, MovesLoopsOfAllJointsAsOdeDoes) {
  RandomFalls falls;
  falls.of = RandomFall::Of::AllJoints;
  falls.run(repetitions(100, 2000), RandomFall::With::Loops, drive_at_times);
  expect_solved(falls);
}

TEST(TreeSolver, MovesLoopsAsOdeDoes) {
  RandomFalls falls;
  falls.run(repetitions(120, 2000), RandomFall::With::Loops, drive_at_times);
  expect_solved(falls);
}

// Bodies are fixed to each other and to the world, and released. Fixed joints that say the same
// cost ODE digits: moved by 1e-15, its velocities change by up to 1e-9, the tree solver's by 1e-12.
TEST(TreeSolver, MovesAttachedBodiesAsOdeDoes) {
  RandomFalls falls;
  falls.bound = 1e-8;
  falls.run(repetitions(60, 1000), RandomFall::With::Contacts,
            [](PhysicsWorld& world, int step, std::mt19937& random) {
              drive_at_times(world, step, random);
              if (step % 7 == 0) {
                const int bodies = world.bodies().count();
                const int one = world.bodies()[static_cast<int>(random() % bodies)].solid;
                const int other = world.bodies()[static_cast<int>(random() % bodies)].solid;
                random() % 2 == 0 ? world.attachments().couple(one, other)
                                  : world.attachments().uncouple(one, other);
                world.attachments().fix_to_world(one, random() % 3 == 0);
              }
            });
  expect_solved(falls);
}

// Rows of contacts, too, begin at their bounds or not.
TEST(TreeSolver, GoesOnBitForBitFromASavedStateWithContacts) {
  const int scenes = repetitions(24, 600);
  for (int seed = 0; seed < scenes; ++seed) {
    const LoadedScene loaded =
        load_scene(RandomFall(static_cast<std::uint32_t>(seed), RandomFall::With::Contacts,
                              seed % 2 == 0 ? RandomFall::Of::Plain : RandomFall::Of::AllJoints)
                       .world());
    Diagnostics ignored;
    PhysicsWorld first(loaded.scene, ignored, with_tree());
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    for (int k = 0; k < 100; ++k) {
      drive_at_times(first, k, random);
      const StateBlock before = saved(first);
      try {
        first.step();
      } catch (const Unstable&) {
        break;
      }
      PhysicsWorld second(loaded.scene, ignored, with_tree());
      StateReader in(before);
      second.restore(in);
      second.step();
      ASSERT_EQ(hash_of(first), hash_of(second)) << "scene " << seed << ", step " << k;
    }
  }
}

// A board on 200 studs, with a driven lever on it, lands and slides.
TEST(TreeSolver, MovesABodyWith200ContactsAsOdeDoes) {
  std::string studs;
  for (int i = 0; i < 200; ++i) {
    studs +=
        fmt::format("Transform {{ translation {} {} -0.05 children Sphere {{ radius 0.02 }} }} ",
                    0.05 * (i % 20) - 0.475, 0.05 * (i / 20) - 0.225);
  }
  Pair pair(
      "WorldInfo { basicTimeStep 8 contactProperties ContactProperties { maxContactJoints 400 "
      "coulombFriction 0.3 } }\n"
      "Solid { name \"floor\" translation 0 0 -0.5 boundingObject Box { size 9 9 1 } }\n"
      "Solid { name \"board\" translation 0 0 0.08 linearVelocity 1 0.2 0 boundingObject Group { "
      "children [ " +
      studs +
      "] } physics Physics { density -1 mass 5 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.2 0.4 0.6, "
      "0 "
      "0 0 ] } children HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } endPoint "
      "Solid { name \"lever\" translation 0.1 0 0.1 physics Physics { density -1 mass 0.5 "
      "centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.01 0.01, 0 0 0 ] } } } }\n");
  std::mt19937 random(1);
  std::size_t most = 0;
  for (int k = 0; k < 60; ++k) {
    drive_at_times(pair.ode(), k, random);
    most = std::max(most, pair.tree().contacts().joints().size());
    pair.step();
    ASSERT_LT(pair.difference(), 1e-9) << "step " << k;
  }
  EXPECT_GE(most, 200u);
  EXPECT_EQ(pair.tree().solver_counts()->tree, 60u);
}

// Rows that say the same, with next to no softness or none: to the last bit.
TEST(TreeSolver, LeavesContactsWithoutSoftnessToOde) {
  const std::string box =
      "Solid { name \"floor\" boundingObject Box { size 9 9 0.2 } }\n"
      "Solid { name \"box\" translation 0 0 0.199 boundingObject Box { size 0.2 0.2 0.2 } physics "
      "Physics { density 1000 } }\n";
  for (const std::string& info :
       {std::string("WorldInfo { basicTimeStep 8 CFM 1e-300 }\n"),
        std::string("WorldInfo { basicTimeStep 8 contactProperties ContactProperties { "
                    "forceDependentSlip [ 0.1 0 ] } }\n")}) {
    Pair pair(info + box);
    for (int k = 0; k < 200; ++k) {
      pair.step();
      ASSERT_EQ(pair.difference(), 0.0) << info << "step " << k;
    }
    const SolverCounts counts = *pair.tree().solver_counts();
    EXPECT_EQ(counts.tree, 0u);
    EXPECT_GT(counts.ode[static_cast<std::size_t>(OdeReason::NoSoftness)], 10u);
  }
}

}  // namespace
}  // namespace servosim::test
