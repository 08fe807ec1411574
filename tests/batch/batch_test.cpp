// SPDX-License-Identifier: Apache-2.0
#include "servosim/batch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch/batch_worlds.h"
#include "batch/parts.h"
#include "batch/shared_notices.h"

namespace servosim::test {
namespace {

namespace batch_test {

const std::vector<std::string> kObserved{"r/*.position", "*.velocity", "pole.pose",
                                         "r/encoder.value"};

template <typename Call>
std::string misuse(Call call) {
  try {
    call();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "nothing thrown";
}

std::vector<RandomRange> all_random() {
  return {{"POLE.physics.mass", 0.125, 0.375},
          {"r/cart.maxForce", 3.0, 6.0},
          {"sensor noise", 0.01, 0.02},
          {"*.velocity noise", 0.125, 0.25},
          {"action delay", 0.0, 3.0}};
}

}  // namespace batch_test
using namespace batch_test;
using namespace batch_worlds;

TEST(Batch, EachInstanceIsASimulationOfItsSeed) {
  constexpr std::size_t kCount = 5;
  BatchOptions options;
  options.control_step_ms = 24.0;
  Batch batch = batch_of(cart_pole(), kCount, options);
  batch.bind(kObserved, kForce);
  const std::size_t columns = batch.observation_names().size();
  for (std::size_t t = 0; t < 40; ++t) {
    steer(batch, t);
    ASSERT_TRUE(batch.step());
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    LoadOptions load;
    load.random_seed_offset = static_cast<std::int64_t>(i);
    Simulation single = Simulation::from_text(cart_pole(), load);
    PositionSensor& encoder = single.robot(0).position_sensor("encoder");
    encoder.enable(24, -24.0);  // the batch measures at the start, too
    encoder.after_step(0.0);
    for (std::size_t t = 0; t < 40; ++t) {
      single.robot(0).motor("cart").set_force(force_for(i, t));
      single.step(3);
    }
    EXPECT_EQ(batch.simulation(i).state_hash(), single.state_hash()) << i;
    const auto row = batch.observations<double>().subspan(i * columns, columns);
    EXPECT_EQ(row[0], single.joint("cart").position());
    EXPECT_EQ(row[3], single.joint("pole angle").velocity());
    EXPECT_EQ(row[4], single.solid("pole").pose().translation.x);
    EXPECT_EQ(row[11], encoder.value());
    EXPECT_NE(row[11], row[0]) << "the encoder has noise";
    EXPECT_EQ(batch.simulation(i).time(), 0.96);
  }
}

TEST(Batch, BitsDoNotDependOnThreadsOrOnHowItIsSplit) {
  constexpr std::size_t kCount = 21;
  std::vector<std::vector<double>> whole;
  for (const std::size_t threads : {1, 2, 3}) {
    Batch batch = batch_of(cart_pole(), kCount, with_threads(threads));
    batch.bind(kObserved, kForce);
    batch.randomize(all_random());
    batch.reset();
    const auto run = histories(batch, 25);
    if (threads == 1) {
      whole = run;
      EXPECT_FALSE(same_bits(run[0], run[1]));
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      EXPECT_TRUE(same_bits(run[i], whole[i])) << i << " of " << threads << " threads";
    }
  }
  for (const auto& [first, count] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 4}, {5, 16}}) {
    Batch part = batch_of(cart_pole(), count, with_threads(2), static_cast<std::int64_t>(first));
    part.bind(kObserved, kForce);
    part.randomize(all_random());
    part.reset();
    const auto run = histories(part, 25, first);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(same_bits(run[i], whole[first + i])) << first + i;
    }
  }
}

TEST(Batch, RolloutDoesWhatStepsDo) {
  constexpr std::size_t kCount = 7;
  constexpr std::size_t kSteps = 30;
  Batch stepped = batch_of(cart_pole(), kCount);
  stepped.bind(kObserved, kForce);
  stepped.randomize(all_random());
  stepped.reset();
  const auto expected = histories(stepped, kSteps);
  Batch rolled = batch_of(cart_pole(), kCount, with_threads(2));
  rolled.bind(kObserved, kForce);
  rolled.randomize(all_random());
  rolled.reset();
  const std::size_t columns = rolled.observation_names().size();
  std::vector<double> actions;
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t t = 0; t < kSteps; ++t) {
      actions.push_back(force_for(i, t));
    }
  }
  std::vector<double> rows(kCount * kSteps * columns, kNaN);
  EXPECT_TRUE(rolled.rollout<double>(actions, kSteps, rows));
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(i * kSteps * columns);
    EXPECT_TRUE(
        same_bits({begin, begin + static_cast<std::ptrdiff_t>(kSteps * columns)}, expected[i]));
    EXPECT_EQ(rolled.simulation(i).state_hash(), stepped.simulation(i).state_hash());
  }
  EXPECT_EQ(rolled.observations<double>()[0], stepped.observations<double>()[0]);
}

