// SPDX-License-Identifier: Apache-2.0
// A step in lanes has the bits of the same step of single numbers: LinkStep and LinkBalance with
// the rows of row_states.h, for each set of instructions that the processor has.
#include "physics/tree/joint_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "physics/coordinates/link_balance.h"
#include "physics/coordinates/link_step.h"
#include "physics/rows/mean_spring.h"
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

// Chooses vectors, a turn and an inertia of a link that have many zeros: see LinkTraits.
void make_plain(Random& random, TreeLink& link) {
  const auto axis = [&random](double size) {
    const int along = random.whole(0, 2);
    return Vec3{along == 0 ? size : 0.0, along == 1 ? size : 0.0, along == 2 ? size : 0.0};
  };
  link.anchor = random.chance(0.4) ? Vec3{} : axis(random.number(-0.4, 0.4));
  link.arm = random.chance(0.2) ? random.vector(0.4) : axis(random.number(0.0, 0.4));
  link.inertia = {0.02 * link.mass, 0.0, 0.0, 0.03 * link.mass, 0.0, 0.04 * link.mass};
  link.set_turn(axis(random.chance(0.5) ? 1.0 : -1.0), Quaternion{});
}

// `springs` is the share of axes that have one.
JointLaneTree random_tree(Random& random, double springs) {
  JointLaneTree tree;
  tree.reference = random.vector(2.0);
  const int count = random.whole(1, static_cast<int>(kMostAxes));
  const bool is_plain = random.chance(0.4);
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
    if (is_plain) {
      make_plain(random, link);
    }
    tree.links.add(link);
    JointLaneAxis of;
    of.joint = i;
    of.offset = random.chance(0.3) ? random.number(-0.1, 0.1) : 0.0;
    of.spring.active = random.chance(springs);
    of.spring.cfm = random.number(0.1, 3.0);
    of.spring.gain = random.chance(0.5) ? random.number(0.1, 5.0) : 0.0;
    of.spring.per_rate = random.chance(0.3) ? random.number(0.0, 0.3) : 0.0;   // an armature
    if (of.spring.active && of.spring.per_rate > 0.0 && random.chance(0.5)) {  // and nothing else
      of.spring.gain = 0.0;
      of.spring.cfm = 1.0 / of.spring.per_rate;
    }
    of.stops.erp = 0.4;
    of.stops.cfm = 1e-5;
    tree.axes.push_back(of);
  }
  return tree;
}

// The rows of the axes of one instance. Its rounds are those of TreeCoordinates.
struct SingleRows {
  bool fold(std::size_t rate, double inertia, FoldedRows<double>& folded) {
    for (AxisRow& row : rows[rate]) {
      if (is_midpoint && row.owner == AxisRow::Owner::Soft) {
        row.set(mean_spring_row_terms(springs[rate], settings.h, rates[rate], inertia, settings));
      }
    }
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
      distribute(kernel.accelerations()[a] + rates[a] * settings.per_step,
                 kernel.force_of_rows(a) - direct[a], rows[a]);
      for (AxisRow& row : rows[a]) {
        Row::State to{};
        if (breaks_bounds(row, kernel.state(a).along_axis, to)) {
          row.state = to;
          broken = true;
        }
      }
    }
    rounds = std::max(rounds, round + 1);
    has_failed = has_failed || (broken && round == 6);
    return broken && round < 6;
  }

  std::vector<AxisRows> rows;
  std::vector<SpringRow> springs;
  std::vector<double> direct;
  std::vector<double> rates;
  StepSettings settings;
  bool is_midpoint = false;
  bool has_failed = false;
  int rounds = 0;
};

// The state of an instance.
struct State {
  std::vector<double> positions;
  std::vector<double> rates;
  std::vector<double> last;
  std::vector<double> before;
};

// A step of one lane alone.
class Single {
 public:
  Single(const JointLaneTree& tree, const JointLaneModel& model)
      : tree_(tree), model_(model), step_(tree.links), bodies_(tree.links.links().size()) {}

