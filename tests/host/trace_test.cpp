// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/program.h"

namespace servosim {
namespace {

using test::contains;
using test::Program;
using test::Project;

// Without controllers.
std::vector<std::string> run_two(const Project& project, std::vector<std::string> more) {
  more.insert(more.begin(), {"run", project.world(), "--controller", "left=", "--controller",
                             "right=", "--steps", "40"});
  return more;
}

TEST(RunTrace, IsJsonLinesWhenItsNameSaysSo) {
  const Project project("two");
  const std::string trace = project / "trace.jsonl";
  Program program(run_two(project, {"--trace", trace}));
  EXPECT_EQ(program.finish(), 0) << program.err();
  std::istringstream lines(test::read_text(trace));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const nlohmann::json header = nlohmann::json::parse(line);
  EXPECT_EQ(header["format"], "servosim trace");
  EXPECT_EQ(header["world"], project.world());
  int steps = 0;
  for (; std::getline(lines, line); ++steps) {
    const nlohmann::json row = nlohmann::json::parse(line);
    EXPECT_EQ(row["joints"].size(), header["joints"].size());
    EXPECT_GT(row["time"], 0.0);
  }
  EXPECT_EQ(steps, 40);
}

TEST(RunTrace, AndTableFollowChosenJoints) {
  const Project project("two");
  const std::string trace = project / "trace.csv";
  Program program(run_two(project, {"--trace", trace, "--watch", "left/*"}));
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.out(), "\nleft/")) << program.out();
  EXPECT_FALSE(contains(program.out(), "\nright/")) << program.out();
  const std::string text = test::read_text(trace);
  EXPECT_TRUE(contains(text, ",left/"));
  EXPECT_FALSE(contains(text, "right/"));
}

TEST(RunTrace, RefusesToWatchNothing) {
  const Project project("two");
  const std::string trace = project / "trace.csv";
  Program program(run_two(project, {"--trace", trace, "--watch", "lift/*"}));
  EXPECT_EQ(program.finish(), 2);
  EXPECT_EQ(program.err(),
            "servosim: error: no joint or propeller matches 'lift/*'; `servosim info WORLD` lists "
            "them\n");
  EXPECT_EQ(program.out(), "");
  EXPECT_FALSE(std::filesystem::exists(trace));
}

}  // namespace
}  // namespace servosim
