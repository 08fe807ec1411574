// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "programs/program.h"

// Colours, and the program's messages about wrong arguments.

namespace servosim {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::Program;
using test::Project;
using test::ScopedVariable;
using test::TempFolder;
using Sink = Program::Sink;
using Arguments = std::vector<std::string>;

// Removes what a terminal adds: "\r\n" for "\n", and the colours that the program sends.
std::string without_colours(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m|\r(?=\n)"), "");
}

// Text of a world reaches the terminal through warnings, tables and templates, but never controls
// it.
TEST(Manners, WorldsDoNotSteerTheTerminal) {
  const TempFolder folder;
  folder.write("protos/P.proto", R"(#VRML_SIM R2023b utf8
# template language: javascript
PROTO P [ ] { %< print('\u001b[31mout'); throw new Error('\u001b[2Jwrong\u009b'); >% Solid { } }
)");
  const std::string world = folder
                                .write("worlds/w.wbt", R"(#VRML_SIM R2023b utf8
WorldInfo { title "~[1m" basicTimeStep 8 }
Robot {
  name "r~[31m"
  controller "no~[5m"
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 0 }
      device [ RotationalMotor { name "m~[7m" maxVelocity -3 } PositionSensor { name "s~]0;x" } ]
      endPoint Solid { name "e~" physics Physics { mass -1 density -1 } }
    }
    P { }
  ]
  unknown~field 3
}
Solid { name "~c" boundingObject Mesh { url "~.obj" } }
)")
                                .string();
  std::string text = test::read_text(world);
  std::replace(text.begin(), text.end(), '~', '\x1b');
  folder.write("worlds/w.wbt", text);
  for (const Arguments& arguments :
       {Arguments{"check", world}, Arguments{"info", world},
        Arguments{"run", world, "--steps", "3"}, Arguments{"run", world, world, "--steps", "3"},
        Arguments{"convert", world, (folder / "out.wbt").string()},
        Arguments{"run", world, "--srvp", "r\x1b[31m", "--srvp-port", "0", "--steps", "3"}}) {
    Program program(arguments);
    program.finish();
    const std::string said = program.out() + program.err();
    EXPECT_EQ(said.find('\x1b'), std::string::npos) << arguments.front() << ": " << said;
    EXPECT_EQ(said.find("\xc2\x9b"), std::string::npos) << said;
    EXPECT_TRUE(contains(said, "\\x1b")) << said;
  }
}

class Colours : public testing::Test {
 protected:
  Colours() {
    warned_.edit("maxVelocity 4", "maxSpeed 4");
    refused_.edit("Robot {", "Robot [");
  }

  Project warned_{"one"};
  Project refused_{"one"};
  ScopedVariable term_{"TERM", "xterm-256color"};
  ScopedVariable no_color_{"NO_COLOR", ""};
};

TEST_F(Colours, MarkSeverityAndPlaceOnATerminal) {
  const Arguments arguments{"check", warned_.world(), refused_.world()};
  Program coloured(arguments, {"/", Sink::Terminal, Sink::Captured});
  Program plain(arguments);
  EXPECT_EQ(coloured.finish(), plain.finish());
  EXPECT_TRUE(contains(coloured.out(), "\x1b[1m" + warned_.world() + ":18:11: \x1b[0m"))
      << coloured.out();
  EXPECT_TRUE(contains(coloured.out(), "\x1b[1;35mwarning\x1b[0m: ")) << coloured.out();
  EXPECT_TRUE(contains(coloured.out(), "\x1b[1;31merror\x1b[0m: ")) << coloured.out();
  EXPECT_EQ(without_colours(coloured.out()), plain.out());
  EXPECT_EQ(plain.out().find('\x1b'), std::string::npos);
}

TEST_F(Colours, MarkMessagesOfEveryCommand) {
  const Arguments lines[] = {{"run", refused_.world()},
                             {"info", refused_.world()},
                             {"convert", refused_.world(), "out.wbt"},
                             {"plot", refused_.world()},
                             {"fields", "Hinge"},
                             {"rnu"},
                             {"run", "--jbos"}};
  for (const Arguments& arguments : lines) {
    Program coloured(arguments, {"/", Sink::Captured, Sink::Terminal});
    Program plain(arguments);
    EXPECT_EQ(coloured.finish(), 2) << arguments.front();
    EXPECT_EQ(plain.finish(), 2);
    EXPECT_TRUE(contains(coloured.err(), "\x1b[1;31merror\x1b[0m: ")) << coloured.err();
    EXPECT_EQ(without_colours(coloured.err()), plain.err());
    EXPECT_EQ(plain.err().find('\x1b'), std::string::npos);
    EXPECT_EQ(coloured.out(), plain.out());  // standard output is no terminal here
  }
}

