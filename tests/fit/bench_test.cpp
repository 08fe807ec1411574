// SPDX-License-Identifier: Apache-2.0
#include "fit/bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "fit/fit_rig.h"
#include "fit/position_errors.h"

namespace servosim::test {
namespace bench_test {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

ServoLog log_of(std::size_t count, double h, double (*goal)(double), bool on, double start = 0.0) {
  ServoLog log;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = h * static_cast<double>(i);
    log.samples.push_back({t, goal(t), start, 0.0, kNone, kNone, kNone, on});
  }
  return log;
}

double still(double) { return 0.0; }
double waves(double t) { return 0.9 * std::sin(3.0 * t) + 0.3 * std::sin(11.0 * t); }

// A small servo with every part of friction.
ServoModel small_servo() {
  ServoModel model;
  model.drive = {.torque_constant = 0.37, .resistance = 3.1, .armature = 0.0019};
  model.friction = {.coulomb = 0.006,
                    .viscous = 0.004,
                    .stribeck = 0.01,
                    .stribeck_speed = 1.7,
                    .stribeck_exponent = 1.3,
                    .motor = 0.1,
                    .external = 0.12,
                    .motor_stribeck = 0.03,
                    .external_stribeck = 0.05,
                    .motor_quadratic = 0.2,
                    .external_quadratic = 0.3};
  model.firmware.p = 400.0;
  model.firmware.p_scale = 0.0029;
  model.supply.voltage = 7.4;
  model.supply.resistance = 0.4;
  model.encoder = {.counts = 4096.0, .offset = 0.02};
  return model;
}

TEST(Bench, StepsEndAtSamplesAndAreShort) {
  ServoLog log = log_of(3, 0.02, still, true);
  log.samples[2].time = 0.0245;
  const std::vector<BenchStep> steps = steps_of(log);
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_DOUBLE_EQ(steps[0].h, 0.005);
  EXPECT_TRUE(steps[3].ends_at_sample);
  EXPECT_DOUBLE_EQ(steps[4].h, 0.0045);
  EXPECT_DOUBLE_EQ(steps[4].mean, 0.00475);
}

// A pendulum without torque and friction swings with the period of its length; over 15° it takes
// 0.43 % longer than with small angles.
TEST(Bench, APendulumSwings) {
  const double angle = std::numbers::pi / 12.0;
  const ServoLog log = log_of(2000, 0.002, still, false, angle);
  ServoModel model = small_servo();
  model.drive.armature = 0.0;
  model.friction = {};
  model.encoder = {};
  const BenchLog bench{&log, {0.4, 0.15, 0.0}, {kNone, kNone, kNone, kNone}};
  const std::vector<BenchState> states = run_bench_once(bench, model);
  std::vector<double> zeros;
  for (std::size_t s = 1; s < states.size(); ++s) {
    const double before = states[s - 1].position;
    if (before > 0.0 && states[s].position <= 0.0) {
      const double share = before / (before - states[s].position);
      zeros.push_back(0.002 * (static_cast<double>(s) - 1.0 + share));
    }
  }
  ASSERT_GE(zeros.size(), 5u);
  const double period = (zeros[4] - zeros[0]) / 4.0;
  const double small = 2.0 * std::numbers::pi * std::sqrt(0.15 / PendulumRig::kGravity);
  EXPECT_NEAR(period / small, 1.00430, 2e-5);
}

TEST(Bench, ALogsSettingsCountAndItsServoIsNotProtected) {
  const ServoLog log = log_of(3, 0.01, still, true);
  const BenchLog bench{&log, {0.4, 0.15, 0.0}, {100.0, kNone, 3.0, 6.5}};
  ServoModel model = small_servo();
  model.firmware.i = 2.0;
  model.protection.max_voltage = 6.0;
  const ServoModel used = model_for(bench, model);
  EXPECT_EQ(used.firmware.p, 100.0);
  EXPECT_EQ(used.firmware.i, 2.0);
  EXPECT_EQ(used.firmware.d, 3.0);
  EXPECT_EQ(used.supply.voltage, 6.5);
  EXPECT_EQ(used.protection.max_voltage, std::numeric_limits<double>::infinity());
}

// A servo that holds gets to its goal but for (load ± friction)/stiffness.
TEST(Bench, AServoReachesItsGoal) {
  const ServoLog log = log_of(
      400, 0.005, [](double t) { return t < 0.5 ? 0.0 : 0.8; }, true);
  ServoModel model = small_servo();
  model.encoder.offset = 0.0;
  const BenchLog bench{&log, {0.05, 0.1, 0.0}, {kNone, kNone, kNone, kNone}};
  const std::vector<BenchState> states = run_bench_once(bench, model);
  const double stiffness = 0.37 / 3.1 * 7.4 * 400.0 * 0.0029;
  const double load = bench.rig.weight() * std::sin(0.8);
  EXPECT_NEAR(states.back().position, 0.8 - load / stiffness, 0.04 / stiffness);
  EXPECT_NEAR(states.back().rate, 0.0, 1e-9);
  double least_volts = 7.4;
  double most_duty = 0.0;
  for (const BenchState& state : states) {
    least_volts = std::min(least_volts, state.volts);
    most_duty = std::max(most_duty, state.duty);
  }
  EXPECT_LT(least_volts, 7.2);  // the supply gives way while it accelerates
  EXPECT_GT(least_volts, 7.4 - 0.4 * 7.4 / 3.1);
  EXPECT_NEAR(most_duty, 0.8 * 400.0 * 0.0029, 0.02);
}

TEST(Bench, ADelayShiftsGoals) {
  const ServoLog log = log_of(
      300, 0.005, [](double t) { return t < 0.4975 ? 0.0 : 0.8; }, true);
  const BenchLog bench{&log, {0.05, 0.1, 0.0}, {kNone, kNone, kNone, kNone}};
  ServoModel model = small_servo();
  const std::vector<BenchState> prompt = run_bench_once(bench, model);
  model.firmware.delay = 0.05;
  const std::vector<BenchState> late = run_bench_once(bench, model);
  for (std::size_t s = 100; s < 280; ++s) {
    EXPECT_NEAR(late[s + 10].position, prompt[s].position, 1e-12) << s;
  }
}

TEST(Bench, LanesGiveTheBitsOfEachOtherAndNearlyThoseOfOneModel) {
  const ServoLog log = log_of(300, 0.005, waves, true, 0.01);
  const BenchLog bench{&log, {0.3, 0.1, 0.02}, {kNone, kNone, kNone, kNone}};
  const std::vector<BenchStep> steps = steps_of(log);
  std::vector<ServoModel> models(kBenchModels, small_servo());
  for (std::size_t m = 0; m < kBenchModels; ++m) {
    models[m].drive.resistance += 0.3 * static_cast<double>(m);
    models[m].friction.stribeck_exponent += 0.4 * static_cast<double>(m);
    models[m].firmware.delay = 0.001 * static_cast<double>(m);
  }
  std::vector<double> plain;
  run_bench(bench, steps, models, plain, LaneSet::Sse2);
  for (const LaneSet set : {LaneSet::Avx2, LaneSet::Avx512}) {
    if (has_lanes(set)) {
      std::vector<double> wide;
      run_bench(bench, steps, models, wide, set);
      EXPECT_EQ(plain, wide) << static_cast<int>(set);
    }
  }
  for (std::size_t m = 0; m < kBenchModels; ++m) {
    const std::vector<BenchState> alone = run_bench_once(bench, models[m]);
    for (std::size_t s = 0; s < alone.size(); ++s) {
      // Powers of lanes differ by 1e-12, which an encoder's step may make larger.
      EXPECT_NEAR(plain[s * kBenchModels + m], alone[s].position, 1e-6) << m << ' ' << s;
    }
  }
}

TEST(Bench, ErrorsAreMeansOverTime) {
  ServoLog log = log_of(4, 0.1, still, false);
  log.samples[3].time = 0.5;
  for (std::size_t s = 0; s < 4; ++s) {
    log.samples[s].position = s < 2 ? 0.0 : 0.3;
  }
  const PendulumBench rig({{&log, {0.3, 0.1, 0.0}, {kNone, kNone, kNone, kNone}}});
  ServoModel model = small_servo();
  model.encoder = {};
  // It hangs still at 0: errors are 0, 0, 0.3, 0.3 at 0, 0.1, 0.2 and 0.5 s.
  EXPECT_NEAR(mean_errors(rig, whole_logs(rig), {&model, 1})[0], (0.015 + 0.09) / 0.5, 1e-12);
}

}  // namespace bench_test
}  // namespace servosim::test
