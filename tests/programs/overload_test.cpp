// SPDX-License-Identifier: Apache-2.0
// Runs of worlds in which too many bodies touch.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "programs/program.h"
#include "programs/shell.h"

namespace servosim::test {
namespace overload_test {

std::string heap(int boxes) {
  std::string text = "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n";
  for (int k = 0; k < boxes; ++k) {
    text += fmt::format(
        "Solid {{ name \"b{}\" translation 3 2 1 boundingObject Box {{ size 0.1 0.1 0.1 }} "
        "physics Physics {{ }} }}\n",
        k);
  }
  return text;
}

TEST(Overload, EndsTheRunWithItsPlaceAndCount) {
  const TempFolder folder;
  const std::string world = folder.write("heap.wbt", heap(60)).string();
  Program refused({"run", world, "--steps", "2", "--quiet", "--step-memory", "0.004"});
  EXPECT_EQ(refused.finish(), 1);
  EXPECT_TRUE(contains(refused.err(), "at Solid \"b0\" (3 2 1): 168 contacts there"))
      << refused.err();
  EXPECT_TRUE(contains(refused.err(), "(--step-memory)")) << refused.err();
}

// malloc fails at a limit of addresses, whatever the limit of the solver is.
TEST(Overload, ByASystemWithoutMemoryEndsTheRunLikewise) {
  if (sizeof(SERVOSIM_SANITIZE) > 1) {
    GTEST_SKIP() << "a sanitized program needs more addresses than a limit could leave it";
  }
  const TempFolder folder;
  folder.write("few.wbt", heap(30));    // 3480 contacts: the limit is below the solver's 2 GB
  folder.write("many.wbt", heap(700));  // a million contacts need more
  for (const char* world : {"few", "many"}) {
    const ShellResult result = shell(
        fmt::format("ulimit -v 300000\nservosim run {}.wbt --steps 2 --quiet --step-memory 15 2>&1",
                    world),
        folder.path());
    EXPECT_EQ(result.status, 1) << world << result.output;
    EXPECT_TRUE(contains(result.output, "too much touches at Solid \"b")) << result.output;
    EXPECT_TRUE(contains(result.output, world == std::string("few")
                                            ? "which the system does not give"
                                            : "no memory for more"))
        << result.output;
  }
}

TEST(StepMemory, IsAtMost16GB) {
  for (const char* const number : {"16.1", "0", "inf", "much"}) {
    Program refused({"run", "w.wbt", "--step-memory", number});
    EXPECT_EQ(refused.finish(), 2) << number;
    EXPECT_TRUE(contains(refused.err(), fmt::format("'{}' is not a number > 0 and <= 16", number)))
        << refused.err();
  }
  const TempFolder folder;
  const std::string world = folder.write("two.wbt", heap(2)).string();
  Program accepted({"run", world, "--steps", "1", "--quiet", "--step-memory", "16"});
  EXPECT_EQ(accepted.finish(), 0) << accepted.err();
}

// Returns the memory that a run may have, as it reports it [GB].
double limit_of(const std::vector<std::string>& arguments) {
  Program program(arguments);
  EXPECT_EQ(program.finish(), 1);
  std::smatch found;
  const std::string said = program.err();
  EXPECT_TRUE(std::regex_search(said, found, std::regex("more than ([0-9.]+) GB can solve")))
      << said;
  return found.empty() ? 0.0 : std::stod(found[1]);
}

// 2700 boxes at one place are too much for 16 GB.
TEST(StepMemory, IsSharedByWorldsThatRunAtOnce) {
  const TempFolder folder;
  const std::string world = folder.write("heap.wbt", heap(2700)).string();
  const double alone = limit_of({"run", world, "--steps", "1", "--quiet"});
  const double shared =
      limit_of({"run", world, "--steps", "1", "--quiet", "--copies", "4", "--jobs", "4"});
  if (alone < 16.0) {
    EXPECT_NEAR(shared, alone / 4, 0.01 * alone);
  }
  EXPECT_LE(shared, alone);
  const double one_after_the_other =
      limit_of({"run", world, "--steps", "1", "--quiet", "--copies", "2", "--jobs", "1"});
  EXPECT_EQ(one_after_the_other, alone);
}

// The list of pairs grows inside ODE's search for pairs, which no exception may leave.
TEST(Overload, ByPairsWithoutMemoryEndsTheRunLikewise) {
  if (sizeof(SERVOSIM_SANITIZE) > 1) {
    GTEST_SKIP() << "a sanitized program needs more addresses than a limit could leave it";
  }
  const TempFolder folder;
  folder.write("heap.wbt", heap(8000));  // 32 million pairs of 8 bytes
  const ShellResult result =
      shell("ulimit -v 640000\nservosim run heap.wbt --steps 2 --quiet --step-memory 15 2>&1",
            folder.path());
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_TRUE(contains(result.output, "too much touches at Solid \"b")) << result.output;
  EXPECT_TRUE(contains(result.output, "pairs of shapes are near each other there, and "))
      << result.output;
  EXPECT_TRUE(contains(result.output, "so far in all, and no memory for more")) << result.output;
}

// A thread of another program may have a stack of 1 MB only.
TEST(Check, ReadsTheDeepestWorldInASmallStack) {
  if (sizeof(SERVOSIM_SANITIZE) > 1) {
    GTEST_SKIP() << "a sanitized program takes more of the stack";
  }
  const TempFolder folder;
  std::string text = "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n";
  for (int k = 0; k < 398; ++k) {
    text += "Solid { children [ HingeJoint { endPoint ";
  }
  text += "Solid { } ";
  for (int k = 0; k < 398; ++k) {
    text += "} ] } ";
  }
  folder.write("deep.wbt", text);
  for (const char* command : {"check deep.wbt", "info deep.wbt", "convert deep.wbt out.wbt"}) {
    const ShellResult result =
        shell(std::string("ulimit -s 1024\nservosim ") + command + " >out 2>&1", folder.path());
    EXPECT_EQ(result.status, 0) << command << "\n" << result.output;
  }
}

TEST(Check, WarnsOfMoreThan500ShapesThatOverlap) {
  const TempFolder folder;
  const std::string world = folder.write("heap.wbt", heap(501)).string();
  const std::string less = folder.write("less.wbt", heap(500)).string();
  Program program({"check", world, less});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_TRUE(contains(program.out(), world + ": warning: 501 shapes overlap each other at the "
                                              "start, around Solid \"b"))
      << program.out();
  EXPECT_EQ(program.last_line(), "2 worlds: 0 errors, 1 warning\n");
}

}  // namespace overload_test
}  // namespace servosim::test