  // Steps the axes of the tree, which begin at this index. Returns whether a lane can take the
  // step.
  bool step(const JointLaneDemand* demands, std::size_t lane, std::size_t first, State& state) {
    const std::size_t count = tree_.axes.size();
    double* const positions = &state.positions[first];
    double* const rates = &state.rates[first];
    rows.rows.resize(count);
    rows.springs.resize(count);
    rows.direct.assign(count, 0.0);
    rows.rates.assign(rates, rates + count);
    rows.settings = model_.settings;
    rows.is_midpoint = model_.evaluations != 1;
    for (std::size_t a = 0; a < count; ++a) {
      step_.positions[a] = positions[a] - tree_.axes[a].offset;
      step_.rates[a] = rates[a];
      set_rows(demands[a], lane, a, positions[a]);
    }
    const StepRule rule{model_.settings.h, model_.evaluations};
    bool is_good = true;
    if (rows.is_midpoint) {
      std::vector<double> start(count);
      for (std::size_t a = 0; a < count; ++a) {
        start[a] = state.last[first + a] + (state.last[first + a] - state.before[first + a]);
      }
      step_.begin(start.data());
      is_good = step_.solve(rule, model_.settings.gravity, rows).has_settled;
      is_good = take(rule) && is_good;
      for (std::size_t a = 0; a < count; ++a) {
        state.before[first + a] = state.last[first + a];
        state.last[first + a] = step_.accelerations()[a];
      }
    } else {
      step_.solve(rule, model_.settings.gravity, rows);
      step_.take(rule);
    }
    for (std::size_t a = 0; a < count; ++a) {
      positions[a] = step_.positions[a] + tree_.axes[a].offset;
      rates[a] = step_.rates[a];
    }
    for (std::size_t a = 0; a < count; ++a) {
      is_good =
          is_good && std::abs(positions[a]) <= model_.most && std::abs(rates[a]) <= model_.most;
    }
    return is_good && !rows.has_failed;
  }

  SingleRows rows;
  std::vector<VelocityController> laws;  // in the order of the axes that have one
  bool has_kept_energy = false;

 private:
  // Returns what the law of a motor finds. It is the law before the step of the lanes.
  double track(const JointLaneLaw& law, std::size_t lane, double position) {
    VelocityController& controller = laws.emplace_back();
    controller.set_numbers(
        {law.numbers.velocity[lane], law.numbers.integral[lane], law.numbers.previous_error[lane]});
    if (law.available_force[lane] == 0.0) {
      controller.stop();
    } else {
      controller.track(law.position[lane], position, law.velocity[lane], law.acceleration[lane],
                       {law.p[lane], law.i[lane], law.d[lane]}, model_.settings.h);
    }
    return controller.velocity();
  }

  void set_rows(const JointLaneDemand& d, std::size_t lane, std::size_t a, double position) {
    const JointLaneAxis& axis = tree_.axes[a];
    const JointLaneMotor& asked = *d.motor;
    rows.direct[a] = bounded_force(asked.force[lane]);
    AxisRows& to = rows.rows[a];
    to.clear();
    const double velocity = d.law != nullptr && d.law->holds[lane] > 0.0
                                ? track(*d.law, lane, position)
                                : asked.velocity[lane];
    const JointDrive motor{velocity, asked.max_force[lane], asked.force[lane],
                           asked.softness[lane]};
    if (motor.max_force > 0.0) {
      to.add(AxisRow::Owner::Joint, motor_row_terms(motor, model_.settings));
    }
    if (axis.spring.active) {
      rows.springs[a] = axis.spring;
      rows.springs[a].from_rest = d.from_rest[lane];
      rows.springs[a].rate = rows.rates[a];
      to.add(AxisRow::Owner::Soft, spring_row_terms(rows.springs[a], model_.settings));
    }
    if (d.is_at_stop[lane] > 0.0) {
      to.add(AxisRow::Owner::Stops, {axis.stops.cfm * model_.settings.per_step, d.stop_target[lane],
                                     d.stop_low[lane], d.stop_high[lane]});
    }
    for (AxisRow& row : to) {
      row.state = Row::State::Inside;
    }
  }

