// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "base/random.h"
#include "physics/state.h"
#include "scene/scene.h"
#include "servosim/robot.h"
#include "support/worlds.h"

namespace servosim {
namespace {

TEST(Sampler, MeasuresFirstAfterOnePeriod) {
  Sampler sampler;
  EXPECT_FALSE(sampler.due(500.0)) << "off";
  sampler.enable(40, 96.0);
  EXPECT_FALSE(sampler.due(112.0));
  EXPECT_FALSE(sampler.due(128.0));
  EXPECT_TRUE(sampler.due(144.0));
  sampler.store(2.5, 144.0);
  EXPECT_EQ(sampler.value(), 2.5);
  EXPECT_EQ(sampler.count(), 1u);
  EXPECT_FALSE(sampler.due(176.0)) << "40 ms count from the sample, not from a grid";
  EXPECT_TRUE(sampler.due(192.0));
}

TEST(Sampler, EnablingAgainStartsTheWaitAgainAndKeepsTheValue) {
  Sampler sampler;
  sampler.enable(40, 0.0);
  sampler.store(2.5, 48.0);
  sampler.enable(40, 80.0);
  EXPECT_FALSE(sampler.due(96.0));
  EXPECT_TRUE(sampler.due(128.0));
  sampler.enable(0, 128.0);
  EXPECT_FALSE(sampler.due(1e6)) << "off again";
  EXPECT_EQ(sampler.value(), 2.5);
}

// Sums of such steps are never exact; a period that is a multiple must not slip by a step for it.
TEST(Sampler, AllowsForRoundingHoweverLongItRuns) {
  for (const double step : {0.1, 0.3, 3.3, 16.7}) {
    for (const double start : {0.0, 3e6, 7e9}) {
      const double first = std::round(start / step);
      const int period = static_cast<int>(std::lround(10 * step));
      for (int k = 0; k < 200; ++k) {
        Sampler sampler;
        sampler.enable(period, (first + k) * step);
        ASSERT_FALSE(sampler.due((first + k + 9) * step)) << step << ' ' << start << ' ' << k;
        ASSERT_TRUE(sampler.due((first + k + 10) * step)) << step << ' ' << start << ' ' << k;
      }
    }
  }
}

class PositionSensorTest : public testing::Test {
 protected:
  // The value of one sample of `position`.
  double sample(double position) {
    joint_.position = position;
    PositionSensor sensor(spec_, &joint_, random_);
    sensor.enable(16, 0.0);
    sensor.after_step(16.0);
    return sensor.value();
  }

