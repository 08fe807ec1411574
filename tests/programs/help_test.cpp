// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "programs/program.h"
#include "programs/shell.h"

// The program's documentation of itself: --help, the manual page, and completion in bash, zsh and
// fish.

namespace servosim {
namespace {

namespace fs = std::filesystem;
using test::commands;
using test::contains;
using test::help_of;
using test::Program;
using test::TempFolder;

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::size_t columns(const std::string& line) {  // code points
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string manual() { return test::read_text(fs::path(SERVOSIM_SOURCE_DIR) / "man/servosim.1"); }

// Returns the first group of every match.
std::set<std::string> all_matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
    found.insert((*match)[1].str());
  }
  return found;
}

TEST(Help, KnowsAllCommands) {
  const Lines expected{"",       "run",    "controller",  "check",   "fetch",
                       "info",   "fields", "servos",      "convert", "step",
                       "bode",   "bus",    "identify",    "fit",     "tune",
                       "sweep",  "plot",   "diff",        "test",    "view",
                       "report", "webots", "webots-home", "yarp",    "srvp"};
  EXPECT_EQ(commands(), expected);
}

TEST(Help, FitsIntoHundredColumns) {
  for (const std::string& command : commands()) {
    for (const std::string& line : lines_of(help_of(command))) {
      EXPECT_LE(columns(line), 100u) << line;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << '"' << line << '"';
    }
  }
}

TEST(Help, BeginsWithWhatACommandIsForAndItsUsage) {
  EXPECT_TRUE(contains(help_of("run"), "\n\nUsage: servosim run [OPTION]... WORLD...\n"));
  EXPECT_TRUE(contains(help_of("controller"),
                       "\nUsage: servosim controller [OPTION]... FILE [ARGUMENT]...\n"));
  EXPECT_TRUE(contains(help_of("fields"), "\nUsage: servosim fields [OPTION]... [NODE]\n"));
  EXPECT_TRUE(contains(help_of("convert"), "\nUsage: servosim convert [OPTION]... IN OUT\n"));
  EXPECT_TRUE(contains(help_of(""), "\nUsage: servosim COMMAND [OPTION]... [ARGUMENT]...\n"));
  for (const char* group : {"Time:", "Controllers:", "Output:", "Simulation:"}) {
    EXPECT_TRUE(contains(help_of("run"), std::string("\n") + group + "\n  --")) << group;
  }
}

TEST(Help, IsAlsoACommand) {
  for (const std::string& command : commands()) {
    Program program(command.empty() ? Lines{"help"} : Lines{"help", command});
    EXPECT_EQ(program.finish(), 0);
    EXPECT_EQ(program.out(), help_of(command));
  }
  Program unknown({"help", "rnu"});
  EXPECT_EQ(unknown.finish(), 2);
  EXPECT_TRUE(contains(unknown.err(), "there is no command 'rnu'; did you mean 'run'?"));
}

TEST(Help, IsShownToWhoAsksForNothing) {
  Program program(Lines{});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_EQ(program.out(), "");
  EXPECT_EQ(program.err(), help_of(""));
}

class Examples : public testing::TestWithParam<std::string> {};

TEST_P(Examples, WorkAsPrinted) {
  const std::string page = help_of(GetParam());
  const std::size_t begin = page.find("\nExamples:\n");
  ASSERT_NE(begin, std::string::npos);
  Lines examples;
  for (const std::string& line : lines_of(page.substr(begin))) {
    if (line.substr(0, 11) == "  servosim ") {
      examples.push_back(line);
    }
  }
  EXPECT_GE(examples.size(), 2u);
  test::expect_to_work(examples);
}
INSTANTIATE_TEST_SUITE_P(Help, Examples,
                         testing::Values("", "run", "check", "info", "fields", "servos", "convert",
                                         "plot", "test", "report", "step", "bode", "tune", "sweep"),
                         [](const auto& test) {
                           return test.param.empty() ? "servosim" : test.param;
                         });

TEST(Manual, ListsTheOptionsOfTheHelpAndNoOthers) {
  const std::string page = manual();
  for (const std::string& command : commands()) {
    const std::string title = "\n.Ss servosim" + (command.empty() ? "" : ' ' + command) + '\n';
    const std::size_t begin = page.find(title);
    ASSERT_NE(begin, std::string::npos) << title;
    const std::size_t end = page.find("\n.S", begin + 1);
    std::set<std::string> listed;
    for (const std::string& line : lines_of(page.substr(begin, end - begin))) {
      if (line.substr(0, 7) == ".It Fl ") {
        for (const std::string& name : all_matches(line, "Fl (-?[a-z-]+)")) {
          listed.insert('-' + name);
        }
      }
    }
    EXPECT_EQ(listed, test::options_in_help(command)) << command;
    EXPECT_FALSE(listed.empty());
  }
  EXPECT_EQ(all_matches(page, "\n\\.Ss servosim(?: ([a-z-]*))?").size(), commands().size());
}

TEST(Manual, HasAllSections) {
  Lines sections;
  for (const std::string& line : lines_of(manual())) {
    if (line.substr(0, 4) == ".Sh ") {
      sections.push_back(line.substr(4));
    }
  }
  const Lines expected{"NAME",        "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS",
                       "ENVIRONMENT", "FILES",    "EXAMPLES",    "SEE ALSO"};
  EXPECT_EQ(sections, expected);
}

TEST(Manual, NamesTheVariablesTheProgramReads) {
  std::string sources;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(SERVOSIM_SOURCE_DIR) / "src")) {
    sources += entry.is_regular_file() ? test::read_text(entry.path()) : "";
  }
  std::set<std::string> read = all_matches(sources, "(?:getenv|variable)\\(\"([A-Z_]+)\"\\)");
  read.merge(all_matches(sources, "kTaskVariable = \"([A-Z_]+)\""));
  EXPECT_GE(read.size(), 15u);
  std::set<std::string> named;
  for (const std::string& line : lines_of(manual())) {
    if (line.substr(0, 7) == ".It Ev " || line.substr(0, 4) == ".Ev ") {
      named.merge(all_matches(line, "\\b([A-Z_]{2,})\\b"));
    }
  }
  for (const std::string& name : read) {
    EXPECT_EQ(named.count(name), 1u) << name << " is read, but not in the manual";
  }
  for (const std::string& name : named) {
    EXPECT_TRUE(contains(sources, '"' + name + '"'))
        << name << " is in the manual, but nowhere else";
  }
}

