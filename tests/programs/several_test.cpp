// SPDX-License-Identifier: Apache-2.0
// Several worlds in one run.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <regex>

#include "programs/processes.h"
#include "programs/program.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::count;
using test::Program;
using test::Project;
using Arguments = std::vector<std::string>;

// The project has copies of its world by these names, each with this controller for its robot.
using Names = std::vector<std::pair<std::string, std::string>>;

struct Worlds {
  explicit Worlds(const Names& controllers) {
    for (const auto& [name, controller] : controllers) {
      std::string text = test::read_text(project.world());
      const std::string old = "\"wave\"";
      text.replace(text.find(old), old.size(), '"' + controller + '"');
      paths.push_back(project.folder().write("worlds/" + name + ".wbt", text));
    }
  }
  Arguments run(const Arguments& more) const {
    Arguments arguments{"run"};
    arguments.insert(arguments.end(), paths.begin(), paths.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  Project project{"one"};
  Arguments paths;
};

TEST(Several, EachHasItsLineInTheOrderGiven) {
  const Worlds worlds({{"a", "stay"}, {"b", "<none>"}, {"c", "stay"}});
  Program program(worlds.run({"--steps", "25", "--jobs", "2", "--log-level", "warning"}));
  EXPECT_EQ(program.finish(), 0) << program.err();
  std::string pattern;
  for (const std::string name : {"a", "b", "c"}) {
    pattern += "(\\[.*\\] told of the end\n)*.*/" + name +
               "\\.wbt: ok, 25 steps, 0\\.2 s simulated in [0-9.]+ s, state_hash [0-9a-f]{16}\n";
  }
  EXPECT_TRUE(std::regex_match(program.out(), std::regex(pattern))) << program.out();
  EXPECT_EQ(program.err(), "");
}

TEST(Several, CopiesHaveNumbersSeedsAndTraces) {
  const Worlds worlds({{"a", "index"}, {"idle", "<none>"}});
  std::string text = test::read_text(worlds.paths[0]);
  const std::string sensor = "name \"angle\"";
  text.replace(text.find(sensor), sensor.size(), sensor + " noise 0.02");
  text.replace(text.find("\"index\""), 7, "\"wave\"");
  worlds.project.folder().write("worlds/noisy.wbt", text);
  const std::string noisy = worlds.project / "worlds/noisy.wbt";
  const std::string traces = (worlds.project / "traces").string() + '/';
  // The same file is named twice in different ways, and another world once.
  Program program({"run", noisy, worlds.project / "worlds/../worlds/noisy.wbt", worlds.paths[1],
                   "--seed", "5", "--quiet", "--trace", traces});
  EXPECT_EQ(program.finish(), 0) << program.err();
  const auto alone = [&](const std::string& seed) {
    Program one({"run", noisy, "--seed", seed, "--quiet"});
    EXPECT_EQ(one.finish(), 0);
    return one.last_line();
  };
  const std::string first = alone("5");
  EXPECT_NE(first, alone("6"));
  EXPECT_TRUE(contains(program.out(), noisy + "#0: " + first)) << program.out();
  EXPECT_TRUE(contains(program.out(), "noisy.wbt#1: " + alone("6"))) << program.out();
  EXPECT_TRUE(contains(program.out(), worlds.paths[1] + ": state_hash")) << program.out();
  for (const char* const trace : {"noisy-0.csv", "noisy-1.csv", "idle.csv"}) {
    EXPECT_TRUE(fs::exists(traces + trace)) << trace;
  }

  Program copies({"run", worlds.paths[0], "--copies", "3", "--steps", "5"});
  EXPECT_EQ(copies.finish(), 0) << copies.err();
  for (const std::string index : {"0", "1", "2"}) {
    EXPECT_TRUE(contains(copies.out(), "[" + worlds.paths[0] + "#" + index + "] index " + index))
        << copies.out();
    EXPECT_TRUE(contains(copies.out(), worlds.paths[0] + "#" + index + ": ok, 5 steps"));
  }
}

// As with one world, --quiet leaves the hash and the controllers' output.
TEST(Several, QuietLeavesTheHashAndWhatControllersPrint) {
  const Worlds worlds({{"a", "stay"}, {"b", "<none>"}});
  Program program(worlds.run({"--steps", "25", "--jobs", "1", "--quiet"}));
  EXPECT_EQ(program.finish(), 0) << program.err();
  const std::string a = worlds.paths[0];
  const std::string b = worlds.paths[1];
  Program one({"run", a, "--steps", "25", "--quiet"});
  EXPECT_EQ(one.finish(), 0);
  Program other({"run", b, "--steps", "25", "--quiet"});
  EXPECT_EQ(other.finish(), 0);
  EXPECT_EQ(one.out(), "told of the end\n" + one.last_line());
  EXPECT_EQ(program.out(),
            "[" + a + "] told of the end\n" + a + ": " + one.last_line() + b + ": " + other.out());
  EXPECT_EQ(program.err(), "");
}

TEST(Several, HaveTheHashesTheyHaveAlone) {
  const Worlds worlds({{"a", "stay"}, {"b", "wave"}});
  Program together(worlds.run({"--steps", "50"}));
  EXPECT_EQ(together.finish(), 0) << together.err();
  for (const std::string& world : worlds.paths) {
    Program alone({"run", world, "--steps", "50", "--quiet"});
    EXPECT_EQ(alone.finish(), 0);
    const std::string hash = alone.out().substr(alone.out().find(": ") + 2, 16);
    EXPECT_TRUE(contains(together.out(), "state_hash " + hash)) << together.out();
  }
  EXPECT_TRUE(contains(together.out(), "[" + worlds.paths[0] + "] told of the end\n"));
}

TEST(Several, AFailureOfOneIsItsAlone) {
  const Worlds worlds({{"a", "crash"}, {"b", "stay"}, {"c", "leave"}});
  Program program(worlds.run({"--steps", "25"}));
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.out(),
                       "/a.wbt: failed (exit 1): robot 'arm': its controller was "
                       "ended by SIGABRT at 0.016 s; its last line: last line"))
      << program.out();
  EXPECT_TRUE(contains(program.out(), "/b.wbt: ok, 25 steps"));
  EXPECT_TRUE(contains(program.err(), "[" + worlds.paths[0] + "] servosim: error: robot 'arm'"));
}