  SensorSpec spec_;
  JointState joint_;
  Random random_{7};
};

TEST_F(PositionSensorTest, IsExactByDefault) {
  EXPECT_EQ(sample(-1.2345), -1.2345);
  joint_.position = 2.5;
  PositionSensor sensor(spec_, &joint_, random_);
  sensor.enable(16, 0.0);
  EXPECT_TRUE(std::isnan(sensor.value())) << "before the first sample";
  sensor.after_step(8.0);
  EXPECT_TRUE(std::isnan(sensor.value()));
}

TEST_F(PositionSensorTest, ResolutionCutsTowardsZeroAfterAddingAHalf) {
  spec_.resolution = 1.0;
  EXPECT_EQ(sample(-1.0), 0.0);
  EXPECT_EQ(sample(-1.6), -1.0);
  EXPECT_EQ(sample(1.4), 1.0);
  EXPECT_EQ(sample(1.6), 2.0);
  spec_.resolution = 0.25;
  EXPECT_EQ(sample(0.7), 0.75);
  EXPECT_EQ(sample(-0.7), -0.5);
}

TEST_F(PositionSensorTest, NoiseComesBeforeTheResolution) {
  spec_.noise = 0.3;
  spec_.resolution = 0.5;
  for (int n = 0; n < 50; ++n) {
    const double grains = sample(1.7) / 0.5;
    EXPECT_EQ(grains, std::trunc(grains));
  }
}

TEST_F(PositionSensorTest, NoiseHasItsDeviationAndNoBias) {
  spec_.noise = 0.3;
  double sum = 0.0;
  double squares = 0.0;
  constexpr int kSamples = 20000;
  for (int n = 0; n < kSamples; ++n) {
    const double error = sample(1.7) - 1.7;
    sum += error;
    squares += error * error;
  }
  // Five standard deviations of the mean and of the deviation of 20000 samples.
  EXPECT_NEAR(sum / kSamples, 0.0, 5 * 0.3 / std::sqrt(kSamples));
  EXPECT_NEAR(std::sqrt(squares / kSamples), 0.3, 5 * 0.3 / std::sqrt(2.0 * kSamples));
}

TEST_F(PositionSensorTest, WithoutAJointReadsTheFixedPosition) {
  spec_.fixed_position = -0.75;
  PositionSensor sensor(spec_, nullptr, random_);
  sensor.enable(16, 0.0);
  sensor.after_step(16.0);
  EXPECT_EQ(sensor.value(), -0.75);
}

TEST_F(PositionSensorTest, RefusesANegativePeriod) {
  PositionSensor sensor(spec_, &joint_, random_);
  sensor.enable(16, 0.0);
  EXPECT_THROW(sensor.enable(-16, 0.0), std::invalid_argument);
  EXPECT_EQ(sensor.sampler().period_ms(), 16);
}

std::vector<double> noisy_run(std::optional<std::int64_t> seed, const std::string& world_seed) {
  LoadOptions options;
  options.random_seed = seed;
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 16 randomSeed " + world_seed +
          " }\nRobot { name \"r\" children [ HingeJoint { device PositionSensor { name \"s\" noise "
          "0.5 } "
          "endPoint Solid { } } ] }",
      options);
  PositionSensor& sensor = simulation.robot("r").position_sensor("s");
  sensor.enable(16, 0.0);
  std::vector<double> values;
  for (int n = 0; n < 5; ++n) {
    simulation.step();
    values.push_back(sensor.value());
  }
  return values;
}

TEST(Noise, IsDeterminedByTheSeed) {
  EXPECT_EQ(noisy_run({}, "3"), noisy_run({}, "3"));
  EXPECT_NE(noisy_run({}, "3"), noisy_run({}, "4"));
  EXPECT_EQ(noisy_run(4, "3"), noisy_run({}, "4")) << "the option is over the file";
}

TEST(SensorPeriod, IsRoundedUpToWholeSteps) {
  test::OneJoint w;
  w.time_step_ms = 16.0;
  Simulation simulation = test::load(w);
  PositionSensor& sensor = simulation.robot("r").position_sensor("s");
  simulation.step(3);
  sensor.enable(40, simulation.time() * 1000.0);
  std::vector<std::uint64_t> counts;
  for (int n = 0; n < 9; ++n) {
    simulation.step();
    counts.push_back(sensor.sampler().count());
  }
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{0, 0, 1, 1, 1, 2, 2, 2, 3}));
}

TEST(BrakeDevice, SetsItsJointsDampingAndWakesIt) {
  JointState joint;
  Brake brake(JointType::Rotational, &joint);
  brake.set_damping_constant(2.5);
  EXPECT_EQ(joint.brake_damping, 2.5);
  EXPECT_TRUE(joint.brake_changed);
  EXPECT_TRUE(joint.wake);
  brake.set_damping_constant(-0.5);
  EXPECT_EQ(brake.damping_constant(), -0.5) << "Webots does not refuse it";
  EXPECT_THROW(brake.set_damping_constant(std::nan("")), std::invalid_argument);
  EXPECT_EQ(joint.brake_damping, -0.5);
}

TEST(BrakeDevice, AnyConstantKeepsTheJointFinite) {
  for (const bool slider : {false, true}) {
    for (const double damping : {1e300, std::numeric_limits<double>::infinity(), -1e300}) {
      test::OneJoint w;
      w.slider = slider;
      Simulation simulation = test::load(w);
      simulation.robot("r").brake("b").set_damping_constant(damping);
      simulation.robot("r").motor("m").set_position(0.5);
      simulation.step(50);
      EXPECT_TRUE(std::isfinite(simulation.joint(0).position())) << damping;
      EXPECT_TRUE(std::isfinite(simulation.joint(0).effort())) << damping;
    }
  }
}

}  // namespace
}  // namespace servosim
