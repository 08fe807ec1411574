// SPDX-License-Identifier: Apache-2.0
// Instances with real servos, and what a batch observes of these.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "batch/batch_worlds.h"
#include "physics/physics_world.h"
#include "servosim/batch.h"
#include "servosim/servo_model.h"
#include "sim/world_inspector.h"

namespace servosim::test {
namespace {

using namespace batch_worlds;

namespace servo_batch {

constexpr std::size_t kServos = 3;
constexpr std::size_t kArms = 21;  // two full groups and a part of a third

/// An arm of three servos. The first one warms up on a supply that sags, commands of the second are
/// late, and the last one takes pulses. Encoders have this noise [rad].
std::string servo_arm(double noise = 0.001) {
  const auto link = [](const std::string& servo, const std::string& name, const std::string& next) {
    return fmt::format(R"(HingeJoint {{
  jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 0 0.1 }}
  device [ RotationalMotor {{ name "{0}" maxTorque 3 maxVelocity 50
    #servosim servo "{1}"
  }} ]
  endPoint Solid {{ translation 0 0 0.15 name "{0} link" children [ {2} ]
    boundingObject Box {{ size 0.02 0.02 0.1 }} physics Physics {{ density -1 mass 0.05 }} }} }})",
                       name, servo, next);
  };
  const std::string tip = link("SG90", "c", "");
  const std::string middle =
      link(fmt::format("XL330-M288-T encoder.noise={} firmware.delay=0.016", noise), "b", tip);
  return "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 randomSeed 3 }\nRobot { name \"r\" "
         "children [ " +
         link(fmt::format("STS3215 supply.name=usb supply.resistance=0.4 "
                          "thermal.winding_capacity=3 thermal.winding_resistance=9 "
                          "encoder.noise={}",
                          noise),
              "a", middle) +
         " HingeJoint { device RotationalMotor { name \"plain\" } endPoint Solid { name \"p\" "
         "physics Physics { density -1 mass 1 } } } ] }\n";
}

// A target for each servo, which differs by instance and step [rad].
double target_for(std::size_t instance, std::size_t step, std::size_t servo) {
  return 0.9 * std::sin(0.4 * static_cast<double>(instance) + 0.7 * static_cast<double>(step / 9) +
                        static_cast<double>(servo));
}

const std::vector<std::string> kObservedOfServos{"*.position", "*.current", "*.voltage", "*.duty",
                                                 "*.temperature"};
const std::vector<std::string> kActions{"a.target_position", "b.target_position",
                                        "c.target_position"};

void order(Batch& batch, std::size_t step, std::size_t first = 0) {
  const std::span<double> actions = batch.actions<double>();
  for (std::size_t i = 0; i < actions.size(); ++i) {
    actions[i] = target_for(first + i / kServos, step, i % kServos);
  }
}

std::vector<double> observations_of(const Batch& batch, std::size_t instance) {
  const std::size_t columns = batch.observation_names().size();
  const auto row = batch.observations<double>().subspan(instance * columns, columns);
  return {row.begin(), row.end()};
}

std::vector<double> readings_of(const Simulation& simulation) {
  std::vector<double> numbers;
  for (const Joint joint : simulation.joints()) {
    numbers.push_back(joint.position());
  }
  for (double ServoReading::*const number : {&ServoReading::current, &ServoReading::voltage,
                                             &ServoReading::duty, &ServoReading::temperature}) {
    for (const Joint joint : simulation.joints()) {
      if (const auto reading = joint.servo_reading()) {
        numbers.push_back((*reading).*number);
      }
    }
  }
  return numbers;
}

}  // namespace servo_batch
using namespace servo_batch;