TEST(Batch, FloatsAreTheRoundedDoubles) {
  BatchOptions options;
  options.number = BatchNumber::Float32;
  Batch floats = batch_of(cart_pole(), 3, options);
  Batch doubles = batch_of(cart_pole(), 3);
  for (Batch* batch : {&floats, &doubles}) {
    batch->bind(kObserved, kForce);
  }
  floats.actions<float>()[1] = 2.5F;
  doubles.actions<double>()[1] = 2.5;
  for (int t = 0; t < 9; ++t) {
    floats.step();
    doubles.step();
  }
  const auto rows = doubles.observations<double>();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(floats.observations<float>()[k], static_cast<float>(rows[k]));
  }
  EXPECT_EQ(refusal([&] { floats.observations<double>(); }),
            "the batch has arrays of float, not of double: BatchOptions::number");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(floats.actions<float>().data()) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(floats.observations<float>().data()) % 64, 0U);
}

TEST(Batch, ColumnsHaveNamesAndLimits) {
  Batch batch = batch_of(cart_pole(), 2);
  batch.bind({"time", "POLE.pose", "cart.linear_velocity", "r/encoder.value"},
             {"cart.target_position", "cart.target_velocity"});
  EXPECT_EQ(batch.observation_names(),
            (std::vector<std::string>{
                "time", "r/pole.pose.x", "r/pole.pose.y", "r/pole.pose.z", "r/pole.pose.qx",
                "r/pole.pose.qy", "r/pole.pose.qz", "r/pole.pose.qw", "r/cart.linear_velocity.x",
                "r/cart.linear_velocity.y", "r/cart.linear_velocity.z", "r/encoder.value"}));
  EXPECT_EQ(batch.action_names(),
            (std::vector<std::string>{"r/cart.target_position", "r/cart.target_velocity"}));
  EXPECT_EQ(batch.action_low()[0], -2.0);
  EXPECT_EQ(batch.action_high()[1], 4.0);
  const auto row = batch.observations<double>();
  EXPECT_EQ(row[0], 0.0);
  EXPECT_EQ(row[3], batch.simulation(0).solid("pole").pose().translation.z);
  EXPECT_NEAR(row[3], 0.3, 0.001) << "the observations are there after bind()";
  batch.actions<double>()[0] = 5.0;
  batch.actions<double>()[1] = 3.5;
  batch.step();
  const Motor* motor = batch.simulation(0).joint("cart").motor();
  EXPECT_EQ(motor->targets().position, 2.0) << "clamped";
  EXPECT_EQ(motor->targets().velocity, 3.5);
  batch.bind({}, {"cart.target_velocity"});
  batch.actions<double>()[0] = -9.0;
  batch.step();
  EXPECT_EQ(motor->targets().position, kInfinity);
  EXPECT_EQ(motor->targets().velocity, -4.0);
  EXPECT_TRUE(batch.observations<double>().empty());
}

