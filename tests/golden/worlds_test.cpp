// SPDX-License-Identifier: Apache-2.0
// Every world runs a thousand steps with swinging motors. The result is finite and has the same
// bits in two runs: alone, and as one of four at the same time. The same holds for a control board.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "run_board.h"
#include "run_worlds.h"

namespace servosim::test {
namespace {

constexpr std::int64_t kSteps = 1000;

std::uint64_t hash_of(const std::string& world) {
  return swing(world, kSteps, [](const Simulation&) {});
}

// Returns the results of `run` in four threads at the same time.
template <typename Run>
std::array<std::uint64_t, 4> side_by_side(Run run) {
  std::array<std::uint64_t, 4> hashes{};
  std::vector<std::thread> threads;
  for (std::uint64_t& hash : hashes) {
    threads.emplace_back([&hash, &run] { hash = run(); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return hashes;
}

void check(const std::string& world) {
  SCOPED_TRACE(world);
  std::string not_finite;
  const std::uint64_t alone = swing(world, kSteps, [&](const Simulation& simulation) {
    for (int j = 0; j < simulation.joints().size(); ++j) {
      const JointReading r = simulation.joint(j).reading();
      if (!std::isfinite(r.position + r.velocity + r.commanded_velocity + r.effort)) {
        not_finite += simulation.joint(j).name() + ' ';
      }
    }
  });
  EXPECT_EQ(not_finite, "");
  for (const std::uint64_t hash : side_by_side([&] { return hash_of(world); })) {
    EXPECT_EQ(hash, alone);
  }
}

TEST(Golden, OurWorlds) {
  const std::vector<std::string> worlds = worlds_in(SERVOSIM_WORLDS_DIR);
  ASSERT_GE(worlds.size(), 12u);
  for (const std::string& world : worlds) {
    check(world);
  }
}

TEST(Golden, ABoardInEveryMode) {
  const auto run = [] { return exercise_board(SERVOSIM_WORLDS_DIR); };
  const std::uint64_t alone = run();
  for (const std::uint64_t hash : side_by_side(run)) {
    EXPECT_EQ(hash, alone);
  }
}

TEST(Golden, WorldsOfEveryEra) {
  const std::vector<std::string> worlds = worlds_in(SERVOSIM_TEST_DIR "/worlds/eras");
  ASSERT_EQ(worlds.size(), 6u);
  for (const std::string& world : worlds) {
    check(world);
  }
}

}  // namespace
}  // namespace servosim::test
