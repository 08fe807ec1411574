// SPDX-License-Identifier: Apache-2.0
#include "run/command.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>

#include "base/child_process.h"
#include "run/signals.h"
#include "run/test_support.h"

namespace servosim {
namespace {

using test::TempFolder;

TEST(RunCommand, GivesBothOutputsAndTheStatus) {
  const TempFolder folder;
  const CommandResult result =
      run_command({"sh", "-c", "pwd; echo to errors >&2; exit 3"}, folder.path(), 10);
  EXPECT_TRUE(result.started);
  EXPECT_FALSE(result.succeeded());
  EXPECT_EQ(describe_wait_status(result.wait_status), "exited with status 3");
  EXPECT_EQ(result.output, folder.path().string() + "\nto errors\n");
}

TEST(RunCommand, NamesTheSignal) {
  const CommandResult result = run_command({"sh", "-c", "kill -SEGV $$"}, "/", 10);
  EXPECT_EQ(describe_wait_status(result.wait_status), "was ended by SIGSEGV");
}

TEST(RunCommand, SaysThatThereIsNoSuchProgram) {
  EXPECT_FALSE(run_command({"servosim-no-such-program"}, "/", 10).started);
}

TEST(RunCommand, PassesArgumentsOnAsTheyAre) {
  const CommandResult result =
      run_command({"printf", "%s|", "a b", "it's", "$HOME", "-x"}, "/", 10);
  EXPECT_EQ(result.output, "a b|it's|$HOME|-x|");
}

TEST(RunCommand, CutsLongOutput) {
  const CommandResult lines =
      run_command({"sh", "-c", "for i in 1 2 3 4 5 6 7; do echo line $i; done"}, "/", 2);
  EXPECT_EQ(lines.output, "line 1\nline 2\n... (7 lines in all)\n");
  // A single endless line is bounded too: 4096 bytes for each line asked for.
  const CommandResult wide = run_command({"head", "-c", "100000", "/dev/zero"}, "/", 2);
  EXPECT_EQ(wide.output, std::string(8192, '\0') + "... (0 lines in all)\n");
}

TEST(RunCommand, GivesNoInput) {
  EXPECT_TRUE(run_command({"cat"}, "/", 10).succeeded());  // would wait for ever otherwise
}

// Both would keep the pipe open for longer than the test may take; `yes` ends when it is closed.
TEST(RunCommand, DoesNotWaitForWhatStaysInTheBackground) {
  for (const char* script : {"echo said; sleep 20 & exit 3", "echo said; yes & exit 3"}) {
    const auto start = std::chrono::steady_clock::now();
    const CommandResult result = run_command({"sh", "-c", script}, "/", 1);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
    EXPECT_EQ(describe_wait_status(result.wait_status), "exited with status 3");
    EXPECT_EQ(result.output.find("said\n"), 0u) << result.output;
  }
}

TEST(RunCommand, ReadsAllThatWasPrintedBeforeTheEnd) {
  const CommandResult result = run_command({"sh", "-c", "seq 7000; sleep 20 & exit"}, "/", 8000);
  EXPECT_EQ(result.output.size(), 33893u);  // 9·2 + 90·3 + 900·4 + 6001·5 bytes
}

TEST(RunCommand, EndsTheGroupAfterASignal) {
  const SignalWatch watch;
  const CommandResult polite =
      run_command({"sh", "-c", "kill -INT $PPID; sleep 20; exit 3"}, "/", 10);
  EXPECT_EQ(describe_wait_status(polite.wait_status), "was ended by SIGTERM");
}

TEST(RunCommand, EndsAStubbornGroupAfterASignal) {
  const SignalWatch watch;
  const CommandResult stubborn =
      run_command({"sh", "-c", "trap '' TERM; kill -INT $PPID; sleep 20; exit 3"}, "/", 10);
  EXPECT_EQ(describe_wait_status(stubborn.wait_status), "was ended by SIGKILL");
}

}  // namespace
}  // namespace servosim
