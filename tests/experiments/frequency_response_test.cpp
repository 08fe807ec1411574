// SPDX-License-Identifier: Apache-2.0
// Measured frequency responses equal the transfer functions of the sampled joints exactly, and
// those of continuous joints as far as a step of a millisecond allows.
#include "experiments/frequency_response.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "support/worlds.h"

namespace servosim::test {
namespace frequency_response_test {

using Complex = std::complex<double>;

constexpr double kTurn = 2.0 * std::numbers::pi;

JointTest settled(const OneJoint& w, TestInput input, std::optional<double> around = {}) {
  JointTest test(load(w), "m");
  test.settle(input, around, 0.5);
  return test;
}

void expect_gain(const FrequencyPoint& point, Complex wanted, double tolerance) {
  EXPECT_LE(std::abs(point.gain - wanted), tolerance * std::abs(wanted))
      << point.frequency << " Hz: " << point.gain << " is not " << wanted;
}

TEST(FrequencyResponse, OfPositionControlIsThatOfItsProportionalGain) {
  OneJoint w;
  w.motor = "maxVelocity 100 maxTorque 1000 controlPID 12 0 0";
  JointTest test = settled(w, TestInput::Position);
  FrequencyResponse response(test, TestOutput::Position);
  const double h = 0.008;
  for (const double frequency : {0.2, 1.0, 3.0, 10.0, 40.0}) {
    const FrequencyPoint point = response.measure(frequency, 0.1);
    const Complex z = std::exp(Complex(0.0, kTurn * frequency * h));
    expect_gain(point, h * 12.0 / (z - 1.0 + h * 12.0), 1e-3);
    EXPECT_TRUE(point.linear);
    EXPECT_GT(point.coherence, 0.9999);
    EXPECT_EQ(point.amplitude, 0.1);
  }
}

struct Oscillator {
  double mass = 2.0;
  double k = 80.0;
  double c = 4.0;
  double h = 0.001;

