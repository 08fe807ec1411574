// SPDX-License-Identifier: Apache-2.0
// Instances that one thread steps together have the same bits as instances that are stepped alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch/batch_worlds.h"
#include "physics/physics_world.h"
#include "servosim/batch.h"
#include "sim/world_inspector.h"

namespace servosim::test {
namespace {

namespace together_test {

constexpr std::size_t kCount = 19;  // two full groups and a part of a third

using Bind = void (*)(Batch& batch);

void bind_cart_pole(Batch& batch) {
  batch.bind({"r/*.position", "*.velocity", "*.effort", "pole.pose", "r/encoder.value"},
             {"cart.target_force"});
}

void bind_arm(Batch& batch) {
  batch.bind({"r/*.position", "*.velocity", "bar.contact_force"}, {"arm.target_force"});
}

SolverCounts counts_of(const Batch& batch, std::size_t instance) {
  return *WorldInspector(batch.simulation(instance)).physics().solver_counts();
}

// Compares each instance with a batch of one. `set` gets that batch, or the whole batch, and sets
// its values.
template <typename Set>
void expect_bits_of_single(const std::string& world, std::size_t steps, const Set& set) {
  for (const std::size_t threads : {1, 2}) {
    Batch batch = batch_of(world, kCount, with_threads(threads));
    set(batch, 0);
    const auto together = histories(batch, steps);
    std::uint64_t side_by_side = 0;
    std::uint64_t by_tree = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      Batch single = batch_of(world, 1, {}, static_cast<std::int64_t>(i));
      set(single, i);
      EXPECT_TRUE(same_bits(histories(single, steps, i)[0], together[i])) << i;
      EXPECT_EQ(batch.simulation(i).state_hash(), single.simulation(0).state_hash()) << i;
      EXPECT_EQ(batch.failed()[i], single.failed()[0]) << i;
      EXPECT_EQ(batch.failure(i), single.failure(0)) << i;
      EXPECT_EQ(counts_of(batch, i).tree, counts_of(single, 0).tree) << i;
      side_by_side += counts_of(batch, i).side_by_side;
      by_tree += counts_of(batch, i).tree;
    }
    EXPECT_GT(side_by_side, by_tree / 4);
    EXPECT_LT(side_by_side, by_tree);
  }
}

}  // namespace together_test
using namespace together_test;

// Nothing can touch the only shape of this world, so its geom learns of moves only when a ray asks.
// The shape moves through a ray that misses its initial position.
TEST(BatchTogether, RaysMeetWhatHasMoved) {
  const std::string world = R"(#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 physicsDisableTime 0 }
Robot { name "r" children [
  SliderJoint {
    jointParameters JointParameters { axis 1 0 0 }
    device LinearMotor { name "cart" maxForce 10 }
    endPoint Solid { name "cart" translation 3 0 0
      boundingObject Box { size 0.2 0.2 0.2 } physics Physics { density -1 mass 1 } } } ] }
Robot { name "eye" translation 2.6 -2 0 rotation 0 0 1 1.5707963267948966
  children [ DistanceSensor { name "d" lookupTable [ 0 0 0, 10 10 0 ] } ] })";
  Batch batch = batch_of(world, 8);
  batch.bind({"eye/d.value", "cart.pose"}, {"cart.target_force"});
  const std::size_t columns = batch.observation_names().size();
  int met = 0;
  for (int t = 0; t < 60; ++t) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      batch.actions<double>()[i] = 0.5 * static_cast<double>(i) - 10.0;
    }
    ASSERT_TRUE(batch.step());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const double* const row = &batch.observations<double>()[i * columns];
      const bool meets = std::abs(row[1] - 2.6) < 0.1;
      ASSERT_NEAR(row[0], meets ? 1.9 : 10.0, 1e-9) << "instance " << i << ", step " << t;
      met += meets ? 1 : 0;
    }
  }
  EXPECT_GT(met, 40);
  EXPECT_GT(counts_of(batch, 0).side_by_side, 50U);
}

TEST(BatchTogether, MayDifferInParameters) {
  expect_bits_of_single(cart_pole(), 60, [](Batch& batch, std::size_t first) {
    bind_cart_pole(batch);
    std::vector<double> friction;
    std::vector<double> gravity;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      friction.push_back(0.25 * static_cast<double>((first + i) % 3));
      gravity.push_back(first + i < 6 ? 3.0 : 9.81);  // lanes need equal neighbours
    }
    batch.set("cart.staticFriction", friction);
    batch.set("WorldInfo.gravity", gravity);
    batch.randomize({{"POLE.physics.mass", 0.125, 0.375},
                     {"r/cart.maxForce", 3.0, 6.0},
                     {"sensor noise", 0.01, 0.02},
                     {"action delay", 0.0, 3.0}});
    batch.reset();
  });
}

TEST(BatchTogether, SomeTouchTheFloorWhileOthersDoNot) {
  expect_bits_of_single(falling_arm(), 150, [](Batch& batch, std::size_t) { bind_arm(batch); });
}

TEST(BatchTogether, SeveralBasicStepsAreOneOfTheBatch) {
  BatchOptions options;
  options.control_step_ms = 40.0;
  Batch batch = batch_of(falling_arm(), kCount, options);
  bind_arm(batch);
  const auto together = histories(batch, 30);
  for (std::size_t i = 0; i < kCount; ++i) {
    Simulation single = Simulation::from_text(falling_arm());
    for (std::size_t t = 0; t < 30; ++t) {
      single.robot(0).motor("arm").set_force(force_for(i, t));
      single.step(5);
    }
    EXPECT_EQ(batch.simulation(i).state_hash(), single.state_hash()) << i;
  }
}

