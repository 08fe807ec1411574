// SPDX-License-Identifier: Apache-2.0
// Fits find servos that are known, and come close to real ones.
#include "fit/fit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "fit/bench_options.h"
#include "fit/position_errors.h"

namespace servosim::test {
namespace fit_test {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr double kCount = 2.0 * std::numbers::pi / 4096.0;

ServoModel known_servo() {
  ServoModel model;
  model.drive = {.torque_constant = 0.41, .resistance = 3.3, .armature = 0.0023};
  model.friction = {.coulomb = 0.011, .viscous = 0.006, .motor = 0.16, .external = 0.16};
  model.firmware.p = 400.0;
  model.firmware.p_scale = 0.0029;
  model.supply.voltage = 7.4;
  model.encoder = {.counts = 4096.0, .offset = -0.013};
  return model;
}

// What the servo above does on a bench, with noise and the steps of an encoder.
ServoLog simulated_log(double p, double (*goal)(double), double off_from, unsigned seed) {
  ServoLog log;
  log.path = fmt::format("simulated {}", seed);
  log.quantum = kCount;
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0.0, 0.5 * kCount);
  std::uniform_real_distribution<double> jitter(0.0045, 0.0055);
  for (double t = 0.0; t < 4.0; t += jitter(random)) {
    log.samples.push_back({t, goal(t), 0.0, kNone, kNone, kNone, kNone, t < off_from});
  }
  const BenchLog bench{&log, {0.49, 0.1, 0.0}, {p, kNone, kNone, 7.4}};
  const std::vector<BenchState> states = run_bench_once(bench, known_servo());
  for (std::size_t s = 0; s < states.size(); ++s) {
    log.samples[s].position = std::round((states[s].position + noise(random)) / kCount) * kCount;
  }
  return log;
}

double two_sines(double t) { return 1.2 * std::sin(2.0 * t) + 0.5 * std::sin(9.0 * t); }
double chirp(double t) { return std::sin(1.3 * t * t); }
double lift(double t) { return -1.5 * std::min(1.0, t / 1.5); }

class KnownServo : public testing::Test {
 protected:
  std::vector<ServoLog> logs{
      simulated_log(100.0, two_sines, 9.0, 1), simulated_log(400.0, chirp, 9.0, 2),
      simulated_log(400.0, lift, 2.0, 3), simulated_log(100.0, chirp, 9.0, 4)};
  PendulumBench rig{{{&logs[0], {0.49, 0.1, 0.0}, {100.0, kNone, kNone, 7.4}},
                     {&logs[1], {0.49, 0.1, 0.0}, {400.0, kNone, kNone, 7.4}},
                     {&logs[2], {0.49, 0.1, 0.0}, {400.0, kNone, kNone, 7.4}},
                     {&logs[3], {0.49, 0.1, 0.0}, {100.0, kNone, kNone, 7.4}}}};
  // Another servo, from which the searches start.
  ServoModel start = [] {
    ServoModel model = known_servo();
    model.drive = {.torque_constant = 0.5, .resistance = 4.5, .armature = 0.0015};
    model.friction = {.coulomb = 0.03, .viscous = 0.001};
    model.encoder.offset = 0.0;
    return model;
  }();
};

TEST_F(KnownServo, IsFoundWithinItsIntervals) {
  FitOptions options;
  options.models = {"M3"};
  options.optional = {};
  options.starts = 2;
  options.generations = 200;
  options.threads = 2;
  const Fit fit = fit_servo(rig, start, options);
  EXPECT_EQ(fit.choice, "M3");
  EXPECT_LT(fit.candidates.front().training * kDegrees, 0.05);  // half a step of the encoder
  ASSERT_EQ(fit.parameters.size(), 7u);
  for (const FittedParameter& found : fit.parameters) {
    const double truth = number_of(known_servo(), found.parameter.keys.front());
    EXPECT_NEAR(found.value, truth, found.interval) << found.parameter.name();
    // The interval says something: it is a small part of the range.
    EXPECT_LT(found.interval, 0.1 * (found.parameter.high - found.parameter.low))
        << found.parameter.name();
    EXPECT_FALSE(found.is_at_low || found.is_at_high) << found.parameter.name();
    EXPECT_TRUE(found.is_known) << found.parameter.name();
  }
  // All logs have one mass: twice of all torques and inertias would move the same.
  EXPECT_EQ(fit.rod_interval, std::numeric_limits<double>::infinity());
}

TEST_F(KnownServo, IsToldFromSimplerAndRicherModels) {
  FitOptions options;
  options.models = {"M1", "M3", "M4"};
  options.optional = {};
  options.starts = 1;
  options.generations = 120;
  options.threads = 2;
  const Fit fit = fit_servo(rig, start, options);
  EXPECT_EQ(fit.choice, "M3");
  EXPECT_EQ(fit.validation, "the logs of one gain after the other");
  ASSERT_EQ(fit.candidates.size(), 3u);
  EXPECT_GT(fit.candidates[0].validation, 3.0 * fit.candidates[1].validation);
  EXPECT_TRUE(fit.candidates[1].is_chosen);
}

// A richer model can do all that the one that it contains does.
TEST_F(KnownServo, IsFollowedAtLeastAsWellByRicherModels) {
  FitOptions options;
  options.models = {"M3"};
  options.starts = 1;
  options.generations = 100;
  options.threads = 2;
  const Fit fit = fit_servo(rig, start, options);
  ASSERT_EQ(fit.candidates.size(), 3u);
  for (const FitCandidate& each : fit.candidates) {
    EXPECT_LE(each.training, 1.02 * fit.candidates[0].training) << each.name;
  }
}

TEST_F(KnownServo, RefusesALogWhosePositionStays) {
  for (LogSample& sample : logs[1].samples) {
    sample.position = 0.3;
  }
  try {
    static_cast<void>(fit_servo(rig, start, {}));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).find("simulated 2: its position does not move, although"),
              0u)
        << error.what();
  }
}

