// SPDX-License-Identifier: Apache-2.0
// Every world at hand runs ten seconds without a controller: finite, and to the same bits twice,
// alone and beside another simulation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <thread>

#include "servosim/simulation.h"

namespace servosim::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> worlds_in(const fs::path& folder) {
  std::vector<std::string> worlds;
  if (fs::is_directory(folder)) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".wbt") {
        worlds.push_back(entry.path().string());
      }
    }
  }
  std::sort(worlds.begin(), worlds.end());
  return worlds;
}

struct Run {
  std::uint64_t hash = 0;
  std::string not_finite;  // joints, at any time
};

Run run(const std::string& world) {
  LoadOptions options;
  options.random_seed = 3;
  options.notice = [](std::string_view) {};
  Simulation simulation(world, std::move(options));
  const auto steps = static_cast<std::int64_t>(std::ceil(10e3 / simulation.basic_time_step_ms()));
  Run result;
  for (std::int64_t n = 0; n < steps; ++n) {
    simulation.step();
    for (int j = 0; j < simulation.joint_count(); ++j) {
      const JointReading r = simulation.joint(j);
      if (!std::isfinite(r.position + r.velocity + r.commanded_velocity + r.effort)) {
        result.not_finite += simulation.joint_name(j) + ' ';
      }
    }
  }
  result.hash = simulation.state_hash();
  return result;
}

void check(const std::string& world) {
  const Run alone = run(world);
  EXPECT_EQ(alone.not_finite, "");
  EXPECT_EQ(run(world).hash, alone.hash);
  Run together[2];
  std::thread first([&] { together[0] = run(world); });
  std::thread second([&] { together[1] = run(world); });
  first.join();
  second.join();
  EXPECT_EQ(together[0].hash, alone.hash);
  EXPECT_EQ(together[1].hash, alone.hash);
}

TEST(Golden, OurWorlds) {
  const std::vector<std::string> worlds = worlds_in(SERVOSIM_WORLDS_DIR);
  ASSERT_GE(worlds.size(), 3u);
  for (const std::string& world : worlds) {
    SCOPED_TRACE(world);
    check(world);
  }
}

TEST(Golden, WorldsByOthers) {
  if (!fs::is_directory(SERVOSIM_SHARED_WORLDS_DIR)) {
    GTEST_SKIP() << "no folder " << SERVOSIM_SHARED_WORLDS_DIR;
  }
  const std::vector<std::string> worlds = worlds_in(SERVOSIM_SHARED_WORLDS_DIR);
  ASSERT_FALSE(worlds.empty());
  for (const std::string& world : worlds) {
    SCOPED_TRACE(world);
    check(world);
  }
}

}  // namespace
}  // namespace servosim::test