TEST(ServoBatch, ObservesOnlyServos) {
  Batch batch = batch_of(servo_arm(), 2);
  batch.bind({"*.current", "r/c.temperature"}, {});
  EXPECT_EQ(
      batch.observation_names(),
      (std::vector<std::string>{"r/a.current", "r/b.current", "r/c.current", "r/c.temperature"}));
  EXPECT_EQ(batch.observations<double>()[3], 25.0);
  EXPECT_EQ(refusal([&] { batch.bind({"plain.duty"}, {}); }),
            "\"plain.duty\": no joint with a real servo is called \"plain\"; there are 'r/a', "
            "'r/b', 'r/c'");
  EXPECT_EQ(refusal([&] { batch.bind({"a.curent"}, {}); }),
            "\"a.curent\" names nothing that can be observed: it is time, a joint with .position, "
            ".velocity, .effort, a joint with a real servo with .current, .voltage, .duty, "
            ".temperature, a Solid with .pose, .linear_velocity, .angular_velocity, "
            ".contact_force, a sensor with .value, a Camera with .rgb or .segmentation, a "
            "RangeFinder with .depth, or a Lidar with .ranges; did you mean 'a.current'?");
  Batch without = batch_of(cart_pole(), 1);
  EXPECT_EQ(refusal([&] { without.bind({"*.voltage"}, {}); }),
            "\"*.voltage\": no joint with a real servo is called \"*\"; there is none");
}

TEST(ServoBatch, EachInstanceIsASimulationOfItsSeed) {
  for (const std::size_t threads : {1, 2}) {
    Batch batch = batch_of(servo_arm(), kArms, with_threads(threads));
    batch.bind(kObservedOfServos, kActions);
    std::vector<Simulation> singles;
    for (std::size_t i = 0; i < kArms; ++i) {
      LoadOptions load;
      load.random_seed_offset = static_cast<std::int64_t>(i);
      singles.push_back(Simulation::from_text(servo_arm(), load));
    }
    std::uint64_t side_by_side = 0;
    double least_voltage = 7.4;
    for (std::size_t t = 0; t < 120; ++t) {
      order(batch, t);
      ASSERT_TRUE(batch.step());
      for (std::size_t i = 0; i < kArms; ++i) {
        Simulation& single = singles[i];
        for (std::size_t servo = 0; servo < kServos; ++servo) {
          single.robot(0).motor(std::string(1, "abc"[servo])).set_position(target_for(i, t, servo));
        }
        single.step();
        ASSERT_EQ(batch.simulation(i).state_hash(), single.state_hash()) << i << " at " << t;
        ASSERT_TRUE(same_bits(observations_of(batch, i), readings_of(single))) << i << " at " << t;
        least_voltage = std::min(least_voltage, single.joint("a").servo_reading()->voltage);
      }
    }
    for (std::size_t i = 0; i < kArms; ++i) {
      side_by_side += WorldInspector(batch.simulation(i)).physics().solver_counts()->side_by_side;
      EXPECT_GT(singles[i].joint("a").servo_reading()->temperature, 25.0) << i;
    }
    EXPECT_LT(least_voltage, 7.0);
    EXPECT_GT(side_by_side, 20 * kArms) << "they share lanes";
  }
}

TEST(ServoBatch, GivesPulses) {
  Batch batch = batch_of(servo_arm(), 3);
  batch.bind({"c.position"}, {"*.servo_pulse"});
  EXPECT_EQ(batch.action_names(), std::vector<std::string>{"r/c.servo_pulse"});
  EXPECT_EQ(batch.action_low()[0], 500.0);
  EXPECT_EQ(batch.action_high()[0], 2400.0);
  const std::span<double> actions = batch.actions<double>();
  actions[0] = 1700.0;
  actions[1] = 9000.0;
  actions[2] = kNaN;
  ASSERT_TRUE(batch.step());
  EXPECT_DOUBLE_EQ(batch.simulation(0).joint("c").motor()->servo_pulse(), 1700.0);
  EXPECT_DOUBLE_EQ(batch.simulation(1).joint("c").motor()->servo_pulse(), 2400.0);
  EXPECT_DOUBLE_EQ(batch.simulation(2).joint("c").motor()->servo_pulse(), 1450.0);
  EXPECT_EQ(batch.refused()[2], 1U);
  batch.bind({}, {"c.servo_pulse", "c.target_velocity"});
  batch.actions<double>()[0] = 1000.0;
  batch.actions<double>()[1] = 0.5;
  ASSERT_TRUE(batch.step());
  const Motor* const motor = batch.simulation(0).joint("c").motor();
  EXPECT_DOUBLE_EQ(motor->servo_pulse(), 1000.0);
  EXPECT_EQ(motor->targets().velocity, 0.5) << "the limit of its speed";
  EXPECT_EQ(refusal([&] { batch.bind({}, {"b.servo_pulse"}); }),
            "\"b.servo_pulse\": no joint with a servo that takes pulses is called \"b\"; there are "
            "'r/c'");
  EXPECT_EQ(refusal([&] {
              batch.bind({}, {"c.servo_pulse", "c.target_position"});
            }),
            "\"r/c.servo_pulse\": a pulse is a target position; choose one of them");
  EXPECT_EQ(refusal([&] {
              batch.bind({}, {"c.servo_pulse", "c.target_force"});
            }),
            "\"r/c.servo_pulse\": a motor in force control has neither a target position nor a "
            "target velocity nor a pulse; choose one of them");
}