TEST_F(Colours, AreNotSentWhereTheyAreNotWanted) {
  const std::pair<const char*, const char*> settings[] = {{"NO_COLOR", "1"}, {"TERM", "dumb"}};
  for (const auto& [name, value] : settings) {
    const ScopedVariable variable(name, value);
    const Arguments arguments{"run", warned_.world(), "--duration",
                              "300", "--controller",  "arm=<none>"};
    Program program(arguments, {"/", Sink::Terminal, Sink::Terminal});
    EXPECT_EQ(program.finish(), 0);
    EXPECT_TRUE(contains(program.err(), ": warning: ")) << program.err();
    EXPECT_TRUE(contains(program.err(), " x real time, ")) << program.err();  // the progress line
    EXPECT_EQ(program.err().find('\x1b'), std::string::npos) << name;
    EXPECT_EQ(program.out().find('\x1b'), std::string::npos) << name;
  }
}

struct Wrong {
  Arguments arguments;
  std::string message;  // the text after "servosim: error: "
};

void expect_message(const Wrong& wrong, const std::string& folder = "/") {
  Program program(wrong.arguments, {folder, Sink::Captured, Sink::Captured});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_EQ(program.err(), "servosim: error: " + wrong.message + '\n');
  EXPECT_EQ(program.out(), "");
}

TEST(Arguments, UnknownNamesAreToldWithTheNearestKnownOne) {
  const Wrong cases[] = {
      {{"rnu"}, "there is no command 'rnu'; did you mean 'run'? See 'servosim --help'"},
      {{"simulate"}, "there is no command 'simulate'; see 'servosim --help'"},
      {{""}, "there is no command ''; see 'servosim --help'"},
      {{"version"},
       "there is no command 'version'; did you mean '--version'? See 'servosim --help'"},
      {{"run", "a.wbt", "--proto-path", "/nowhere"},
       "--proto-path: '/nowhere' does not exist; see 'servosim run --help'"},
      {{"run", "a.wbt", "--proto-path", "/dev/null"},
       "--proto-path: '/dev/null' is no folder; name the folder of the PROTO files; see 'servosim "
       "run --help'"},
      {{"a\x1b[1m"}, "there is no command 'a\\x1b[1m'; see 'servosim --help'"},
      {{"arm.wbt", "--steps", "3"},
       "there is no command 'arm.wbt'; did you mean 'servosim run arm.wbt'? See 'servosim --help'"},
      {{"arm.csv"},
       "there is no command 'arm.csv'; did you mean 'servosim plot arm.csv'? See 'servosim "
       "--help'"},
      {{"arm.svt"},
       "there is no command 'arm.svt'; did you mean 'servosim view arm.svt'? See 'servosim "
       "--help'"},
      {{"--versoin"},
       "there is no option '--versoin' for 'servosim'; did you mean '--version'? See 'servosim "
       "--help'"},
      {{"run", "a.wbt", "--jbos", "4"},
       "there is no option '--jbos' for 'servosim run'; did you mean '--jobs'? See 'servosim run "
       "--help'"},
      {{"run", "--jbos=4"},
       "there is no option '--jbos' for 'servosim run'; did you mean '--jobs'? See 'servosim run "
       "--help'"},
      {{"plot", "a.csv", "-x"},
       "there is no option '-x' for 'servosim plot'; see 'servosim plot --help'"},
      {{"--quiet", "run", "a.wbt"},
       "--quiet is before the command; write it after the command: 'servosim run --quiet'; see "
       "'servosim "
       "run --help'"},
      {{"run", "a.wbt", "--mode", "fats"},
       "--mode: 'fats' is not realtime or fast; did you mean 'fast'? See 'servosim run --help'"},
      {{"run", "a.wbt", "--log-level", "warn"},
       "--log-level: 'warn' is not error or warning or info or debug; see 'servosim run --help'"},
      {{"run", "a.wbt", "--log-level", "eror"},
       "--log-level: 'eror' is not error or warning or info or debug; did you mean 'error'? See "
       "'servosim run --help'"},
      {{"run", "a.wbt", "--compat", "webot"},
       "--compat: 'webot' is not webots; did you mean 'webots'? See 'servosim run --help'"}};
  for (const Wrong& wrong : cases) {
    expect_message(wrong);
  }
}

