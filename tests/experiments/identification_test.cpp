// SPDX-License-Identifier: Apache-2.0
// What is found of joints whose parameters are known.
#include "experiments/identification.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace identification_test {

Identification identified(const OneJoint& w, double amplitude, bool stiffness = false,
                          double seconds = 20.0) {
  JointTest test(load(w), "m");
  test.settle(TestInput::Effort, 0.0, 1.0);
  return identify(excite(test, amplitude, 0.2, 5.0, seconds), test.joint().type(), stiffness);
}

void expect_value(const Identification& found, const char* name, double wanted, double tolerance) {
  const IdentifiedParameter* const parameter = found.find(name);
  ASSERT_NE(parameter, nullptr) << name;
  EXPECT_TRUE(parameter->known) << name;
  EXPECT_NEAR(parameter->value, wanted, tolerance) << name << " ± " << parameter->confidence;
}

TEST(Identification, FindsInertiaAndDampingOfAHinge) {
  OneJoint w;
  w.motor = "maxTorque 100 maxVelocity 1000";
  w.parameters = "dampingConstant 0.4";
  const Identification found = identified(w, 2.0);
  expect_value(found, "inertia", inertia(w), 1e-3 * inertia(w));
  expect_value(found, "damping", 0.4, 1e-3);
  expect_value(found, "friction", 0.0, 1e-3);
  EXPECT_GT(found.explained, 0.9999);
  EXPECT_EQ(found.find("inertia")->unit, "kg m^2");
}

TEST(Identification, FindsMassAndFrictionOfASlider) {
  OneJoint w;
  w.slider = true;
  w.mass = 3.0;
  w.motor = "maxForce 100 maxVelocity 1000";
  w.parameters = "dampingConstant 2 staticFriction 1.5";
  const Identification found = identified(w, 40.0);
  expect_value(found, "inertia", 3.0, 0.03);
  expect_value(found, "damping", 2.0, 0.1);
  expect_value(found, "friction", 1.5, 0.1);
  EXPECT_GT(found.explained, 0.99);
  EXPECT_EQ(found.find("friction")->unit, "N");
}

TEST(Identification, FindsTheWeightOfAPendulum) {
  OneJoint w;
  w.axis = "0 1 0";
  w.endpoint = "0 0 -0.5";
  w.gravity = "9.81";
  w.time_step_ms = 2.0;
  w.motor = "maxTorque 100 maxVelocity 100";
  w.parameters = "dampingConstant 0.3";
  const Identification found = identified(w, 12.0);
  const double moment = 2.0 * ((0.36 + 0.01) / 12.0 + 0.25);
  expect_value(found, "inertia", moment, 0.01 * moment);
  expect_value(found, "damping", 0.3, 0.02);
  expect_value(found, "load sine", 2.0 * 9.81 * 0.5, 0.1);
  expect_value(found, "load cosine", 0.0, 0.1);
}

TEST(Identification, FindsASpring) {
  OneJoint w;
  w.slider = true;
  w.time_step_ms = 1.0;
  w.motor = "maxForce 100 maxVelocity 1000";
  w.parameters = "springConstant 80 dampingConstant 4";
  const Identification found = identified(w, 20.0, true);
  expect_value(found, "inertia", 2.0, 0.02);
  expect_value(found, "stiffness", 80.0, 0.8);
  expect_value(found, "damping", 4.0, 0.1);
}

// Noise as an encoder makes it: the interval of confidence holds the truth, and is not nothing.
TEST(Identification, SaysHowSureItIs) {
  std::vector<JointSample> samples;
  double velocity = 0.0;
  double position = 0.0;
  unsigned noise = 12345;
  for (int i = 0; i < 4000; ++i) {
    const double t = 0.01 * i;
    const double effort = std::sin(3.0 * t) + 0.5 * std::sin(7.0 * t + 1.0);
    velocity += 0.01 * (effort - 0.2 * velocity) / 0.5;
    position += 0.01 * velocity;
    noise = noise * 1664525u + 1013904223u;
    const double error = (static_cast<double>(noise >> 8) / 16777216.0 - 0.5) * 0.1;
    samples.push_back({t, position, velocity, effort + error});
  }
  const Identification found = identify(samples, JointType::Linear, false);
  for (const auto& [name, wanted] : {std::pair{"inertia", 0.5}, {"damping", 0.2}}) {
    const IdentifiedParameter* const parameter = found.find(name);
    EXPECT_GT(parameter->confidence, 1e-5) << name;
    EXPECT_LT(parameter->confidence, 0.02) << name;
    EXPECT_LT(std::abs(parameter->value - wanted), 3.0 * parameter->confidence + 0.005) << name;
  }
  EXPECT_NEAR(found.residual, 0.1 / std::sqrt(12.0), 0.003);
}

TEST(Identification, LeavesOutWhatTheMovementDoesNotTell) {
  std::vector<JointSample> samples;  // constant speed: no acceleration
  for (int i = 0; i < 200; ++i) {
    samples.push_back({0.01 * i, 0.02 * i, 2.0, 3.0});
  }
  const Identification found = identify(samples, JointType::Linear, false);
  EXPECT_FALSE(found.find("inertia")->known);
  int known = 0;  // damping, friction and load are one and the same here
  for (const char* name : {"damping", "friction", "load"}) {
    known += found.find(name)->known ? 1 : 0;
  }
  EXPECT_EQ(known, 1);
}

TEST(Identification, RefusesRowsThatTellNothing) {
  std::vector<JointSample> samples(100);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].time = 0.01 * static_cast<double>(i);
  }
  EXPECT_THROW(identify(samples, JointType::Linear, false), std::invalid_argument);
  for (JointSample& sample : samples) {
    sample.velocity = 1.0;
  }
  samples[50].time = samples[49].time;
  EXPECT_THROW(identify(samples, JointType::Linear, false), std::invalid_argument);
  samples[50].time = std::nan("");
  EXPECT_THROW(identify(samples, JointType::Linear, false), std::invalid_argument);
  EXPECT_THROW(identify({}, JointType::Linear, false), std::invalid_argument);
}

}  // namespace identification_test
}  // namespace servosim::test
