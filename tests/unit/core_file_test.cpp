// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/file.h"
#include "unit/host_test_support.h"

namespace servosim::test {
namespace {

namespace fs = std::filesystem;

long files_in(const TempFolder& folder) {
  return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
}

// NAME_MAX of Linux's file systems is 255 bytes.
TEST(WriteFile, TakesANameAsLongAsANameCanBe) {
  const TempFolder folder;
  const fs::path path = folder / std::string(255, 'n');
  EXPECT_FALSE(write_file(path, "new", false));
  EXPECT_EQ(read_text(path), "new");
  EXPECT_FALSE(write_file(path, "newer", true));
  EXPECT_EQ(read_text(path), "newer");
  EXPECT_EQ(files_in(folder), 1);
  const auto error = write_file(folder / std::string(256, 'n'), "new", false);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, "cannot be written: File name too long");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteFile, GivesANewFileTheModeOfNewFilesAndKeepsThatOfAnOldOne) {
  const TempFolder folder;
  const fs::path path = folder / "f";
  const mode_t before = ::umask(027);
  EXPECT_FALSE(write_file(path, "new", false));
  ::umask(before);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
  for (const fs::perms mode : {fs::perms(0600), fs::perms(0666), fs::perms(0755)}) {
    fs::permissions(path, mode);
    EXPECT_FALSE(write_file(path, "newer", true));
    EXPECT_EQ(fs::status(path).permissions(), mode);
  }
}

TEST(WriteFile, LeavesAnOldFileAloneUnlessAsked) {
  const TempFolder folder;
  const fs::path path = folder.write("f", "old");
  const auto error = write_file(path, "new", false);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, "exists already");
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(files_in(folder), 1);
}

}  // namespace
}  // namespace servosim::test
