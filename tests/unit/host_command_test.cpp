// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "host/command.h"
#include "unit/host_test_support.h"

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

}  // namespace
}  // namespace servosim
