// SPDX-License-Identifier: Apache-2.0
// Controllers and the simulator itself are killed at random moments.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "controller_api/protocol/extern_entry.h"
#include "programs/processes.h"
#include "programs/program.h"
#include "support/repetitions.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::contains;
using test::Program;
using test::Project;
using test::ScopedVariable;
using Clock = std::chrono::steady_clock;

constexpr unsigned kSeed = 20240611;

// Waits busily, because a sleep would round the moment.
void wait_until(Clock::time_point moment) {
  while (Clock::now() < moment) {
  }
}

/// Runs a project whose controller is compiled, with a folder for temporary files.
class KillTest : public testing::Test {
 protected:
  void SetUp() override {
    Program compiled(
        {"run", one_.world(), "--controller", "arm=" + one_.controller("busy"), "--steps", "1"});
    ASSERT_EQ(compiled.finish(), 0) << compiled.err();
  }

  std::vector<std::string> run(bool two, const std::vector<std::string>& more) const {
    const std::string program = one_.controller("busy") + "/busy";
    std::vector<std::string> arguments{"run", two ? two_.world() : one_.world(), "--trace",
                                       trace()};
    for (const char* robot : {"left", "right"}) {
      if (two) {
        arguments.insert(arguments.end(), {"--controller", robot + ("=" + program)});
      }
    }
    if (!two) {
      arguments.insert(arguments.end(), {"--controller", "arm=" + program});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  // Returns no processes if the run has ended before.
  static std::vector<pid_t> wait_for_controllers(Program& program, std::size_t count) {
    const auto deadline = Clock::now() + 20s;
    while (!program.over() && Clock::now() < deadline) {
      std::vector<pid_t> children = test::children_of(program.pid());
      if (children.size() >= count) {
        return children;
      }
    }
    return {};
  }

  std::string trace() const { return one_ / "trace.csv"; }
  std::vector<std::string> lines_of_trace() const {
    std::istringstream text(test::read_text(trace()));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
      lines.push_back(line);
    }
    return lines;
  }
  // Returns whether all lines except the last `but` have as many cells as the first.
  static bool whole(const std::vector<std::string>& lines, std::size_t but = 0) {
    const auto cells = [](const std::string& line) {
      return std::count(line.begin(), line.end(), ',');
    };
    return std::all_of(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(but),
                       [&](const std::string& line) { return cells(line) == cells(lines[0]); });
  }

  // LeakSanitizer searches for leaks from a child of the simulator. If that child is killed instead
  // of a controller, the simulator waits for ever.
  ScopedVariable no_leak_check_{"LSAN_OPTIONS", "detect_leaks=0"};
  Project one_{"one"};
  Project two_{"two"};
};

long steps_told(const std::string& out) {
  const std::size_t at = out.find(" steps of ");
  const std::size_t begin = at == std::string::npos ? at : out.rfind('\n', at);
  return begin == std::string::npos ? -1 : std::stol(out.substr(begin + 1));
}

// The controller lives for about 10 ms, so the moments are in its start, its initialisation, its
// computation, its steps and its end.
TEST_F(KillTest, AControllerKilledAtARandomMomentEndsTheRunWell) {
  one_.edit("supervisor TRUE", "supervisor FALSE");  // a supervisor would end the run before its
                                                     // first step
  const test::TempFolder temporary;
  const ScopedVariable folder("TMPDIR", temporary.path());
  std::mt19937 random(kSeed);
  int killed = 0;
  const int runs = test::repetitions(24, 120);
  for (int i = 0; i < runs; ++i) {
    const bool two = random() % 2 == 0;
    const bool bounded = random() % 2 == 0;
    const auto delay =
        std::chrono::microseconds(random() % 3 == 0 ? random() % 2000 : random() % 15000);
    const std::size_t victim = random() % (two ? 2 : 1);
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", run " + std::to_string(i));
    Program program(
        run(two, bounded ? std::vector<std::string>{"--steps", "12"} : std::vector<std::string>{}));
    const std::vector<pid_t> controllers = wait_for_controllers(program, two ? 2 : 1);
    wait_until(Clock::now() + delay);
    if (victim < controllers.size() && !program.over()) {
      ::kill(controllers[victim], SIGKILL);
    }
    const int status = program.finish();
    const bool blamed = contains(program.err(), "its controller was ended by SIGKILL");
    killed += blamed;
    ASSERT_EQ(status, blamed ? 1 : 0) << program.err();
    const std::vector<std::string> lines = lines_of_trace();
    ASSERT_EQ(static_cast<long>(lines.size()) - 1, steps_told(program.out())) << program.out();
    ASSERT_TRUE(whole(lines));
    ASSERT_EQ(test::read_text(trace()).back(), '\n');
    if (bounded) {
      ASSERT_EQ(lines.size(), 13u);
    }
    ASSERT_EQ(test::processes_of(one_), 0);
  }
  EXPECT_GT(killed, runs / 4);     // fewer kills would mean that the moments miss its life
  fs::remove(instances_folder());  // fails if the folder is not empty
  EXPECT_TRUE(fs::is_empty(temporary.path()));
}

// Up to 64 KiB of rows are lost with the simulator. The kernel may cut a write at a page of the
// file.
TEST_F(KillTest, TheSimulatorKilledAtARandomMomentLeavesNothingRunning) {
  one_.edit("\"two words\"", "\"long\"");  // makes enough rows to reach the file
  // If the program is killed while it waits for make, it leaves the folder that it made for that.
  const test::TempFolder temporary;
  const ScopedVariable folder("TMPDIR", temporary.path());
  std::mt19937 random(kSeed);
  const int runs = test::repetitions(10, 50);
  for (int i = 0; i < runs; ++i) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", run " + std::to_string(i));
    const bool two = random() % 2 == 0;
    const auto delay = std::chrono::microseconds(random() % 40000);
    fs::remove(trace());
    Program program(run(two, {}));
    wait_for_controllers(program, 1);
    wait_until(Clock::now() + delay);
    program.send_signal(SIGKILL);
    program.finish();
    ASSERT_TRUE(test::all_gone(one_));
    const std::string text = fs::exists(trace()) ? test::read_text(trace()) : "";
    if (text.empty()) {
      continue;
    }
    const bool cut = text.back() != '\n';
    ASSERT_TRUE(!cut || text.size() % 4096 == 0) << text.size();
    ASSERT_TRUE(whole(lines_of_trace(), cut ? 1 : 0));
  }
}

}  // namespace
}  // namespace servosim