TEST(Batch, RefusesNamesThatMatchNothing) {
  Batch batch = batch_of(cart_pole(), 2);
  const std::string there = "; there are 'r/cart', 'r/pole angle'";
  EXPECT_EQ(refusal([&] { batch.bind({"r/crat.position"}, {}); }),
            "\"r/crat.position\": no joint is called \"r/crat\"" + there);
  EXPECT_EQ(refusal([&] { batch.bind({"ples.pose"}, {}); }),
            "\"ples.pose\": no Solid is called \"ples\"; there are 'r/pole', 'r', 'r/cart'");
  EXPECT_EQ(refusal([&] { batch.bind({"cart.positon"}, {}); }),
            "\"cart.positon\" names nothing that can be observed: it is time, a joint with "
            ".position, .velocity, .effort, a joint with a real servo with .current, .voltage, "
            ".duty, .temperature, a Solid with .pose, .linear_velocity, "
            ".angular_velocity, .contact_force, a sensor with .value, a Camera with .rgb or "
            ".segmentation, a RangeFinder with .depth, or a Lidar with .ranges; did you mean "
            "'cart.position'?");
  EXPECT_EQ(refusal([&] { batch.bind({}, {"pole angle.target_force"}); }),
            "\"pole angle.target_force\": no joint with a motor is called \"pole angle\"; there "
            "are 'r/cart'");
  EXPECT_EQ(refusal([&] { batch.bind({}, {"cart"}); }),
            "\"cart\" is no action: it is a joint with .target_position, .target_velocity, "
            ".target_force, .target_effort, .servo_pulse");
  EXPECT_EQ(refusal([&] {
              batch.bind({}, {"cart.target_force", "*.target_effort"});
            }),
            "\"r/cart.target_effort\" is chosen twice among the actions");
  EXPECT_EQ(refusal([&] {
              batch.bind({}, {"cart.target_force", "cart.target_position"});
            }),
            "\"r/cart.target_force\": a motor in force control has neither a target position nor "
            "a target velocity nor a pulse; choose one of them");
  EXPECT_TRUE(batch.observation_names().empty());
}

TEST(Batch, NaNIsRefusedForItsInstanceAlone) {
  Batch batch = batch_of(cart_pole(), 3);
  batch.bind({"cart.position"}, kForce);
  const std::span<double> actions = batch.actions<double>();
  actions[0] = actions[1] = actions[2] = 6.5;
  batch.step();
  actions[1] = kNaN;
  batch.step();
  batch.step();
  EXPECT_EQ(std::vector<std::uint32_t>(batch.refused().begin(), batch.refused().end()),
            (std::vector<std::uint32_t>{0, 2, 0}));
  // The motor keeps its command, so all instances do the same.
  EXPECT_EQ(batch.simulation(1).joint("cart").motor()->targets().force, 6.5);
  EXPECT_EQ(batch.observations<double>()[1], batch.observations<double>()[0]);
  batch.reset();
  EXPECT_EQ(batch.refused()[1], 0U);
}

