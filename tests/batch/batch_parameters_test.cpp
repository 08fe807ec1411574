// SPDX-License-Identifier: Apache-2.0
// Values that each instance of a batch has for itself: set values, drawn values, noise and delays.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch/batch_worlds.h"
#include "batch/draw.h"
#include "servosim/batch.h"

namespace servosim::test {
namespace {

using namespace batch_worlds;

TEST(Batch, ParametersArePerInstance) {
  constexpr std::size_t kCount = 3;
  Batch batch = batch_of(cart_pole(), kCount, with_threads(2));
  batch.bind({"*.position"}, kForce);
  const std::vector<double> masses{0.3, 0.2, 0.7};
  batch.set("pole.mass", masses);
  batch.set("r/cart.maxForce", std::vector{4.5});
  batch.set("cart.dampingConstant", std::vector{0.75});
  batch.set("WorldInfo.gravity", std::vector{5.0});
  for (const int episode : {0, 1, 2}) {
    histories(batch, 30);
    for (std::size_t i = 0; i < kCount; ++i) {
      std::string text = cart_pole();
      const auto replace = [&text](const std::string& from, const std::string& to) {
        ASSERT_NE(text.find(from), std::string::npos);
        text.replace(text.find(from), from.size(), to);
      };
      replace("mass 0.2", fmt::format("mass {}", masses[i]));
      replace("maxForce 30", "maxForce 4.5");
      replace("dampingConstant 0.25", "dampingConstant 0.75");
      replace("randomSeed 5", "randomSeed 5 gravity 5");
      Simulation single = Simulation::from_text(text);
      for (std::size_t t = 0; t < 30; ++t) {
        single.robot(0).motor("cart").set_force(std::clamp(force_for(i, t), -4.5, 4.5));
        single.step();
      }
      EXPECT_EQ(batch.observations<double>()[2 * i], single.joint(0).position())
          << i << " episode " << episode;
      EXPECT_EQ(batch.observations<double>()[2 * i + 1], single.joint(1).position());
    }
    batch.reset();
  }
}

TEST(Batch, FrictionOfEachInstanceSlowsItsBall) {
  Batch batch = batch_of(sliding_ball(), 2);
  batch.bind({"ball.linear_velocity"}, {});
  batch.set("WorldInfo.contactProperties[0].coulombFriction", std::vector{0.25, 1.0});
  for (int t = 0; t < 10; ++t) {
    batch.step();
  }
  // While the ball slides, v = v0 − µ·g·t. The first step does not see the contacts' speed yet, and
  // soft contacts carry up to 10 % more or less than the weight.
  const double lost_little = 3.0 - batch.observations<double>()[0];
  const double lost_much = 3.0 - batch.observations<double>()[3];
  EXPECT_GT(lost_little, 0.02);
  EXPECT_NEAR(lost_much / lost_little, 4.0, 0.2);
}

TEST(Batch, RefusesParametersThatDoNotExist) {
  Batch batch = batch_of(cart_pole(), 2);
  const auto set = [&batch](const std::string& name, const std::vector<double>& values = {2.5}) {
    return refusal([&] { batch.set(name, values); });
  };
  EXPECT_EQ(
      set("POLE.physics.mas"),
      "no number of the world is called \"POLE.physics.mas\": Physics has no field 'mas'; did "
      "you mean 'mass'?");
  EXPECT_EQ(set("r/crat.maxForce"),
            "no number of the world is called \"r/crat.maxForce\": 'r/crat' is no robot, joint, "
            "device, DEF or type of this world; did you mean 'r/cart'?");
  EXPECT_NE(set("mass"), "nothing thrown");
  EXPECT_NE(set(""), "nothing thrown");
  EXPECT_NE(set("."), "nothing thrown");
  EXPECT_NE(set("POLE.name"), "nothing thrown");
  EXPECT_NE(set("POLE.translation"), "nothing thrown");
  EXPECT_NE(set("WorldInfo.contactProperties[3].coulombFriction"), "nothing thrown");
  EXPECT_NE(set("WorldInfo.contactProperties[99999999999].coulombFriction"), "nothing thrown");
  EXPECT_EQ(set("POLE.physics.mass", {1.5, 2.5, 3.5}),
            "\"POLE.physics.mass\": 3 values for 2 instances");
  EXPECT_EQ(set("POLE.physics.mass", {1.5, kInfinity}),
            "\"POLE.physics.mass\": value inf of instance 1: it is a finite number");
  const std::uint64_t hash = batch.simulation(0).state_hash();
  EXPECT_NE(set("r/cart.maxForce", {-3.5}), "nothing thrown");
  EXPECT_EQ(batch.simulation(0).joint("cart").motor()->limits().max_force, 30.0);
  EXPECT_EQ(batch.simulation(0).state_hash(), hash);
}

TEST(Batch, DrawsEachEpisodeFromTheSeed) {
  Batch batch = batch_of(cart_pole(), 4);
  batch.bind({"cart.position"}, kForce);
  batch.randomize({{"r/cart.maxForce", 3.5, 7.5}});
  EXPECT_EQ(batch.simulation(0).joint("cart").motor()->limits().max_force, 30.0)
      << "not before reset()";
  std::vector<double> drawn;
  for (int episode = 0; episode < 3; ++episode) {
    batch.reset();
    for (std::size_t i = 0; i < 4; ++i) {
      drawn.push_back(batch.simulation(i).joint("cart").motor()->limits().max_force);
      EXPECT_GE(drawn.back(), 3.5);
      EXPECT_LT(drawn.back(), 7.5);
    }
  }
  std::vector<double> sorted = drawn;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
  // Instance 2 has the seed 5 + 2. Its draws do not depend on other draws.
  Batch other = batch_of(cart_pole(), 1, {}, 2);
  other.bind({"cart.position"}, {});
  other.randomize({{"POLE.physics.mass", 0.5, 0.75}, {"r/cart.maxForce", 3.5, 7.5}});
  other.reset();
  EXPECT_EQ(other.simulation(0).joint("cart").motor()->limits().max_force, drawn[2]);
  batch.randomize({});
  batch.reset();
  EXPECT_EQ(batch.simulation(0).joint("cart").motor()->limits().max_force, 30.0);
}

TEST(Batch, ValuesOfAFormerDrawAreForgotten) {
  for (const double high : {0.7, 0.9}) {  // the first range is a single number
    Batch batch = batch_of(cart_pole(), 2);
    batch.bind({"cart.position"}, kForce);
    const SimulationState state = batch.save(0);
    const auto run = [&](double to, bool from_state) {
      batch.randomize(to > 0.0 ? std::vector<RandomRange>{{"POLE.physics.mass", 0.7, to}}
                               : std::vector<RandomRange>{});
      const std::vector<std::int64_t> seeds{3, 4};
      from_state ? batch.reset({}, std::span(&state, 1), seeds) : batch.reset({}, {}, seeds);
      return histories(batch, 30);
    };
    const auto plain = run(0.0, false);
    const auto drawn = run(high, true);
    EXPECT_FALSE(same_bits(drawn[0], plain[0]));
    for (const bool from_state : {false, true, false}) {
      EXPECT_TRUE(same_bits(run(0.0, false)[1], plain[1]));
      EXPECT_TRUE(same_bits(run(high, from_state)[1], drawn[1])) << high << from_state;
    }
  }
}

TEST(Batch, SeedsAreSumsWithoutOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  Batch batch = batch_of(cart_pole(), 2, {}, kMost - 1);  // the world's seed is 5
  Batch next = batch_of(cart_pole(), 1, {}, kMost);
  for (Batch* b : {&batch, &next}) {
    b->bind({"r/encoder.value"}, kForce);
  }
  EXPECT_TRUE(same_bits(histories(batch, 5)[1], histories(next, 5, 1)[0]));
}

TEST(Batch, RefusesValuesThatWouldBeReplaced) {
  Batch batch = batch_of(cart_pole(), 2);
  batch.bind({"r/encoder.value"}, {});
  const auto set = [&batch](const std::string& name, double value) {
    return refusal([&] { batch.set(name, std::vector{value}); });
  };
  EXPECT_EQ(set("r/cart.noise", -1.0),
            "\"r/cart.noise\": noise is -1, but it must be >= 0; 0 is used");
  EXPECT_EQ(set("r/cart.noise", 0.5), "nothing thrown");
  // The physics refuses these values, not the field.
  const std::uint64_t hash = batch.simulation(0).state_hash();
  for (const double mass : {1e-30, 1e-320, 1e308}) {
    EXPECT_NE(set("pole.mass", mass).find("cannot be simulated; 1 kg and 1 kg m^2 are used"),
              std::string::npos)
        << mass;
    EXPECT_THROW(batch.randomize({{"pole.mass", mass, mass}}), std::invalid_argument) << mass;
  }
  EXPECT_EQ(batch.simulation(0).state_hash(), hash);
  EXPECT_EQ(set("pole.mass", 0.3), "nothing thrown");
  EXPECT_EQ(set("WorldInfo.basicTimeStep", 4.0),
            "basicTimeStep is that of all instances: change it in the world, or choose "
            "control_step_ms of the batch");
  EXPECT_EQ(set("WorldInfo.randomSeed", 4.0),
            "randomSeed is no parameter of an instance: give seeds to reset(), or choose "
            "random_seed when the world is loaded");
}

// Each value is possible alone.
TEST(Batch, ValuesThatExcludeEachOtherFail) {
  Batch batch = batch_of(cart_pole(), 2);
  batch.bind({"cart.position"}, {});
  const std::uint64_t hash = batch.simulation(0).state_hash();
  batch.randomize({{"r/cart.minPosition", -0.5, -0.5}, {"r/cart.position", -1.0, -1.0}});
  batch.reset();
  EXPECT_EQ(batch.failed()[1], 1);
  EXPECT_NE(batch.failure(1).find("minPosition"), std::string::npos) << batch.failure(1);
  batch.randomize({});
  batch.reset();
  EXPECT_EQ(batch.failed()[1], 0);
  EXPECT_EQ(batch.simulation(0).state_hash(), hash);
  batch.set("r/cart.minPosition", std::vector{-0.5});
  EXPECT_NE(refusal([&] { batch.set("r/cart.position", std::vector{-1.0}); }), "nothing thrown");
  EXPECT_EQ(batch.simulation(0).joint("cart").motor()->limits().min_position, -0.5);
  EXPECT_EQ(refusal([&] { batch.set("r/cart.minStop", std::vector{-0.25}); }), "nothing thrown")
      << "soft limits beyond the stops are simulated as they are";
  EXPECT_EQ(batch.failed()[0], 0);
}

TEST(Batch, ActionsComeLateByTheDelay) {
  Batch batch = batch_of(cart_pole(), 1);
  batch.bind({"time"}, kForce);
  batch.randomize({{"action delay", 2.0, 2.0}});
  batch.reset();
  const Motor* motor = batch.simulation(0).joint("cart").motor();
  for (const double force : {1.5, 2.5, 3.5, 4.5}) {
    batch.actions<double>()[0] = force;
    batch.step();
    EXPECT_EQ(motor->targets().force, force < 3.0 ? 0.0 : force - 2.0);
    EXPECT_EQ(motor->targets().force_control, force > 3.0);
  }
}

TEST(Batch, SensorNoiseHasItsDeviation) {
  constexpr std::size_t kCount = 400;
  Batch batch = batch_of(cart_pole(), kCount);
  batch.bind({"cart.position", "time"}, {});
  batch.randomize({{"sensor noise", 0.25, 0.25}, {"time noise", 0.0, 0.0}});
  batch.reset();
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const double noise = batch.observations<double>()[2 * i];  // the cart is at 0
    sum += noise;
    squares += noise * noise;
    EXPECT_EQ(batch.observations<double>()[2 * i + 1], 0.0);
  }
  // The tolerances are five standard deviations of the estimates: 0.25/√n and 0.25/√(2n).
  EXPECT_NEAR(sum / kCount, 0.0, 0.063);
  EXPECT_NEAR(std::sqrt(squares / kCount), 0.25, 0.045);
}

TEST(Batch, RefusesBadRanges) {
  Batch batch = batch_of(cart_pole(), 2);
  batch.bind({"cart.position"}, {});
  const auto randomize = [&batch](const RandomRange& range) {
    return refusal([&] { batch.randomize({range}); });
  };
  EXPECT_EQ(randomize({"POLE.physics.mass", 0.75, 0.25}),
            "\"POLE.physics.mass\": the range from 0.75 to 0.25 has no numbers");
  EXPECT_NE(randomize({"POLE.physics.mass", kNaN, 0.25}), "nothing thrown");
  EXPECT_NE(randomize({"r/cart.maxForce", -2.5, 2.5}), "nothing thrown");
  EXPECT_EQ(
      randomize({"r/cart.maxForce", -1e308, 1e308}),
      "\"r/cart.maxForce\": the range from -1e+308 to 1e+308 is too wide: use one of less than "
      "1.7e308");
  EXPECT_EQ(randomize({"action delay", 0.0, 2.5}),
            "\"action delay\" is a whole number of steps from 0 to 1000, not 0 to 2.5");
  EXPECT_EQ(randomize({"sensor noise", -1.5, 2.5}),
            "\"sensor noise\" is a standard deviation >= 0, not -1.5");
  EXPECT_EQ(randomize({"cart.velocity noise", 0.5, 2.5}),
            "\"cart.velocity\" is not among the observations: choose it by bind() first");
  EXPECT_EQ(randomize({"cart.position noise", 0.5, 2.5}), "nothing thrown");
  EXPECT_EQ(refusal([&] { batch.bind({"time"}, {}); }),
            "\"cart.position\" is not among the observations: choose it by bind() first");
  EXPECT_EQ(batch.observation_names(), std::vector<std::string>{"r/cart.position"});
}

TEST(Batch, DrawsStayBelowTheHighEnd) {
  const double next = std::nextafter(1.0, 2.0);
  for (std::uint64_t what = 0; what < 100; ++what) {
    EXPECT_EQ(Draw(1, 2).between(1.0, next, what), 1.0);
    EXPECT_EQ(Draw(1, 2).between(1.0, 1.0, what), 1.0);
  }
}

}  // namespace
}  // namespace servosim::test
