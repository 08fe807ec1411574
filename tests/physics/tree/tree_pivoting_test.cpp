// SPDX-License-Identifier: Apache-2.0
// The rows of TreeSolver that reach their bounds, against every set of them tried in turn.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <random>
#include <vector>

#include "physics/tree/dense_problem.h"
#include "physics/tree/random_problem.h"
#include "support/repetitions.h"

namespace servosim::test {
namespace tree_pivoting_test {

using State = AxisRow::State;

Vec3 vec(const Real* v) {
  return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}

// In terms of the fastest.
void expect_motions(const std::vector<TreeNode>& tree, const Matrix& motions) {
  double fastest = 1.0;
  for (const Column& motion : motions) {
    fastest = std::max({fastest, norm(vec(&motion[0])), norm(vec(&motion[3]))});
  }
  for (std::size_t b = 0; b < tree.size(); ++b) {
    EXPECT_LT(norm(tree[b].motion.linear - vec(&motions[b][0])), 1e-9 * fastest) << b;
    EXPECT_LT(norm(tree[b].motion.angular - vec(&motions[b][3])), 1e-9 * fastest) << b;
  }
}

// The tree's forces and motions are those of the dense problem; forces in terms of the largest.
void expect_solution(const std::vector<TreeNode>& tree, const DenseProblem& dense) {
  const Column forces = dense.solution();
  ASSERT_EQ(forces.size(), dense.bounded().size()) << "no set of rows at bounds does";
  double strongest = 1.0;
  for (const Real force : forces) {
    strongest = std::max(strongest, std::abs(static_cast<double>(force)));
  }
  for (std::size_t i = 0; i < forces.size(); ++i) {
    EXPECT_NEAR(dense.bounded()[i]->force, static_cast<double>(forces[i]), 1e-8 * strongest) << i;
  }
  expect_motions(tree, dense.motions(forces));
}

TreeSolver::Result solve(std::vector<TreeNode>& tree) { return TreeSolver().solve(tree); }

TEST(TreeSolverPivoting, FindsTheOnlySetOfRowsAtBounds) {
  const int problems = repetitions(60, 6000);
  for (int seed = 0; seed < problems; ++seed) {
    std::vector<TreeNode> tree = RandomProblem(static_cast<std::uint32_t>(seed)).tree();
    ASSERT_TRUE(solve(tree).solved) << seed;
    expect_solution(tree, DenseProblem(tree));
    ASSERT_FALSE(HasFailure()) << seed;
  }
}

// Neither of joints, nor of one row on each axis.
TEST(TreeSolverPivoting, NeedsNoSoftness) {
  const int problems = repetitions(60, 6000);
  for (int seed = 0; seed < problems; ++seed) {
    std::vector<TreeNode> tree = RandomProblem(static_cast<std::uint32_t>(seed)).tree();
    for (TreeNode& n : tree) {
      n.linear_softness = n.angular_softness = 0.0;
      if (!n.rows.empty()) {
        n.rows.begin()->softness = 0.0;
      }
    }
    ASSERT_TRUE(solve(tree).solved) << seed;
    expect_solution(tree, DenseProblem(tree));
    ASSERT_FALSE(HasFailure()) << seed;
  }
}

// The trees also have balls and Hinge2s, with rows in up to three directions of each.
TEST(TreeSolverPivoting, FindsTheOnlySetOfRowsAtBoundsAmongFreeDirections) {
  const int problems = repetitions(100, 6000);
  for (int seed = 0; seed < problems; ++seed) {
    std::deque<MotionSubspace> free;
    std::vector<TreeNode> tree = RandomProblem(static_cast<std::uint32_t>(seed)).with(free).tree();
    ASSERT_TRUE(solve(tree).solved) << seed;
    expect_solution(tree, DenseProblem(tree));
    ASSERT_FALSE(HasFailure()) << seed;
  }
}

// Neither of joints, nor of one row in each direction.
TEST(TreeSolverPivoting, NeedsNoSoftnessAmongFreeDirections) {
  const int problems = repetitions(100, 6000);
  for (int seed = 0; seed < problems; ++seed) {
    std::deque<MotionSubspace> free;
    std::vector<TreeNode> tree = RandomProblem(static_cast<std::uint32_t>(seed)).with(free).tree();
    for (TreeNode& n : tree) {
      n.linear_softness = n.angular_softness = 0.0;
      if (!n.rows.empty()) {
        n.rows.begin()->softness = 0.0;
      }
    }
    for (MotionSubspace& f : free) {
      std::size_t next = 0;
      for (AxesRows::OfDirection& row : f.rows) {
        if (row.direction >= next) {
          row.softness = 0.0;
          next = row.direction + 1u;
        }
      }
    }
    ASSERT_TRUE(solve(tree).solved) << seed;
    expect_solution(tree, DenseProblem(tree));
    ASSERT_FALSE(HasFailure()) << seed;
  }
}

// Where the row would go that breaks its bounds.
bool breaks(const AxisRow& row, State state, double force, double residual, State& to) {
  if (state == State::Inside) {
    const double slack = 1e-10 * (1.0 + std::abs(force));
    to = force < row.low - slack ? State::AtLow : State::AtHigh;
    return to == State::AtLow || force > row.high + slack;
  }
  to = State::Inside;
  return (state == State::AtLow ? -residual : residual) > 1e-10 * (1.0 + std::abs(row.target));
}

// Whether moving all rows at once that break their bounds by much leads nowhere: nine rounds in
// which their number does not fall.
bool needs_single_moves(const DenseProblem& dense) {
  std::vector<State> states(dense.bounded().size(), State::Inside);
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (int patience = 8; patience >= 0;) {
    const Column forces = dense.forces(states);
    const Column residual = dense.residual(forces);
    std::vector<State> to = states;
    std::vector<double> excess(states.size());
    std::size_t breaking = 0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const AxisRow& row = *dense.bounded()[i];
      const auto force = static_cast<double>(forces[i]);
      if (breaks(row, states[i], force, static_cast<double>(residual[i]), to[i])) {
        ++breaking;
        const double width = row.high - row.low;
        excess[i] = states[i] == State::Inside ? std::max(row.low - force, force - row.high) /
                                                     (width < kInfinity ? width : 10.0)
                                               : 0.0;
      } else {
        to[i] = states[i];
      }
    }
    if (breaking == 0) {
      return false;
    }
    patience = breaking < fewest ? 8 : patience - 1;
    fewest = std::min(fewest, breaking);
    const double largest = *std::max_element(excess.begin(), excess.end());
    for (std::size_t i = 0; i < states.size(); ++i) {
      states[i] = to[i] == State::Inside || excess[i] >= 0.2 * largest ? to[i] : states[i];
    }
  }
  return true;
}

// Found among a million: there the solver moves rows one at a time, to the same solution.
TEST(TreeSolverPivoting, MovesRowsOneAtATimeWhereAllAtOnceLeadNowhere) {
  for (const std::uint32_t seed :
       {47697u,  48563u,  48676u,  49769u,  57798u,  68213u,  114565u, 174124u, 183785u, 351996u,
        369698u, 406810u, 412024u, 417699u, 495516u, 533355u, 587017u, 624014u, 697261u, 715998u,
        734937u, 769276u, 833262u, 855453u, 858710u, 900445u, 910982u, 972238u}) {
    std::vector<TreeNode> tree = RandomProblem(seed).tree();
    EXPECT_TRUE(needs_single_moves(DenseProblem(tree))) << seed;
    const TreeSolver::Result result = solve(tree);
    EXPECT_TRUE(result.solved) << seed;
    EXPECT_GT(result.rounds, 10) << seed;
    expect_solution(tree, DenseProblem(tree));
    ASSERT_FALSE(HasFailure()) << seed;
  }
}

// With twelve bodies there are too many sets to try all of them, but only one of them keeps all
// bounds.
TEST(TreeSolverPivoting, MovesRowsOneAtATimeInLargerProblems) {
  for (const std::uint32_t seed :
       {238u, 485u, 2229u, 2564u, 4236u, 4816u, 5227u, 7331u, 7685u, 7807u, 8766u, 8880u, 9340u}) {
    std::vector<TreeNode> tree = RandomProblem(seed, 12).tree();
    const DenseProblem dense(tree);
    EXPECT_TRUE(needs_single_moves(dense)) << seed;
    EXPECT_TRUE(solve(tree).solved) << seed;
    std::vector<State> states;
    for (const AxisRow* row : dense.bounded()) {
      states.push_back(row->state);
    }
    const Column forces = dense.forces(states);
    EXPECT_TRUE(dense.keeps_bounds(states, forces, dense.residual(forces))) << seed;
    expect_motions(tree, dense.motions(forces));
    ASSERT_FALSE(HasFailure()) << seed;
  }
}

// By body, to the last bit.
std::vector<double> motions(const std::vector<TreeNode>& tree) {
  std::vector<double> all;
  for (const TreeNode& n : tree) {
    const SpatialVector& m = n.motion;
    all.insert(all.end(),
               {m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z});
  }
  return all;
}

// Calls an action with each row that has bounds.
template <typename Action>
void for_each_bounded(std::vector<TreeNode>& tree, Action action) {
  for (TreeNode& n : tree) {
    for (AxisRow& row : n.rows) {
      if (row.is_bounded()) {
        action(row);
      }
    }
  }
}

void start_anywhere(std::vector<TreeNode>& tree, std::mt19937& random) {
  for_each_bounded(tree, [&](AxisRow& row) {
    row.first_state[0] = static_cast<State>(static_cast<int>(random() % 3) - 1);
  });
}

TEST(TreeSolverPivoting, EndsAtTheSameBitsWhereverItStarts) {
  const int problems = repetitions(3000, 300000);
  std::mt19937 random(5);
  for (int seed = 0; seed < problems; ++seed) {
    std::vector<TreeNode> cold = RandomProblem(static_cast<std::uint32_t>(seed)).tree();
    std::vector<TreeNode> warm = cold;
    start_anywhere(warm, random);
    ASSERT_TRUE(solve(cold).solved) << seed;
    ASSERT_TRUE(solve(warm).solved) << seed;
    ASSERT_EQ(motions(cold), motions(warm)) << seed;
  }
}

TEST(TreeSolverPivoting, EndsAtTheSameBitsAmongFreeDirectionsWhereverItStarts) {
  const int problems = repetitions(1000, 100000);
  std::mt19937 random(7);
  for (int seed = 0; seed < problems; ++seed) {
    std::deque<MotionSubspace> free;
    std::vector<TreeNode> tree = RandomProblem(static_cast<std::uint32_t>(seed)).with(free).tree();
    const std::vector<TreeNode> before = tree;
    ASSERT_TRUE(solve(tree).solved) << seed;
    const std::vector<double> cold = motions(tree);
    tree = before;
    start_anywhere(tree, random);
    for (MotionSubspace& f : free) {
      for (AxesRows::OfDirection& row : f.rows) {
        row.first_state[0] = static_cast<State>(static_cast<int>(random() % 3) - 1);
      }
    }
    ASSERT_TRUE(solve(tree).solved) << seed;
    ASSERT_EQ(cold, motions(tree)) << seed;
  }
}

// A row whose force is the bound itself may be on either side of it.
TEST(TreeSolverPivoting, EndsAtTheSameBitsWithForcesThatJustReachTheirBounds) {
  const int problems = repetitions(3000, 300000);
  std::mt19937 random(6);
  int reached = 0;
  for (int seed = 0; seed < problems; ++seed) {
    std::vector<TreeNode> tree = RandomProblem(static_cast<std::uint32_t>(seed)).tree();
    ASSERT_TRUE(solve(tree).solved) << seed;
    const std::vector<double> before = motions(tree);
    for_each_bounded(tree, [&](AxisRow& row) {
      if (row.state == State::Inside) {
        (row.high < kInfinity ? row.high : row.low) = row.force;
        ++reached;
      }
    });
    std::vector<TreeNode> warm = tree;
    start_anywhere(warm, random);
    for_each_bounded(tree, [](AxisRow& row) { row.first_state[0] = State::Inside; });
    ASSERT_TRUE(solve(tree).solved) << seed;
    ASSERT_TRUE(solve(warm).solved) << seed;
    ASSERT_EQ(motions(tree), motions(warm)) << seed;
    double fastest = 1.0;
    for (const double m : before) {
      fastest = std::max(fastest, std::abs(m));
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      ASSERT_NEAR(motions(tree)[i], before[i], 1e-8 * fastest) << seed;
    }
  }
  EXPECT_GT(reached, problems / 2);
}

}  // namespace tree_pivoting_test
}  // namespace servosim::test
