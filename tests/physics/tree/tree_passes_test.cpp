// SPDX-License-Identifier: Apache-2.0
// Trees that something touches, with three numbers in a register and with single ones: bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "physics/tree/random_fall.h"
#include "physics/tree/random_problem.h"
#include "physics/tree/tree_pair.h"
#include "support/repetitions.h"

namespace servosim::test {
namespace {

// Those that a processor has, but none.
std::vector<LaneSet> wide_sets() {
  std::vector<LaneSet> sets;
  for (const LaneSet set : {LaneSet::Avx2, LaneSet::Avx512}) {
    if (has_lanes(set)) {
      sets.push_back(set);
    }
  }
  return sets;
}

// Random trees in one array, and rows on and between their bodies: contacts with friction, rows of
// loops, motors; soft, stiff and without softness.
class RandomIsland {
 public:
  explicit RandomIsland(std::uint32_t seed) : random_(seed) {
    std::vector<std::size_t> begins{0};
    for (std::uint32_t t = 0; t < 1 + seed % 3; ++t) {
      RandomProblem problem(seed * 3 + t);
      const std::vector<TreeNode> tree =
          seed % 2 == 0 ? problem.with(free_).tree() : problem.tree();
      nodes_.insert(nodes_.end(), tree.begin(), tree.end());
      begins.push_back(nodes_.size());
    }
    for (std::size_t t = 0; t + 1 < begins.size(); ++t) {
      trees_.emplace_back(&nodes_[begins[t]], begins[t + 1] - begins[t]);
    }
    std::shuffle(trees_.begin(), trees_.end(), random_);
    for (std::uint32_t left = random_() % 8; left > 0; --left) {
      add_contact();
    }
    for (std::uint32_t left = random_() % 4; left > 0; --left) {
      add_other();
    }
  }

  TreeSolver::Result solve(LaneSet set) { return TreeSolver(set).solve(trees_, rows_); }

  // All results.
  std::uint64_t hash() const {
    Fnv1a hash;
    for (const TreeNode& n : nodes_) {
      add(hash, n.motion);
      add(hash, n.force);
      hash.add(n.along_axis);
      for (const AxisRow& row : n.rows) {
        add(hash, row);
      }
      if (n.subspace != nullptr) {
        for (const AxesRows::OfDirection& row : n.subspace->rows) {
          add(hash, row);
          hash.add(n.subspace->inertia[row.direction]);
        }
      }
    }
    for (const BodyRow& row : rows_) {
      add(hash, row);
      hash.add(row.high);
    }
    return hash.value();
  }
  bool has_border() const {
    return std::any_of(rows_.begin(), rows_.end(), [](const BodyRow& r) { return r.is_bordered; });
  }

 private:
  static void add(Fnv1a& hash, const SpatialVector& v) {
    for (const double number :
         {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z}) {
      hash.add(number);
    }
  }
  static void add(Fnv1a& hash, const Row& row) {
    hash.add(row.force);
    hash.add(row.rate);
    hash.add(static_cast<std::uint64_t>(row.state) * 16 +
             static_cast<std::uint64_t>(row.first_state[0]) * 4 +
             static_cast<std::uint64_t>(row.first_state[1]));
  }

  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_()) / 4294967295.0;
  }
  Vec3 vector(double size) {
    const double x = between(-size, size);
    const double y = between(-size, size);
    return {x, y, between(-size, size)};
  }

  BodyRow& add_row(std::size_t one, std::size_t other) {
    BodyRow& row = rows_.emplace_back();
    row.softness = random_() % 4 == 0 ? 1e-9 : std::pow(10.0, between(-5.0, -1.0));
    row.target = between(-10.0, 10.0);
    row.ends[0] = {&nodes_[one], {vector(1.0), vector(0.3)}};
    if (other != one) {
      row.ends[1] = {&nodes_[other], {vector(1.0), vector(0.3)}};
    }
    return row;
  }

  // Adds a contact of one body with the world, or of two bodies.
  void add_contact() {
    const std::size_t one = random_() % nodes_.size();
    const std::size_t other = random_() % 2 == 0 ? one : random_() % nodes_.size();
    const int normal = static_cast<int>(rows_.size());
    BodyRow& row = add_row(one, other);
    row.low = 0.0;
    row.high = kInfinity;
    for (std::uint32_t left = random_() % 3; left > 0; --left) {
      BodyRow& friction = add_row(one, other);
      friction.normal = normal;
      friction.friction = between(0.1, 2.0);
    }
  }