TEST_F(KnownServo, IsTheSameForModelsInAnyOrder) {
  FitOptions options;
  options.models = {"M4", "M1", "M4"};
  options.optional = {};
  options.starts = 1;
  options.generations = 5;
  const Fit fit = fit_servo(rig, start, options);
  ASSERT_EQ(fit.candidates.size(), 2u);
  EXPECT_EQ(fit.candidates[0].name, "M1");
  EXPECT_EQ(fit.candidates[1].name, "M4");
  options.models = {};
  EXPECT_THROW(fit_servo(rig, start, options), std::invalid_argument);
}

TEST_F(KnownServo, IsTheSameOnAnyNumberOfThreads) {
  FitOptions options;
  options.models = {"M1", "M2"};
  options.generations = 5;
  const Fit one = fit_servo(rig, start, options);
  options.threads = 3;
  const Fit three = fit_servo(rig, start, options);
  EXPECT_EQ(one.choice, three.choice);
  EXPECT_EQ(one.simulations, three.simulations);
  for (std::size_t i = 0; i < one.parameters.size(); ++i) {
    EXPECT_EQ(one.parameters[i].value, three.parameters[i].value);
    EXPECT_EQ(one.parameters[i].interval, three.parameters[i].interval);
  }
}

TEST_F(KnownServo, KeepsWhatIsFixedAndFindsWhatIsFree) {
  FitOptions options;
  options.models = {"M1"};
  options.optional = {};
  options.free = {"firmware.delay"};
  options.fixed = {"drive.torque_constant", "encoder.offset"};
  options.starts = 1;
  options.generations = 5;
  const Fit fit = fit_servo(rig, start, options);
  EXPECT_EQ(fit.model.drive.torque_constant, 0.5);
  EXPECT_EQ(fit.model.encoder.offset, 0.0);
  std::vector<std::string> names;
  for (const FittedParameter& found : fit.parameters) {
    names.push_back(found.parameter.name());
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"drive.resistance", "drive.armature", "friction.coulomb",
                                      "friction.viscous", "firmware.delay"}));
  options.free = {"firmware.law"};
  EXPECT_THROW(fit_servo(rig, start, options), std::invalid_argument);
  options.free = {"drive.resistence"};
  EXPECT_THROW(fit_servo(rig, start, options), std::invalid_argument);
  options.free = {};
  options.models = {"M7"};
  EXPECT_THROW(fit_servo(rig, start, options), std::invalid_argument);
}