TEST(ServoBatch, HasPulsesWithinTheRangeOfTheMotor) {
  std::string world = servo_arm();
  world.replace(world.find("\"c\" maxTorque") + 4, 0,
                "multiplier -1 minPosition -0.5 maxPosition 1 ");
  Batch batch = batch_of(world, 1);
  batch.bind({}, {"c.servo_pulse"});
  // 500 to 2400 µs are -90° to 90°.
  const double slope = 1900.0 / std::numbers::pi;
  EXPECT_NEAR(batch.action_low()[0], 1450.0 - 0.5 * slope, 1e-9);
  EXPECT_NEAR(batch.action_high()[0], 1450.0 + 1.0 * slope, 1e-9);
  batch.actions<double>()[0] = 2400.0;
  ASSERT_TRUE(batch.step());
  EXPECT_NEAR(batch.simulation(0).joint("c").motor()->targets().position, 1.0, 1e-12);
}

// An episode from a saved state has other noise, so that these encoders have none.
TEST(ServoBatch, ResetAndSavedStatesHoldAllOfAServo) {
  Batch batch = batch_of(servo_arm(0.0), 3, with_threads(2));
  batch.bind(kObservedOfServos, kActions);
  const auto run = [&batch](std::size_t first_step, std::size_t steps) {
    std::vector<std::vector<double>> rows(batch.size());
    for (std::size_t t = first_step; t < first_step + steps; ++t) {
      order(batch, t);
      EXPECT_TRUE(batch.step());
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::vector<double> row = observations_of(batch, i);
        rows[i].insert(rows[i].end(), row.begin(), row.end());
      }
    }
    return rows;
  };
  const auto first = run(0, 31);  // in the middle of a frame of pulses, with delayed commands
  std::vector<SimulationState> states;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    states.push_back(batch.save(i));
  }
  const auto second = run(31, 40);
  batch.reset({}, states);
  const auto again = run(31, 40);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_TRUE(same_bits(again[i], second[i])) << i;
  }
  batch.reset();
  const auto anew = run(0, 31);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_TRUE(same_bits(anew[i], first[i])) << i;
  }
}

TEST(ServoBatch, SeedsGiveTheNoiseOfEncoders) {
  Batch batch = batch_of(servo_arm(), 2);
  batch.bind(kObservedOfServos, kActions);
  const auto run = [&batch] {
    batch.reset({}, {}, std::vector<std::int64_t>{5, 6});
    for (std::size_t t = 0; t < 31; ++t) {
      for (double& action : batch.actions<double>()) {
        action = 0.5;
      }
      EXPECT_TRUE(batch.step());
    }
    return std::vector{batch.simulation(0).state_hash(), batch.simulation(1).state_hash()};
  };
  const auto first = run();
  EXPECT_NE(first[0], first[1]);
  EXPECT_EQ(run(), first);
}

}  // namespace
}  // namespace servosim::test