TEST(BatchTogether, OneThatFailsChangesNoOther) {
  expect_bits_of_single(falling_arm(), 40, [](Batch& batch, std::size_t first) {
    bind_arm(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if ((first + i) % 5 == 2) {
        batch.simulation(i).joint("arm").set_state(0.5, 1e12);
      }
    }
  });
}

TEST(BatchTogether, OneThatFailsInTheMiddleOfAStepChangesNoOther) {
  const auto run = [](bool fails) {
    BatchOptions options;
    options.control_step_ms = 32.0;
    Batch batch = batch_of(cart_pole(), kCount, options);
    bind_cart_pole(batch);
    histories(batch, 5);
    if (fails) {
      batch.simulation(3).joint("cart").set_state(0.5, 1e12);
    }
    auto rest = histories(batch, 5);
    EXPECT_EQ(batch.failed()[3], fails ? 1 : 0);
    rest.erase(rest.begin() + 3);
    return rest;
  };
  EXPECT_EQ(run(true), run(false));
}

namespace together_test {

// The battery of each cart is empty after 25 steps. The first cart reports it.
std::string cart_with_battery() {
  std::string world = cart_pole();
  const std::string name = "Robot { name \"r\" ";
  world.insert(world.find(name) + name.size(), "cpuConsumption 5 battery [ 0.99 1 0 ] ");
  return world;
}

Batch batch_with_notice(std::size_t count, std::function<void(std::string_view)> notice) {
  LoadOptions load;
  load.notice = std::move(notice);
  Batch batch(Simulation::from_text(cart_with_battery(), load), count);
  bind_cart_pole(batch);
  return batch;
}

}  // namespace together_test

TEST(BatchTogether, ANoticeThatThrowsFailsOneAlone) {
  const std::size_t steps = 60;
  Batch batch = batch_with_notice(
      kCount, [](std::string_view text) { throw std::runtime_error(std::string(text)); });
  Batch quiet = batch_with_notice(kCount, [](std::string_view) {});
  const auto some_fail = histories(batch, steps);
  const auto none_fails = histories(quiet, steps);
  ASSERT_EQ(std::ranges::count(batch.failed(), 1), 1);
  const auto failed =
      static_cast<std::size_t>(std::ranges::find(batch.failed(), 1) - batch.failed().begin());
  EXPECT_NE(batch.failure(failed).find("battery is empty"), std::string::npos);
  EXPECT_EQ(std::ranges::count(quiet.failed(), 1), 0);
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(same_bits(some_fail[i], none_fails[i]), i != failed) << i;
  }
}

TEST(BatchTogether, ANoticeThatUsesItsBatchFailsOneAlone) {
  const std::size_t steps = 60;
  Batch* its_batch = nullptr;
  Batch batch = batch_with_notice(kCount, [&its_batch](std::string_view) { its_batch->step(); });
  its_batch = &batch;
  Batch quiet = batch_with_notice(kCount, [](std::string_view) {});
  const auto some_fail = histories(batch, steps);
  const auto none_fails = histories(quiet, steps);
  ASSERT_EQ(std::ranges::count(batch.failed(), 1), 1);
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(batch.failure(i).find("the batch is at work") == 0, batch.failed()[i] == 1) << i;
    EXPECT_EQ(same_bits(some_fail[i], none_fails[i]), batch.failed()[i] == 0) << i;
  }
}

TEST(BatchTogether, AShortageOfOneLeavesTheRowsOfTheOthers) {
  constexpr std::size_t kFew = 8;  // one group
  constexpr std::size_t kSteps = 60;
  for (const bool rolls_out : {false, true}) {
    Batch batch = batch_with_notice(kFew, [](std::string_view) { throw std::bad_alloc(); });
    Batch quiet = batch_with_notice(kFew, [](std::string_view) {});
    std::size_t taken = 0;
    if (rolls_out) {
      std::vector<double> actions;
      for (std::size_t i = 0; i < kFew; ++i) {
        for (std::size_t t = 0; t < kSteps; ++t) {
          actions.push_back(force_for(i, t));
        }
      }
      std::vector<double> rows(kFew * kSteps * batch.observation_names().size());
      EXPECT_THROW(batch.rollout<double>(actions, kSteps, rows), std::bad_alloc);
      taken = static_cast<std::size_t>(std::lround(batch.simulation(0).time() / 0.008));
    } else {
      EXPECT_THROW(
          {
            for (; taken < kSteps; ++taken) {
              steer(batch, taken);
              static_cast<void>(batch.step());
            }
          },
          std::bad_alloc);
      ++taken;  // this call has thrown
    }
    ASSERT_LT(taken, kSteps);
    histories(quiet, taken);
    ASSERT_EQ(std::ranges::count(batch.failed(), 1), 1);
    const std::size_t columns = batch.observation_names().size();
    for (std::size_t i = 0; i < kFew; ++i) {
      const auto row = batch.observations<double>().subspan(i * columns, columns);
      const auto expected = quiet.observations<double>().subspan(i * columns, columns);
      EXPECT_EQ(std::ranges::equal(row, expected), batch.failed()[i] == 0) << i;
    }
  }
}

}  // namespace
}  // namespace servosim::test