TEST(Batch, AFailedInstanceStandsStillAndTheOthersGoOn) {
  Batch batch = batch_of(cart_pole(), 3, with_threads(2));
  batch.bind({"pole angle.velocity", "time"}, {});
  batch.step();
  batch.simulation(1).joint("cart").set_state(0.5, 1e12);
  const double last = batch.observations<double>()[3];
  batch.step();
  batch.step();
  EXPECT_EQ(std::vector<std::uint8_t>(batch.failed().begin(), batch.failed().end()),
            (std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT_TRUE(batch.failure(1).starts_with("the simulation diverged at joint")) << batch.failure(1);
  EXPECT_EQ(batch.failure(0), "");
  EXPECT_EQ(batch.observations<double>()[3], last);
  EXPECT_EQ(batch.observations<double>()[5], 0.024);
  EXPECT_EQ(refusal([&] { static_cast<void>(batch.save(1)); }),
            "instance 1 has failed: reset it first");
  std::vector<double> rows(3 * 2 * 2, kNaN);
  EXPECT_TRUE(batch.rollout<double>({}, 2, rows));
  EXPECT_EQ(rows[7], last) << "a failed instance repeats its last row";
  EXPECT_EQ(rows[11], 0.04);
  batch.set("pole.mass", std::vector{0.3});  // the others have this value at once, this one after
                                             // its reset
  const std::vector<std::uint8_t> mask{0, 1, 0};
  batch.reset(mask);
  EXPECT_EQ(batch.failed()[1], 0);
  EXPECT_EQ(batch.failure(1), "");
  EXPECT_EQ(batch.simulation(0).time(), 0.04);
  EXPECT_EQ(batch.simulation(1).time(), 0.0);
  batch.step();
  EXPECT_EQ(batch.simulation(1).time(), 0.008);
}

TEST(Batch, ResetTakesAMaskStatesAndSeeds) {
  Batch batch = batch_of(cart_pole(), 3);
  batch.bind({"r/encoder.value", "cart.position"}, kForce);
  histories(batch, 20);
  const SimulationState state = batch.save(2);
  const std::uint64_t hash = batch.simulation(2).state_hash();
  const std::uint64_t other = batch.simulation(1).state_hash();
  const std::vector<std::uint8_t> mask{1, 0, 0};
  const double cart = batch.observations<double>()[5];
  batch.reset(mask, std::span(&state, 1));
  EXPECT_EQ(batch.simulation(0).state_hash(), hash);
  EXPECT_EQ(batch.simulation(1).state_hash(), other);
  EXPECT_EQ(batch.observations<double>()[1], cart);
  // Equal seeds give equal episodes. The index of the instance has no effect.
  batch.reset({}, {}, std::vector<std::int64_t>{11, 11, 12});
  const std::vector<double> start(batch.observations<double>().begin(),
                                  batch.observations<double>().end());
  EXPECT_EQ(start[0], start[2]);
  EXPECT_NE(start[0], start[4]);
  const auto first = histories(batch, 5, 4);
  batch.reset();
  const auto second = histories(batch, 5, 4);
  EXPECT_NE(second[0][0], first[0][0]) << "another episode has other noise";
  batch.reset({}, {}, std::vector<std::int64_t>{11, 12, 11});
  const auto again = histories(batch, 5, 4);
  EXPECT_TRUE(same_bits(again[0], first[0]));
}

TEST(Batch, RefusesBadResets) {
  Batch batch = batch_of(cart_pole(), 3);
  batch.step();
  EXPECT_EQ(refusal([&] {
              batch.reset(std::vector<std::uint8_t>{1, 1});
            }),
            "2 numbers of a mask for 3 instances");
  EXPECT_EQ(refusal([&] {
              batch.reset({}, {}, std::vector<std::int64_t>{1, -7, 1});
            }),
            "seed -7 of instance 1: it is a number >= 0");
  const SimulationState foreign = Simulation::from_text(cart_pole()).save();
  EXPECT_EQ(refusal([&] { batch.reset({}, std::span(&foreign, 1)); }),
            "this state was saved by another simulation; only a clone shares states with the "
            "original");
  const std::vector<SimulationState> two(2, batch.save(0));
  EXPECT_EQ(refusal([&] { batch.reset({}, two); }), "2 states for 3 instances");
  EXPECT_EQ(batch.simulation(0).time(), 0.008) << "nothing was reset";
}

TEST(Batch, ContactsCarryTheBall) {
  BatchOptions options;
  options.contacts = true;
  options.control_step_ms = 400.0;
  Batch batch = batch_of(sliding_ball(), 2, options);
  batch.bind({"ball.contact_force", "floor.contact_force", "ball/acc.value"}, {});
  EXPECT_TRUE(batch.contacts().empty());
  EXPECT_EQ(batch.observations<double>()[2], 0.0);
  EXPECT_NEAR(batch.observations<double>()[8], 9.81, 1e-9) << "measured at the start";
  batch.step();
  batch.step();
  const std::vector<BatchContact> contacts = batch.contacts();
  ASSERT_EQ(contacts.size(), 2U);
  EXPECT_EQ(contacts[1].instance, 1);
  EXPECT_NEAR(contacts[1].point.z, 0.0, 0.01);
  // The ball does not move vertically, so the force is the weight of 2 kg.
  EXPECT_NEAR(std::abs(contacts[1].force.z), 19.62, 0.02);
  EXPECT_NEAR(batch.observations<double>()[2], 19.62, 0.02);
  EXPECT_EQ(batch.observations<double>()[5], -batch.observations<double>()[2]);
  batch.reset();
  EXPECT_TRUE(batch.contacts().empty());
  Batch without = batch_of(sliding_ball(), 2);
  EXPECT_EQ(refusal([&] { static_cast<void>(without.contacts()); }),
            "the batch keeps no contacts: BatchOptions::contacts");
}

TEST(Batch, TellsOnceWhatManyInstancesReport) {
  std::vector<std::string> notices;
  LoadOptions load;
  load.notice = [&notices](std::string_view text) { notices.emplace_back(text); };
  std::string world = cart_pole();
  world.replace(world.find("mass 0.2"), 8, "mass 1e-3");
  Batch batch(Simulation::from_text(world, load), 40, with_threads(3));
  batch.bind({"time"}, {});
  batch.randomize({{"pole.physics.mass", 2e-3, 3e-3}});
  batch.reset();
  batch.reset();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_NE(notices[0].find("\"pole\" is light and oblong"), std::string::npos) << notices[0];
}

// If the report of an instance throws, its thread catches what it throws.
TEST(Batch, SurvivesNoticesThatThrowAnything) {
  std::string world = cart_pole();
  world.replace(world.find("mass 0.2"), 8, "mass 1e-3");
  LoadOptions load;
  load.notice = [](std::string_view) { throw 7; };
  Batch batch(Simulation::from_text(world, load), 2, with_threads(2));
  batch.randomize({{"pole.physics.mass", 2e-3, 3e-3}});
  batch.reset();
  EXPECT_EQ(batch.failed()[0] + batch.failed()[1], 1) << "it is reported once";
  EXPECT_NE(batch.failure(batch.failed()[0] != 0 ? 0 : 1), "");
}

TEST(Batch, TellsWhatOtherNamesReport) {
  std::vector<std::string> texts;
  SharedNotices notices(Notices([&texts](std::string_view text) { texts.emplace_back(text); }));
  for (const char* text :
       {"motor \"m 1\": position 2.5 is clamped", "motor \"m 2\": position 2.5 is clamped",
        "motor \"m 1\": position -1e-05 is clamped", "m1 moves 3 m", "m2 moves 3 m",
        "m1 moves 5.5 m", "x.wbt:3:7: far", "x.wbt:4:7: far", "x.wbt:4:7: far"}) {
    notices.report(text);
  }
  EXPECT_EQ(texts,
            (std::vector<std::string>{"motor \"m 1\": position 2.5 is clamped",
                                      "motor \"m 2\": position 2.5 is clamped", "m1 moves 3 m",
                                      "m2 moves 3 m", "x.wbt:3:7: far", "x.wbt:4:7: far"}));
}

TEST(Batch, AnInterruptEndsALongRollout) {
  for (const std::size_t threads : {1, 3}) {
    Batch batch = batch_of(cart_pole(), 4, with_threads(threads));
    batch.bind({"time"}, {});
    constexpr std::size_t kSteps = 4'000'000;  // would take minutes
    std::vector<double> rows(4 * kSteps);
    int asked = 0;
    EXPECT_FALSE(batch.rollout<double>({}, kSteps, rows, [&asked] { return ++asked == 2; }));
    EXPECT_EQ(asked, 2);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_LT(batch.simulation(i).time(), 0.008 * kSteps);
      EXPECT_EQ(batch.observations<double>()[i], batch.simulation(i).time());
    }
    EXPECT_TRUE(batch.step());
    const auto end = []() -> bool { throw std::runtime_error("enough"); };
    EXPECT_THROW(batch.rollout<double>({}, kSteps, rows, end), std::runtime_error);
    EXPECT_TRUE(batch.step());
  }
}

TEST(Batch, AnInterruptMayUseOtherBatchesOnly) {
  constexpr std::size_t kCount = 4;
  constexpr std::size_t kSteps = 250'000;  // would take seconds
  const std::vector<std::string> observed{"r/*.position", "time"};
  for (const std::size_t threads : {1, 3}) {
    Batch batch = batch_of(cart_pole(), kCount, with_threads(threads));
    Batch other = batch_of(cart_pole(), kCount, with_threads(threads));
    batch.bind(observed, {});
    other.bind(observed, {});
    const std::size_t columns = batch.observation_names().size();
    std::vector<double> few(kCount * columns);
    const std::vector<std::function<void()>> uses{
        [&] { batch.bind({"time"}, kForce); },
        [&] { batch.step(); },
        [&] { batch.rollout<double>({}, 1, few); },
        [&] { batch.reset(); },
        [&] { static_cast<void>(batch.save(0)); },
        [&] { batch.set("POLE.physics.mass", std::vector<double>{0.5}); },
        [&] {
          batch.randomize({{"sensor noise", 0.5, 0.5}});
        },
        [&] { static_cast<void>(batch.contacts()); },
        [&] { static_cast<void>(batch.simulation(0)); },
        [&] { static_cast<void>(batch.failure(0)); },
        [&] { static_cast<void>(batch.simulation(0).time()); },
    };
    int asked = 0;
    const auto use_all = [&] {
      for (const auto& use : uses) {
        EXPECT_NE(misuse(use).find("the batch is at work"), std::string::npos) << misuse(use);
      }
      EXPECT_TRUE(other.step());
      return ++asked == 2;
    };
    std::vector<double> rows(kCount * kSteps * columns);
    EXPECT_FALSE(batch.rollout<double>({}, kSteps, rows, use_all));
    EXPECT_EQ(asked, 2);
    EXPECT_NEAR(other.simulation(0).time(), 2 * 0.008, 1e-9);

    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < kCount; ++i) {
      taken.push_back(static_cast<std::size_t>(std::lround(batch.simulation(i).time() / 0.008)));
    }
    const std::size_t most = *std::ranges::max_element(taken);
    Batch undisturbed = batch_of(cart_pole(), kCount);
    undisturbed.bind(observed, {});
    std::vector<double> expected(kCount * most * columns);
    EXPECT_TRUE(undisturbed.rollout<double>({}, most, expected));
    const auto first_rows = [&](const std::vector<double>& of, std::size_t i, std::size_t steps) {
      const auto begin = of.begin() + static_cast<std::ptrdiff_t>(i * steps * columns);
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(taken[i] * columns));
    };
    for (std::size_t i = 0; i < kCount; ++i) {
      EXPECT_TRUE(same_bits(first_rows(rows, i, kSteps), first_rows(expected, i, most))) << i;
    }
    const auto step = [&batch] { return batch.step(); };
    EXPECT_NE(misuse([&] { batch.rollout<double>({}, kSteps, rows, step); }).find("at work"),
              std::string::npos);
    EXPECT_TRUE(batch.step());
  }
}