// A fixed field of the friction is there in a model that does not have it; the other field of a
// pair is still looked for.
TEST_F(KnownServo, KeepsFixedFrictionInEveryModel) {
  start.friction.motor = 0.25;
  start.friction.load = ServoLoad::Static;
  FitOptions options;
  options.models = {"M1"};
  options.optional = {};
  options.fixed = {"friction.motor", "friction.load"};
  options.starts = 1;
  options.generations = 2;
  Fit fit = fit_servo(rig, start, options);
  EXPECT_EQ(fit.model.friction.motor, 0.25);
  EXPECT_EQ(fit.model.friction.load, ServoLoad::Static);
  options.models = {"M3"};
  fit = fit_servo(rig, start, options);
  EXPECT_EQ(fit.model.friction.motor, 0.25);
  EXPECT_EQ(fit.parameters.back().parameter.name(), "friction.external");
}

TEST_F(KnownServo, IsNeverWorseThanTheStart) {
  start = known_servo();
  FitOptions options;
  options.models = {"M3"};
  options.optional = {};
  options.starts = 1;
  options.generations = 1;
  const Fit fit = fit_servo(rig, start, options);
  double before = 0.0;
  for (const double error : mean_errors(rig, whole_logs(rig), {&start, 1})) {
    before += error / 4.0;
  }
  EXPECT_LE(fit.candidates.front().training, before * (1.0 + 1e-9));
}

TEST_F(KnownServo, IsNotToldByALogInWhichItHardlyMoves) {
  // It holds its goal without an error, so every servo does the same.
  for (LogSample& sample : logs[0].samples) {
    sample.goal = sample.position = 0.0;
  }
  const PendulumBench still{{{&logs[0], {0.49, 0.1, 0.0}, {100.0, kNone, kNone, 7.4}}}};
  EXPECT_THROW(fit_servo(still, start, {}), std::invalid_argument);
  for (LogSample& sample : logs[0].samples) {
    sample.goal = sample.time < 0.5 ? 0.0 : 0.01;  // it does not get over the friction
  }
  start.friction.coulomb = 0.2;
  FitOptions options;
  options.models = {"M1"};
  options.optional = {};
  options.fixed = {"encoder.offset"};
  options.starts = 1;
  options.generations = 2;
  const Fit fit = fit_servo(still, start, options);
  for (const FittedParameter& found : fit.parameters) {
    EXPECT_FALSE(found.is_known) << found.parameter.name() << " ± " << found.interval;
  }
}

TEST(FitLogs, OfHoursAreRefused) {
  ServoLog log;
  log.path = "long.csv";
  for (int i = 0; i < 20'000; ++i) {
    log.samples.push_back({1.0 * i, 0.0, 0.0, kNone, kNone, kNone, kNone, true});
  }
  EXPECT_THROW(steps_of(log), std::invalid_argument);
  log.samples.resize(30);
  EXPECT_EQ(steps_of(log).size(), 29u * 167u);
}

TEST(FitParameters, BelongToOneFieldOnce) {
  const std::vector<std::string> more{"friction.motor"};
  std::vector<std::string> names;
  for (const FitParameter& parameter : fit_parameters("M3", known_servo(), more)) {
    names.push_back(parameter.name());
  }
  EXPECT_EQ(std::count(names.begin(), names.end(), "friction.motor"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "friction.external"), 1);
  EXPECT_EQ(names.size(), 8u);
}

