// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>
#include <system_error>

#include "core/temporary_folder.h"
#include "unit/host_test_support.h"

namespace servosim::test {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, IsGoneWithAllThatIsInIt) {
  const TempFolder temporary;
  const ScopedVariable tmpdir("TMPDIR", temporary.path());
  std::optional<TemporaryFolder> folder(std::in_place);
  const TemporaryFolder other;
  EXPECT_EQ(folder->path().parent_path(), temporary.path());
  EXPECT_NE(folder->path(), other.path());
  EXPECT_EQ(fs::status(folder->path()).permissions(), fs::perms::owner_all);
  const fs::path path = folder->path();
  fs::create_directories(path / "a/b");
  folder.reset();
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(other.path()));
}

TEST(TemporaryFolder, NamesWhatCannotBeMade) {
  const ScopedVariable tmpdir("TMPDIR", "/proc");
  try {
    const TemporaryFolder folder;
    FAIL() << "nothing was thrown";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
    EXPECT_EQ(std::string(error.what()).find("cannot make a folder like '/proc/servosim-"), 0u);
  }
}

}  // namespace
}  // namespace servosim::test
