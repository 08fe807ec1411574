// SPDX-License-Identifier: Apache-2.0
// Simulated time that follows the wall clock. A busy machine may make a run later, never earlier.
#include <gtest/gtest.h>
#include <signal.h>

#include "base/raw_client.h"
#include "programs/processes.h"
#include "programs/program.h"

namespace servosim {
namespace {

using test::contains;
using test::Program;
using test::Project;

std::string hash_of(const Program& program) {
  return program.out().substr(program.out().find("state_hash: "));
}

double wall_seconds(const Program& program) {
  const std::size_t at = program.out().find(" simulated in ");
  return at == std::string::npos ? -1.0 : std::stod(program.out().substr(at + 14));
}

TEST(Realtime, TakesTheTimeThatItSimulatesAndChangesNothing) {
  const Project project("one");
  Program fast(project.run_with("stay", {"--duration", "0.8", "--mode", "fast"}));
  EXPECT_EQ(fast.finish(), 0);
  Program paced(project.run_with("stay", {"--duration", "0.8", "--mode", "realtime"}));
  EXPECT_EQ(paced.finish(), 0);
  EXPECT_GE(wall_seconds(paced), 0.8);
  EXPECT_EQ(hash_of(paced), hash_of(fast));
}

TEST(Realtime, AFactorStretchesIt) {
  const Project project("one");
  Program slow({"run", project.world(), "--controller", "arm=", "--duration", "0.2",
                "--realtime-factor", "0.25"});
  EXPECT_EQ(slow.finish(), 0);
  EXPECT_GE(wall_seconds(slow), 0.8);
}

TEST(Realtime, WhatCannotKeepUpIsTold) {
  const Project project("one");
  Program program({"run", project.world(), "--controller", "arm=", "--duration", "2000",
                   "--realtime-factor", "1e9"});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_TRUE(contains(program.err(), "servosim: warning: cannot keep up with 1e+09 x real time: "))
      << program.err();
  EXPECT_TRUE(
      contains(program.err(), "servosim: warning: could not keep up with 1e+09 x real time: "));
}

// The wait would last longer than finish() waits before it kills the program.
TEST(Realtime, ASignalEndsAWait) {
  const Project project("one");
  project.folder().write("controllers/says/says.c",
                         "#include <stdio.h>\n#include <webots/robot.h>\n"
                         "int main(void) {\n  wb_robot_init();\n  puts(\"steps\");\n"
                         "  fflush(stdout);\n  while (wb_robot_step(8) != -1) {\n  }\n"
                         "  wb_robot_cleanup();\n  return 0;\n}\n");
  Program program(project.run_with("says", {"--realtime-factor", "1e-300"}));
  ASSERT_TRUE(program.wait_for_output("steps\n"));
  program.send_signal(SIGINT);
  EXPECT_EQ(program.finish(), 130);
}

// The next step is due in 800 s when the signal comes.
TEST(Realtime, AnInterruptedWaitIsNotLate) {
  const Project project("one");
  const std::string trace = project / "trace.csv";
  Program program({"run", project.world(), "--controller", "arm=<none>", "--duration", "9",
                   "--realtime-factor", "1e-5", "--trace", trace});
  ASSERT_TRUE(net::becomes([&] { return std::filesystem::exists(trace); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it waits now
  program.send_signal(SIGINT);
  EXPECT_EQ(program.finish(), 130);
  EXPECT_FALSE(contains(program.err(), "keep up")) << program.err();
}

TEST(Realtime, ControllersThatLeaveDuringAWaitEndTheRun) {
  const Project project("one");
  Program program({"run", project.world(), "--controller", "arm=" + project.controller("crash"),
                   "--realtime-factor", "0.01"});
  EXPECT_EQ(program.finish(), 1);
}

TEST(Realtime, WrongArgumentsAreRefused) {
  const Project project("one");
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--mode", "run"},
                                             {"--realtime-factor", "0"},
                                             {"--realtime-factor", "-1"},
                                             {"--realtime-factor", "inf"},
                                             {"--realtime-factor", "nan"},
                                             {"--realtime-factor", "2", "--mode", "fast"}}) {
    std::vector<std::string> arguments{"run", project.world(), "--controller", "arm="};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Program program(arguments);
    EXPECT_EQ(program.finish(), 2) << testing::PrintToString(arguments);
    EXPECT_NE(program.err(), "");
  }
}

}  // namespace
}  // namespace servosim
