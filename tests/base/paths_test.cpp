// SPDX-License-Identifier: Apache-2.0
#include "base/paths.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "run/test_support.h"

namespace servosim {
namespace {

TEST(IsWithin, ComparesWholeNames) {
  EXPECT_TRUE(is_within("/a/b", "/a/b"));
  EXPECT_TRUE(is_within("/a/b/c/d", "/a/b"));
  EXPECT_TRUE(is_within("/a", "/"));
  EXPECT_FALSE(is_within("/a/bc", "/a/b"));
  EXPECT_FALSE(is_within("/a", "/a/b"));
  EXPECT_FALSE(is_within("/b/a", "/a"));
}

TEST(FindControllerKit, TakesTheFolderThatServosimHomeNames) {
  const test::TempFolder home;
  const test::ScopedVariable variable("SERVOSIM_HOME", home.path());
  try {
    find_controller_kit();
    FAIL() << "an empty folder is no kit";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), "libController.so and webots/robot.h are not both in '" +
                                (home / "lib/controller").string() + "' and '" +
                                (home / "include/controller/c").string() +
                                "'; SERVOSIM_HOME, if set, must name the folder lib/servosim of an "
                                "installation");
  }
  home.write("lib/controller/libController.so", "x");
  EXPECT_THROW(find_controller_kit(), std::runtime_error);
  home.write("include/controller/c/webots/robot.h", "x");
  EXPECT_EQ(find_controller_kit().library_folder, home / "lib/controller");
  EXPECT_EQ(find_controller_kit().include_folder, home / "include/controller/c");
}

}  // namespace
}  // namespace servosim
