// SPDX-License-Identifier: Apache-2.0
// The order of requests, which controllers block a step, and what is kept, with real processes.
#include <cstdlib>

#include "programs/run_fixture.h"

namespace servosim {
namespace {

using test::actor;
using test::Lines;
using test::robot;

using LockStepTest = test::RunFixture;

constexpr const char* kBoss = "supervisor TRUE";

// Both find what the slow worker did in the same step. "x" comes before "y".
Lines findings(int from, int to) {
  Lines found;
  for (int n = from; n <= to; ++n) {
    found.insert("x finds " + std::to_string(n) + (n == 1 ? " after ''" : " after 'y'"));
    found.insert("y finds " + std::to_string(n) + " after 'x'");
  }
  return found;
}

std::string crew() {
  return actor("x", "marks", kBoss) + "DEF W " + actor("w", "works") + actor("y", "marks", kBoss);
}

TEST_F(LockStepTest, SupervisorsAreHeardLastAndInTheirOrder) {
  const Outcome outcome = run(crew(), 10);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), findings(1, 9)) << outcome.err;
}

// This also holds if a script that has closed the link starts them.
TEST_F(LockStepTest, SupervisorsAreHeardAfterThoseThatAreOnTheirWay) {
  folder_.write_program("controllers/late/late",
                        "#!/usr/bin/env python3\n"
                        "import os, sys, time\n"
                        "os.close(int(os.environ['SERVOSIM_CONTROLLER_FD']))\n"
                        "time.sleep(0.5)\n"
                        "os.execv('" SCRIPTED_CONTROLLER "', ['actor', 'prepares'])\n");
  const Outcome outcome = run(actor("boss", "looks", kBoss) + "DEF W " + robot("w", "late"), 5);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"boss finds ready"})) << outcome.err;
}

// In its namespaces the program knows no processes outside and does not see their sockets.
TEST_F(LockStepTest, AControllerMayRunInNamespacesOfItsOwn) {
  if (std::system("unshare -Urpfn true 2>/dev/null") != 0) {
    GTEST_SKIP() << "no namespaces can be made here";
  }
  folder_.write_program("controllers/jail/jail",
                        "#!/bin/sh\nexec unshare -Urpfn --kill-child '" FOLLOWING_CONTROLLER "'\n");
  const Outcome outcome = run(robot("a", "jail"), 5);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000 as jail", "a ends at 0.040"}))
      << outcome.err;
}

TEST_F(LockStepTest, ASupervisorThatStartsAnewHasItsOldTurn) {
  const Outcome outcome = run(crew(), 12, 5, restart("x"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Lines found = lines(outcome.out);
  for (const std::string& line : findings(6, 9)) {
    EXPECT_EQ(found.count(line), 1u) << line << '\n' << outcome.out;
  }
}

TEST_F(LockStepTest, ASupervisorIsHeardAfterAWhileWhenSomebodyWaitsForIt) {
  options_.others_idle_limit = std::chrono::milliseconds(100);
  const Outcome outcome =
      run(actor("boss", "opens", kBoss) + "DEF W " + actor("w", "gated", "customData \"w\""), 5);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"boss opens the gate for w", "w finds gate"}))
      << outcome.err;
}

TEST_F(LockStepTest, ARunWithoutALimitWaitsForThoseThatHaveLeft) {
  const Outcome outcome = run(actor("a", "leaves"), std::nullopt);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a leaves", "a did the rest"})) << outcome.err;
}

TEST_F(LockStepTest, ARunWithALimitDoesNot) {
  const Outcome outcome = run(actor("a", "leaves"), 10);
  EXPECT_EQ(lines(outcome.out), (Lines{"a leaves"})) << outcome.err;
}

TEST_F(LockStepTest, CustomDataIsKeptWhenAControllerStartsAnew) {
  const Outcome outcome =
      run(robot("boss", "<none>", kBoss) + actor("a", "remembers", "customData \"first\""), 10, 5,
          restart("a"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a remembers first", "a remembers mine"})) << outcome.err;
}

TEST_F(LockStepTest, LabelsAreNotInStrictCsv) {
  options_.trace_path = folder_ / "trace.csv";
  const Outcome outcome = run(actor("boss", "labels", kBoss), 5);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(test::read_text(options_.trace_path).find('#'), std::string::npos);
}

TEST_F(LockStepTest, LabelsStandInTraces) {
  options_.trace_path = folder_ / "trace.csv";
  options_.trace.comments = true;
  EXPECT_EQ(run(actor("boss", "labels", kBoss), 5).status, 0);
  const std::string csv = test::read_text(options_.trace_path);
  const std::size_t hello = csv.find("# label 3 at 0.008 s: \"hello \\\"you\\\"\"\n");
  const std::size_t next = csv.find("# label 4 at 0.016 s: \"next\"\n");
  const std::size_t bye = csv.find("# label 3 at 0.016 s: \"bye\"\n");
  EXPECT_NE(hello, std::string::npos) << csv;
  EXPECT_NE(bye, std::string::npos) << csv;
  EXPECT_LT(hello, csv.find("\n0.016,"));
  EXPECT_LT(csv.find("\n0.016,"), next);
  EXPECT_LT(next, bye);
  EXPECT_LT(bye, csv.find("\n0.024,"));
  options_.trace_path = folder_ / "trace.jsonl";
  EXPECT_EQ(run(actor("boss", "labels", kBoss), 5).status, 0);
  const std::string json = test::read_text(options_.trace_path);
  const std::size_t line = json.find("\"label\"");
  ASSERT_NE(line, std::string::npos) << json;
  const std::string label = json.substr(line, json.find('\n', line) - line);
  for (const char* part :
       {"\"id\":3", "hello \\\"you\\\"", "\"x\":0.25", "\"transparency\":0.75"}) {
    EXPECT_NE(label.find(part), std::string::npos) << label;
  }
}

}  // namespace
}  // namespace servosim