TEST(Several, BadInputOfOneIsStatus2) {
  const Worlds worlds({{"a", "stay"}, {"b", "broken"}, {"c", "crash"}});
  Arguments arguments = worlds.run({"--steps", "25"});
  arguments.push_back(worlds.project / "absent.wbt");
  Program program(arguments);
  EXPECT_EQ(program.finish(), 2);
  EXPECT_TRUE(contains(program.out(), "/a.wbt: ok, 25 steps"));
  EXPECT_TRUE(contains(program.out(), "/b.wbt: failed (exit 2): robot 'arm': controller 'broken'"))
      << program.out();
  EXPECT_TRUE(contains(program.out(), "/c.wbt: failed (exit 1): "));
  EXPECT_TRUE(contains(program.out(), "/absent.wbt: failed (exit 2): ")) << program.out();
}

// The process of one world is killed, as if it had crashed.
TEST(Several, ACrashOfOneProcessIsItsAlone) {
  const Worlds worlds({{"a", "hang"}, {"b", "stay"}});
  Program program(worlds.run({"--steps", "25", "--jobs", "2"}));
  ASSERT_TRUE(program.wait_for_output("hangs\n"));
  const std::vector<pid_t> children = test::children_of(program.pid());
  ASSERT_FALSE(children.empty());
  ::kill(children.front(), SIGKILL);
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.out(), "/a.wbt: failed (was ended by SIGKILL)\n")) << program.out();
  EXPECT_TRUE(contains(program.out(), "/b.wbt: ok, 25 steps"));
  EXPECT_TRUE(test::all_gone(worlds.project));
}

TEST(Several, BuildASharedControllerOnce) {
  Names eight;
  for (int i = 0; i < 8; ++i) {
    eight.emplace_back("w" + std::to_string(i), "stay");
  }
  const Worlds worlds(eight);
  Program program(worlds.run({"--steps", "5", "--jobs", "8"}));
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_EQ(count(program.out(), ".wbt: ok, 5 steps"), 8) << program.out();
  EXPECT_EQ(count(program.err(), "servosim: info: compiled"), 1) << program.err();
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(worlds.project.controller("stay"))) {
    files.push_back(entry.path().filename());
  }
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, (Arguments{"stay", "stay.c"}));
}

TEST(Several, TracesGoIntoAFolder) {
  const Worlds worlds({{"a", "<none>"}, {"b", "<none>"}});
  const std::string folder = worlds.project / "new/traces/";
  Program program(worlds.run({"--steps", "25", "--trace", folder}));
  EXPECT_EQ(program.finish(), 0) << program.err();
  for (const std::string name : {"a", "b"}) {
    EXPECT_EQ(count(test::read_text(folder + name + ".csv"), "\n"), 26);
  }
}

TEST(Several, WrongArgumentsAreRefusedBeforeAnythingRuns) {
  const Worlds worlds({{"a", "stay"}, {"b", "stay"}});
  const std::string plain = worlds.project / "trace.csv";
  const std::string twin = worlds.project.folder().write("other/a.wbt", "");
  for (const auto& [more, message] : std::vector<std::pair<Arguments, std::string>>{
           {{"--trace", plain}, "cannot share the trace"},
           {{twin, "--trace", worlds.project / "traces/"}, "would both write"},
           {{"--trace", plain + "/below/"}, "cannot create the folder"},
           {{"--controller", "leg=<none>"}, "there is no robot 'leg'; the worlds have 'arm'"},
           {{"--jobs", "0"}, "--jobs"},
           {{"--mode", "fast", "--realtime-factor", "3"}, "exclude each other"}}) {
    if (message == "cannot create the folder") {
      worlds.project.folder().write("trace.csv", "in the way");
    }
    Program program(worlds.run(more));
    EXPECT_EQ(program.finish(), 2) << message;
    EXPECT_TRUE(contains(program.err(), message)) << program.err();
    EXPECT_EQ(program.out(), "") << message;
  }
  EXPECT_FALSE(fs::exists(worlds.project.controller("stay") + "/stay"));
  EXPECT_FALSE(fs::exists(worlds.project / "traces"));
}