  OneJoint world() const {
    OneJoint w;
    w.slider = true;
    w.mass = mass;
    w.time_step_ms = 1000.0 * h;
    w.motor = "maxForce 100 maxVelocity 100";
    w.parameters = fmt::format("springConstant {} dampingConstant {}", k, c);
    return w;
  }
  // The transfer function of the implicit step of spring and damper.
  Complex sampled(double frequency) const {
    const Complex z = std::exp(Complex(0.0, kTurn * frequency * h));
    return 1.0 / (mass * (z - 2.0 + 1.0 / z) / (h * h) + c * (z - 1.0) / h + k * z);
  }
  Complex continuous(double frequency) const {
    const Complex s(0.0, kTurn * frequency);
    return 1.0 / (mass * s * s + c * s + k);
  }
};

TEST(FrequencyResponse, OfAForceOnASpringIsThatOfASecondOrderSystem) {
  const Oscillator oscillator;
  JointTest test = settled(oscillator.world(), TestInput::Effort);
  FrequencyResponse position(test, TestOutput::Position);
  FrequencyResponse velocity(test, TestOutput::Velocity);
  for (const double frequency : {0.1, 0.5, 1.0, 2.0, 8.0}) {
    const FrequencyPoint point = position.measure(frequency, 1.0);
    expect_gain(point, oscillator.sampled(frequency), 1e-3);
    expect_gain(point, oscillator.continuous(frequency), 0.03);
    const Complex z = std::exp(Complex(0.0, kTurn * frequency * oscillator.h));
    expect_gain(velocity.measure(frequency, 1.0),
                oscillator.sampled(frequency) * (1.0 - 1.0 / z) / oscillator.h, 1e-3);
  }
}

TEST(FrequencyResponse, OfATorqueOnAPendulumIsThatOfItsLinearisation) {
  OneJoint w;
  w.axis = "0 1 0";
  w.endpoint = "0 0 -0.5";
  w.gravity = "9.81";
  w.time_step_ms = 2.0;
  w.motor = "maxTorque 100 maxVelocity 100";
  w.parameters = "dampingConstant 0.3";
  const double inertia = 2.0 * ((0.36 + 0.01) / 12.0 + 0.25);
  for (const double angle : {0.0, 0.7}) {
    JointTest test(load(w), "m");
    test.settle(TestInput::Effort, angle, 2.0);
    EXPECT_NEAR(std::abs(test.offset()), 2.0 * 9.81 * 0.5 * std::sin(angle), 0.02);
    FrequencyResponse response(test, TestOutput::Position);
    const double h = 0.002;
    for (const double frequency : {0.2, 0.9, 3.0}) {
      const Complex z = std::exp(Complex(0.0, kTurn * frequency * h));
      const Complex wanted = 1.0 / (inertia * (z - 2.0 + 1.0 / z) / (h * h) + 0.3 * (z - 1.0) / h +
                                    2.0 * 9.81 * 0.5 * std::cos(angle));
      const FrequencyPoint point = response.measure(frequency, 0.2);
      expect_gain(point, wanted, 0.02);
      EXPECT_TRUE(point.linear) << frequency;
    }
  }
}

// If the target moves faster than the motor, the amplitude is lowered until the motor can follow.
TEST(FrequencyResponse, LowersTheAmplitudeUntilTheMotorIsNotAtItsLimit) {
  OneJoint w;
  w.motor = "maxVelocity 1 maxTorque 1000 controlPID 10 0 0";
  JointTest test = settled(w, TestInput::Position);
  FrequencyResponse response(test, TestOutput::Position);
  const FrequencyPoint point = response.measure(2.0, 1.0);
  EXPECT_LT(point.amplitude, 0.3);
  EXPECT_GT(point.amplitude, 0.05);
  EXPECT_TRUE(point.linear);
  const Complex z = std::exp(Complex(0.0, kTurn * 2.0 * 0.008));
  expect_gain(point, 0.08 / (z - 0.92), 1e-3);
}

TEST(FrequencyResponse, SaysThatFrictionMakesItNonlinear) {
  OneJoint w;
  w.slider = true;
  w.motor = "maxForce 100 maxVelocity 100";
  w.parameters = "staticFriction 5";
  JointTest test = settled(w, TestInput::Effort);
  FrequencyResponse response(test, TestOutput::Velocity);
  const FrequencyPoint point = response.measure(1.0, 8.0);
  EXPECT_FALSE(point.linear);
  EXPECT_LT(point.coherence, FrequencyPoint::kCoherent);
}

std::vector<FrequencyPoint> points_of(double from, double to, Complex (*loop)(double)) {
  std::vector<FrequencyPoint> points;
  for (const double frequency : spaced_frequencies(from, to, 200)) {
    points.push_back({frequency, loop(frequency), 1.0, 1.0, true});
  }
  return points;
}

// The loop is 4 / (s (s + 1) (s + 2)): its phase is -180° at √2 rad/s, where its gain is 2/3.
TEST(LoopMargins, AreThoseOfAKnownLoop) {
  const auto points = points_of(0.01, 10.0, [](double frequency) {
    const Complex s(0.0, kTurn * frequency);
    return 4.0 / (s * (s + 1.0) * (s + 2.0));
  });
  const LoopMargins margins = loop_margins(points);
  ASSERT_TRUE(margins.gain && margins.phase);
  EXPECT_NEAR(margins.gain->value, 20.0 * std::log10(1.5), 0.02);
  EXPECT_NEAR(margins.gain->frequency, std::numbers::sqrt2 / kTurn, 1e-3);
  EXPECT_NEAR(margins.phase->value, 11.4, 0.1);
  EXPECT_NEAR(margins.phase->frequency, 1.143 / kTurn, 1e-3);
}

TEST(LoopMargins, AreInfiniteForALoopThatNeverComesThere) {
  const LoopMargins margins = loop_margins(points_of(
      0.01, 10.0, [](double frequency) { return 0.5 / (1.0 + Complex(0.0, frequency)); }));
  EXPECT_FALSE(margins.gain);
  EXPECT_FALSE(margins.phase);
}

TEST(LoopMargins, OfAClosedLoopAreThoseOfTheOpenedOne) {
  auto points = points_of(0.01, 10.0, [](double frequency) {
    const Complex s(0.0, kTurn * frequency);
    return 4.0 / (s * (s + 1.0) * (s + 2.0));
  });
  for (FrequencyPoint& point : points) {
    point.gain = point.gain / (1.0 + point.gain);
  }
  const LoopMargins margins = loop_margins(opened(points));
  ASSERT_TRUE(margins.gain);
  EXPECT_NEAR(margins.gain->value, 20.0 * std::log10(1.5), 0.02);
}

TEST(SpacedFrequencies, HaveEqualRatios) {
  const std::vector<double> frequencies = spaced_frequencies(0.5, 8.0, 5);
  ASSERT_EQ(frequencies.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(frequencies[i], 0.5 * std::pow(2.0, static_cast<double>(i)), 1e-12);
  }
}

}  // namespace frequency_response_test
}  // namespace servosim::test
