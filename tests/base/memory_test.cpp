// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/test_support.h"

namespace servosim::test {
namespace base_memory_test {

using Limit = std::optional<std::uint64_t>;

Limit limit_of(std::string_view groups, const std::string& root) {
  const std::optional<GroupMemory> memory = group_memory(groups, root);
  return memory ? Limit(memory->limit) : std::nullopt;
}

TEST(GroupMemory, OfVersion2IsTheLeastLimitUpThePath) {
  const TempFolder folder;
  const std::string root = folder.path().string();
  folder.write("user.slice/a/b/memory.max", "max\n");
  folder.write("user.slice/a/memory.max", "4000000000\n");
  folder.write("user.slice/memory.max", "8000000000\n");
  folder.write("other/memory.max", "5\n");
  EXPECT_EQ(limit_of("0::/user.slice/a/b\n", root), Limit(4'000'000'000));
  EXPECT_EQ(limit_of("0::/user.slice\n", root), Limit(8'000'000'000));
  EXPECT_EQ(limit_of("0::/\n", root), Limit());
  EXPECT_EQ(limit_of("", root), Limit());
  EXPECT_EQ(limit_of("nonsense", root), Limit());
}

// The folder has the container's group only. The path names the group as seen from outside, or is
// "/".
TEST(GroupMemory, OfAContainerIsThatOfTheTopFolder) {
  const TempFolder folder;
  folder.write("memory.max", "2000000000\n");
  for (const char* const path : {"0::/", "0::/\n", "0::/docker/0123\n", "0::/../x\n"}) {
    EXPECT_EQ(limit_of(path, folder.path().string()), Limit(2'000'000'000)) << path;
  }
}

TEST(GroupMemory, OfVersion1IsThatOfTheMemoryController) {
  const TempFolder folder;
  const std::string root = folder.path().string();
  // This number means no limit.
  folder.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  folder.write("memory/jobs/memory.limit_in_bytes", "3000000000\n");
  folder.write("memory/jobs/7/memory.limit_in_bytes", "6000000000\n");
  folder.write("memory/cpu/memory.limit_in_bytes", "7\n");
  const std::string others = "9:name=systemd:/\n3:cpu,cpuacct:/cpu\n";
  EXPECT_EQ(limit_of(others + "4:memory:/jobs/7\n0::/\n", root), Limit(3'000'000'000));
  EXPECT_EQ(limit_of(others + "4:hugetlb,memory:/jobs\n", root), Limit(3'000'000'000));
  EXPECT_EQ(limit_of(others + "4:memory:/elsewhere\n", root), Limit());
  EXPECT_EQ(limit_of(others, root), Limit());
}

// The system can reclaim file pages, so they do not count as taken.
TEST(GroupMemory, LeavesWhatIsNotTaken) {
  const TempFolder folder;
  folder.write("memory.max", "9000\n");
  folder.write("a/memory.max", "8000\n");
  folder.write("a/memory.current", "7000\n");
  folder.write("a/memory.stat", "anon 5000\ninactive_file 1500\nactive_file 300\n");
  const auto memory = group_memory("0::/a\n", folder.path().string());
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->limit, 8000u);
  EXPECT_EQ(memory->left, 2500u);
  folder.write("a/memory.current", "9900\n");  // the kernel lets usage exceed the limit for a
                                               // moment
  EXPECT_EQ(group_memory("0::/a\n", folder.path().string())->left, 0u);
}

// Memory that the process allocates counts as in use.
TEST(Memory, OfTheProcess) {
  EXPECT_GT(free_memory(), 0u);
  EXPECT_LE(free_memory(), memory_there_is().value_or(free_memory()));
  constexpr std::size_t kSize = 64 << 20;
  const std::uint64_t before = heap_in_use();
  const std::vector<char> taken(kSize, 'x');
  EXPECT_GT(heap_in_use(), before + kSize / 2) << taken.back();
}

}  // namespace base_memory_test
}  // namespace servosim::test