  // Returns false if the energy is too far off.
  bool take(const StepRule& rule) {
    std::vector<double> armatures;
    for (std::size_t a = 0; a < rows.rows.size(); ++a) {
      const SpringRow& spring = tree_.axes[a].spring;
      armatures.push_back(spring.per_rate * rule.h);
      for (const AxisRow& row : rows.rows[a]) {
        const bool is_armature = row.owner == AxisRow::Owner::Soft && spring.is_armature();
        if (row.state == Row::State::Inside && !is_armature) {
          step_.take(rule);
          return true;
        }
      }
    }
    has_kept_energy = true;
    const LinkBalance balance{step_, bodies_, model_.settings.gravity, tree_.reference, armatures};
    find_poses();
    const double before = balance.energy().total();
    double power = balance.power_on_bodies();
    for (std::size_t a = 0; a < rows.rows.size(); ++a) {
      double force = rows.direct[a];
      for (const AxisRow& row : rows.rows[a]) {
        force += row.force_at_bound();
      }
      power += force * (step_.rates[a] + 0.5 * rule.h * step_.accelerations()[a]);
    }
    step_.take(rule);
    find_poses();
    return !balance.balance_energy(before + power * rule.h, true);
  }
  void find_poses() {
    LinkKernel<Vec3>::find_poses(tree_.links, tree_.reference, step_.positions.data(),
                                 step_.rates.data(), bodies_.data());
  }

  const JointLaneTree& tree_;
  const JointLaneModel& model_;
  LinkStep<Vec3> step_;
  std::vector<MovedBody> bodies_;
};

void set_random_law(Random& random, std::size_t lanes, JointLaneLaw& law) {
  for (std::size_t l = 0; l < lanes; ++l) {
    law.holds[l] = random.chance(0.7) ? 1.0 : 0.0;
    law.position[l] = random.chance(0.2) ? -kInfinity : random.number(-2.0, 2.0);
    law.velocity[l] = random.chance(0.1) ? -0.0 : random.number(-3.0, 3.0);
    law.acceleration[l] = random.chance(0.5) ? -1.0 : random.number(0.0, 50.0);
    law.available_force[l] = random.chance(0.2) ? 0.0 : 5.0;
    law.p[l] = random.number(0.1, 20.0);
    law.i[l] = random.chance(0.5) ? 0.0 : random.number(0.0, 5.0);
    law.d[l] = random.chance(0.8) ? 0.0 : random.number(0.0, 0.2);
    law.numbers.velocity[l] = random.number(-3.0, 3.0);
    law.numbers.integral[l] = random.chance(0.1) ? kInfinity : random.number(-1.0, 1.0);
    law.numbers.previous_error[l] = random.number(-1.0, 1.0);
  }
}

