// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "programs/program.h"

namespace servosim {
namespace {

using test::contains;
using test::Program;
using test::Project;

TEST(RadioRun, RobotsHearEachOtherOneStepLater) {
  const Project project("radio");
  Program program({"run", project.world()});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.out(), "49 heard, 0 mistakes\n")) << program.out();
  EXPECT_TRUE(contains(program.out(), "far heard 0\n")) << program.out();
}

TEST(RadioRun, PythonSendsAndReadsWhatItLikes) {
  SKIP_WITHOUT_PYTHON_API();
  const Project project("radio");
  Program program({"run", (project / "worlds/echo.wbt").string()});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.out(), "all read\n")) << program.out();
}

TEST(OldControllers, AreBuiltWithTheCallsOfTheirTime) {
  const Project project("radio");
  const std::string world = (project / "worlds/old.wbt").string();
  Program plain({"run", world});
  EXPECT_EQ(plain.finish(), 0) << plain.err();
  EXPECT_TRUE(contains(plain.out(), "key 0 at 0.05\n")) << plain.out();
  Program made({"run", world, "--controller", "old=" + project.controller("old_made")});
  EXPECT_EQ(made.finish(), 0) << made.err();
  EXPECT_TRUE(contains(made.out(), "key 0 at 0.05\n")) << made.out();
}

TEST(Battery, AnEmptyOneLeavesItsControllerRunning) {
  const Project project("radio");
  Program program({"run", (project / "worlds/weak.wbt").string(), "--duration", "0.2"});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.out(), "weak ends at 0.20\n")) << program.out();
  EXPECT_TRUE(contains(program.out(), "strong ends at 0.20\n")) << program.out();
}

}  // namespace
}  // namespace servosim
