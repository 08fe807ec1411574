// SPDX-License-Identifier: Apache-2.0
// Equal trees solved side by side against the same trees solved one by one: bit for bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "physics/physics_world.h"
#include "physics/tree/random_tree.h"
#include "physics/tree/tree_pair.h"
#include "support/repetitions.h"
#include "support/scenes.h"

namespace servosim::test {
namespace {

std::string to_string(LaneSet set) {
  const char* const names[] = {"none", "SSE2", "AVX2", "AVX-512"};
  return names[static_cast<int>(set)];
}

// All that a processor has, but none.
std::vector<LaneSet> lane_sets() {
  std::vector<LaneSet> sets;
  for (const LaneSet set : {LaneSet::Sse2, LaneSet::Avx2, LaneSet::Avx512}) {
    if (has_lanes(set)) {
      sets.push_back(set);
    }
  }
  return sets;
}

// Returns a world with this many robots of one random kind. Nothing has a shape, so that they stay
// apart. `settings` are further fields of WorldInfo.
std::string equal_robots(std::uint32_t seed, int robots, const std::string& settings = "") {
  const std::string world = RandomTree(seed).world();
  const std::size_t end = world.find('\n');
  std::string text = world.substr(0, end + 1);
  text.insert(text.find('{') + 1, settings);
  for (int r = 0; r < robots; ++r) {
    text += fmt::format("Group {{ children [ {} ] }}\n", world.substr(end + 1));
  }
  return text;
}

struct World {
  World(const LoadedScene& loaded, LaneSet lanes) : world(loaded.scene, ignored, options(lanes)) {}

  static PhysicsOptions options(LaneSet lanes) {
    PhysicsOptions options;
    options.lanes = lanes;
    return options;
  }