TEST(Manual, PleasesMan) {
  const TempFolder folder;
  const std::string page = (fs::path(SERVOSIM_SOURCE_DIR) / "man/servosim.1").string();
  if (test::shell("command -v man && command -v groff", folder.path()).status != 0) {
    GTEST_SKIP() << "no man or groff here";
  }
  const auto shown = test::shell(
      "MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l '" + page + "' 2>&1 >/dev/null", folder.path());
  EXPECT_EQ(shown.output, "");
  EXPECT_EQ(shown.status, 0);
}

TEST(Manual, HasExamplesThatWork) {
  Lines examples;
  for (const std::string& line : lines_of(manual())) {
    if (line.substr(0, 4) == ".Dl ") {
      examples.push_back(std::regex_replace(line.substr(4), std::regex("\\\\-"), "-"));
    }
  }
  EXPECT_GE(examples.size(), 5u);
  test::expect_to_work(examples);
}

/// Completes words of which the last one is incomplete.
class Completion : public testing::Test {
 protected:
  Completion() {
    fs::copy(fs::path(SERVOSIM_SOURCE_DIR) / "worlds", folder_ / "worlds",
             fs::copy_options::recursive);
    folder_.write("old trace.csv", "");
    folder_.write("trace.jsonl", "");
    folder_.write("arm.c", "");
  }

  std::set<std::string> after(const Lines& words) const {
    std::string script =
        "source '" SERVOSIM_SOURCE_DIR "/completions/bash-completion/completions/servosim'\n";
    script += "COMP_WORDS=(\"$SERVOSIM_UNDER_TEST\"";
    for (const std::string& word : words) {
      script += " '" + word + '\'';
    }
    script += ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_servosim\n";
    const auto result = test::shell(script + "printf '%s\\n' \"${COMPREPLY[@]}\"", folder_.path());
    const Lines lines = lines_of(result.output);
    std::set<std::string> replies(lines.begin(), lines.end());
    replies.erase("");  // none
    return replies;
  }