// `motors` is the share of axes with one.
void set_random_demand(Random& random, double motors, const JointLaneAxis& axis, std::size_t lanes,
                       const double* positions, const StepSettings& settings, JointLaneMotor& motor,
                       JointLaneLaw& law, JointLaneDemand& demand) {
  demand.any_stop = false;
  set_random_law(random, lanes, law);
  demand.law = random.chance(0.5) ? &law : nullptr;
  demand.motor = &motor;
  for (std::size_t l = 0; l < lanes; ++l) {
    motor.velocity[l] = random.number(-5.0, 5.0);
    motor.max_force[l] = random.chance(motors) ? random.number(0.0, 10.0) : 0.0;
    motor.softness[l] = random.chance(0.2) ? random.number(0.0, 0.1) : 0.0;
    motor.force[l] = random.chance(0.3) ? random.number(-5.0, 5.0) : -0.0;
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
    motor.any_row = motor.any_row || motor.max_force[l] > 0.0;
  }
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// How many steps of trees needed several rounds, kept their energy, and were not for a lane.
struct Counts {
  int steps = 0;
  int several_rounds = 0;
  int kept_energy = 0;
  int refused = 0;
};

// Compares the laws of one lane after a step with those of single numbers. `demands` has them as
// they were before it.
void expect_same_laws(const std::vector<VelocityController>& single, const JointLaneDemand* demands,
                      const JointLaneLaw* after, std::size_t lane) {
  for (const VelocityController& expected : single) {
    while (demands->law == nullptr || demands->law->holds[lane] == 0.0) {
      ++demands;
      ++after;
    }
    const auto same = [lane](const detail::VelocityNumbers<double>& numbers,
                             const JointLaneLaw::Numbers& of) {
      return same_bits(numbers.velocity, of.velocity[lane]) &&
             same_bits(numbers.integral, of.integral[lane]) &&
             same_bits(numbers.previous_error, of.previous_error[lane]);
    };
    EXPECT_TRUE(same(expected.numbers(), after->numbers));
    EXPECT_EQ(demands->law->numbers.velocity[lane], after->before.velocity[lane]);
    ++demands;
    ++after;
  }
}

void compare(LaneSet set, unsigned seed, int evaluations, Counts& counts) {
  Random random(seed);
  JointLaneModel model;
  model.settings = settings_of(0.001 * random.whole(1, 20));
  model.evaluations = evaluations;
  model.most = random.chance(0.2) ? 2.5 : 1e5;
  const double springs = random.chance(0.3) ? 0.0 : 0.5;
  const double motors = springs == 0.0 && random.chance(0.5) ? 0.1 : 0.5;
  for (int t = random.whole(1, 2); t > 0; --t) {
    model.trees.push_back(random_tree(random, springs));
  }
  const std::size_t lanes = JointLaneSolver::lanes(set);
  const std::size_t axes = model.axes();
  JointLaneSolver solver(set, model);
  std::vector<double> p(axes * lanes);
  std::vector<double> v(axes * lanes);
  std::vector<double> last(axes * lanes);
  std::vector<double> before(axes * lanes);
  const auto begin_again = [&](std::size_t n) {
    p[n] = random.number(-0.7, 0.8);
    v[n] = random.number(-3.0, 3.0);
    last[n] = random.number(-9.0, 9.0);
    before[n] = last[n] + random.number(-0.2, 0.2);
  };
  for (std::size_t n = 0; n < p.size(); ++n) {
    begin_again(n);
  }
  for (int step = 0; step < 20; ++step) {
    std::vector<JointLaneDemand> demands(axes);
    std::vector<JointLaneMotor> asked(axes);
    std::vector<JointLaneLaw> laws(axes);
    std::size_t axis = 0;
    for (const JointLaneTree& tree : model.trees) {
      for (const JointLaneAxis& of : tree.axes) {
        set_random_demand(random, motors, of, lanes, &p[axis * lanes], model.settings, asked[axis],
                          laws[axis], demands[axis]);
        solver.demand(axis) = demands[axis];
        ++axis;
      }
    }
    std::vector<State> singles(lanes);
    for (std::size_t l = 0; l < lanes; ++l) {
      for (std::size_t n = l; n < p.size(); n += lanes) {
        singles[l].positions.push_back(p[n]);
        singles[l].rates.push_back(v[n]);
        singles[l].last.push_back(last[n]);
        singles[l].before.push_back(before[n]);
      }
    }
    std::vector<JointLaneLaw> before_step = laws;
    bool settled[kMaxLanes];
    const bool has_history = model.has_history();
    const bool all = solver.step({p.data(), v.data(), has_history ? last.data() : nullptr,
                                  has_history ? before.data() : nullptr},
                                 settled);
    EXPECT_EQ(all, std::all_of(settled, settled + lanes, [](bool one) { return one; }));
    for (std::size_t a = 0; a < axes; ++a) {  // those of single steps begin as these did
      demands[a].law = demands[a].law != nullptr ? &before_step[a] : nullptr;
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      bool is_good = true;
      axis = 0;
      for (const JointLaneTree& tree : model.trees) {
        Single single(tree, model);
        is_good = single.step(&demands[axis], l, axis, singles[l]) && is_good;
        expect_same_laws(single.laws, &demands[axis], &laws[axis], l);
        counts.several_rounds += single.rows.rounds > 1 ? 1 : 0;
        counts.kept_energy += single.has_kept_energy ? 1 : 0;
        axis += tree.axes.size();
      }
      ++counts.steps;
      counts.refused += is_good ? 0 : 1;
      EXPECT_EQ(settled[l], is_good) << "world " << seed << ", step " << step;
      for (std::size_t a = 0; is_good && a < axes; ++a) {
        const std::size_t n = a * lanes + l;
        EXPECT_TRUE(same_bits(singles[l].positions[a], p[n])) << "world " << seed << ", axis " << a;
        EXPECT_TRUE(same_bits(singles[l].rates[a], v[n])) << "world " << seed << ", axis " << a;
        EXPECT_TRUE(same_bits(singles[l].last[a], last[n])) << "world " << seed << ", axis " << a;
        EXPECT_TRUE(same_bits(singles[l].before[a], before[n])) << "world " << seed;
      }
      for (std::size_t a = 0; a < axes; ++a) {  // the next step begins in range
        const std::size_t n = a * lanes + l;
        if (!is_good || !(std::abs(p[n]) < 20.0) || !(std::abs(v[n]) < 50.0)) {
          begin_again(n);
        }
      }
    }
  }
}

void compare_all(LaneSet set) {
  if (!has_lanes(set)) {
    GTEST_SKIP() << "the processor does not have these instructions";
  }
  const int worlds = repetitions(40, 1500);
  for (const int evaluations : {1, 3, 0}) {
    Counts counts;
    for (int seed = 1; seed <= worlds && !testing::Test::HasFailure(); ++seed) {
      compare(set, static_cast<unsigned>(seed), evaluations, counts);
    }
    EXPECT_GT(counts.several_rounds, worlds) << evaluations;  // of at least 40 steps each
    EXPECT_LT(counts.refused, counts.steps / 2) << evaluations;
    if (evaluations != 1) {
      EXPECT_GT(counts.kept_energy, worlds) << evaluations;
    }
  }
}

// Only forces act on the axes.
struct Forces {
  bool fold(std::size_t rate, double /*inertia*/, FoldedRows<double>& folded) {
    folded.force = forces[rate];
    return false;
  }
  std::vector<double> forces;
};

// Returns the same link with the axes of its body turned by `own`, and those of its parent by
// `of_parent`.
TreeLink in_other_axes(TreeLink link, const Quaternion& of_parent, const Quaternion& own) {
  const Mat3 to_parent = transposed(rotation_of(of_parent));
  const Mat3 to_own = transposed(rotation_of(own));
  link.anchor = to_parent * link.anchor;
  link.arm = to_own * link.arm;
  link.inertia = rotated<Vec3>(to_own, link.inertia);
  link.set_turn(to_parent * link.axis, conjugated(of_parent) * link.turn_at_zero * own);
  return link;
}

}  // namespace joint_lanes_test
using namespace joint_lanes_test;