TEST(Batch, BindsMoreColumnsBetweenSteps) {
  constexpr std::size_t kCount = 7;
  const std::vector<std::string> all{"r/*.position", "*.velocity", "pole.pose"};
  const std::vector<std::string> both{"cart.target_position", "cart.target_velocity"};
  Batch batch = batch_of(cart_pole(), kCount, with_threads(3));
  Batch bound_once = batch_of(cart_pole(), kCount);
  bound_once.bind(all, both);
  const auto take_steps = [&](const std::vector<std::string>& observe, std::size_t actions) {
    batch.bind(observe, {both.begin(), both.begin() + static_cast<std::ptrdiff_t>(actions)});
    for (std::size_t t = 0; t < 10; ++t) {
      for (std::size_t i = 0; i < kCount; ++i) {
        for (std::size_t a = 0; a < both.size(); ++a) {
          const double value = 0.1 * force_for(i, t + a);
          bound_once.actions<double>()[i * both.size() + a] = a < actions ? value : kNaN;
          if (a < actions) {
            batch.actions<double>()[i * actions + a] = value;
          }
        }
      }
      EXPECT_TRUE(batch.step());
      EXPECT_TRUE(bound_once.step());
    }
  };
  take_steps({"time"}, 0);
  take_steps({"time"}, 1);
  take_steps(all, 2);
  const auto rows_of = [](const Batch& of) {
    const std::span<const double> rows = of.observations<double>();
    return std::vector<double>(rows.begin(), rows.end());
  };
  EXPECT_TRUE(same_bits(rows_of(batch), rows_of(bound_once)));
  EXPECT_NE(rows_of(batch)[0], 0.0);
}

