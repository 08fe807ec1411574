// SPDX-License-Identifier: Apache-2.0
// A step in lanes has the bits of the same step of single numbers: LinkStep with the rows of
// row_states.h, for each set of instructions that the processor has.
#include "physics/tree/joint_lanes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "physics/coordinates/link_step.h"
#include "physics/tree/row_states.h"
#include "support/repetitions.h"

namespace servosim::test {
namespace {

namespace joint_lanes_test {

constexpr std::size_t kMostAxes = 7;

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(double share) { return number(0.0, 1.0) < share; }
  Vec3 vector(double size) {
    return {number(-size, size), number(-size, size), number(-size, size)};
  }

 private:
  std::mt19937 random_;
};

StepSettings settings_of(double h) {
  StepSettings settings;
  settings.h = h;
  settings.per_step = 1.0 / h;
  settings.softness = settings.motor_softness = 1e-5 / h;
  settings.gravity = {0.3, -0.2, -9.81};
  return settings;
}

JointLaneTree random_tree(Random& random) {
  JointLaneTree tree;
  const int count = random.whole(1, static_cast<int>(kMostAxes));
  for (int i = 0; i < count; ++i) {
    TreeLink link;
    link.kind = random.chance(0.7) ? LinkKind::Hinge : LinkKind::Slider;
    link.parent = i == 0 ? TreeLink::kWorld : random.whole(0, i - 1);
    link.anchor = random.vector(0.4);
    link.arm = random.vector(0.4);
    link.mass = random.number(0.2, 3.0);
    link.inertia = {0.02 * link.mass, 0.001, 0.002, 0.03 * link.mass, -0.001, 0.04 * link.mass};
    link.linear_decay = random.chance(0.3) ? 0.2 : 0.0;
    const Vec3 axis = unit_or(random.vector(1.0), {0.0, 0.0, 1.0});
    link.set_turn(axis, quaternion_of_turn<Vec3>(random.vector(1.0)));
    tree.links.add(link);
    JointLaneAxis of;
    of.joint = i;
    of.offset = random.chance(0.3) ? random.number(-0.1, 0.1) : 0.0;
    of.spring.active = random.chance(0.5);
    of.spring.cfm = random.number(0.1, 3.0);
    of.spring.gain = random.chance(0.5) ? random.number(0.1, 5.0) : 0.0;
    of.stops.erp = 0.4;
    of.stops.cfm = 1e-5;
    tree.axes.push_back(of);
  }
  return tree;
}

// The rows of the axes of one instance. Its rounds are those of TreeCoordinates.
struct SingleRows {
  bool fold(std::size_t rate, double /*inertia*/, FoldedRows<double>& folded) {
    const bool is_inside = !rows[rate].empty() && servosim::fold(rows[rate], folded);
    folded.force += direct[rate];
    return is_inside;
  }
  bool settle(const LinkKernel<Vec3>& kernel, int round) {
    bool broken = false;
    for (std::size_t a = 0; a < rows.size(); ++a) {
      if (rows[a].empty()) {
        continue;
      }
      distribute(kernel.accelerations()[a] + rates[a] * per_step,
                 kernel.force_of_rows(a) - direct[a], rows[a]);
      for (AxisRow& row : rows[a]) {
        Row::State to{};
        if (breaks_bounds(row, kernel.state(a).along_axis, to)) {
          row.state = to;
          broken = true;
        }
      }
    }
    ++rounds;
    has_settled = !broken;
    return broken && round < 6;
  }

  std::vector<AxisRows> rows;
  std::vector<double> direct;
  std::vector<double> rates;
  double per_step = 0.0;
  bool has_settled = false;
  int rounds = 0;
};

// A step of one lane alone.
class Single {
 public:
  Single(const JointLaneTree& tree, const StepSettings& settings)
      : tree_(tree), settings_(settings), step_(tree.links) {}

  // Returns whether the rows have settled.
  bool step(const JointLaneDemand* demands, std::size_t lane, double* positions, double* rates) {
    const std::size_t count = tree_.axes.size();
    rows.rows.resize(count);
    rows.direct.assign(count, 0.0);
    rows.rates.assign(rates, rates + count);
    rows.per_step = settings_.per_step;
    for (std::size_t a = 0; a < count; ++a) {
      const JointLaneDemand& d = demands[a];
      step_.positions[a] = positions[a] - tree_.axes[a].offset;
      step_.rates[a] = rates[a];
      rows.direct[a] = bounded_force(d.force[lane]);
      AxisRows& to = rows.rows[a];
      to.clear();
      const JointDrive motor{d.velocity[lane], d.max_force[lane], d.force[lane], d.softness[lane]};
      if (motor.max_force > 0.0) {
        to.add(AxisRow::Owner::Joint, motor_row_terms(motor, settings_));
      }
      if (tree_.axes[a].spring.active) {
        SpringRow spring = tree_.axes[a].spring;
        spring.from_rest = d.from_rest[lane];
        to.add(AxisRow::Owner::Soft, spring_row_terms(spring, settings_));
      }
      if (d.is_at_stop[lane] > 0.0) {
        to.add(AxisRow::Owner::Stops, {tree_.axes[a].stops.cfm * settings_.per_step,
                                       d.stop_target[lane], d.stop_low[lane], d.stop_high[lane]});
      }
      for (AxisRow& row : to) {
        row.state = Row::State::Inside;
      }
    }
    const StepRule rule{settings_.h, 1};
    step_.solve(rule, settings_.gravity, rows);
    step_.take(rule);
    for (std::size_t a = 0; a < count; ++a) {
      positions[a] = step_.positions[a] + tree_.axes[a].offset;
      rates[a] = step_.rates[a];
    }
    return rows.has_settled;
  }

