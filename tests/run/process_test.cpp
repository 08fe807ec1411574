// SPDX-License-Identifier: Apache-2.0
#include "run/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/child_process.h"
#include "run/signals.h"
#include "run/test_support.h"

namespace servosim {

namespace {

using test::ScopedVariable;
using test::TempFolder;

std::string read_all(const Descriptor& descriptor) {
  std::string text;
  char buffer[256];
  for (ssize_t n; (n = ::read(descriptor.get(), buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

int wait_for(ControllerProcess& process) {
  std::optional<int> status;
  while (!(status = process.wait_status())) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return *status;
}

class ControllerProcessTest : public testing::Test {
 protected:
  LaunchSpec script(const std::string& body) {
    const auto program = folder_.write_program("a controller", "#!/bin/bash\n" + body);
    return {program, {}, folder_.path(), {}};
  }
  TempFolder folder_;
};

TEST_F(ControllerProcessTest, GetsArgumentsFolderAndEnvironment) {
  LaunchSpec spec = script("echo \"$#:$1:$2\"; pwd; echo \"$WEBOTS_ROBOT_NAME/$SERVOSIM_WORLD\"");
  const ScopedVariable ours("WEBOTS_ROBOT_NAME", "of servosim itself");
  const ScopedVariable misleading("SERVOSIM_WORLD", "embedded.wbt");
  spec.arguments = {"two words", "it's; $HOME"};
  spec.environment = {{"WEBOTS_ROBOT_NAME", "Bärbel = 7"}};
  ControllerProcess process(spec);
  EXPECT_EQ(read_all(process.take_output()),
            "2:two words:it's; $HOME\n" + folder_.path().string() + "\nBärbel = 7/\n");
  EXPECT_EQ(wait_for(process), 0);
}

// A controller of another run may start a run.
TEST_F(ControllerProcessTest, HasNoFolderOfAnotherRun) {
  const ScopedVariable outer("WEBOTS_INSTANCE_PATH", "/tmp/of/another/");
  ControllerProcess process(script("echo \"${WEBOTS_INSTANCE_PATH-none}\""));
  EXPECT_EQ(read_all(process.take_output()), "none\n");
  EXPECT_EQ(wait_for(process), 0);
}

TEST_F(ControllerProcessTest, KeepsItsStreamsApartAndHasNoInput) {
  ControllerProcess process(script("echo out; echo err >&2; cat; exit 6"));
  EXPECT_EQ(read_all(process.take_output()), "out\n");
  EXPECT_EQ(read_all(process.take_errors()), "err\n");
  EXPECT_EQ(describe_wait_status(wait_for(process)), "exited with status 6");
}

TEST_F(ControllerProcessTest, InheritsTheLinkAndNothingElse) {
  const Descriptor leaky(::open("/dev/null", O_RDONLY));  // opened without O_CLOEXEC
  ASSERT_GT(leaky.get(), 2);
  ControllerProcess process(script(
      "echo hello >&$SERVOSIM_CONTROLLER_FD; set -- /proc/$$/fd/*; echo $#; "
      "test -e /proc/$$/fd/" +
      std::to_string(leaky.get()) +
      " && test $SERVOSIM_CONTROLLER_FD != " + std::to_string(leaky.get()) + " && echo leaked"));
  const Descriptor link = process.take_link();
  char buffer[16];
  ASSERT_EQ(::recv(link.get(), buffer, sizeof buffer, 0), 6);
  EXPECT_EQ(std::string(buffer, 6), "hello\n");
  // The six are 0, 1, 2, the link, the shell's own for the script, and that of the folder which it
  // lists.
  EXPECT_EQ(read_all(process.take_output()), "6\n");
}

TEST_F(ControllerProcessTest, SeesTheEndOfTheLinkWhenItExits) {
  ControllerProcess process(script("exit 0"));
  const Descriptor link = process.take_link();
  char byte;
  EXPECT_EQ(::recv(link.get(), &byte, 1, 0), 0);
}

TEST_F(ControllerProcessTest, DiesOfABrokenPipeLikeAnyProgram) {
  const auto old = ::signal(SIGPIPE, SIG_IGN);
  ControllerProcess process(script("kill -PIPE $$; sleep 5; exit 3"));
  ::signal(SIGPIPE, old);
  EXPECT_EQ(describe_wait_status(wait_for(process)), "was ended by SIGPIPE");
}

// A core file of an earlier crash does not belong to this process.
TEST_F(ControllerProcessTest, KnowsItsOwnCoreFile) {
  namespace fs = std::filesystem;
  const fs::path old = folder_.write("core", "of another program");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::seconds(2));
  ControllerProcess process(script("exit 0"));
  static_cast<void>(wait_for(process));
  EXPECT_EQ(process.core_file(), "");
  ControllerProcess other(script("echo new > core.$$"));
  static_cast<void>(wait_for(other));
  EXPECT_EQ(other.core_file(), (folder_ / ("core." + std::to_string(other.pid()))).string());
  ControllerProcess plain(script("echo new > core"));
  static_cast<void>(wait_for(plain));
  EXPECT_EQ(plain.core_file(), (folder_ / "core").string());
}

TEST_F(ControllerProcessTest, IsEndedWithItsWholeGroup) {
  // The grandchild would keep the pipe open for a minute.
  ControllerProcess process(script("sleep 60 & echo started; wait"));
  const Descriptor output = process.take_output();
  char buffer[16];
  ASSERT_EQ(::read(output.get(), buffer, sizeof buffer), 8);
  process.signal(SIGTERM);
  EXPECT_EQ(describe_wait_status(wait_for(process)), "was ended by SIGTERM");
  EXPECT_EQ(read_all(output), "");
}

TEST_F(ControllerProcessTest, TakesItsGroupWithItWhenItEndsByItself) {
  ControllerProcess process(script("sleep 60 & exit 4"));
  const Descriptor output = process.take_output();
  EXPECT_EQ(describe_wait_status(wait_for(process)), "exited with status 4");
  EXPECT_EQ(read_all(output), "");
}

TEST_F(ControllerProcessTest, IsKilledByTheDestructor) {
  Descriptor output;
  {
    ControllerProcess process(script("trap '' TERM INT HUP; echo started; while :; do :; done"));
    output = process.take_output();
    char buffer[16];
    ASSERT_EQ(::read(output.get(), buffer, sizeof buffer), 8);
  }
  EXPECT_EQ(read_all(output), "");
}

TEST_F(ControllerProcessTest, DiesWithTheThreadThatStartedIt) {
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    ControllerProcess process(script("echo $$ > pid.new; mv pid.new pid; sleep 60"));
    while (!std::filesystem::exists(folder_ / "pid")) {
    }
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(parent, nullptr, 0);
  const pid_t controller = std::stoi(test::read_text(folder_ / "pid"));
  for (int i = 0; i < 2000 && ::kill(controller, 0) == 0; ++i) {
    // The zombie of an orphan stays until init has reaped it. A zombie has no command line.
    if (test::read_text("/proc/" + std::to_string(controller) + "/cmdline").empty()) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_NE(::kill(controller, 0), 0);
}

TEST_F(ControllerProcessTest, ThrowsIfItCannotStart) {
  const LaunchSpec absent{folder_ / "absent", {}, folder_.path(), {}};
  EXPECT_THROW(ControllerProcess{absent}, std::system_error);
  LaunchSpec no_folder = script("exit 0");
  no_folder.folder = folder_ / "absent";
  EXPECT_THROW(ControllerProcess{no_folder}, std::system_error);
  folder_.write_program("no interpreter", "#!/no/such/interpreter\n");
  EXPECT_THROW(ControllerProcess({folder_ / "no interpreter", {}, folder_.path(), {}}),
               std::system_error);
}

// Starting it needs nine descriptors. The last one is the input, in place of which the process must
// not get ours.
TEST_F(ControllerProcessTest, ThrowsWithTooFewDescriptors) {
  const LaunchSpec spec = script("exit 0");
  std::vector<rlim_t> next;  // descriptors that become free, in this order
  {
    std::vector<Descriptor> taken;
    for (int i = 0; i < 9; ++i) {
      taken.emplace_back(::dup(STDIN_FILENO));
      next.push_back(static_cast<rlim_t>(taken.back().get()));
    }
  }
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  for (const rlim_t limit : next) {
    const rlimit few{limit, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    EXPECT_THROW(ControllerProcess{spec}, std::system_error) << limit;
    ::setrlimit(RLIMIT_NOFILE, &old);
  }
}

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
  // A single endless line is bounded, too: 4096 bytes for each requested line.
  const CommandResult wide = run_command({"head", "-c", "100000", "/dev/zero"}, "/", 2);
  EXPECT_EQ(wide.output, std::string(8192, '\0') + "... (0 lines in all)\n");
}

TEST(RunCommand, KeepsTheLastLines) {
  const auto last_two = [](const char* script) {
    return run_command({"sh", "-c", script}, "/", 2, KeptLines::Last).output;
  };
  EXPECT_EQ(last_two("for i in 1 2 3 4 5 6 7; do echo line $i; done"),
            "... (7 lines in all)\nline 6\nline 7\n");
  EXPECT_EQ(last_two("echo a; echo b"), "a\nb\n");
  EXPECT_EQ(last_two("printf 'a\\nb\\nc'"), "... (2 lines in all)\nb\nc");
  EXPECT_EQ(last_two("head -c 100000 /dev/zero; printf x"),
            "... (0 lines in all)\n" + std::string(8191, '\0') + 'x');
}

TEST(RunCommand, GivesNoInput) {
  EXPECT_TRUE(run_command({"cat"}, "/", 10).succeeded());  // would otherwise wait for ever
}

// Both would keep the pipe open for longer than any test may take. `yes` ends when the pipe is
// closed.
TEST(RunCommand, DoesNotWaitForWhatStaysInTheBackground) {
  const TempFolder folder;
  const auto run = [&](const char* script) {
    const CommandResult result = run_command({"sh", "-c", script}, folder.path().string(), 1);
    EXPECT_EQ(describe_wait_status(result.wait_status), "exited with status 3");
    EXPECT_EQ(result.output.find("said\n"), 0u) << result.output;
  };
  run("echo said; sleep 1000 & echo $! >pid; exit 3");
  EXPECT_EQ(::kill(std::stoi(test::read_text(folder / "pid")), SIGKILL), 0);
  run("echo said; yes & exit 3");
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
