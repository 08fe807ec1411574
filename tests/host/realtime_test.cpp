// SPDX-License-Identifier: Apache-2.0
// Time held to the wall clock. What a busy machine may do is make a run later, never earlier.
#include <gtest/gtest.h>
#include <signal.h>

#include "host/program.h"

namespace servosim {
namespace {

using test::Program;
using test::Project;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

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
  EXPECT_LT(wall_seconds(paced), 1.6);  // a machine that cannot do this twice over cannot test it
  EXPECT_EQ(hash_of(paced), hash_of(fast));
}

TEST(Realtime, AFactorStretchesIt) {
  const Project project("one");
  Program slow({"run", project.world(), "--controller", "arm=", "--duration", "0.2",
                "--realtime-factor", "0.25"});
  EXPECT_EQ(slow.finish(), 0);
  EXPECT_GE(wall_seconds(slow), 0.8);
  EXPECT_FALSE(contains(slow.err(), "cannot keep up"));
}

TEST(Realtime, WhatCannotKeepUpIsTold) {
  const Project project("one");
  Program program(project.run_with("stay", {"--duration", "200", "--realtime-factor", "1e9"}));
  EXPECT_EQ(program.finish(), 0);
  EXPECT_TRUE(contains(program.err(), "servosim: warning: cannot keep up with 1e+09 x real time: "))
      << program.err();
  EXPECT_EQ(program.err().find("cannot keep up"), program.err().rfind("cannot keep up"));
  EXPECT_TRUE(
      contains(program.err(), "servosim: warning: could not keep up with 1e+09 x real time: "));
}

TEST(Realtime, ASignalEndsAWait) {
  const Project project("one");
  Program program({"run", project.world(), "--controller", "arm=" + project.controller("stay"),
                   "--realtime-factor", "1e-300", "--log-level", "debug"});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // compiled and started
  const auto before = std::chrono::steady_clock::now();
  program.send_signal(SIGINT);
  EXPECT_EQ(program.finish(), 130);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(3));
}

// The next step is far off when the signal comes; those before were in time.
TEST(Realtime, AnInterruptedWaitIsNotLate) {
  const Project project("one");
  for (const std::string factor : {"1e-5", "0.01"}) {  // 800 s, 0.8 s for a step
    Program program({"run", project.world(), "--controller", "arm=<none>", "--duration", "9",
                     "--realtime-factor", factor});
    std::this_thread::sleep_for(std::chrono::milliseconds(1400));
    program.send_signal(SIGINT);
    EXPECT_EQ(program.finish(), 130);
    EXPECT_FALSE(contains(program.err(), "keep up")) << program.err();
  }
}

TEST(Realtime, ControllersThatLeaveDuringAWaitEndTheRun) {
  const Project project("one");
  Program program({"run", project.world(), "--controller", "arm=" + project.controller("crash"),
                   "--realtime-factor", "0.01"});
  EXPECT_EQ(program.finish(), 1);
  EXPECT_LT(program.seconds(), 30.0);
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