  SingleRows rows;

 private:
  const JointLaneTree& tree_;
  const StepSettings& settings_;
  LinkStep<Vec3> step_;
};

void set_random_demand(Random& random, const JointLaneAxis& axis, std::size_t lanes,
                       const double* positions, const StepSettings& settings,
                       JointLaneDemand& demand) {
  demand.any_motor = demand.any_stop = false;
  for (std::size_t l = 0; l < lanes; ++l) {
    demand.velocity[l] = random.number(-5.0, 5.0);
    demand.max_force[l] = random.chance(0.5) ? random.number(0.0, 10.0) : 0.0;
    demand.softness[l] = random.chance(0.2) ? random.number(0.0, 0.1) : 0.0;
    demand.force[l] = random.chance(0.3) ? random.number(-5.0, 5.0) : -0.0;
    demand.from_rest[l] = positions[l];
    Stops stops = axis.stops;
    stops.low = -0.5;
    stops.high = 0.6;
    demand.is_at_stop[l] = stops.hold(positions[l]) ? 1.0 : 0.0;
    if (stops.hold(positions[l])) {
      const RowTerms row = stops.row(positions[l], settings);
      demand.stop_target[l] = row.target;
      demand.stop_low[l] = row.low;
      demand.stop_high[l] = row.high;
      demand.any_stop = true;
    }
    demand.any_motor = demand.any_motor || demand.max_force[l] > 0.0;
  }
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// Returns how many steps of an instance needed several rounds.
int compare(LaneSet set, unsigned seed) {
  Random random(seed);
  JointLaneModel model;
  model.settings = settings_of(0.001 * random.whole(1, 20));
  for (int t = random.whole(1, 2); t > 0; --t) {
    model.trees.push_back(random_tree(random));
  }
  const std::size_t lanes = JointLaneSolver::lanes(set);
  const std::size_t axes = model.axes();
  JointLaneSolver solver(set, model);
  std::vector<double> p(axes * lanes);
  std::vector<double> v(axes * lanes);
  for (std::size_t n = 0; n < p.size(); ++n) {
    p[n] = random.number(-0.7, 0.8);
    v[n] = random.number(-3.0, 3.0);
  }
  int several_rounds = 0;
  for (int step = 0; step < 20; ++step) {
    std::vector<JointLaneDemand> demands(axes);
    std::size_t axis = 0;
    for (const JointLaneTree& tree : model.trees) {
      for (const JointLaneAxis& of : tree.axes) {
        set_random_demand(random, of, lanes, &p[axis * lanes], model.settings, demands[axis]);
        solver.demand(axis) = demands[axis];
        ++axis;
      }
    }
    const std::vector<double> p_before = p;
    const std::vector<double> v_before = v;
    bool settled[kMaxLanes];
    solver.step(p.data(), v.data(), settled);
    for (std::size_t l = 0; l < lanes; ++l) {
      bool has_settled = true;
      std::vector<double> q(axes);
      std::vector<double> r(axes);
      axis = 0;
      for (const JointLaneTree& tree : model.trees) {
        const std::size_t first = axis;
        for (; axis < first + tree.axes.size(); ++axis) {
          q[axis] = p_before[axis * lanes + l];
          r[axis] = v_before[axis * lanes + l];
        }
        Single single(tree, model.settings);
        has_settled = single.step(&demands[first], l, &q[first], &r[first]) && has_settled;
        several_rounds += single.rows.rounds > 1 ? 1 : 0;
      }
      EXPECT_EQ(settled[l], has_settled) << "world " << seed << ", step " << step;
      for (std::size_t a = 0; has_settled && a < axes; ++a) {
        EXPECT_TRUE(same_bits(q[a], p[a * lanes + l])) << "world " << seed << ", axis " << a;
        EXPECT_TRUE(same_bits(r[a], v[a * lanes + l])) << "world " << seed << ", axis " << a;
      }
      for (std::size_t a = 0; a < axes; ++a) {  // the next step begins in range
        if (!has_settled || !(std::abs(p[a * lanes + l]) < 20.0) ||
            !(std::abs(v[a * lanes + l]) < 50.0)) {
          p[a * lanes + l] = random.number(-0.7, 0.8);
          v[a * lanes + l] = random.number(-3.0, 3.0);
        }
      }
    }
  }
  return several_rounds;
}

void compare_all(LaneSet set) {
  if (!has_lanes(set)) {
    GTEST_SKIP() << "the processor does not have these instructions";
  }
  const int worlds = repetitions(200, 3000);
  int several_rounds = 0;
  for (int seed = 1; seed <= worlds && !testing::Test::HasFailure(); ++seed) {
    several_rounds += compare(set, static_cast<unsigned>(seed));
  }
  EXPECT_GT(several_rounds, worlds);  // of at least 40 steps each
}

}  // namespace joint_lanes_test
using namespace joint_lanes_test;

TEST(JointLanes, OfTwoHaveTheBitsOfSingleTrees) { compare_all(LaneSet::Sse2); }
TEST(JointLanes, OfFourHaveTheBitsOfSingleTrees) { compare_all(LaneSet::Avx2); }
TEST(JointLanes, OfEightHaveTheBitsOfSingleTrees) { compare_all(LaneSet::Avx512); }

}  // namespace
}  // namespace servosim::test
