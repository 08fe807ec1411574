// SPDX-License-Identifier: Apache-2.0
// Identification finds the parameters of joints whose parameters are known.
#include "experiments/identification.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "experiments/excitation.h"
#include "support/worlds.h"

namespace servosim::test {
namespace identification_test {

Identification identified(const OneJoint& w, double amplitude, bool stiffness = false,
                          double seconds = 20.0) {
  JointTest test(load(w), "m");
  test.settle(TestInput::Effort, 0.0, 1.0);
  return identify(excite(test, amplitude, {0.2, 5.0, seconds}), test.joint().type(),
                  {.stiffness = stiffness});
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

// Makes joints of random parameters, with efforts and lengths of step that suit them.
class RandomJoints {
 public:
  explicit RandomJoints(unsigned seed) : random_(seed) {}

  struct Made {
    OneJoint world;
    bool stiffness = false;
    std::vector<std::pair<const char*, double>> parameters = {};
  };

  Made pendulum() {
    Made made = common();
    OneJoint& w = made.world;
    const double arm = between(0.1, 0.6);
    w.axis = "0 1 0";
    w.endpoint = fmt::format("0 0 {}", -arm);
    w.gravity = "9.81";
    finish(made, w.mass * (0.37 / 12.0 + arm * arm), w.mass * 9.81 * arm, 0.0);
    made.parameters.emplace_back("load sine", w.mass * 9.81 * arm);
    made.parameters.emplace_back("load cosine", 0.0);
    return made;
  }
  Made slider() {
    Made made = common();
    made.world.slider = true;
    finish(made, made.world.mass, 0.0, 0.0);
    made.parameters.emplace_back("load", 0.0);
    return made;
  }
  Made spring() {
    Made made = common();
    made.stiffness = true;
    const double moment = inertia(made.world);
    const double stiffness = moment * ratio(2.0, 200.0);
    finish(made, moment, 0.0, stiffness);
    made.parameters.emplace_back("stiffness", stiffness);
    return made;
  }

 private:
  // Uses a generator and no distribution, because distributions differ between libraries.
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_()) / 4294967296.0);
  }
  double ratio(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  Made common() {
    Made made;
    made.world.time_step_ms = std::round(ratio(1.0, 32.0));
    made.world.mass = ratio(0.2, 20.0);
    return made;
  }
  void finish(Made& made, double moment, double weight, double stiffness) {
    OneJoint& w = made.world;
    const double damping = moment * ratio(0.02, 5.0);
    const double friction = random_() % 2 == 0 ? 0.0 : moment * ratio(0.1, 1.0);
    w.motor = fmt::format("{} {} maxVelocity {}", w.slider ? "maxForce" : "maxTorque",
                          moment * ratio(10.0, 100.0) + 2.0 * weight, ratio(2.0, 20.0));
    w.parameters = fmt::format("dampingConstant {} staticFriction {} springConstant {}", damping,
                               friction, stiffness);
    made.parameters = {{"inertia", moment}, {"damping", damping}, {"friction", friction}};
  }

  std::mt19937 random_;
};

TEST(Identification, FindsRandomJointsWithinTheirIntervals) {
  RandomJoints random(35);
  int all = 0;
  int held = 0;
  for (int i = 0; i < 50; ++i) {
    const RandomJoints::Made made = i % 2 == 0   ? random.pendulum()
                                    : i % 4 == 1 ? random.slider()
                                                 : random.spring();
    JointTest test(load(made.world), "m");
    test.settle(TestInput::Effort, 0.0, 1.0);
    const std::vector<JointSample> samples = excite_near_start(test, {0.2, 5.0, 20.0});
    EXPECT_FALSE(is_measured(samples)) << i;
    const Identification found =
        identify(samples, test.joint().type(), {.stiffness = made.stiffness});
    EXPECT_EQ(found.cutoff, 0.0);
    EXPECT_GT(found.explained, 0.999) << i;
    for (const auto& [name, wanted] : made.parameters) {
      const IdentifiedParameter* const parameter = found.find(name);
      ++all;
      held += std::abs(parameter->value - wanted) <= parameter->confidence ? 1 : 0;
      // The intervals must be narrow, too.
      EXPECT_LT(parameter->confidence, 0.1 * (made.parameters[0].second + std::abs(wanted)))
          << i << ' ' << name;
    }
  }
  EXPECT_GE(held, 0.95 * all) << held << " of " << all;
}

// Gravity acts at the position before a step. With the position in the middle of the step, the
// damping would be wrong by half a step of the slope of the load, 0.0196 here.
TEST(Identification, FindsTheSmallDampingOfAPendulum) {
  OneJoint w;
  w.axis = "0 1 0";
  w.endpoint = "0 0 -0.5";
  w.gravity = "9.81";
  w.time_step_ms = 4.0;
  w.motor = "maxTorque 100 maxVelocity 100";
  w.parameters = "dampingConstant 0.01";
  const Identification found = identified(w, 5.0);
  expect_value(found, "damping", 0.01, 2e-3);
  EXPECT_LT(found.find("damping")->confidence, 4e-3);
}

// The rows are those of a machine: the velocity is that of the instant, and the effort is constant
// between rows. The equation is solved in a thousand parts of a step.
TEST(Identification, FindsAPendulumWhoseVelocitiesAreThoseOfInstants) {
  std::vector<JointSample> samples{{0.0, 0.3, 0.0, 0.0}};
  double position = 0.3;
  double velocity = 0.0;
  for (int i = 1; i <= 1000; ++i) {
    const double t = 0.02 * i;
    const double effort = 2.0 * std::sin(3.0 * t) + 1.5 * std::sin(7.0 * t + 1.0);
    for (int part = 0; part < 1000; ++part) {
      velocity += 2e-5 * (effort - 0.2 * velocity - 6.0 * std::sin(position)) / 0.5;
      position += 2e-5 * velocity;
    }
    samples.push_back({t, position, velocity, effort});
  }
  const Identification found = identify(samples, JointType::Rotational, {.cutoff = 0.0});
  expect_value(found, "inertia", 0.5, 0.005);
  expect_value(found, "damping", 0.2, 0.005);  // velocities averaged over steps would give 0.26
  expect_value(found, "load sine", 6.0, 0.02);
}

enum class Quantised { PositionAndDifferences, Both };

void PrintTo(Quantised what, std::ostream* out) {
  *out << (what == Quantised::Both ? "Both" : "PositionAndDifferences");
}

class QuantisedRows : public testing::TestWithParam<Quantised> {};

// The pendulum has an encoder of 12 bits.
TEST_P(QuantisedRows, GiveHonestIntervals) {
  int all = 0;
  int held = 0;
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    RandomJoints random(7);
    RandomJoints::Made made = random.pendulum();
    made.world.time_step_ms = step;
    JointTest test(load(made.world), "m");
    test.settle(TestInput::Effort, 0.0, 1.0);
    std::vector<JointSample> samples = excite_near_start(test, {0.2, 5.0, 20.0});
    const auto rounded = [](double& value, double unit) {
      value = std::round(value / unit) * unit;
    };
    for (std::size_t i = 0; i < samples.size(); ++i) {
      rounded(samples[i].position, 2.0 * M_PI / 4096.0);
      if (GetParam() == Quantised::Both) {
        rounded(samples[i].velocity, 0.05);
      } else if (i > 0) {
        samples[i].velocity = (samples[i].position - samples[i - 1].position) / (0.001 * step);
      }
    }
    EXPECT_TRUE(is_measured(samples));
    const Identification found = identify(samples, test.joint().type());
    EXPECT_GT(found.cutoff, 0.0);
    EXPECT_GT(found.explained, 0.98);
    EXPECT_LT(found.find("inertia")->confidence, 0.05 * made.parameters.front().second);
    EXPECT_LT(found.find("load sine")->confidence, 0.1 * made.parameters[3].second);
    for (const auto& [name, wanted] : made.parameters) {
      const IdentifiedParameter* const parameter = found.find(name);
      ++all;
      held += std::abs(parameter->value - wanted) <= parameter->confidence ? 1 : 0;
    }
  }
  EXPECT_GE(held, 0.95 * all) << held << " of " << all;
}

