// SPDX-License-Identifier: Apache-2.0
// A chain of 2000 hinges in TreeSolver, against what is known of chains.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "physics/tree/tree_solver.h"

namespace servosim::test {
namespace tree_chain_test {

constexpr int kLinks = 2000;
constexpr double kMass = 0.7;
constexpr double kSoftness = 1e-5 / 0.008;

TreeNode link(int index) {
  TreeNode n;
  n.above = index > 0 ? 1 : 0;
  n.kind = TreeNode::Kind::Hinge;
  n.mass = kMass;
  n.inertia = {0.004, 0.0003, 0.0, 0.005, -0.0002, 0.006};
  n.linear_softness = n.angular_softness = kSoftness;
  return n;
}

// From the world straight down: the i-th joint carries what is below it, but each gives way by its
// softness. With weights −m·g and motions u up,
//   m·u(i) = −m·g + f(i) − f(i+1),  u(i) − u(i−1) = −c·f(i)
TEST(TreeSolverChain, Of2000HangsAsAChainOfSoftJoints) {
  std::vector<TreeNode> tree;
  for (int i = 0; i < kLinks; ++i) {
    TreeNode n = link(i);
    n.load.linear.z = -9.81 * kMass;
    n.arm = {0.0, 0.0, 0.1};
    n.parent_arm = i == 0 ? Vec3{} : Vec3{0.0, 0.0, -0.1};
    n.axis = i % 2 == 0 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.6, 0.8, 0.0};
    tree.push_back(n);
  }
  ASSERT_TRUE(TreeSolver().solve(tree).solved);
  // −u(i−1)/c + (m + 2/c)·u(i) − u(i+1)/c = −m·g, solved from the end.
  const long double stiffness = 1.0L / kSoftness;
  std::vector<long double> diagonal(kLinks);
  std::vector<long double> load(kLinks);
  for (int i = kLinks - 1; i >= 0; --i) {
    const bool is_last = i == kLinks - 1;
    const long double share = is_last ? 0.0L : stiffness / diagonal[i + 1];
    diagonal[i] = kMass + (is_last ? 1 : 2) * stiffness - share * stiffness;
    load[i] = -9.81L * kMass + (is_last ? 0.0L : share * load[i + 1]);
  }
  long double above = 0.0L;
  for (int i = 0; i < kLinks; ++i) {
    const long double u = (load[i] + stiffness * above) / diagonal[i];
    const auto force = static_cast<double>(stiffness * (above - u));
    EXPECT_NEAR(tree[i].force.linear.z, force, 1e-9 * kLinks * kMass * 9.81) << i;
    EXPECT_NEAR(tree[i].motion.linear.z, static_cast<double>(u), 1e-9) << i;
    EXPECT_LT(norm(tree[i].motion.angular), 1e-9) << i;
    ASSERT_FALSE(HasFailure());
    above = u;
  }
  EXPECT_GT(tree[0].force.linear.z, 10.0 * tree[kLinks - 200].force.linear.z);
}

Vec3 vector(std::mt19937& random, double size) {
  const auto number = [&] {
    return size * (2.0 * static_cast<double>(random()) / 4294967295.0 - 1.0);
  };
  const double x = number();
  const double y = number();
  return {x, y, number()};
}

// A free chain is bent and thrown, with motors that are too weak for their commands. No joint
// changes the total momentum.
TEST(TreeSolverChain, Of2000KeepsItsMomentum) {
  std::mt19937 random(3);
  std::vector<TreeNode> tree;
  std::vector<Vec3> centers;
  for (int i = 0; i < kLinks; ++i) {
    TreeNode n = link(i);
    n.load = {vector(random, 5.0), vector(random, 1.0)};
    n.axis = unit_or(vector(random, 1.0), {1.0, 0.0, 0.0});
    if (i == 0) {
      n.kind = TreeNode::Kind::Root;
      centers.push_back({});
    } else {
      n.arm = vector(random, 0.1);
      n.parent_arm = vector(random, 0.1);
      n.rows.add(AxisRow::Owner::Joint, {kSoftness, i % 2 == 0 ? 100.0 : -40.0, -0.5, 0.5});
      centers.push_back(centers.back() + n.parent_arm - n.arm);
    }
    tree.push_back(n);
  }
  ASSERT_TRUE(TreeSolver().solve(tree).solved);
  SpatialVector before;
  SpatialVector after;
  int at_bounds = 0;
  double most = 0.0;
  for (int i = 0; i < kLinks; ++i) {
    const TreeNode& n = tree[i];
    const SpatialVector momentum{n.mass * n.motion.linear, n.inertia * n.motion.angular};
    before = before + force_from(n.load, centers[i]);
    after = after + force_from(momentum, centers[i]);
    most += norm(centers[i]) * norm(momentum.linear) + norm(momentum.angular);
    for (const AxisRow& row : n.rows) {
      at_bounds += row.state == AxisRow::State::Inside ? 0 : 1;
    }
  }
  EXPECT_GT(at_bounds, kLinks / 10);
  EXPECT_LT(at_bounds, kLinks);
  EXPECT_LT(norm(after.linear - before.linear), 1e-9 * norm(before.linear));
  EXPECT_LT(norm(after.angular - before.angular), 1e-10 * most);
}

}  // namespace tree_chain_test
}  // namespace servosim::test
