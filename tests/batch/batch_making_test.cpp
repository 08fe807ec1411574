// SPDX-License-Identifier: Apache-2.0
// How a batch is made, and who watches its instances.
#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "base/memory.h"
#include "batch/batch_worlds.h"
#include "batch/memory_check.h"
#include "servosim/batch.h"

namespace servosim::test {
namespace batch_making_test {

Simulation cart_pole_simulation() { return Simulation::from_text(cart_pole(), {}); }

TEST(MemoryCheck, RefusesWhatIsMoreThanFree) {
  refuse_if_too_large(1000, "it");
  try {
    refuse_if_too_large(std::uint64_t{1} << 62, "a batch of 5 instances");
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::not_enough_memory);
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("a batch of 5 instances needs about 4.61e+09 GB of memory, but "))
        << what;
    EXPECT_TRUE(what.ends_with(" GB are free: make a smaller one")) << what;
  }
}

// Each object takes 1 MB. A few of them are made before the estimate shows that all of them are too
// many.
TEST(MemoryCheck, EstimatesByTheFirstObjects) {
  const auto make = [](std::size_t count) {
    MemoryCheck check(count, "they");
    std::vector<std::vector<char>> made;
    while (made.size() < count) {
      constexpr std::size_t kSize = 1 << 20;
      made.emplace_back(kSize, 'x');
      try {
        check.made_one();
      } catch (const std::system_error&) {
        return made.size();
      }
    }
    return made.size();
  };
  EXPECT_EQ(make(10), 10u);
  EXPECT_LT(make(std::size_t{1} << 40), 8u);
}

TEST(BatchMaking, IsRefusedBeforeItTakesTheMemory) {
  const Simulation world = cart_pole_simulation();
  if (free_memory() > 200'000'000'000) {
    GTEST_SKIP() << "there is memory for ten million instances";
  }
  const std::uint64_t before = heap_in_use();
  EXPECT_THROW(Batch(world, 10'000'000), std::system_error);
  EXPECT_LT(heap_in_use(), before + 50'000'000);
}

TEST(BatchMaking, AnInterruptEndsIt) {
  const Simulation world = cart_pole_simulation();
  int asked = 0;
  const auto yes = [&asked] { return ++asked > 0; };
  EXPECT_THROW(Batch(world, 200'000, {}, yes), std::runtime_error);
  EXPECT_EQ(asked, 1);
  const auto raises = []() -> bool { throw std::out_of_range("mine"); };
  EXPECT_THROW(Batch(world, 200'000, {}, raises), std::out_of_range);
  const Batch whole(world, 50, {}, [] { return false; });
  EXPECT_EQ(whole.size(), 50u);
}

TEST(BatchWatch, SeesEachBasicStepOfItsInstance) {
  Batch batch(cart_pole_simulation(), 5, {.threads = 2, .control_step_ms = 24.0});
  batch.bind({"*.position"}, {"cart.target_force"});
  std::vector<double> times;
  std::vector<double> positions;
  batch.watch(3, [&](Simulation& simulation) {
    times.push_back(simulation.time());
    positions.push_back(simulation.joint("cart").position());
    return times.size() < 8;
  });
  batch.actions<double>()[3] = 4.0;
  ASSERT_TRUE(batch.step());
  const std::vector<double> given(5 * 4, 4.0);
  std::vector<double> seen(5 * 4 * batch.observation_names().size());
  ASSERT_TRUE(batch.rollout<double>(given, 4, seen));
  ASSERT_EQ(times.size(), 8u) << "until it returned false";
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(times[i], 0.008 * static_cast<double>(i), 1e-12);
    EXPECT_GE(positions[i], i > 0 ? positions[i - 1] : 0.0);
  }
  EXPECT_GT(positions.back(), 0.0);
  EXPECT_THROW(batch.watch(5, [](Simulation&) { return true; }), std::out_of_range);
}

TEST(BatchWatch, WhatItThrowsReachesTheCallerAndEndsIt) {
  Batch batch(cart_pole_simulation(), 4, {.threads = 2});
  batch.bind({"time"}, {});
  int calls = 0;
  batch.watch(1, [&calls](Simulation&) -> bool {
    if (++calls > 2) {
      throw std::domain_error("mine");
    }
    return true;
  });
  ASSERT_TRUE(batch.step());
  EXPECT_THROW(static_cast<void>(batch.step()), std::domain_error);
  ASSERT_TRUE(batch.step());
  EXPECT_EQ(calls, 3);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_EQ(batch.failure(i), "");
    EXPECT_NEAR(batch.simulation(i).time(), 0.024, 1e-12);
  }
}

TEST(BatchColumns, SuggestQuantities) {
  Batch batch(cart_pole_simulation(), 1);
  using Names = std::vector<std::string>;
  const auto refusal_of = [&batch](const std::string& observe, const std::string& act) {
    return batch_worlds::refusal([&] {
      batch.bind(observe.empty() ? Names() : Names{observe}, act.empty() ? Names() : Names{act});
    });
  };
  EXPECT_TRUE(refusal_of("cart.postion", "").ends_with("; did you mean 'cart.position'?"));
  EXPECT_TRUE(refusal_of("r/*.Velocity", "").ends_with("; did you mean 'r/*.velocity'?"));
  EXPECT_TRUE(refusal_of("pole.liner_velocity", "").ends_with("'pole.linear_velocity'?"));
  EXPECT_TRUE(refusal_of("r/encoder.valu", "").ends_with("; did you mean 'r/encoder.value'?"));
  EXPECT_TRUE(refusal_of("", "cart.target_forse").ends_with("; did you mean 'cart.target_force'?"));
  EXPECT_TRUE(refusal_of("cart.colour", "").ends_with("or a Lidar with .ranges"));
}

}  // namespace batch_making_test
}  // namespace servosim::test