TEST(Batch, RefusesBadSizesAndOptions) {
  EXPECT_EQ(refusal([] { batch_of(cart_pole(), 0); }),
            "a batch of 0 instances: 1 to 10000000 are possible");
  EXPECT_EQ(refusal([] { batch_of(cart_pole(), 2, with_threads(0)); }),
            "a batch of 0 threads: 1 to 1024 are possible");
  for (const double step : {-8.0, 3.0, 12.0, kNaN, kInfinity}) {
    BatchOptions options;
    options.control_step_ms = step;
    EXPECT_EQ(
        refusal([&] { batch_of(cart_pole(), 2, options); }),
        fmt::format("control_step_ms {} is no multiple of the world's basicTimeStep, 8 ms", step));
  }
  Batch batch = batch_of(cart_pole(), 2);
  batch.bind({"time"}, kForce);
  std::vector<double> rows(6);
  EXPECT_EQ(refusal([&] { batch.rollout<double>(std::vector<double>(5), 3, rows); }),
            "5 actions for 2 instances, 3 steps and 1 columns: 6 are needed");
  EXPECT_THROW(batch.simulation(2), std::out_of_range);
  EXPECT_THROW(static_cast<void>(batch.simulation(2).time()), std::out_of_range);
}

}  // namespace
}  // namespace servosim::test
