// SPDX-License-Identifier: Apache-2.0
#include "experiments/tuning.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace tuning_test {

JointTest settled(const OneJoint& w, TestInput input) {
  JointTest test(load(w), "m");
  test.settle(input, 0.0, 0.5);
  return test;
}

TEST(StepTest, OfPositionControlIsGeometric) {
  OneJoint w;
  w.motor = "maxVelocity 100 maxTorque 1000 controlPID 12 0 0";
  JointTest test = settled(w, TestInput::Position);
  const StepTest answer = step_test(test, 0.2, 1.0);
  ASSERT_EQ(answer.rows.size(), 126u);
  for (std::size_t k = 0; k < answer.rows.size(); ++k) {
    const double way = 1.0 - std::pow(1.0 - 0.008 * 12.0, static_cast<double>(k));
    EXPECT_NEAR(answer.rows[k].joint.position, 0.2 * way, 1e-5);
  }
  ASSERT_TRUE(answer.marks);
  // 2 % remain after ln 0.02 / ln(1 - hP) steps.
  const double steps = std::ceil(std::log(0.02) / std::log(1.0 - 0.096));
  EXPECT_NEAR(answer.marks->settling_time(), 0.008 * steps, 1e-9);
  EXPECT_EQ(answer.marks->overshoot(), 0.0);
  EXPECT_NEAR(answer.steady_error, 0.0, 1e-4);
  const StepTest again = step_test(test, 0.2, 1.0);
  EXPECT_EQ(again.rows.back().joint.position, answer.rows.back().joint.position);
}

// A mass on a spring with a damping of ζ = 0.2 overshoots by exp(-πζ/√(1-ζ²)).
TEST(StepTest, OfAForceOnASpringOvershootsAsASecondOrderSystemDoes) {
  OneJoint w;
  w.slider = true;
  w.time_step_ms = 0.25;
  w.motor = "maxForce 100 maxVelocity 100";
  const double k = 200.0;
  w.parameters =
      fmt::format("springConstant {} dampingConstant {}", k, 2.0 * 0.2 * std::sqrt(k * w.mass));
  JointTest test = settled(w, TestInput::Effort);
  const StepTest answer = step_test(test, 10.0, 6.0);
  ASSERT_TRUE(answer.marks);
  EXPECT_NEAR(answer.marks->to, 10.0 / k, 1e-4);
  EXPECT_NEAR(answer.marks->overshoot(), std::exp(-M_PI * 0.2 / std::sqrt(0.96)), 0.01);
  EXPECT_NEAR(answer.marks->peak->time, M_PI / (10.0 * std::sqrt(0.96)), 0.005);
}

TEST(StepTest, OfAVelocityIsThatOfTheAcceleration) {
  OneJoint w;
  w.motor = "maxVelocity 100 maxTorque 1000 acceleration 4";
  JointTest test = settled(w, TestInput::Velocity);
  const StepTest answer = step_test(test, 2.0, 1.0);
  ASSERT_TRUE(answer.marks);
  EXPECT_NEAR(answer.marks->rise_time(), 0.4, 0.01);
  EXPECT_NEAR(answer.rows.back().joint.velocity, 2.0, 1e-6);
}

std::vector<JointTest> loads_of(const OneJoint& nominal) {
  std::vector<JointTest> loads;
  for (const double share : {1.0, 0.8, 1.2}) {
    OneJoint w = nominal;
    w.mass *= share;
    loads.push_back(settled(w, TestInput::Position));
  }
  return loads;
}

