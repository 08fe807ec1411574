// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/program.h"

namespace servosim {
namespace {

using test::Program;
using test::Project;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

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

TEST(RunTrace, OfOneWorldMayGoIntoAFolderToo) {
  const Project project("one");
  const std::string folder = project / "new/traces/";
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run",        project.world(), "--controller",
                                       "arm=<none>", "--steps",       "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Program program(arguments);
    const int status = program.finish();
    return std::pair{status, program.err()};
  };
  const std::string stem = std::filesystem::path(project.world()).stem();
  EXPECT_EQ(run({"--trace", folder}).first, 0);
  EXPECT_TRUE(std::filesystem::exists(folder + stem + ".csv"));
  EXPECT_EQ(run({"--trace", folder, "--trace-format", "jsonl"}).first, 0);
  EXPECT_EQ(test::read_text(folder + stem + ".jsonl").substr(0, 10), "{\"format\":");
  EXPECT_EQ(run({"--trace", project / "a.jsonl", "--trace-format", "jsonl"}).first, 0);

  const auto [status, message] = run({"--trace", project / "b.csv", "--trace-format", "jsonl"});
  EXPECT_EQ(status, 2);
  EXPECT_TRUE(contains(message, "b.csv' says another format than --trace-format jsonl")) << message;
  EXPECT_FALSE(std::filesystem::exists(project / "b.csv"));
  EXPECT_EQ(run({"--trace-format", "jsonl"}).first, 2);
  project.folder().write("file", "in the way");
  const auto [blocked, reason] = run({"--trace", project / "file/below/"});
  EXPECT_EQ(blocked, 2);
  EXPECT_TRUE(contains(reason, "cannot make the folder")) << reason;
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
