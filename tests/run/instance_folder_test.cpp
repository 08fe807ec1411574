// SPDX-License-Identifier: Apache-2.0
#include "run/instance_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "run/test_support.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

class InstanceFolderTest : public testing::Test {
 protected:
  static std::set<std::string> names_in(const std::string& path) {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
  static void leave(const std::string& file) { std::ofstream(file) << "mine\n"; }

  test::TempFolder folder_;
  const test::ScopedVariable tmpdir_{"TMPDIR", folder_.path()};
};

TEST_F(InstanceFolderTest, IsGoneWithAllInItAtTheEnd) {
  std::string path;
  {
    const auto folder = InstanceFolder::claim_closed();
    ASSERT_TRUE(folder);
    path = folder->path();
    fs::create_directories(path + "deep/below");
    leave(path + "deep/below/file");
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(InstanceFolderTest, HasNothingOfARunThatWasKilled) {
  for (const bool open : {false, true}) {
    const auto claim = [open] {
      return open ? InstanceFolder::claim(23456) : InstanceFolder::claim_closed();
    };
    const std::string path = claim()->path();
    fs::create_directories(path + "old");
    for (const fs::path& folder : {fs::path(path), fs::path(path).parent_path().parent_path()}) {
      fs::permissions(folder, fs::perms::owner_all);
    }
    for (const char* name : {"lock", "left", "extern", "old/left"}) {
      leave(path + name);
    }
    const auto folder = claim();
    ASSERT_TRUE(folder);
    EXPECT_EQ(folder->path(), path);
    EXPECT_EQ(names_in(path).size(), open ? 2u : 1u);
    EXPECT_EQ(names_in(path).count("left"), 0u);
  }
}

TEST_F(InstanceFolderTest, OfOneRunIsNotTakenAwayByTheEndOfAnother) {
  std::atomic<int> spoilt{0};
  std::vector<std::thread> runs;
  for (int r = 0; r < 3; ++r) {
    runs.emplace_back([&] {
      for (int i = 0; i < 400; ++i) {
        const auto folder = InstanceFolder::claim_closed();
        if (!folder) {
          ++spoilt;
          continue;
        }
        leave(folder->path() + "mine");
        std::this_thread::yield();
        std::error_code error;
        const bool whole = fs::exists(folder->path() + "mine", error) &&
                           fs::exists(folder->path() + "lock", error);
        spoilt += whole ? 0 : 1;
      }
    });
  }
  for (std::thread& run : runs) {
    run.join();
  }
  EXPECT_EQ(spoilt, 0);
}

TEST_F(InstanceFolderTest, IsNoneWhereNoFolderCanBeMade) {
  const test::ScopedVariable nowhere("TMPDIR", "/dev/null");
  EXPECT_FALSE(InstanceFolder::claim_closed());
}

}  // namespace
}  // namespace servosim