  TempFolder folder_;
};
using Replies = std::set<std::string>;

TEST_F(Completion, OfSubcommands) {
  EXPECT_EQ(after({"yarp", "name"}), Replies{"nameserver"});
  EXPECT_EQ(after({"yarp", "r"}), (Replies{"read", "rpc"}));
  EXPECT_EQ(after({"yarp", "read", "--co"}), Replies{"--count"});
  EXPECT_EQ(after({"yarp", "read", "--carrier", ""}), Replies{"fast_tcp"});
  EXPECT_EQ(after({"srvp", "s"}), Replies{"serve"});
  EXPECT_EQ(after({"srvp", "serve", "--da"}), Replies{"--database"});
}

TEST_F(Completion, OfCommands) {
  Replies all{"help", "-h", "--help", "--version"};
  for (const std::string& command : commands()) {
    all.insert(command);
  }
  all.erase("");
  all.erase("-h");
  EXPECT_EQ(after({""}), all);
  EXPECT_EQ(after({"c"}), (Replies{"check", "controller", "convert"}));
  EXPECT_EQ(after({"help", "p"}), Replies{"plot"});
}

TEST_F(Completion, OfOptions) {
  for (const std::string& command : commands()) {
    if (command.empty()) {
      continue;
    }
    Replies expected;
    for (const std::string& option : test::options_in_help(command)) {
      if (option[1] == '-') {
        expected.insert(option);
      }
    }
    EXPECT_EQ(after({command, "-"}), expected);
  }
  EXPECT_EQ(after({"run", "worlds/arm.wbt", "--stop"}), Replies{"--stop-on-failure"});
  EXPECT_EQ(after({"unknown", "-"}), Replies{});
}

TEST_F(Completion, OfWordsThatAnOptionTakes) {
  EXPECT_EQ(after({"run", "--mode", ""}), (Replies{"fast", "realtime"}));
  EXPECT_EQ(after({"run", "--mode", "=", "r"}), Replies{"realtime"});
  EXPECT_EQ(after({"run", "--mode", "="}), (Replies{"fast", "realtime"}));
  EXPECT_EQ(after({"run", "--log-level", "w"}), Replies{"warning"});
  EXPECT_EQ(after({"run", "--compat", ""}), Replies{"webots"});
  EXPECT_EQ(after({"run", "--jobs", ""}), Replies{});
  EXPECT_EQ(after({"controller", "--protocol", ""}), (Replies{"ipc", "tcp"}));
}

TEST_F(Completion, OfFilesByTheirEndings) {
  EXPECT_EQ(after({"check", "worlds/a"}), Replies{"worlds/arm.wbt"});
  EXPECT_EQ(after({"run", "worlds/m"}), (Replies{"worlds/mesh.wbt", "worlds/meshes"}));
  EXPECT_EQ(after({"run", "--quiet", "worlds/a"}), Replies{"worlds/arm.wbt"});
  EXPECT_EQ(after({"plot", ""}), (Replies{"old trace.csv", "trace.jsonl", "worlds"}));
  EXPECT_EQ(after({"run", "--trace", ""}), (Replies{"old trace.csv", "trace.jsonl", "worlds"}));
  EXPECT_EQ(after({"plot", "-o", ""}), Replies{"worlds"});
  EXPECT_EQ(after({"controller", "ar"}), Replies{"arm.c"});
  EXPECT_EQ(after({"info", "--proto-path", ""}), Replies{"worlds"});
}

TEST_F(Completion, OfNodeTypes) {
  EXPECT_EQ(after({"fields", "Hinge"}),
            (Replies{"HingeJoint", "HingeJointParameters", "Hinge2Joint"}));
}