INSTANTIATE_TEST_SUITE_P(, QuantisedRows,
                         testing::Values(Quantised::PositionAndDifferences, Quantised::Both),
                         testing::PrintToStringParamName());

// With the noise of an encoder the interval of confidence contains the true value and is not empty.
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
  const Identification found = identify(samples, JointType::Linear);
  for (const auto& [name, wanted] : {std::pair{"inertia", 0.5}, {"damping", 0.2}}) {
    const IdentifiedParameter* const parameter = found.find(name);
    EXPECT_GT(parameter->confidence, 1e-5) << name;
    EXPECT_LT(parameter->confidence, 0.02) << name;
    EXPECT_LT(std::abs(parameter->value - wanted), 3.0 * parameter->confidence + 0.005) << name;
  }
  EXPECT_NEAR(found.residual, 0.1 / std::sqrt(12.0), 0.003);
}

TEST(Identification, LeavesOutWhatTheMovementDoesNotTell) {
  std::vector<JointSample> samples;  // the speed is constant, so there is no acceleration
  for (int i = 0; i < 200; ++i) {
    samples.push_back({0.01 * i, 0.02 * i, 2.0, 3.0});
  }
  const Identification found = identify(samples, JointType::Linear);
  EXPECT_FALSE(found.find("inertia")->known);
  int known = 0;  // damping, friction and load have the same effect here
  for (const char* name : {"damping", "friction", "load"}) {
    known += found.find(name)->known ? 1 : 0;
  }
  EXPECT_EQ(known, 1);
}