TEST(FitParameters, AreLookedForOnTheirScale) {
  ServoModel model = known_servo();
  const std::vector<FitParameter> parameters = fit_parameters("M6", model, {});
  EXPECT_EQ(parameters.size(), 15u);
  for (const FitParameter& parameter : parameters) {
    EXPECT_NEAR(parameter.from_share(parameter.to_share(parameter.start)), parameter.start,
                1e-12 * std::abs(parameter.start))
        << parameter.name();
    EXPECT_EQ(parameter.from_share(0.0), parameter.low);
    EXPECT_EQ(parameter.from_share(1.0), parameter.high);
  }
  model.friction.motor = 0.5;
  model.friction.motor_stribeck = 0.5;
  EXPECT_FALSE(is_sound(model));
}

class RealLog : public testing::Test {
 protected:
  static ServoLog read(const std::string& name, const std::string& columns = "") {
    LogFormat format;
    if (!columns.empty()) {
      format.columns = parse_log_columns(columns);
    }
    return read_servo_log(std::string(SERVOSIM_TEST_DIR) + "/data/servo_logs/" + name, format);
  }
};

// A rig whose simulations end at the third sample of a log.
class BrokenRig final : public FitRig {
 public:
  explicit BrokenRig(const ServoLog& log) : logs_{{&log, {}, {}}} {}
  const std::vector<BenchLog>& logs() const override { return logs_; }
  void run(std::size_t, std::span<const ServoModel>,
           std::vector<double>& positions) const override {
    positions.assign(logs_[0].log->samples.size() * kBenchModels, 0.0);
    std::fill(positions.begin() + 2 * kBenchModels, positions.end(), kNone);
  }
  std::vector<BenchState> run_once(std::size_t, const ServoModel&) const override { return {}; }
  double inertia(std::size_t) const override { return 0.0; }
  double weight(std::size_t) const override { return 0.0; }
  std::unique_ptr<FitRig> with_rod(double) const override { return nullptr; }

 private:
  std::vector<BenchLog> logs_;
};

TEST_F(KnownServo, HasNoGreatestErrorWhereASimulationEnds) {
  EXPECT_TRUE(std::isnan(greatest_error(BrokenRig(logs[0]), 0, known_servo())));
}

// Rhoban's logs of an XL330, thinned. The published law M1 has errors of 3.3° and 7.2°.
TEST_F(RealLog, OfAnXl330IsFollowed) {
  const ServoLog sines = read("xl330_kp100_sin_sin.json");
  const ServoLog lifted = read("xl330_kp400_lift_and_drop.csv",
                               "time=t_ms[ms], goal=cmd_deg[deg], position=pos_deg[deg], "
                               "voltage=volts, torque=torque_on");
  EXPECT_TRUE(sines.warnings.empty());
  EXPECT_TRUE(lifted.warnings.empty());
  EXPECT_NEAR(lifted.quantum, kCount, 2e-6);
  EXPECT_FALSE(lifted.samples.back().on);
  const PendulumBench rig({bench_log(sines, {}), bench_log(lifted, {})});
  ServoModel start;
  start.drive = {.torque_constant = 0.386696, .resistance = 4.01713, .armature = 0.00181417};
  start.friction = {.coulomb = 0.0128327, .viscous = 0.00366167};
  start.firmware.p_scale = 4096.0 / (2.0 * std::numbers::pi) / (256.0 * 885.0);
  start.encoder.counts = 4096.0;
  const std::vector<double> before = mean_errors(rig, whole_logs(rig), {&start, 1});
  EXPECT_NEAR(before[0] * kDegrees, 3.28, 0.1);
  FitOptions options;
  options.models = {"M3"};
  options.optional = {};
  options.starts = 1;
  options.generations = 80;
  const Fit fit = fit_servo(rig, start, options);
  EXPECT_LT(fit.candidates.front().training * kDegrees, 1.9);
}

}  // namespace fit_test
}  // namespace servosim::test
