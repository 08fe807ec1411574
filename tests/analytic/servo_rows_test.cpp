// SPDX-License-Identifier: Apache-2.0
// Real servos move bodies as their law says, with either solver, in lanes and after a restored
// state: at rest, in chains, at stops, in a loop and with play in their gears.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "base/state_archive.h"
#include "support/repetitions.h"
#include "support/servo_rig.h"

namespace servosim::test {
namespace {

constexpr Vec3 kY{0.0, 1.0, 0.0};
constexpr Vec3 kZ{0.0, 0.0, 1.0};

class ServoRows : public testing::TestWithParam<Solver> {
 protected:
  ServoRig rig(const std::string& world, const std::vector<ServoModel>& models) const {
    return ServoRig(world, models, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Each, ServoRows, testing::Values(Solver::Ode, Solver::Tree),
                         testing::PrintToStringParamName());

double jumps(double t) { return t < 0.32 ? 0.0 : std::fmod(t - 0.32, 0.96) < 0.48 ? 0.4 : -0.3; }

TEST_P(ServoRows, MoveOneAxisAsTheClosedForm) {
  ServoModel with_d = sts3215(32.0);
  with_d.firmware.d = 1.0;
  with_d.firmware.d_scale = 0.1;
  with_d.drive.inductance = 0.004;
  ServoModel short_of_current = sts3215(32.0);
  short_of_current.firmware.max_current = 0.9;
  for (const ServoModel& model :
       {sts3215(32.0), sg90(), xl330_m6(800.0), with_d, short_of_current}) {
    std::vector<RigLink> one{{kZ, {0.12, 0.0, 0.0}, 0.05}};
    one[0].center = 0.0;
    const ServoRig world = rig(chain_world(one, 8.0, 0.0), {model});
    const double h = world.h();
    const double inertia = 0.05 * (0.12 * 0.12 / 12.0 + 1e-4);
    const ServoNumbers numbers = numbers_of(model);
    ServoMemory memory = servo_at(model, 0.0);
    double q = 0.0;
    double w = 0.0;
    double fastest = 0.0;
    for (int i = 0; i < 400; ++i) {
      const double goal = jumps(i * h + 1e-9);
      world.servo(0).command.goal = goal;
      world.step();
      const ServoStep step = servo_step(numbers, command_of(model, goal), q, w, inertia, h, memory);
      double force = 0.0;
      w = rate_after(step, inertia, 0.0, h, &force);
      after_servo_step(numbers, step, w, force, inertia, h, memory);
      q += 2.0 * std::atan(0.5 * h * w);  // as ODE turns a body
      fastest = std::max(fastest, std::abs(w));
      ASSERT_NEAR(world.rate(0), w, 1e-9 * std::max(1.0, fastest)) << i;
      ASSERT_NEAR(world.position(0), q, 1e-9) << i;
      const ServoMemory& measured = world.servo(0).memory.law;
      ASSERT_NEAR(measured.load_torque, memory.load_torque, 1e-8) << i;
      ASSERT_NEAR(measured.current, memory.current, 1e-8) << i;
    }
    EXPECT_GT(fastest, 2.0);
  }
}

// All numbers per metre.
TEST_P(ServoRows, MoveASliderAsTheClosedForm) {
  const ServoModel model = sts3215(32.0);
  const ServoRig world = rig(
      "WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 CFM 1e-10 }\n"
      "Robot { name \"r\" children [ SliderJoint { jointParameters JointParameters { axis 1 0 0 } "
      "device LinearMotor { name \"m\" maxForce 100 } endPoint Solid { physics Physics { density "
      "-1 "
      "mass 0.05 centerOfMass [ 0 0 0 ] inertiaMatrix [ 1e-4 1e-4 1e-4, 0 0 0 ] } } } ] }\n",
      {model});
  const double h = world.h();
  const ServoNumbers numbers = numbers_of(model);
  ServoMemory memory = servo_at(model, 0.0);
  double q = 0.0;
  double w = 0.0;
  for (int i = 0; i < 200; ++i) {
    const double goal = jumps(i * h + 1e-9);
    world.set_goal(0, goal);
    world.step();
    const ServoStep step = servo_step(numbers, command_of(model, goal), q, w, 0.05, h, memory);
    double force = 0.0;
    w = rate_after(step, 0.05, 0.0, h, &force);
    after_servo_step(numbers, step, w, force, 0.05, h, memory);
    q += h * w;
    ASSERT_NEAR(world.rate(0), w, 1e-8) << i;
    ASSERT_NEAR(world.position(0), q, 1e-8) << i;
  }
  EXPECT_GT(std::abs(q), 0.1);
}

// The budget of each axis of a chain, or of one axis, at the load that gravity puts on it.
void expect_holds(const std::vector<RigLink>& links, double step_ms, double share, bool holds,
                  int steps, Solver solver) {
  const std::string world = chain_world(links, step_ms, 9.80665);
  ServoModel stuck = sts3215(16.0);
  stuck.friction.coulomb = 100.0;
  const ServoRig at_rest(world, {stuck}, solver);
  at_rest.set_torque(false);
  at_rest.step();
  at_rest.step();
  std::vector<ServoModel> models;
  for (int j = 0; j < at_rest.count(); ++j) {
    ServoModel model = sts3215(16.0);
    const double load = std::abs(at_rest.servo(j).memory.law.load_torque);
    model.friction.coulomb = load > 1e-9 ? load / share : 0.01;
    models.push_back(model);
  }
  const ServoRig rig(world, models, solver);
  rig.set_torque(false);
  for (int i = 0; i < 1000; ++i) {
    rig.step();
  }
  const std::vector<double> before = rig.positions();
  double most = 0.0;
  double fastest = 0.0;
  for (int i = 0; i < steps; ++i) {
    rig.step();
    for (int j = 0; j < rig.count(); ++j) {
      fastest = std::max(fastest, std::abs(rig.rate(j)));
    }
  }
  for (int j = 0; j < rig.count(); ++j) {
    most = std::max(most, std::abs(rig.position(j) - before[j]));
  }
  if (holds) {
    EXPECT_LT(most, 1e-12) << links.size() << " joints at " << step_ms << " ms";
    // Rates are 0 but for rounding, which is that of a factorization in ODE.
    EXPECT_LT(fastest, solver == Solver::Tree ? 1e-14 : 1e-10)
        << links.size() << " joints at " << step_ms << " ms";
  } else {
    const int loaded = rig.count() > 1 ? 1 : 0;
    EXPECT_GT(std::abs(rig.position(loaded) - links[loaded].position), 0.01)
        << links.size() << " joints at " << step_ms << " ms";
  }
}

std::vector<RigLink> bent_arm() {
  std::vector<RigLink> links = six_links(1.0);
  constexpr std::array<double, 6> kPose{0.3, 0.4, -0.1, 0.1, 0.2, 0.1};
  for (std::size_t i = 0; i < links.size(); ++i) {
    links[i].position = kPose[i];
  }
  return links;
}

TEST_P(ServoRows, HoldALoadAtRestForAnHour) {
  const std::vector<RigLink> one{{kY, {0.12, 0.0, 0.0}, 0.05}};
  for (const double step_ms : {1.0, 8.0, 16.0}) {
    const int steps = repetitions(10000, static_cast<int>(3.6e6 / step_ms));
    const int until_gone = static_cast<int>(32000.0 / step_ms);
    for (const std::vector<RigLink>& links : {one, bent_arm()}) {
      expect_holds(links, step_ms, 0.999, true, steps, GetParam());
      expect_holds(links, step_ms, 1.001, false, until_gone, GetParam());
    }
  }
  // A long step makes more of the rate that friction asks of ODE.
  expect_holds(one, 64.0, 0.999, true, 1000, GetParam());
}

TEST_P(ServoRows, HoldALoadWithTheTorqueOn) {
  const std::vector<RigLink> links = bent_arm();
  const ServoRig rig(chain_world(links, 16.0, 9.80665), {sts3215(16.0)}, GetParam());
  for (int j = 0; j < rig.count(); ++j) {
    rig.servo(j).command.goal = links[j].position;
  }
  for (int i = 0; i < 1000; ++i) {
    rig.step();
  }
  const std::vector<double> before = rig.positions();
  for (int i = 0; i < 20000; ++i) {
    rig.step();
  }
  for (int j = 0; j < rig.count(); ++j) {
    EXPECT_NEAR(rig.position(j), before[j], 1e-12) << j;
  }
}

// The largest energy of an arm whose goals do not move, in terms of that at the start.
double largest_energy(unsigned seed, double step_ms, int steps, Solver solver) {
  std::mt19937 random(seed);
  const auto any = [&random] { return 2.0 * (random() / 4294967296.0) - 1.0; };
  ServoModel model = sts3215(32.0 * std::pow(30.0, any()));
  model.firmware.max_duty = 1e6;
  model.firmware.max_speed = std::numeric_limits<double>::infinity();
  model.drive.armature *= std::pow(10.0, 2.0 * any() - 1.0);
  model.friction.coulomb *= seed % 3;
  const std::vector<RigLink> links = six_links(std::pow(10.0, any()));
  const ServoRig rig(chain_world(links, step_ms, 0.0), {model}, solver);
  std::array<double, 6> goals{};
  for (int j = 0; j < rig.count(); ++j) {
    goals[j] = any();
    rig.put(j, goals[j] + 0.5 * any(), 0.0);
  }
  for (int j = 0; j < rig.count(); ++j) {
    rig.put(j, rig.position(j), 3.0 * any());
    rig.servo(j).command.goal = goals[j];
  }
  const double stiffness = model.drive.torque_constant / model.drive.resistance *
                           model.supply.voltage * model.firmware.p * model.firmware.p_scale;
  const auto energy = [&] {
    double sum = 0.0;
    const Bodies& bodies = rig.physics().bodies();
    for (int b = 0; b < bodies.count(); ++b) {
      const Body& body = bodies[b];
      const MassProperties& mass = bodies.rigid_bodies()[b].mass;
      const Vec3 v{body.velocity[0], body.velocity[1], body.velocity[2]};
      const Vec3 spin{body.spin[0], body.spin[1], body.spin[2]};
      const Vec3 in_body = transposed(pose_of(body).rotation) * spin;
      sum += 0.5 * mass.mass * dot(v, v) + 0.5 * dot(in_body, mass.inertia * in_body);
    }
    for (int j = 0; j < rig.count(); ++j) {
      const double w = rig.rate(j);
      const double apart = rig.position(j) - goals[j];
      sum += 0.5 * model.drive.armature * w * w + 0.5 * stiffness * apart * apart;
    }
    return sum;
  };
  const double first = energy();
  double most = first;
  for (int i = 0; i < steps; ++i) {
    rig.step();
    const double now = energy();
    most = std::isfinite(now) ? std::max(most, now) : std::numeric_limits<double>::infinity();
  }
  return most / first;
}

TEST_P(ServoRows, AddNoEnergyToChainsWithAnyGains) {
  double most_at_16 = 0.0;
  double most_at_32 = 0.0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    most_at_16 = std::max({most_at_16, largest_energy(seed, 16.0, 200, GetParam()),
                           largest_energy(seed, 1 << (seed % 4), 200, GetParam())});
    most_at_32 = std::max(most_at_32, largest_energy(seed, 32.0, 100, GetParam()));
  }
  EXPECT_LE(most_at_16, 1.4);
  EXPECT_LE(most_at_32, 1.5);
}

TEST_P(ServoRows, AreStableWithAStiffLoopAtALargeStep) {
  const auto places = [&](double step_ms) {
    const ServoRig rig(chain_world(six_links(0.1), step_ms, 9.80665), {sg90()}, GetParam());
    std::vector<double> all;
    const int every = static_cast<int>(std::lround(16.0 / step_ms));
    for (int i = 0; i < 188 * every; ++i) {
      for (int j = 0; j < rig.count(); ++j) {
        rig.servo(j).command.goal = jumps(1e-3 * step_ms * i + 1e-9) * (j % 2 != 0 ? 1.0 : -1.0);
        if (i % every == 0) {
          all.push_back(rig.position(j));
        }
      }
      rig.step();
    }
    return all;
  };
  const std::vector<double> exact = places(0.25);
  const std::vector<double> coarse = places(16.0);
  double sum = 0.0;
  double amplitude = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    sum += (coarse[i] - exact[i]) * (coarse[i] - exact[i]);
    amplitude = std::max(amplitude, std::abs(exact[i]));
  }
  EXPECT_LT(std::sqrt(sum / exact.size()), 0.09 * amplitude);
}

TEST_P(ServoRows, ContinueBitForBitFromASavedState) {
  ServoModel model = xl330_m6(400.0);
  model.firmware.i = 1.0;
  model.firmware.i_scale = 0.5;
  model.firmware.max_acceleration = 20.0;
  model.drive.backlash = 0.01;
  model.drive.inductance = 0.001;
  const std::string world = chain_world(six_links(0.1), 8.0, 9.80665);
  const ServoRig one = rig(world, {model});
  const ServoRig other = rig(world, {model});
  const auto run = [](const ServoRig& rig, int from, int steps) {
    for (int i = from; i < from + steps; ++i) {
      for (int j = 0; j < rig.count(); ++j) {
        rig.servo(j).command.goal = jumps(0.008 * i + 0.1 * j);
      }
      rig.step();
    }
  };
  run(one, 0, 150);
  StateBlock block;
  {
    StateWriter out(block);
    one.physics().save(out);
  }
  run(one, 150, 150);
  StateReader in(block);
  other.physics().restore(in);
  run(other, 150, 150);
  for (int j = 0; j < one.count(); ++j) {
    EXPECT_EQ(one.position(j), other.position(j)) << j;
    EXPECT_EQ(one.servo(j).memory.law.current, other.servo(j).memory.law.current) << j;
  }
  Fnv1a hash;
  one.physics().add_to_hash(hash);
  Fnv1a other_hash;
  other.physics().add_to_hash(other_hash);
  EXPECT_EQ(hash.value(), other_hash.value());
}

TEST(ServoLanes, HaveTheBitsOfSingleTrees) {
  const std::string world = chain_world(six_links(0.3), 8.0, 9.80665);
  for (const ServoModel& model :
       {sts3215(32.0), xl330_m6(800.0), sg90(), mit_drive(50.0, 2.0), erob80()}) {
    constexpr int kWorlds = 11;
    std::vector<ServoRig> together;
    std::vector<ServoRig> alone;
    std::vector<PhysicsWorld*> worlds;
    for (int w = 0; w < kWorlds; ++w) {
      together.emplace_back(world, std::vector{model}, Solver::Tree);
      alone.emplace_back(world, std::vector{model}, Solver::Tree, LaneSet::None);
      worlds.push_back(&together.back().physics());
    }
    std::array<PhysicsWorld::StepOutcome, kWorlds> outcomes;
    for (int i = 0; i < 250; ++i) {
      for (int w = 0; w < kWorlds; ++w) {
        for (const ServoRig* const rig : {&together[w], &alone[w]}) {
          for (int j = 0; j < rig->count(); ++j) {
            rig->servo(j).command.goal = jumps(0.008 * i + 0.05 * w + 0.1 * j);
            rig->servo(j).command.is_on = i < 200 || w % 2 == 0 ? 1.0 : 0.0;
          }
        }
        together[w].read();
        alone[w].step();
      }
      PhysicsWorld::step_together(worlds, outcomes);
      for (int w = 0; w < kWorlds; ++w) {
        ASSERT_FALSE(outcomes[w].error);
        for (int j = 0; j < alone[w].count(); ++j) {
          ASSERT_EQ(alone[w].position(j), together[w].position(j)) << "step " << i;
          ASSERT_EQ(alone[w].servo(j).memory.law.load_torque,
                    together[w].servo(j).memory.law.load_torque);
        }
      }
    }
    const auto counts = together[0].physics().solver_counts();
    ASSERT_TRUE(counts.has_value());
    EXPECT_GT(counts->in_lanes, 50u);
  }
}

TEST_P(ServoRows, PushAgainstAStop) {
  std::vector<RigLink> one{{kZ, {0.12, 0.0, 0.0}, 0.05}};
  one[0].parameters = "minStop -0.2 maxStop 0.2";
  const ServoModel model = sts3215(32.0);
  const ServoRig rig(chain_world(one, 8.0, 0.0), {model}, GetParam());
  rig.servo(0).command.goal = 1.0;
  for (int i = 0; i < 300; ++i) {
    rig.step();
    ASSERT_LT(rig.position(0), 0.24) << i;
  }
  EXPECT_NEAR(rig.position(0), 0.2, 1e-4);
  EXPECT_NEAR(rig.rate(0), 0.0, 1e-9);
  // The whole duty, held by the stop and the friction.
  const ServoMemory& memory = rig.servo(0).memory.law;
  EXPECT_NEAR(memory.duty, 0.97, 1e-6);
  EXPECT_NEAR(memory.motor_torque, 1.21164 / 2.67617 * 0.97 * 7.4, 1e-6);
  EXPECT_NEAR(memory.load_torque, -memory.motor_torque, model.friction.coulomb + 1e-6);
  rig.servo(0).command.goal = 0.0;
  for (int i = 0; i < 300; ++i) {
    rig.step();
  }
  EXPECT_NEAR(rig.position(0), 0.0, 0.01);
}

// The encoder is behind the play: the load rests on a flank, and as far from the goal as without.
TEST_P(ServoRows, RestOnAFlankOfTheirPlay) {
  for (const double side : {-1.0, 1.0}) {
    const std::vector<RigLink> one{{kY, {side * 0.1, 0.0, 0.0}, 0.1}};
    ServoModel model = sts3215(32.0);
    model.friction = {};
    model.friction.viscous = 0.02;
    model.drive.backlash = 0.03;
    const ServoRig rig(chain_world(one, 4.0, 9.80665), {model}, GetParam());
    double fastest = 0.0;
    for (int i = 0; i < 2500; ++i) {
      rig.step();
      fastest = i > 2000 ? std::max(fastest, std::abs(rig.rate(0))) : 0.0;
    }
    const double stiffness = 1.21164 / 2.67617 * 7.4 * 0.166 * 32.0;
    EXPECT_NEAR(rig.position(0), side * 0.1 * 0.05 * 9.80665 / stiffness, 1e-5);
    EXPECT_LT(fastest, 1e-6);
    EXPECT_EQ(rig.servo(0).memory.flank, -side);  // it pushes up
  }
}

// Without friction the arm crosses half of the play alone, and then takes the rotor along.
TEST_P(ServoRows, TakeTheRotorAlongAtTheEndOfTheirPlay) {
  std::vector<RigLink> one{{kZ, {0.12, 0.0, 0.0}, 0.5}};
  one[0].center = 0.0;
  const double inertia = 0.5 * (0.12 * 0.12 / 12.0 + 1e-4);
  ServoModel model = sts3215(32.0);
  model.friction = {};
  model.drive.armature = 0.001;
  model.drive.backlash = 0.1;
  const ServoRig rig(chain_world(one, 2.0, 0.0), {model}, GetParam());
  rig.set_torque(false);
  rig.put(0, 0.0, 0.5);
  rig.servo(0).memory.shaft_rate = 0.0;
  int crossing = 0;
  while (rig.rate(0) > 0.49 && crossing < 1000) {
    rig.step();
    ++crossing;
  }
  EXPECT_NEAR(crossing * 0.002, 0.05 / 0.5, 0.006);
  EXPECT_NEAR(rig.rate(0), 0.5 * inertia / (inertia + 0.001), 1e-6);
  for (int i = 0; i < 100; ++i) {
    rig.step();
  }
  EXPECT_NEAR(rig.rate(0), 0.5 * inertia / (inertia + 0.001), 1e-6);
  EXPECT_EQ(rig.servo(0).memory.flank, -1.0);
}

// Between the flanks the servo does not hold the joint, but the joint's own friction does.
TEST_P(ServoRows, KeepTheFrictionOfTheirJointInTheirPlay) {
  std::vector<RigLink> one{{kZ, {0.12, 0.0, 0.0}, 0.5}};
  one[0].center = 0.0;
  one[0].parameters = "staticFriction 0.01";
  const double inertia = 0.5 * (0.12 * 0.12 / 12.0 + 1e-4);
  ServoModel model = sts3215(32.0);
  model.friction = {};
  model.drive.armature = 0.001;
  model.drive.backlash = 0.4;
  const ServoRig rig(chain_world(one, 2.0, 0.0), {model}, GetParam());
  rig.set_torque(false);
  rig.put(0, 0.0, 0.5);
  rig.servo(0).memory.shaft_rate = 0.0;
  for (int i = 0; i < 5; ++i) {
    rig.step();
  }
  ASSERT_EQ(rig.servo(0).memory.flank, 0.0);
  EXPECT_NEAR(rig.rate(0), 0.5 - 5 * 0.002 * 0.01 / inertia, 1e-3);
}

TEST_P(ServoRows, StartAgainWhereTheirJointIsPut) {
  const std::vector<RigLink> one{{kY, {0.12, 0.0, 0.0}, 0.05}};
  ServoModel model = sts3215(32.0);
  model.firmware.i = 1.0;
  model.firmware.i_scale = 2.0;
  model.firmware.max_acceleration = 10.0;
  const ServoRig moved = rig(chain_world(one, 8.0, 9.80665), {model});
  moved.set_goal(0, 2.0);
  for (int i = 0; i < 60; ++i) {
    moved.step();
  }
  ASSERT_GT(std::abs(moved.servo(0).memory.law.integral), 1e-3);
  moved.put(0, -0.5, 0.0);
  const ServoRig fresh = rig(chain_world(one, 8.0, 9.80665), {model});
  fresh.put(0, -0.5, 0.0);
  for (int i = 0; i < 60; ++i) {
    for (const ServoRig* const rig : {&moved, &fresh}) {
      rig->set_goal(0, -0.4);
      rig->step();
    }
    ASSERT_NEAR(moved.position(0), fresh.position(0), 1e-9) << i;
    ASSERT_NEAR(moved.servo(0).memory.law.duty, fresh.servo(0).memory.law.duty, 1e-6) << i;
  }
}

TEST_P(ServoRows, StopWithTheirBodies) {
  const std::vector<RigLink> one{{kY, {0.12, 0.0, 0.0}, 0.05}};
  const ServoRig moved = rig(chain_world(one, 8.0, 9.80665), {sts3215(32.0)});
  moved.set_goal(0, 2.0);
  for (int i = 0; i < 30; ++i) {
    moved.step();
  }
  const ServoState::Memory& memory = moved.servo(0).memory;
  const double target = memory.law.target;
  ASSERT_NE(memory.shaft_rate, 0.0);
  moved.physics().stop(0);
  EXPECT_EQ(memory.shaft_rate, 0.0);
  EXPECT_EQ(memory.law.rate, 0.0);
  EXPECT_EQ(memory.law.current, 0.0);
  EXPECT_EQ(memory.law.load_torque, 0.0);
  EXPECT_EQ(memory.law.target, target);
}

// Without a limit of current, ODE's row between the bounds of its supply.
TEST_P(ServoRows, HaveACurrentLoopWithoutALimit) {
  const std::vector<RigLink> one{{kY, {0.12, 0.0, 0.0}, 0.05}};
  ServoModel model = sts3215(1.0);
  model.firmware.law = ServoLaw::Current;
  model.firmware.p_scale = 1e4;
  const ServoRig stiff = rig(chain_world(one, 8.0, 9.80665), {model});
  for (int i = 0; i < 200; ++i) {
    stiff.set_goal(0, 0.3);
    stiff.step();
    ASSERT_TRUE(std::isfinite(stiff.position(0))) << i;
  }
  EXPECT_NEAR(stiff.position(0), 0.3, 1e-3);
}

// A four-bar linkage that one servo turns; another joint of it has a servo without torque, whose
// friction is a row without softness in the loop.
TEST_P(ServoRows, MoveAClosedLoop) {
  const auto bar = [](const char* name, double x, double y, double length,
                      const std::string& children) {
    return fmt::format(
        "Solid {{ name \"{}\" translation {} {} 0 children [ {} ] physics Physics {{ density -1 "
        "mass 0.1 centerOfMass [ {} {} 0 ] inertiaMatrix [ 1e-4 1e-4 1e-4, 0 0 0 ] }} }}",
        name, x, y, children, name[0] == 'r' ? 0.0 : length / 2, name[0] == 'r' ? length / 2 : 0.0);
  };
  const auto hinge = [](double x, double y, const std::string& end, const char* motor) {
    return fmt::format(
        "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 0 1 anchor {} {} 0 }} "
        "device RotationalMotor {{ name \"{}\" maxTorque 100 }} endPoint {} }}",
        x, y, motor, end);
  };
  // A parallelogram: crank and rocker along y, the coupler along x.
  const std::string coupler = bar(
      "coupler", 0.0, 0.1, 0.2, hinge(0.2, 0.0, "SolidReference { solidName \"rocker\" }", "last"));
  const std::string world =
      "WorldInfo { basicTimeStep 4 gravity 0 physicsDisableTime 0 }\nRobot { name \"r\" children "
      "[ " +
      hinge(0.0, 0.0, bar("r_crank", 0.0, 0.0, 0.1, hinge(0.0, 0.1, coupler, "knee")), "drive") +
      hinge(0.2, 0.0, bar("rocker", 0.2, 0.0, 0.1, ""), "follow") + " ] }\n";
  for (const bool at_the_loop : {false, true}) {
    ServoModel idle = sts3215(32.0);
    const ServoRig rig(world, {sts3215(32.0), idle, idle, idle}, GetParam());
    ASSERT_EQ(rig.count(), 4);
    for (int j = 0; j < 4; ++j) {
      const bool is_loop = j == 3 || j == 2;
      rig.servo(j).acts = j == 0 || (at_the_loop && is_loop);
      rig.servo(j).command.is_on = j == 0 ? 1.0 : 0.0;
    }
    for (int i = 0; i < 500; ++i) {
      rig.servo(0).command.goal = 0.6;
      rig.step();
    }
    // Friction of up to three gears holds it apart from its goal.
    const double stiffness = 1.21164 / 2.67617 * 7.4 * 0.166 * 32.0;
    EXPECT_NEAR(rig.position(0), 0.6, (at_the_loop ? 4 : 1) * 0.0524 / stiffness + 1e-3);
    EXPECT_NEAR(rig.rate(0), 0.0, 1e-6) << at_the_loop;
    EXPECT_TRUE(std::isfinite(rig.servo(0).memory.law.load_torque));
  }
}

// Stalled at its whole duty, a servo is a resistance of R/duty².
TEST_P(ServoRows, ShareTheCurrentOfOneSupply) {
  const std::vector<RigLink> links = bent_arm();
  ServoModel model = sts3215(32.0);
  model.firmware.max_speed = std::numeric_limits<double>::infinity();
  model.friction.coulomb = 100.0;
  model.supply.resistance = 0.5;
  ServoModel shared = model;
  shared.supply.name = "battery";
  for (const ServoModel& of : {model, shared}) {
    const ServoRig rig(chain_world(links, 8.0, 9.80665), {of}, GetParam());
    for (int j = 0; j < rig.count(); ++j) {
      rig.set_goal(j, links[j].position + 0.5);
    }
    const int sharing = of.supply.name.empty() ? 1 : rig.count();
    const double volts = 7.4 / (1.0 + 0.5 * sharing * 0.97 * 0.97 / 2.67617);
    for (int i = 0; i < 20; ++i) {
      rig.step();
      for (int j = 0; i >= 3 && j < rig.count(); ++j) {
        const ServoMemory& m = rig.servo(j).memory.law;
        ASSERT_NEAR(m.volts, volts, 1e-9) << i;
        ASSERT_NEAR(m.current, 0.97 * volts / 2.67617, 1e-9) << i;
      }
    }
  }
}

// The test above with motors that turn: the voltage settles without swinging.
TEST_P(ServoRows, LetASharedSupplySettle) {
  const std::vector<RigLink> links = bent_arm();
  ServoModel model = sts3215(32.0);
  model.firmware.max_speed = std::numeric_limits<double>::infinity();
  model.supply.resistance = 0.5;
  model.supply.name = "battery";
  const ServoRig rig(chain_world(links, 16.0, 0.0), {model}, GetParam());
  int turns = 0;
  double before = 7.4;
  double fell = 0.0;
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < rig.count(); ++j) {
      rig.set_goal(j, links[j].position + 3.0);
    }
    rig.step();
    const double volts = rig.servo(0).memory.law.volts;
    turns += (volts - before) * fell < 0.0 ? 1 : 0;
    fell = volts - before;
    before = volts;
    EXPECT_GT(volts, 0.74) << i;
  }
  EXPECT_LE(turns, 4);
}

}  // namespace
}  // namespace servosim::test