  Diagnostics ignored;
  PhysicsWorld world;
};

// All that the world is, with efforts.
std::uint64_t everything(PhysicsWorld& world) {
  Fnv1a hash;
  for (int b = 0; b < world.bodies().count(); ++b) {
    const BodyState state = state_of(world.bodies()[b]);
    for (int i = 0; i < 3; ++i) {
      hash.add(state.place.position[i]);
      hash.add(state.velocity[i]);
      hash.add(state.spin[i]);
      hash.add(state.force[i]);
      hash.add(state.torque[i]);
    }
    for (const double number : state.place.rotation) {
      hash.add(number);
    }
    for (const double number : state.place.quaternion) {
      hash.add(number);
    }
  }
  for (int j = 0; j < static_cast<int>(world.joints().count()); ++j) {
    hash.add(world.joint_velocity(j));
    world.joints().measure(j);
    hash.add(world.joints()[j].position);
    hash.add(world.joints()[j].velocity);
    hash.add(world.joints()[j].effort);
    hash.add(world.joints()[j].constraint_effort);
  }
  return hash.value();
}

// False once a body has left the range in which ODE works.
bool step(PhysicsWorld& world) {
  try {
    world.step();
    return true;
  } catch (const Unstable&) {
    return false;
  }
}

// Follows worlds with all sets of lanes; the first has none.
void follow_equal_robots(std::uint32_t seed, const std::string& text, int steps,
                         SolverCounts& counts) {
  const LoadedScene loaded = load_scene(text);
  std::vector<LaneSet> sets = lane_sets();
  sets.insert(sets.begin(), LaneSet::None);
  std::vector<std::unique_ptr<World>> worlds;
  for (const LaneSet set : sets) {
    worlds.push_back(std::make_unique<World>(loaded, set));
  }
  bool goes_on = true;
  for (int k = 0; k < steps && goes_on && !testing::Test::HasFailure(); ++k) {
    std::uint64_t expected = 0;
    for (std::size_t w = 0; w < worlds.size(); ++w) {
      PhysicsWorld& world = worlds[w]->world;
      if (k % 10 == 0) {
        std::mt19937 commands(seed + 1000u * static_cast<std::uint32_t>(k));
        drive(world, commands);
      }
      const bool went = step(world);
      const std::uint64_t is = went ? everything(world) : 0;
      if (w == 0) {
        goes_on = went;
        expected = is;
      }
      EXPECT_EQ(is, expected) << "robot " << seed << ", step " << k << ", " << to_string(sets[w]);
    }
  }
  EXPECT_EQ(worlds[0]->world.solver_counts()->in_lanes, 0u);
  for (const auto& world : worlds) {
    const SolverCounts its = *world->world.solver_counts();
    EXPECT_EQ(its.tree, worlds[0]->world.solver_counts()->tree);
    EXPECT_EQ(its.ode, worlds[0]->world.solver_counts()->ode);
    counts.tree += its.tree;
    counts.in_lanes += its.in_lanes;
    counts.side_by_side += its.side_by_side;
  }
}

TEST(TreeLanes, GiveTheBitsOfSingleTrees) {
  const int kinds = repetitions(40, 1500);
  SolverCounts counts;
  for (int seed = 0; seed < kinds && !HasFailure(); ++seed) {
    const auto number = static_cast<std::uint32_t>(seed);
    follow_equal_robots(number, equal_robots(number, 1 + seed % 11), 40, counts);
  }
  RecordProperty("in lanes", fmt::format("{} of {}", counts.in_lanes, counts.tree));
  fmt::print("{} of {} island-steps in lanes\n", counts.in_lanes, counts.tree);
  EXPECT_GT(counts.in_lanes, counts.tree / 4);
}

// The bodies of such trees are hidden from ODE's step, and move after it.
TEST(TreeLanes, GiveThemBesideWhatIsLeftToOde) {
  const std::string loose =
      "Solid { name \"loose\" translation 0 50 0 angularVelocity 3 2 -1 physics Physics { density "
      "-1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 1 2 3, 0 0 0 ] } }\n";
  SolverCounts counts;
  for (std::uint32_t seed = 0; seed < 12 && !HasFailure(); ++seed) {
    follow_equal_robots(seed, equal_robots(seed, 3 + 3 * static_cast<int>(seed % 3)) + loose, 40,
                        counts);
  }
  EXPECT_GT(counts.side_by_side, counts.tree / 10);
}

// Also of trees of which only a part sleeps.
TEST(TreeLanes, GiveThemWhileBodiesFallAsleep) {
  SolverCounts counts;
  for (std::uint32_t seed = 0; seed < 12 && !HasFailure(); ++seed) {
    follow_equal_robots(seed,
                        equal_robots(seed, 9,
                                     " physicsDisableTime 0.03 physicsDisableLinearThreshold 4 "
                                     "physicsDisableAngularThreshold 4 "),
                        60, counts);
  }
  EXPECT_GT(counts.side_by_side, 100u);
  EXPECT_LT(counts.tree, 12u * 9u * 60u * (1u + lane_sets().size()));  // some slept
}

// One robot in each of several worlds.
TEST(TreeLanes, SolveTreesOfSeveralWorldsTogether) {
  const int kinds = repetitions(20, 500);
  SolverCounts counts;
  for (int seed = 0; seed < kinds && !HasFailure(); ++seed) {
    const auto number = static_cast<std::uint32_t>(seed);
    const LoadedScene loaded = load_scene(equal_robots(number, 1 + seed % 2));
    std::vector<std::unique_ptr<World>> alone;
    std::vector<std::unique_ptr<World>> together;
    std::vector<PhysicsWorld*> worlds;
    for (int w = 0; w < 7; ++w) {
      alone.push_back(std::make_unique<World>(loaded, LaneSet::None));
      together.push_back(std::make_unique<World>(loaded, widest_lanes()));
      worlds.push_back(&together.back()->world);
    }
    std::vector<PhysicsWorld::StepOutcome> outcomes(worlds.size());
    for (int k = 0; k < 30 && !HasFailure(); ++k) {
      for (std::size_t w = 0; k % 10 == 0 && w < worlds.size(); ++w) {
        std::mt19937 commands(number + 100u * static_cast<std::uint32_t>(k) +
                              static_cast<std::uint32_t>(w));
        std::mt19937 same = commands;
        drive(alone[w]->world, commands);
        drive(*worlds[w], same);
      }
      PhysicsWorld::step_together(worlds, outcomes);
      for (std::size_t w = 0; w < worlds.size(); ++w) {
        const bool was_over = alone[w]->world.is_over();
        const bool went = !was_over && step(alone[w]->world);
        EXPECT_EQ(outcomes[w].error == nullptr, went) << "robot " << seed << ", step " << k;
        if (went) {
          EXPECT_EQ(everything(*worlds[w]), everything(alone[w]->world))
              << "robot " << seed << ", step " << k << ", world " << w;
        }
      }
    }
    counts.tree += worlds[0]->solver_counts()->tree;
    counts.in_lanes += worlds[0]->solver_counts()->in_lanes;
  }
  EXPECT_GT(counts.in_lanes, counts.tree / 4);
}

// A pair of hinges first, then a pair of fixed joints, which use the same memory.
TEST(TreeLanes, ForgetTheAxisOfTheTreeBefore) {
  const auto robots = [](const char* hanging) {
    return fmt::format(
        "Group {{ children [ Solid {{ name \"a\" {0} }} Solid {{ name \"b\" {0} }} ] "
        "}}\n",
        hanging);
  };
  const LoadedScene loaded = load_scene(
      "WorldInfo { basicTimeStep 4 gravity 0 }\n" +
      robots("physics Physics { density -1 mass 2 } angularVelocity 0.5 -0.25 1 children [ "
             "HingeJoint { jointParameters HingeJointParameters { axis -0.6 0.8 0 } device "
             "RotationalMotor { } endPoint Solid { translation 0 0 0.5 physics Physics { density "
             "-1 mass 1 } } } ]") +
      robots("physics Physics { density -1 mass 3 } linearVelocity 0 1 0 children [ TouchSensor { "
             "type \"force\" translation 0.5 0 0 physics Physics { density -1 mass 0.5 } "
             "boundingObject Group { } } ]"));
  for (const LaneSet set : lane_sets()) {
    World world(loaded, set);
    World expected(loaded, LaneSet::None);
    for (int k = 0; k < 20; ++k) {
      world.world.step();
      expected.world.step();
      ASSERT_EQ(everything(world.world), everything(expected.world)) << to_string(set) << k;
    }
    EXPECT_EQ(world.world.solver_counts()->in_lanes, 80u);
  }
}

TEST(TreeLanes, KeepWorldsApartThatDiffer) {
  const std::string tree = equal_robots(3, 2);
  const std::string rest = tree.substr(tree.find('\n'));
  const std::string other = equal_robots(4, 2);
  std::vector<LoadedScene> scenes;
  // The last two have the same CFM / h, but not times 1 / h.
  for (const char* info : {"", "gravity 3", "ERP 0.4", "CFM 1e-3", "basicTimeStep 8",
                           "CFM 1.0000000000000053e-05", "CFM 1.0000000000000055e-05"}) {
    scenes.push_back(load_scene(fmt::format("WorldInfo {{ {} }}{}", info, rest)));
  }
  scenes.push_back(load_scene("WorldInfo { }" + other.substr(other.find('\n'))));
  std::vector<std::unique_ptr<World>> alone;
  std::vector<std::unique_ptr<World>> together;
  std::vector<PhysicsWorld*> worlds;
  for (const LoadedScene& scene : scenes) {
    for (int twice = 0; twice < 2; ++twice) {
      alone.push_back(std::make_unique<World>(scene, LaneSet::None));
      together.push_back(std::make_unique<World>(scene, widest_lanes()));
      worlds.push_back(&together.back()->world);
    }
  }
  std::vector<PhysicsWorld::StepOutcome> outcomes(worlds.size());
  for (int k = 0; k < 20; ++k) {
    for (std::size_t w = 0; k % 5 == 0 && w < worlds.size(); ++w) {
      for (PhysicsWorld* const world : {worlds[w], &alone[w]->world}) {
        std::mt19937 commands(static_cast<std::uint32_t>(k));
        drive(*world, commands);
      }
    }
    PhysicsWorld::step_together(worlds, outcomes);
    for (std::size_t w = 0; w < worlds.size(); ++w) {
      ASSERT_EQ(outcomes[w].error, nullptr);
      alone[w]->world.step();
      ASSERT_EQ(everything(*worlds[w]), everything(alone[w]->world)) << "world " << w;
    }
  }
  EXPECT_GT(worlds[0]->solver_counts()->in_lanes, 0u);
}

TEST(TreeLanes, LeaveTheOtherWorldsAloneWhereOneIsOver) {
  const LoadedScene loaded = load_scene(equal_robots(2, 2));
  World good(loaded, widest_lanes());
  World bad(loaded, widest_lanes());
  bad.world.bodies().set_motion(bad.world.bodies()[0].solid, {{1e300, 0.0, 0.0}, {}});
  const std::array<PhysicsWorld*, 2> worlds{&bad.world, &good.world};
  std::array<PhysicsWorld::StepOutcome, 2> outcomes;
  for (int k = 0; k < 3; ++k) {
    PhysicsWorld::step_together(worlds, outcomes);
    EXPECT_THROW(std::rethrow_exception(outcomes[0].error), Unstable);
    EXPECT_EQ(outcomes[1].error, nullptr);
  }
  World alone(loaded, LaneSet::None);
  for (int k = 0; k < 3; ++k) {
    alone.world.step();
  }
  EXPECT_EQ(everything(good.world), everything(alone.world));
}

TEST(TreeLanes, GiveTheSameBitsInTwoThreads) {
  const LoadedScene loaded = load_scene(equal_robots(2, 9));
  const auto run = [&loaded] {
    World world(loaded, widest_lanes());
    std::mt19937 commands(7);
    drive(world.world, commands);
    for (int k = 0; k < 100; ++k) {
      world.world.step();
    }
    return everything(world.world);
  };
  const std::uint64_t expected = run();
  std::uint64_t other = 0;
  std::thread thread([&] { other = run(); });
  EXPECT_EQ(run(), expected);
  thread.join();
  EXPECT_EQ(other, expected);
}

}  // namespace
}  // namespace servosim::test