TEST(Several, AControllerIsForTheWorldsThatHaveTheRobot) {
  const Worlds worlds(Names{{"a", "<none>"}});
  const Project two("two");
  Arguments arguments = worlds.run({two.world(), "--steps", "4", "--controller", "left=<none>"});
  Program program(arguments);
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.out(), "] right at 0.01"));
  EXPECT_FALSE(contains(program.out(), "left at"));
}

TEST(Several, WriteJsonLinesToo) {
  const Worlds worlds({{"a", "<none>"}, {"b", "<none>"}});
  const std::string folder = worlds.project / "traces/";
  Program program(worlds.run({"--steps", "25", "--trace", folder, "--trace-format", "jsonl"}));
  EXPECT_EQ(program.finish(), 0) << program.err();
  for (const std::string name : {"a", "b"}) {
    const std::string text = test::read_text(folder + name + ".jsonl");
    EXPECT_EQ(count(text, "\n"), 26);
    EXPECT_TRUE(contains(text, "{\"format\":\"servosim trace\"")) << text.substr(0, 80);
  }
}

TEST(Several, SayInTheirLinesThatTheyAreLate) {
  const Worlds worlds({{"a", "<none>"}, {"b", "<none>"}});
  Program program(worlds.run({"--duration", "2000", "--realtime-factor", "1e9"}));
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(std::regex_search(
      program.out(),
      std::regex("/a\\.wbt: ok, 250000 steps, .*, state_hash [0-9a-f]{16}, could not "
                 "keep up with 1e\\+09 x real time: reached .* x, .* s late\n")))
      << program.out();
}

TEST(Several, WarnAlsoWhenTheyAreQuiet) {
  const Worlds worlds({{"a", "<none>"}, {"b", "quit"}});
  Program program(worlds.run({"--duration", "2000", "--realtime-factor", "1e9", "--quiet"}));
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.err(),
                       "[" + worlds.paths[0] + "] servosim: warning: could not keep up with 1e+09"))
      << program.err();
  EXPECT_TRUE(std::regex_search(program.out(), std::regex("/a\\.wbt: state_hash: [0-9a-f]{16}\n")))
      << program.out();
  EXPECT_FALSE(contains(program.err(), "compiled"));
}

TEST(Several, ASupervisorsStatusIsNamed) {
  const Worlds worlds({{"a", "quit"}, {"b", "<none>"}});
  const test::Project& project = worlds.project;
  project.folder().write("worlds/a.wbt", [&] {
    std::string text = test::read_text(worlds.paths[0]);
    const std::string arguments = "\"0.75\" \"two words\"";
    return text.replace(text.find(arguments), arguments.size(), "\"5\"");
  }());
  Program program(worlds.run({"--steps", "25"}));
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(
      contains(program.out(), "/a.wbt: failed (exit 5): the supervisor quit with status 5\n"))
      << program.out();
}

class SeveralSignal : public testing::TestWithParam<int> {};

TEST_P(SeveralSignal, EndsAllOfThem) {
  const Worlds worlds({{"a", "hang"}, {"b", "hang"}, {"c", "stay"}});
  Program program(worlds.run({"--jobs", "2"}));
  ASSERT_TRUE(program.wait_for_output("a.wbt] hangs\n"));
  ASSERT_TRUE(program.wait_for_output("b.wbt] hangs\n"));
  program.send_signal(GetParam());
  EXPECT_EQ(program.finish(), 128 + GetParam());
  EXPECT_EQ(count(program.out(), ".wbt: interrupted\n"), 2) << program.out();
  EXPECT_TRUE(contains(program.out(), "c.wbt: not run\n")) << program.out();
  EXPECT_TRUE(test::all_gone(worlds.project));
}

INSTANTIATE_TEST_SUITE_P(All, SeveralSignal, testing::Values(SIGINT, SIGTERM, SIGHUP),
                         test::by_signal);

TEST(Several, NothingOutlivesAKill) {
  const Worlds worlds({{"a", "hang"}, {"b", "hang"}});
  Program program(worlds.run({"--jobs", "2"}));
  ASSERT_TRUE(program.wait_for_output("a.wbt] hangs\n"));
  ASSERT_TRUE(program.wait_for_output("b.wbt] hangs\n"));
  program.send_signal(SIGKILL);
  EXPECT_EQ(program.finish(), -SIGKILL);
  EXPECT_TRUE(test::all_gone(worlds.project));
}

}  // namespace
}  // namespace servosim
