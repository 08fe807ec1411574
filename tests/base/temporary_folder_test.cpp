// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/files.h"
#include "run/test_support.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using test::ScopedVariable;
using test::TempFolder;

std::string failure_in(const std::string& parent) {
  const ScopedVariable variable("TMPDIR", parent);
  try {
    const TemporaryFolder folder("made");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(TemporaryFolder, IsRemovedWithItsContents) {
  const TempFolder parent;
  const ScopedVariable variable("TMPDIR", parent.path());
  {
    const TemporaryFolder folder("made");
    EXPECT_EQ(fs::path(folder.path()).parent_path(), parent.path());
    EXPECT_EQ(fs::path(folder.path()).filename().string().substr(0, 5), "made-");
    std::ofstream(folder.path() + "/file") << "x";
  }
  EXPECT_TRUE(fs::is_empty(parent.path()));
}

TEST(TemporaryFolder, ReportsTheReasonOfAFailureAndARemedy) {
  const TempFolder parent;
  const std::string what_to_do = "; set TMPDIR to a folder that you may write to";
  EXPECT_EQ(failure_in("/nonexistent"),
            "cannot create a folder in '/nonexistent': No such file or directory" + what_to_do);
  const std::string file = parent.write("file", "x");
  EXPECT_EQ(failure_in(file),
            "cannot create a folder in '" + file + "': Not a directory" + what_to_do);
  // Not even root may create a folder in /proc.
  EXPECT_EQ(failure_in("/proc/self"),
            "cannot create a folder in '/proc/self': No such file or directory" + what_to_do);
}

}  // namespace
}  // namespace servosim