// Repeated velocities alone tell nothing: a motor that holds a velocity gives them, and so does the
// rounding of measured rows.
TEST(Identification, TellsMeasuredRowsFromSimulatedOnes) {
  std::vector<JointSample> simulated{{0.0, 0.2, 0.0, 0.0}};
  for (int i = 1; i <= 400; ++i) {
    const double velocity = i < 100 ? std::sin(0.017 * i) : i < 300 ? 0.75 : std::cos(0.13 * i);
    simulated.push_back({0.01 * i, simulated.back().position + 0.01 * velocity, velocity, 1.0});
  }
  EXPECT_FALSE(is_measured(simulated));
  std::vector<JointSample> rounded = simulated;
  for (JointSample& sample : rounded) {
    sample.velocity = 0.25 * std::round(4.0 * sample.velocity);
  }
  EXPECT_TRUE(is_measured(rounded));
  std::vector<JointSample> noisy = simulated;
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    noisy[i].position += i % 3 == 0 ? 0.4 : 0.0;
  }
  EXPECT_TRUE(is_measured(noisy));
}

// An effort that does not vary has no variance to explain.
TEST(Identification, ExplainsNothingOfNoEffort) {
  std::vector<JointSample> samples;
  for (int i = 0; i < 200; ++i) {
    samples.push_back({0.01 * i, std::sin(0.03 * i), 3.0 * std::cos(0.03 * i), 0.0});
  }
  EXPECT_EQ(identify(samples, JointType::Rotational).explained, 0.0);
}

// The joint would fall, and its stops are near its start: it must not leave the middle of its
// range.
TEST(Excitation, KeepsOffTheStops) {
  OneJoint w;
  w.axis = "0 1 0";
  w.endpoint = "0 0 0.5";  // upright
  w.gravity = "9.81";
  w.motor = "maxTorque 60 maxVelocity 5 minPosition -0.3 maxPosition 0.5";
  w.parameters = "dampingConstant 0.1 minStop -0.3 maxStop 0.5";
  JointTest test(load(w), "m");
  test.settle(TestInput::Effort, 0.1, 1.0);
  const std::vector<JointSample> samples = excite_near_start(test, {0.2, 5.0, 20.0});
  double farthest = 0.0;
  for (const JointSample& sample : samples) {
    farthest = std::max(farthest, std::abs(sample.position - 0.1));
    EXPECT_LE(std::abs(sample.velocity), 5.5);
    EXPECT_LE(std::abs(sample.effort), 60.0);
  }
  EXPECT_LT(farthest, 0.35);
  EXPECT_GT(farthest, 0.1);
  const Identification found = identify(samples, JointType::Rotational);
  expect_value(found, "load sine", -2.0 * 9.81 * 0.5, found.find("load sine")->confidence);
  expect_value(found, "damping", 0.1, found.find("damping")->confidence);
}

TEST(Excitation, SaysThatFrictionHoldsTheJoint) {
  OneJoint w;
  w.motor = "maxTorque 2 maxVelocity 5";
  w.parameters = "staticFriction 3";
  JointTest test(load(w), "m");
  test.settle(TestInput::Effort, 0.0, 0.1);
  EXPECT_THROW(excite_near_start(test, {0.2, 5.0, 20.0}), std::invalid_argument);
  EXPECT_THROW(excite(test, 1.5, {0.2, 5.0, 20.0}), std::invalid_argument);
}

TEST(Identification, RefusesRowsThatTellNothing) {
  std::vector<JointSample> samples(100);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].time = 0.01 * static_cast<double>(i);
  }
  EXPECT_THROW(identify(samples, JointType::Linear), std::invalid_argument);
  for (JointSample& sample : samples) {
    sample.velocity = 1.0;
  }
  samples[50].time = samples[49].time;
  EXPECT_THROW(identify(samples, JointType::Linear), std::invalid_argument);
  samples[50].time = std::nan("");
  EXPECT_THROW(identify(samples, JointType::Linear), std::invalid_argument);
  EXPECT_THROW(identify({}, JointType::Linear), std::invalid_argument);
}

}  // namespace identification_test
}  // namespace servosim::test