  // With bounds or without.
  void add_other() {
    BodyRow& row = add_row(random_() % nodes_.size(), random_() % nodes_.size());
    const double most = random_() % 2 == 0 ? kInfinity : between(0.0, 20.0);
    row.low = -most;
    row.high = most;
  }

  std::mt19937 random_;
  std::deque<MotionSubspace> free_;
  std::vector<TreeNode> nodes_;
  std::vector<std::span<TreeNode>> trees_;
  std::vector<BodyRow> rows_;
};

TEST(TreePasses, GiveTheBitsOfSingleNumbers) {
  const int islands = repetitions(3000, 100000);
  int with_border = 0;
  int of_many_rounds = 0;
  for (int seed = 0; seed < islands; ++seed) {
    const auto number = static_cast<std::uint32_t>(seed);
    RandomIsland expected(number);
    const TreeSolver::Result result = expected.solve(LaneSet::None);
    with_border += expected.has_border() ? 1 : 0;
    of_many_rounds += result.rounds > 4 ? 1 : 0;
    for (const LaneSet set : wide_sets()) {
      RandomIsland island(number);
      const TreeSolver::Result wide = island.solve(set);
      ASSERT_EQ(wide.solved, result.solved) << "island " << seed;
      ASSERT_EQ(wide.rounds, result.rounds) << "island " << seed;
      ASSERT_EQ(island.hash(), expected.hash()) << "island " << seed;
    }
  }
  EXPECT_GT(with_border, islands / 4);
  EXPECT_GT(of_many_rounds, islands / 4);
}

// A call leaves nothing behind for the next one.
TEST(TreePasses, ForgetTheIslandBefore) {
  std::vector<LaneSet> sets = wide_sets();
  sets.push_back(LaneSet::None);
  for (const LaneSet set : sets) {
    std::vector<std::uint64_t> hashes;
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
      RandomIsland island(seed);
      island.solve(set);
      hashes.push_back(island.hash());
    }
    for (std::uint32_t seed = 100; seed-- > 0;) {
      RandomIsland island(seed);
      island.solve(set);
      ASSERT_EQ(island.hash(), hashes[seed]) << "island " << seed;
    }
  }
}

// Worlds that fall on a floor, and loops.
TEST(TreePasses, MoveWorldsByTheSameBits) {
  const int scenes = repetitions(60, 2000);
  std::uint64_t touched = 0;
  for (int seed = 0; seed < scenes; ++seed) {
    const auto with = seed % 2 == 0 ? RandomFall::With::Contacts : RandomFall::With::Loops;
    const auto of = seed / 2 % 2 == 0 ? RandomFall::Of::Plain : RandomFall::Of::AllJoints;
    const auto number = static_cast<std::uint32_t>(seed) + 7000u;
    const LoadedScene loaded = load_scene(RandomFall(number, with, of).world());
    Diagnostics ignored;
    const auto world = [&](LaneSet set) {
      PhysicsOptions options;
      options.lanes = set;
      return std::make_unique<PhysicsWorld>(loaded.scene, ignored, options);
    };
    const auto expected = world(LaneSet::None);
    std::vector<std::unique_ptr<PhysicsWorld>> worlds;
    for (const LaneSet set : wide_sets()) {
      worlds.push_back(world(set));
    }
    std::mt19937 random(number);
    for (int k = 0; k < 60; ++k) {
      std::mt19937 same = random;
      drive_at_times(*expected, k, random);
      bool goes_on = true;
      try {
        expected->step();
      } catch (const Unstable&) {
        goes_on = false;
      }
      for (const auto& wide : worlds) {
        std::mt19937 its = same;
        drive_at_times(*wide, k, its);
        if (goes_on) {
          wide->step();
          ASSERT_EQ(hash_of(*wide), hash_of(*expected)) << "scene " << seed << ", step " << k;
        } else {
          ASSERT_THROW(wide->step(), Unstable);
        }
      }
      if (!goes_on) {
        break;
      }
    }
    touched += expected->solver_counts()->tree;
  }
  EXPECT_GT(touched, static_cast<std::uint64_t>(scenes) * 20);
}

}  // namespace
}  // namespace servosim::test