TEST_F(Completion, OfRobotsAndTheirControllers) {
  EXPECT_EQ(after({"run", "worlds/arm.wbt", "--controller", ""}), Replies{"arm="});
  EXPECT_EQ(after({"run", "worlds/arm.wbt", "--yarp", ""}), Replies{"arm="});
  EXPECT_EQ(after({"run", "worlds/arm.wbt", "--controller", "x"}), Replies{});
  EXPECT_EQ(after({"run", "worlds/arm.wbt", "--controller", "arm", "=", "ar"}), Replies{"arm.c"});
  EXPECT_EQ(after({"run", "--controller", "=", "arm", "=", "ar"}), Replies{"arm.c"});
  EXPECT_EQ(after({"run", "worlds/arm.wbt", "--srvp", ""}), Replies{"arm"});
  EXPECT_EQ(after({"run", "worlds/arm.wbt", "--srvp-map", "ar"}), Replies{"arm.c"});
}

TEST_F(Completion, OfJoints) {
  const Replies joints{"shoulder", "elbow", "reach", "arm/shoulder", "arm/elbow", "arm/reach"};
  EXPECT_EQ(after({"step", "worlds/arm.wbt", "--joint", ""}), joints);
  EXPECT_EQ(after({"run", "worlds/arm.wbt", "--watch", ""}), joints);
  EXPECT_EQ(after({"tune", "worlds/arm.wbt", "--joint", "=", "sh"}), Replies{"shoulder"});
  Program run({"run", "worlds/arm.wbt", "--controller=arm=", "--steps=2", "--trace=t.csv"},
              {folder_.path()});
  ASSERT_EQ(run.finish(), 0) << run.err();
  EXPECT_EQ(after({"plot", "t.csv", "--joint", ""}), joints);
  EXPECT_EQ(after({"identify", "t.csv", "--joint", "arm/e"}), Replies{"arm/elbow"});
}

/// Words of which the last one is incomplete, and what it may become in other shells.
const std::vector<std::pair<Lines, Replies>> kOtherShells{
    {{"c"}, {"check", "controller", "convert"}},
    {{"yarp", "r"}, {"read", "rpc"}},
    {{"run", "--mode", ""}, {"fast", "realtime"}},
    {{"run", "--mode=r"}, {"--mode=realtime"}},
    {{"plot", ""}, {"old trace.csv", "trace.jsonl", "worlds/"}},
    {{"run", "worlds/arm.wbt", "--controller", ""}, {"arm="}},
    {{"run", "--controller", "arm=ar"}, {"arm=arm.c"}},
    {{"bode", "worlds/arm.wbt", "--joint", "arm/"}, {"arm/shoulder", "arm/elbow", "arm/reach"}}};

std::string quoted(const Lines& words) {
  std::string text;
  for (const std::string& word : words) {
    text += " '" + word + '\'';
  }
  return text;
}

TEST_F(Completion, InZsh) {
  for (const auto& [words, expected] : kOtherShells) {
    const auto result = test::shell(
        "exec zsh -f -c \"fpath=('" SERVOSIM_SOURCE_DIR
        "/completions/zsh/site-functions' \\$fpath)\n"
        "autoload -U _servosim\n"
        "compadd() { while [[ \\$1 != -- ]]; do shift; done; shift; print -rl -- \\\"\\$@\\\"; }\n"
        "words=('$SERVOSIM_UNDER_TEST'" +
            quoted(words) +
            ")\n"
            "CURRENT=\\${#words}\n_servosim\"\n",
        folder_.path());
    const Lines lines = lines_of(result.output);
    Replies replies(lines.begin(), lines.end());
    replies.erase("");
    EXPECT_EQ(replies, expected) << quoted(words) << result.output;
  }
}

TEST_F(Completion, InFish) {
  for (const auto& [words, expected] : kOtherShells) {
    std::string line = "servosim";
    for (const std::string& word : words) {
      line += ' ' + word;
    }
    const auto result = test::shell(  // a name with a dot is not completed
        "mkdir -p .bin && ln -sf \"$SERVOSIM_UNDER_TEST\" .bin/servosim && PATH=$PWD/.bin:$PATH\n"
        "HOME=$PWD exec fish --no-config -c \"source '" SERVOSIM_SOURCE_DIR
        "/completions/fish/vendor_completions.d/servosim.fish'; complete -C '" +
            line + "'\"\n",
        folder_.path());
    const Lines lines = lines_of(result.output);
    EXPECT_EQ(Replies(lines.begin(), lines.end()), expected) << line << result.output;
  }
}

}  // namespace
}  // namespace servosim
