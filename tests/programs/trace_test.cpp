// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "programs/program.h"

namespace servosim {
namespace {

using test::contains;
using test::Program;
using test::Project;

// Returns arguments for a run without controllers.
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
  EXPECT_TRUE(contains(message, "b.csv' contradicts --trace-format jsonl")) << message;
  EXPECT_FALSE(std::filesystem::exists(project / "b.csv"));
  EXPECT_EQ(run({"--trace-format", "jsonl"}).first, 2);
  project.folder().write("file", "in the way");
  const auto [blocked, reason] = run({"--trace", project / "file/below/"});
  EXPECT_EQ(blocked, 2);
  EXPECT_TRUE(contains(reason, "cannot create the folder")) << reason;
}

TEST(RunTrace, RefusesToWatchNothing) {
  const Project project("two");
  const std::string trace = project / "trace.csv";
  Program program(run_two(project, {"--trace", trace, "--watch", "lift/*"}));
  EXPECT_EQ(program.finish(), 2);
  EXPECT_EQ(program.err(),
            "servosim: error: no joint or propeller matches 'lift/*'; there are 'left/wheel'; "
            "`servosim info WORLD` lists them\n");
  EXPECT_EQ(program.out(), "");
  EXPECT_FALSE(std::filesystem::exists(trace));
}

TEST(RunTrace, OverwritesTracesOnly) {
  const Project project("two");
  const std::string kept = test::read_text(project.world());
  const std::string controller = project.controller("greet") + "/greet.c";
  const std::string source = test::read_text(controller);
  const std::string table = project.folder().write("table.csv", "a,b\n1,2\n");
  const std::string link = project / "link.csv";
  std::filesystem::create_symlink(project.world(), link);
  const std::string wbt = "a trace is a .csv or .jsonl file, not '";
  const std::string there = " is there already and is no trace, so it is not overwritten";
  for (const auto& [trace, message] :
       std::vector<std::pair<std::string, std::string>>{{project.world(), wbt},
                                                        {project / "new.WBT", wbt},
                                                        {project / "new.proto", wbt},
                                                        {controller, wbt},
                                                        {project / "new", wbt},
                                                        {link, there},
                                                        {table, there},
                                                        {"-", "a trace does not go to '-'"}}) {
    Program program(run_two(project, {"--trace", trace}));
    EXPECT_EQ(program.finish(), 2) << trace;
    EXPECT_TRUE(contains(program.err(), message)) << program.err();
    EXPECT_EQ(program.out(), "");
  }
  EXPECT_EQ(test::read_text(project.world()), kept);
  EXPECT_EQ(test::read_text(controller), source);
  EXPECT_EQ(test::read_text(table), "a,b\n1,2\n");
  EXPECT_FALSE(std::filesystem::exists(project / "new"));
  // The second run replaces the file of the first.
  for (const char* name : {"a.csv", "a.csv", "B.JSONL", "B.JSONL"}) {
    Program program(run_two(project, {"--trace", project / name}));
    EXPECT_EQ(program.finish(), 0) << program.err();
  }
  EXPECT_EQ(test::read_text(project / "B.JSONL").front(), '{');
}

TEST(RunTrace, OverwritesTracesOnlyAlsoInAFolder) {
  const Project one("one");
  const Project two("two");
  const std::string folder = one / "traces/";
  const std::string table = one.folder().write("traces/one.csv", "a,b\n");
  Program program({"run", one.world(), two.world(), "--trace", folder});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_TRUE(contains(program.err(), "is there already and is no trace")) << program.err();
  EXPECT_EQ(program.out(), "");
  EXPECT_EQ(test::read_text(table), "a,b\n");
}

}  // namespace
}  // namespace servosim