TEST(Tuning, FindsAProportionalGainWhereThatIsEnough) {
  OneJoint w;
  w.motor = "maxVelocity 100 maxTorque 1000 controlPID 2 0 0";
  std::vector<JointTest> loads = loads_of(w);
  const StepSpecification specification{0.3, 0.05, 0.2};
  const Tuning tuning = tune(loads, specification);
  EXPECT_TRUE(tuning.met);
  EXPECT_EQ(tuning.gains.i, 0.0);
  EXPECT_EQ(tuning.gains.d, 0.0);
  EXPECT_GT(tuning.gains.p, 10.0);
  ASSERT_EQ(tuning.answers.size(), 3u);
  for (const StepTest& answer : tuning.answers) {
    ASSERT_TRUE(answer.marks);
    EXPECT_LE(answer.marks->settling_time(), 0.3);
    EXPECT_LE(answer.marks->overshoot(), 0.05);
  }
  // A new world with these gains also meets the specification.
  w.motor = fmt::format("maxVelocity 100 maxTorque 1000 controlPID {} 0 0", tuning.gains.p);
  JointTest test = settled(w, TestInput::Position);
  EXPECT_LE(step_test(test, 0.2, 1.0).marks->settling_time(), 0.3);
}

// If the gains meet the specification already, there is no search.
TEST(Tuning, KeepsGainsThatMeetTheSpecification) {
  OneJoint w;
  w.motor = "maxVelocity 100 maxTorque 1000 controlPID 37 0.5 0.03";
  std::vector<JointTest> loads = loads_of(w);
  const Tuning tuning = tune(loads, {0.3, 0.05, 0.2});
  EXPECT_TRUE(tuning.met);
  EXPECT_TRUE(tuning.kept);
  EXPECT_EQ(tuning.gains.p, 37.0);
  EXPECT_EQ(tuning.gains.i, 0.5);
  EXPECT_EQ(tuning.gains.d, 0.03);
  EXPECT_EQ(tuning.simulations, 3);
}

// The smallest proportional gain needs the least effort: with (1 - hP)ⁿ = 0.02 after 0.95 of the
// time.
TEST(Tuning, PrefersTheLeastEffort) {
  OneJoint w;
  w.motor = "maxVelocity 100 maxTorque 1000 controlPID 2 0 0";
  std::vector<JointTest> loads = loads_of(w);
  const Tuning tuning = tune(loads, {0.4, 0.05, 0.2});
  EXPECT_TRUE(tuning.met);
  EXPECT_FALSE(tuning.kept);
  const double steps = std::floor(0.95 * 0.4 / 0.008);
  EXPECT_NEAR(tuning.gains.p, (1.0 - std::pow(0.02, 1.0 / steps)) / 0.008, 0.05);
}

TEST(Tuning, SaysThatASlowMotorCannot) {
  OneJoint w;
  w.motor = "maxVelocity 0.5 maxTorque 1000";
  std::vector<JointTest> loads = loads_of(w);
  const Tuning tuning = tune(loads, {0.3, 0.05, 1.0});
  EXPECT_FALSE(tuning.met);
  EXPECT_GT(tuning.simulations, 10);
}

// The motor is weak for its load. With a high gain it overshoots, because it cannot brake in time.
TEST(Tuning, FindsGainsForAMotorThatIsWeakForItsLoad) {
  OneJoint w;
  w.slider = true;
  w.mass = 2.0;
  w.motor = "maxVelocity 100 maxForce 20";
  std::vector<JointTest> loads = loads_of(w);
  const Tuning tuning = tune(loads, {0.6, 0.05, 0.3});
  EXPECT_TRUE(tuning.met);
  for (const StepTest& answer : tuning.answers) {
    ASSERT_TRUE(answer.marks);
    EXPECT_LE(answer.marks->settling_time(), 0.6);
    EXPECT_LE(answer.marks->overshoot(), 0.05);
  }
}

TEST(Tuning, GivesTheSameGainsAgain) {
  OneJoint w;
  w.motor = "maxVelocity 100 maxTorque 2";
  std::vector<JointTest> first = loads_of(w);
  std::vector<JointTest> second = loads_of(w);
  const StepSpecification specification{0.4, 0.05, 0.2};
  EXPECT_EQ(tune(first, specification).gains.p, tune(second, specification).gains.p);
}

}  // namespace tuning_test
}  // namespace servosim::test