TEST(Arguments, WhatIsMissingOrTooMuchIsNamed) {
  const Wrong cases[] = {
      {{"run"}, "WORLD is missing: servosim run [OPTION]... WORLD...; see 'servosim run --help'"},
      {{"convert", "a.wbt"},
       "OUT is missing: servosim convert [OPTION]... IN OUT; see 'servosim convert --help'"},
      {{"info", "a.wbt", "b.wbt"},
       "'b.wbt' is one argument too many: servosim info [OPTION]... WORLD; see 'servosim info "
       "--help'"},
      {{"run", "a.wbt", "--jobs"}, "--jobs needs a value: --jobs N; see 'servosim run --help'"},
      {{"plot", "a.csv", "-o"},
       "--output needs a value: --output FILE.svg|.png|.pdf; see 'servosim plot --help'"},
      {{"run", "a.wbt", "--steps", "3", "--steps", "4"},
       "--steps is given 2 times; keep one; see 'servosim run --help'"},
      {{"run", "a.wbt", "--steps", "3", "--duration", "4"},
       "--duration and --steps exclude each other; remove one; see 'servosim run "
       "--help'"},
      {{"run", "a.wbt", "--steps", "-3"},
       "--steps: '-3' is not a whole number 0 ... 10^18; see 'servosim run --help'"}};
  for (const Wrong& wrong : cases) {
    expect_message(wrong);
  }
}

TEST(Arguments, NamesOfRobotsAndFigures) {
  const Project two("two");
  expect_message({{"run", two.world(), "--controller", "lfet=<none>"},
                  "there is no robot 'lfet'; the world has 'left', 'right'; did you mean 'left'?"});
  expect_message({{"plot", "a.csv", "-o", "file.gif"},
                  "a figure is a .svg, .png or .pdf file, not 'file.gif'; did you mean "
                  "'file.svg'?"});
}

TEST(Arguments, FilesThatAreNotThereAreLookedForBeside) {
  const Project one("one");
  const std::string folder = one.folder().path().string();
  for (const std::string typed :
       {"worlds/one", "worlds/oen.wbt", "worlds/One.wbt", "wolrds/one.wbt", "world/one"}) {
    for (const char* command : {"run", "check", "info"}) {
      Program program({command, typed}, {folder, Sink::Captured, Sink::Captured});
      EXPECT_EQ(program.finish(), 2);
      const std::string said = program.err() + program.out();
      EXPECT_EQ(said.find(typed + ":1:1: error: cannot be read: No such file or directory; did you "
                                  "mean 'worlds/one.wbt'?\n"),
                0u)
          << said;
    }
  }
  one.folder().write("trace.csv", "time [s]\n");
  Program plot({"plot", "trcae.csv"}, {folder, Sink::Captured, Sink::Captured});
  EXPECT_EQ(plot.finish(), 2);
  EXPECT_TRUE(contains(plot.err(), "; did you mean 'trace.csv'?")) << plot.err();
  Program unknown({"plot", "far.off"}, {folder, Sink::Captured, Sink::Captured});
  EXPECT_EQ(unknown.finish(), 2);
  EXPECT_TRUE(contains(unknown.err(), "; 'servosim run WORLD --trace FILE.csv' writes a trace"))
      << unknown.err();
  const ScopedVariable cache("XDG_CACHE_HOME", folder + "/cache");
  Program fetch({"fetch", "worlds/oen.wbt"}, {folder, Sink::Captured, Sink::Captured});
  EXPECT_EQ(fetch.finish(), 2);
  EXPECT_TRUE(contains(fetch.err(), "; did you mean 'worlds/one.wbt'?")) << fetch.err();
  Program program({"run", "worlds/one.wbt", "--controller", "arm=elsewhere/x"},
                  {folder, Sink::Captured, Sink::Captured});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_TRUE(contains(program.err(), "/elsewhere/x' is not there; give the path of a program, "))
      << program.err();
}

}  // namespace
}  // namespace servosim
