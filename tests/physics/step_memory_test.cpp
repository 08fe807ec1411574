// SPDX-License-Identifier: Apache-2.0
// The memory that a step may have without an option.
#include "physics/step_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "run/test_support.h"

namespace servosim::test {
namespace physics_step_memory_test {

using Limit = std::optional<std::uint64_t>;

TEST(StepMemory, OfVersion2IsTheLeastLimitUpThePath) {
  const TempFolder folder;
  const std::string root = folder.path().string();
  folder.write("user.slice/a/b/memory.max", "max\n");
  folder.write("user.slice/a/memory.max", "4000000000\n");
  folder.write("user.slice/memory.max", "8000000000\n");
  folder.write("other/memory.max", "5\n");
  EXPECT_EQ(group_memory_limit("0::/user.slice/a/b\n", root), Limit(4'000'000'000));
  EXPECT_EQ(group_memory_limit("0::/user.slice\n", root), Limit(8'000'000'000));
  EXPECT_EQ(group_memory_limit("0::/\n", root), Limit());
  EXPECT_EQ(group_memory_limit("", root), Limit());
  EXPECT_EQ(group_memory_limit("nonsense", root), Limit());
}

// The folder has the container's group alone, under a path that names it from outside, or "/".
TEST(StepMemory, OfAContainerIsThatOfTheTopFolder) {
  const TempFolder folder;
  folder.write("memory.max", "2000000000\n");
  for (const char* const path : {"0::/", "0::/\n", "0::/docker/0123\n", "0::/../x\n"}) {
    EXPECT_EQ(group_memory_limit(path, folder.path().string()), Limit(2'000'000'000)) << path;
  }
}

TEST(StepMemory, OfVersion1IsThatOfTheMemoryController) {
  const TempFolder folder;
  const std::string root = folder.path().string();
  folder.write("memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  folder.write("memory/jobs/memory.limit_in_bytes", "3000000000\n");
  folder.write("memory/jobs/7/memory.limit_in_bytes", "6000000000\n");
  folder.write("memory/cpu/memory.limit_in_bytes", "7\n");
  const std::string others = "9:name=systemd:/\n3:cpu,cpuacct:/cpu\n";
  EXPECT_EQ(group_memory_limit(others + "4:memory:/jobs/7\n0::/\n", root), Limit(3'000'000'000));
  EXPECT_EQ(group_memory_limit(others + "4:hugetlb,memory:/jobs\n", root), Limit(3'000'000'000));
  EXPECT_EQ(group_memory_limit(others + "4:memory:/elsewhere\n", root), Limit());
  EXPECT_EQ(group_memory_limit(others, root), Limit());
}

TEST(StepMemory, IsSharedByWorldsAndBounded) {
  const std::size_t alone = default_step_memory();
  EXPECT_GT(alone, 0u);
  EXPECT_LE(alone, kMaxStepMemory);
  for (const std::size_t worlds : {2, 16}) {
    EXPECT_LE(default_step_memory(worlds), alone);
    EXPECT_GE(default_step_memory(worlds), alone / worlds);
  }
  EXPECT_LT(default_step_memory(4096), alone);
}

}  // namespace physics_step_memory_test
}  // namespace servosim::test
