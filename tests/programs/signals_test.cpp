// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "base/raw_client.h"
#include "programs/processes.h"
#include "programs/program.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using net::becomes;
using test::all_gone;
using test::catches;
using test::contains;
using test::processes_of;
using test::Program;
using test::Project;

class SignalTest : public testing::TestWithParam<int> {};

TEST_P(SignalTest, TheFirstOneEndsTheRunCleanly) {
  const Project project("one");
  const std::string trace = project / "trace.csv";
  Program program(project.run_with("stay", {"--trace", trace, "--log-level", "debug"}));
  for (int i = 0; i < 4000 && (!fs::exists(trace) || fs::file_size(trace) == 0); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  program.send_signal(GetParam());
  EXPECT_EQ(program.finish(), 128 + GetParam());
  EXPECT_TRUE(contains(program.out(), "told of the end\n"));
  EXPECT_TRUE(contains(program.last_line(), "state_hash: "));
  // The trace ends with a complete row: it has as many cells as the header.
  const std::string text = test::read_text(trace);
  EXPECT_EQ(text.back(), '\n');
  const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
  const std::string first = text.substr(0, text.find('\n'));
  EXPECT_EQ(std::count(last.begin(), last.end(), ','), std::count(first.begin(), first.end(), ','));
}

INSTANTIATE_TEST_SUITE_P(All, SignalTest, testing::Values(SIGINT, SIGTERM, SIGHUP),
                         test::by_signal);

TEST(Signals, WakeARunThatWaitsForAController) {
  const Project project("one");
  Program program(project.run_with("hang"));
  ASSERT_TRUE(program.wait_for_output("hangs\n"));
  program.send_signal(SIGINT);
  EXPECT_EQ(program.finish(), 130);
  EXPECT_TRUE(all_gone(project));
}

// The first signal gives the controller a quarter of an hour, which it would take.
TEST(Signals, TheSecondOneEndsTheRunAtOnce) {
  const Project project("one");
  project.folder().write("controllers/lingers/lingers.c",
                         "#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\n"
                         "#include <webots/robot.h>\n"
                         "int main(void) {\n  signal(SIGTERM, SIG_IGN);\n  wb_robot_init();\n"
                         "  puts(\"steps\");\n  fflush(stdout);\n"
                         "  while (wb_robot_step(16) != -1) {\n  }\n  puts(\"lingers\");\n"
                         "  fflush(stdout);\n  while (1) pause();\n}\n");
  Program program(project.run_with("lingers", {"--end-timeout", "900"}));
  ASSERT_TRUE(program.wait_for_output("steps\n"));
  program.send_signal(SIGINT);
  ASSERT_TRUE(program.wait_for_output("lingers\n"));
  program.send_signal(SIGTERM);
  EXPECT_EQ(program.finish(), 143);
  EXPECT_FALSE(contains(program.out(), "state_hash"));
  EXPECT_TRUE(all_gone(project));
}

// Waits until no more bytes go into a pipe that nobody reads. `unread` returns how many are in it.
void wait_until_full(const std::function<int()>& unread) {
  int waiting = 0;
  for (int i = 0, before = -1; i < 200 && (waiting < 30000 || waiting != before); ++i) {
    before = waiting;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    waiting = unread();
  }
  ASSERT_GE(waiting, 30000) << "of the 65536 bytes a pipe holds";
}

TEST(Signals, EndARunWhoseOutputNobodyReads) {
  const Project project("one");
  Program program(project.run_with("chatter"),
                  {"/", Program::Sink::Unread, Program::Sink::Captured});
  wait_until_full([&] { return program.unread(); });
  program.send_signal(SIGINT);
  EXPECT_EQ(program.finish(), 130);
  EXPECT_TRUE(all_gone(project));
}

// The main thread itself waits for the pipe then, with the table of the joints.
TEST(Signals, EndOutputThatNobodyReads) {
  const Project project("one");
  const std::string trace = project / "trace.csv";
  Program program(
      {"run", project.world(), "--controller", "arm=", "--steps", "5", "--trace", trace},
      {"/", Program::Sink::Full, Program::Sink::Captured});
  const auto rows = [&] {
    const std::string text = test::read_text(trace);
    return std::count(text.begin(), text.end(), '\n');
  };
  ASSERT_TRUE(becomes([&] { return rows() == 6; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it is at the table now
  program.send_signal(SIGTERM);
  EXPECT_EQ(program.finish(), 143);
}

// The pipe is full, so the run waits.
TEST(Signals, EndARunWhoseTraceNobodyReads) {
  const Project project("one");
  const std::string trace = project / "trace";
  ASSERT_EQ(::mkfifo(trace.c_str(), 0600), 0);
  const int unread = ::open(trace.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(unread, 0);
  Program program({"run", project.world(), "--controller", "arm=", "--steps", "1000000000",
                   "--quiet", "--trace", trace});
  wait_until_full([&] {
    int bytes = 0;
    EXPECT_EQ(::ioctl(unread, FIONREAD, &bytes), 0);
    return bytes;
  });
  program.send_signal(SIGTERM);
  EXPECT_EQ(program.finish(), 143);
  EXPECT_TRUE(contains(program.err(), "nobody reads on; its end is lost")) << program.err();
  ::close(unread);
}

// Opening the pipe waits for a reader.
TEST(Signals, EndARunWhoseTraceHasNoReader) {
  const Project project("one");
  const std::string trace = project / "trace";
  ASSERT_EQ(::mkfifo(trace.c_str(), 0600), 0);
  Program program({"run", project.world(), "--controller", "arm=", "--trace", trace});
  ASSERT_TRUE(becomes([&] { return catches(program.pid(), SIGINT); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it waits now
  program.send_signal(SIGINT);
  EXPECT_EQ(program.finish(), 130);
}

// assimp takes 0.3 s to cut each of these polygons into triangles.
std::string slow_mesh() {
  std::string text;
  std::string face = "f";
  for (int i = 1; i <= 10000; ++i) {
    text += "v " + std::to_string(i % 2) + ' ' + std::to_string(i) + " 0\n";
    face += ' ' + std::to_string(i);
  }
  for (int i = 0; i < 50; ++i) {
    text += face + '\n';
  }
  return text;
}

class WhileAMeshIsRead : public testing::TestWithParam<int> {};

TEST_P(WhileAMeshIsRead, EndsItsReaderToo) {
  const Project project("one");
  const fs::path world = project.folder().write("worlds/slow.wbt", R"(#VRML_SIM R2023b utf8
Solid { boundingObject Mesh { url "slow.obj" } physics Physics { } }
)");
  project.folder().write("worlds/slow.obj", slow_mesh());
  Program program({"run", world});
  std::vector<pid_t> children;
  const auto reads = [](pid_t process) {
    std::error_code error;
    const fs::path link = "/proc/" + std::to_string(process) + "/exe";
    return fs::read_symlink(link, error).filename() == "mesh_reader";
  };
  // The program that waits for more files, and its copy that reads this one.
  ASSERT_TRUE(becomes([&] {
    children = test::children_of(program.pid());
    if (!children.empty() && reads(children[0])) {
      const std::vector<pid_t> copies = test::children_of(children[0]);
      children.insert(children.end(), copies.begin(), copies.end());
    }
    return children.size() == 2;
  }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it is at work now
  ASSERT_TRUE(reads(children[1]));
  program.send_signal(GetParam());
  EXPECT_EQ(program.finish(), GetParam() == SIGKILL ? -SIGKILL : 128 + GetParam());
  EXPECT_TRUE(becomes([&] { return !reads(children[0]) && !reads(children[1]); }));
}

INSTANTIATE_TEST_SUITE_P(All, WhileAMeshIsRead, testing::Values(SIGINT, SIGTERM, SIGKILL),
                         test::by_signal);

TEST(Signals, ControllersDieWithServosim) {
  const Project project("one");
  Program program(project.run_with("hang"));
  ASSERT_TRUE(program.wait_for_output("hangs\n"));
  ASSERT_EQ(processes_of(project), 1);
  program.send_signal(SIGKILL);
  EXPECT_EQ(program.finish(), -SIGKILL);
  EXPECT_TRUE(all_gone(project));
}

}  // namespace
}  // namespace servosim