TEST(JointLanes, OfTwoHaveTheBitsOfSingleTrees) { compare_all(LaneSet::Sse2); }
TEST(JointLanes, OfFourHaveTheBitsOfSingleTrees) { compare_all(LaneSet::Avx2); }
TEST(JointLanes, OfEightHaveTheBitsOfSingleTrees) { compare_all(LaneSet::Avx512); }

// Axes of bodies that fit the joints give many zeros, whose terms a kernel leaves out.
TEST(LinkKernel, FindsTheSameMotionInAnyAxesOfTheBodies) {
  int upright = 0;
  int along = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    LinkModel plain;
    LinkModel turned;
    std::vector<Quaternion> axes;
    const int count = random.whole(1, 6);
    for (int i = 0; i < count; ++i) {
      TreeLink link;
      link.kind = random.chance(0.5)   ? LinkKind::Hinge
                  : random.chance(0.7) ? LinkKind::Slider
                                       : LinkKind::Fixed;
      link.parent = i == 0 ? TreeLink::kWorld : random.whole(random.chance(0.5) ? i - 1 : 0, i - 1);
      link.mass = random.number(0.2, 3.0);
      link.linear_decay = random.chance(0.3) ? 0.2 : 0.0;
      link.angular_decay = random.chance(0.3) ? 0.1 : 0.0;
      make_plain(random, link);
      axes.push_back(quaternion_of_turn<Vec3>(random.vector(2.0)));
      plain.add(link);
      turned.add(in_other_axes(
          link, link.parent < 0 ? Quaternion{} : axes[static_cast<std::size_t>(link.parent)],
          axes.back()));
      upright += plain.links().back().traits.is_upright ? 1 : 0;
      along += turned.links().back().traits.along < 0 ? 1 : 0;
    }
    std::vector<double> positions(plain.positions());
    std::vector<double> rates(plain.rates());
    Forces rows;
    for (std::size_t a = 0; a < rates.size(); ++a) {
      positions[a] = random.number(-4.0, 4.0);
      rates[a] = random.number(-3.0, 3.0);
      rows.forces.push_back(random.number(-5.0, 5.0));
    }
    const Vec3 gravity = random.vector(9.81);
    std::vector<SpatialVector> on_bodies(plain.links().size());
    for (SpatialVector& force : on_bodies) {
      force = {random.vector(3.0), random.vector(0.3)};
    }
    LinkKernel<Vec3> kernels[]{LinkKernel<Vec3>(plain), LinkKernel<Vec3>(turned)};
    std::vector<MovedBody> bodies[2];
    for (int k = 0; k < 2; ++k) {
      kernels[k].place(positions.data(), rates.data(), gravity, on_bodies.data(), 1.0);
      kernels[k].solve(rows, rates.data(), 100.0);
      bodies[k].resize(plain.links().size());
      LinkKernel<Vec3>::find_poses(kernels[k].model(), {0.1, 0.2, 0.3}, positions.data(),
                                   rates.data(), bodies[k].data());
    }
    for (std::size_t a = 0; a < rates.size(); ++a) {
      const double expected = kernels[1].accelerations()[a];
      EXPECT_NEAR(kernels[0].accelerations()[a], expected, 1e-9 * (1.0 + std::abs(expected)))
          << "tree " << seed << ", axis " << a;
    }
    for (std::size_t l = 0; l < bodies[0].size(); ++l) {
      const auto near = [&](const Vec3& a, const Vec3& b) {
        const Vec3 apart = a - b;
        EXPECT_NEAR(dot(apart, apart), 0.0, 1e-22) << "tree " << seed << ", link " << l;
      };
      near(bodies[0][l].center, bodies[1][l].center);
      near(bodies[0][l].velocity, bodies[1][l].velocity);
      near(bodies[0][l].spin, bodies[1][l].spin);
      const SpatialVector joints[]{kernels[0].force_of_joint(l), kernels[1].force_of_joint(l)};
      const Vec3 apart = joints[0].angular - joints[1].angular;
      const Vec3 torque = joints[1].angular;
      EXPECT_NEAR(dot(apart, apart), 0.0, 1e-18 * (1.0 + dot(torque, torque)))
          << "tree " << seed << ", link " << l;
    }
  }
  EXPECT_GT(upright, 100);
  EXPECT_GT(along, 500);
}

}  // namespace
}  // namespace servosim::test
