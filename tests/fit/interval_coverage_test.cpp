// SPDX-License-Identifier: Apache-2.0
// The intervals of a fit hold the truth in about the share of cases that they state.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "fit/fit.h"
#include "support/repetitions.h"

namespace servosim::test {
namespace interval_coverage_test {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kCount = 2.0 * std::numbers::pi / 4096.0;
constexpr double kRate = 200.0;  // rows per second

// A servo near an XL330, other for each seed.
ServoModel servo_for(std::mt19937& random) {
  std::uniform_real_distribution<double> factor(0.85, 1.15);
  ServoModel model;
  model.drive = {.torque_constant = 0.41 * factor(random),
                 .resistance = 3.3 * factor(random),
                 .armature = 0.0023 * factor(random)};
  model.friction = {.coulomb = 0.025 * factor(random), .viscous = 0.006 * factor(random)};
  model.firmware.p_scale = 0.0029;
  model.supply.voltage = 7.4;
  model.encoder = {.counts = 4096.0, .offset = 0.02 * (factor(random) - 1.0)};
  return model;
}

// Two sines with frequencies apart, other for each log. With a size of 1.5 the servo reaches its
// full duty.
struct Goal {
  double slow, fast, size;
  double at(double t) const {
    return size * (std::sin(slow * t) + 0.5 * std::sin(fast * t + size));
  }
};

// @param size  of the goal [rad]
// @param off_from  time from which the torque is off [s]
ServoLog log_of(const ServoModel& servo, double p, double noise, double size, double off_from,
                std::mt19937& random) {
  std::uniform_real_distribution<double> factor(0.8, 1.25);
  const Goal goal{2.0 * factor(random), 8.0 * factor(random), size * factor(random)};
  std::normal_distribution<double> error(0.0, 1.0);
  ServoLog log;
  log.path = "simulated";
  log.quantum = kCount;
  for (int i = 0; i < static_cast<int>(4.0 * kRate); ++i) {
    const double t = i / kRate;
    log.samples.push_back({t, goal.at(t), 0.0, kNone, kNone, kNone, kNone, t < off_from});
  }
  const BenchLog bench{&log, {0.49, 0.1, 0.0}, {p, kNone, kNone, 7.4}};
  const std::vector<BenchState> states = run_bench_once(bench, servo);
  for (std::size_t s = 0; s < states.size(); ++s) {
    const double read = states[s].position + noise * error(random);
    log.samples[s].position = std::round(read / kCount) * kCount;
  }
  return log;
}

// A fit from numbers that are off the truth.
Fit fit_of(const std::vector<ServoLog>& logs, const ServoModel& truth, std::uint64_t seed) {
  const PendulumBench rig({{&logs[0], {0.49, 0.1, 0.0}, {100.0, kNone, kNone, 7.4}},
                           {&logs[1], {0.49, 0.1, 0.0}, {400.0, kNone, kNone, 7.4}}});
  ServoModel start = truth;
  start.drive.torque_constant *= 1.2;
  start.drive.resistance *= 0.9;
  start.friction = {.coulomb = 0.01, .viscous = 0.002};
  start.encoder.offset = 0.0;
  FitOptions options;
  options.models = {"M1"};
  options.optional = {};
  options.starts = 2;
  options.generations = 120;
  options.threads = 2;
  options.seed = seed;
  return fit_servo(rig, start, options);
}

// How many of the intervals hold the truth, by parameter and in all.
struct Coverage {
  std::map<std::string, int> held;
  int cases = 0;

  double share() const {
    double all = 0.0;
    for (const auto& [name, count] : held) {
      all += count;
    }
    return all / (static_cast<double>(held.size()) * cases);
  }
  std::string text() const {
    std::string text;
    for (const auto& [name, count] : held) {
      text += fmt::format("{}: {} of {}\n", name, count, cases);
    }
    return text;
  }
};

// @param noise  of a reading, before the encoder rounds it [rad]
Coverage coverage_with(double noise) {
  Coverage coverage;
  for (int seed = 0; seed < repetitions(6, 150); ++seed) {
    std::mt19937 random(static_cast<unsigned>(1000 + seed));
    const ServoModel truth = servo_for(random);
    const std::vector<ServoLog> logs{log_of(truth, 100.0, noise, 1.5, 3.0, random),
                                     log_of(truth, 400.0, noise, 1.5, 3.0, random)};
    const Fit fit = fit_of(logs, truth, static_cast<std::uint64_t>(seed + 1));
    for (const FittedParameter& found : fit.parameters) {
      const double value = number_of(truth, found.parameter.keys.front());
      coverage.held[found.parameter.name()] += found.from <= value && value <= found.to ? 1 : 0;
      // An interval that holds everything says nothing.
      EXPECT_LT(found.interval, 0.1 * (found.parameter.high - found.parameter.low))
          << found.parameter.name();
    }
    ++coverage.cases;
  }
  return coverage;
}

// With six parameters that are correlated within a fit, the share of a few cases scatters.
constexpr double kLeastShare = 0.88;

TEST(FitIntervals, HoldTheTruthWithNoise) {
  const Coverage coverage = coverage_with(0.7 * kCount);
  EXPECT_GE(coverage.share(), kLeastShare) << coverage.text();
}

// All that differs from the truth is the rounding of the encoder.
TEST(FitIntervals, HoldTheTruthWithStepsOfTheEncoderAlone) {
  const Coverage coverage = coverage_with(0.0);
  EXPECT_GE(coverage.share(), kLeastShare) << coverage.text();
}

// Within its duty a P loop shows kt/R and kt²/R + viscous, and so two of three numbers: their
// valley is long, and no search along it is precise.
TEST(FitIntervals, AreNotPreciseAlongAValley) {
  std::mt19937 random(7);
  const ServoModel truth = servo_for(random);
  const std::vector<ServoLog> logs{log_of(truth, 100.0, 0.0, 0.7, 9.0, random),
                                   log_of(truth, 400.0, 0.0, 0.7, 9.0, random)};
  const Fit fit = fit_of(logs, truth, 1);
  for (const FittedParameter& found : fit.parameters) {
    const std::string& key = found.parameter.keys.front();
    const bool is_in_valley =
        key == "drive.torque_constant" || key == "drive.resistance" || key == "friction.viscous";
    EXPECT_EQ(found.is_known, !is_in_valley) << key;
    EXPECT_GE(number_of(truth, key), found.from) << key;
    EXPECT_LE(number_of(truth, key), found.to) << key;
  }
  ASSERT_EQ(fit.alike.size(), 1u);
  EXPECT_EQ(fit.alike.front(), (std::vector<std::string>{"drive.torque_constant",
                                                         "drive.resistance", "friction.viscous"}));
}

// A servo without viscous friction: the fit ends at the bound, and the interval has one side.
TEST(FitIntervals, HaveOneSideAtABound) {
  std::mt19937 random(8);
  ServoModel truth = servo_for(random);
  truth.friction.viscous = 0.0;
  const std::vector<ServoLog> logs{log_of(truth, 100.0, 0.0, 1.5, 3.0, random),
                                   log_of(truth, 400.0, 0.0, 1.5, 3.0, random)};
  const Fit fit = fit_of(logs, truth, 1);
  for (const FittedParameter& found : fit.parameters) {
    if (found.parameter.name() == "friction.viscous") {
      EXPECT_EQ(found.from, 0.0);
      EXPECT_GT(found.to, 0.0);
      EXPECT_LT(found.to, 0.1 * found.parameter.high);
      return;
    }
  }
  FAIL() << "no viscous friction was looked for";
}

}  // namespace interval_coverage_test
}  // namespace servosim::test
