// SPDX-License-Identifier: Apache-2.0
// `webots` and `webots-controller` of lib/servosim, as scripts call them.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "programs/program.h"
#include "programs/shell.h"

namespace servosim {
namespace webots_test {

namespace fs = std::filesystem;
using test::contains;
using test::shell;
using test::ShellResult;
using test::TempFolder;

// A script uses `$webots` in the background, so that `$!` is the program and not a shell.
const std::string kPrelude =
    "home=$(servosim webots-home)\nwebots=$home/webots\nwebots() { \"$webots\" \"$@\"; }\n"
    "export TMPDIR=\"$PWD/tmp\"\nmkdir -p \"$TMPDIR\"\n";

// A project with controllers in Python, one for each robot.
class Webots : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_PYTHON_API(); }
  Webots() {
    controller("quits",
               "from controller import Supervisor\nrobot = Supervisor()\n"
               "print('at', robot.getTime(), robot.getBasicTimeStep(), flush=True)\n"
               "robot.step(16)\nrobot.simulationQuit(int(open('../../quit_status').read()))\n"
               "robot.step(16)\n");
    controller("fails", "from controller import Robot\nrobot = Robot()\nrobot.step(16)\n1 / 0\n");
    controller("dies", "1 / 0\n");
    folder_.write("quit_status", "0");
  }
  void controller(const std::string& name, const std::string& text) {
    folder_.write("controllers/" + name + '/' + name + ".py", text);
  }
  void world(const std::string& robots) {
    folder_.write("worlds/w.wbt",
                  "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 16 }\n" + robots);
  }
  static std::string robot(const std::string& name, const std::string& its_controller,
                           const std::string& more = "") {
    return "Robot { name \"" + name + "\" controller \"" + its_controller + "\" " + more + " }\n";
  }
  static std::string boss(const std::string& its_controller = "quits") {
    return robot("boss", its_controller, "supervisor TRUE");
  }
  ShellResult run(const std::string& script) const {
    return shell(kPrelude + script, folder_.path());
  }

  TempFolder folder_;
};

TEST_F(Webots, TakesAllOptions) {
  world(boss());
  folder_.write("quit_status", "7");
  const ShellResult result =
      run("webots --batch --stdout --stderr --minimize --no-rendering --fullscreen --no-sandbox "
          "--clear-cache --heartbeat=1000000 --log-performance=speed.txt,2 --mode=fast "
          "--extern-urls --port=23456 worlds/w.wbt 2>errors\necho \"status $?\"; cat errors");
  EXPECT_TRUE(contains(result.output, "at 0.0 16.0\n")) << result.output;
  EXPECT_TRUE(contains(result.output, "status 7\n")) << result.output;
  EXPECT_FALSE(contains(result.output, "state_hash")) << result.output;
  const std::string log = test::read_text(folder_ / "speed.txt");
  EXPECT_TRUE(contains(log, "\nCores: ")) << log;
  EXPECT_TRUE(contains(log, "\nSteps: 1\n")) << log;
}

TEST_F(Webots, TellsAboutItself) {
  EXPECT_TRUE(contains(run("webots --version").output, "Webots version: R2025a (servosim "));
  EXPECT_TRUE(contains(run("webots --sysinfo").output, "System: Linux "));
  EXPECT_TRUE(contains(run("webots --help").output, "--log-performance FILE[,STEPS]"));
  const ShellResult nothing = run("webots --mode=fast");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_TRUE(contains(nothing.output, "no world is given")) << nothing.output;
  const ShellResult wrong = run("webots --fats w.wbt");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.output, "there is no option '--fats'")) << wrong.output;
  for (const char* asks : {"webots help", "servosim webots help", "servosim help webots"}) {
    const ShellResult help = run(asks);
    EXPECT_EQ(help.status, 0) << help.output;
    EXPECT_TRUE(contains(help.output, "Usage: servosim webots [OPTION]...")) << help.output;
  }
  EXPECT_EQ(run("webots --log-performance=x,0 worlds/none.wbt").status, 2);
}

struct End {
  const char* name;
  const char* robots;
  int status;
  int strict;
  const char* last_line;  // a part of it
};
void PrintTo(const End& end, std::ostream* out) { *out << end.name; }

class WebotsEnds : public Webots, public testing::WithParamInterface<End> {};

TEST_P(WebotsEnds, WithTheStatusOfWebotsUnlessItIsStrict) {
  const End& end = GetParam();
  world(end.robots);
  const ShellResult result =
      run("webots --mode=fast worlds/w.wbt >/dev/null 2>errors\n"
          "echo $?; tail -n 1 errors\n"
          "SERVOSIM_STRICT=1 webots --mode=fast worlds/w.wbt >/dev/null 2>&1"
          "\necho strict $?");
  EXPECT_TRUE(result.output.starts_with(std::to_string(end.status) + '\n')) << result.output;
  const std::string said = result.output.substr(0, result.output.find("\nstrict "));
  EXPECT_TRUE(contains(said.substr(said.find('\n')), end.last_line)) << result.output;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << result.output;
  EXPECT_TRUE(contains(result.output, "strict " + std::to_string(end.strict) + '\n'))
      << result.output;
}
INSTANTIATE_TEST_SUITE_P(
    Webots, WebotsEnds,
    testing::Values(
        End{"Well", "Robot { name \"boss\" controller \"quits\" supervisor TRUE }", 0, 0,
            "Only a firewall keeps others out"},
        End{"AControllerFails",
            "Robot { controller \"fails\" } Robot { name \"boss\" controller \"quits\" supervisor "
            "TRUE }",
            0, 1, "a controller has failed; exit code 0, as Webots: SERVOSIM_STRICT=1 makes it 1"},
        End{"Incomplete",
            "EXTERNPROTO \"Gone.proto\" Gone { } Robot { name \"boss\" controller \"quits\" "
            "supervisor TRUE }",
            0, 3, "INCOMPLETE: the world may move otherwise than its author meant: it lacks"},
        End{"TheSupervisorDies", "Robot { name \"boss\" controller \"dies\" supervisor TRUE }", 1,
            1, "the run ends after 0 steps"},
        End{"TheWorldIsWrong", "Robot {", 2, 2, "error"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(Webots, RunsUntilASignalEndsIt) {
  world("");
  const ShellResult result =
      run("$webots --mode=fast worlds/w.wbt & pid=$!\nsleep 1\n"
          "kill -TERM $pid; wait $pid; echo $?");
  EXPECT_TRUE(contains(result.output, "143\n")) << result.output;
}

TEST_F(Webots, WaitsInAPauseForASignal) {
  world(boss());
  const ShellResult result =
      run("$webots --mode=pause worlds/w.wbt & pid=$!\nsleep 1\n"
          "kill -TERM $pid; wait $pid; echo $?");
  EXPECT_TRUE(contains(result.output, "no step is taken")) << result.output;
  EXPECT_TRUE(contains(result.output, "143\n")) << result.output;
}

// Controllers connect one after the other, and the second waits for the first.
TEST_F(Webots, SaysWhoConnectsAndWaitsForTheNext) {
  world(robot("arm", "<extern>") + boss("<extern>"));
  controller("once", "from controller import Robot\nrobot = Robot()\nrobot.step(16)\n");
  controller("twice",
             "from controller import Supervisor\nrobot = Supervisor()\nrobot.step(16)\n"
             "robot.step(16)\nrobot.simulationQuit(0)\nrobot.step(16)\n");
  const ShellResult result =
      run("$webots --mode=fast --extern-urls --port=23460 worlds/w.wbt >out 2>&1 & pid=$!\n"
          "for i in $(seq 300); do grep -q '/boss$' out && break; sleep 0.1; done\n"
          "port=$(sed -n 's,^ipc://\\([0-9]*\\)/boss$,\\1,p' out)\n"
          "\"$home/webots-controller\" --protocol=tcp --ip-address=127.0.0.1 --port=$port "
          "--robot-name=boss --stdout-redirect controllers/twice/twice.py & boss=$!\n"
          "\"$home/webots-controller\" --port=$port --robot-name=arm controllers/once/once.py\n"
          "\"$home/webots-controller\" --port=$port --robot-name=arm controllers/once/once.py\n"
          "wait $boss; wait $pid; echo status $?; cat out");
  EXPECT_TRUE(contains(result.output, "status 0\n")) << result.output;
  EXPECT_TRUE(contains(result.output, "INFO: 'boss' extern controller: connected.\n"))
      << result.output;
  EXPECT_TRUE(contains(result.output,
                       "INFO: 'arm' extern controller: disconnected, waiting for new "
                       "connection.\n"))
      << result.output;
}

// Shell functions for worlds with the extern robots 'arm' and 'boss'. The URLs of a robot are
// announced once for each world.
const std::string kExterns =
    "begin() { $webots --mode=$1 --extern-urls --port=23500 worlds/w.wbt >out 2>&1 & pid=$!; }\n"
    "seen() { for i in $(seq 300); do [ \"$(grep -c \"$2\" out)\" -ge $1 ] && return; sleep 0.1; "
    "done; echo \"less than $1 times: $2\"; cat out; kill $pid; exit 1; }\n"
    "play() { seen $3 \"^ipc://.*/$1\\$\"\n"
    "port=$(sed -n 's,^ipc://\\([0-9]*\\)/boss$,\\1,p' out | tail -n 1)\n"
    "timeout 60 \"$home/webots-controller\" --port=$port --robot-name=$1 controllers/$2/$2.py; "
    "}\n";

class WebotsWithAbsent : public Webots {
 protected:
  WebotsWithAbsent() {
    world("DEF ARM " + robot("arm", "<extern>") + boss("<extern>"));
    controller("once", "from controller import Robot\nrobot = Robot()\nrobot.step(16)\n");
    controller("reloads",
               "from controller import Supervisor\nrobot = Supervisor()\nrobot.worldReload()\n"
               "robot.step(16)\n");
    controller("steps",
               "from controller import Supervisor\nrobot = Supervisor()\nrobot.step(16)\n");
    controller("removes",
               "from controller import Supervisor\nrobot = Supervisor()\n"
               "robot.getFromDef('ARM').remove()\nrobot.step(16)\nrobot.simulationQuit(7)\n"
               "robot.step(16)\n");
  }
};

// The other robot first has no controller, then one that has left, and then it is removed.
TEST_F(WebotsWithAbsent, LoadsAWorldAnewAndRemovesARobotWithoutAControllerThatIsAbsent) {
  const ShellResult result =
      run(kExterns +
          "begin fast\nplay boss reloads 1\n"
          "play boss steps 2 & boss=$!\nplay arm once 2\nwait $boss\n"
          "seen 1 \"'arm' extern controller: disconnected, waiting\"\n"
          "play boss reloads 2\nplay boss removes 3\nwait $pid; echo status $?");
  EXPECT_TRUE(contains(result.output, "status 7\n")) << result.output;
}

TEST_F(WebotsWithAbsent, LoadsAWorldAnewInAPause) {
  const ShellResult result =
      run(kExterns +
          "begin pause\nplay boss reloads 1\nplay arm once 2 &\nplay boss reloads 2\n"
          "seen 3 '^ipc://.*/boss$'\nkill $pid; wait $pid; echo status $?");
  EXPECT_TRUE(contains(result.output, "status 143\n")) << result.output;
}

TEST_F(Webots, TakesTheNextPort) {
  world(boss("<extern>"));
  const ShellResult result =
      run("for i in 1 2; do $webots --extern-urls --port=23480 worlds/w.wbt >out$i 2>/dev/null & "
          "pids=\"$pids $!\"\n"
          "for n in $(seq 300); do grep -q '^ipc' out$i && break; sleep 0.1; done; done\n"
          "kill $pids; wait; cat out1 out2");
  EXPECT_TRUE(contains(result.output, "ipc://23480/boss\n")) << result.output;
  EXPECT_TRUE(contains(result.output, "ipc://23481/boss\n")) << result.output;
}

TEST_F(Webots, ConvertsARobot) {
  folder_.write(
      "Two.proto",
      "#VRML_SIM R2025a utf8\nPROTO Two [ field SFString name \"two\" ]\n{ Robot { name "
      "IS name children HingeJoint { device RotationalMotor { name \"m\" } endPoint Solid "
      "{ name \"link\" } } } }\n");
  const ShellResult urdf = run("webots convert -p 'name=\"three\"' Two.proto");
  EXPECT_EQ(urdf.status, 0) << urdf.output;
  EXPECT_TRUE(contains(urdf.output, "<robot name=\"three\"")) << urdf.output;
  const ShellResult object = run("webots convert -t WBO -o two.wbo Two.proto && cat two.wbo");
  EXPECT_TRUE(object.output.starts_with("#VRML_OBJ R2025a utf8\n")) << object.output;
  EXPECT_TRUE(contains(object.output, "HingeJoint {")) << object.output;
  EXPECT_EQ(run("webots convert -t WRL Two.proto").status, 2);
  EXPECT_EQ(run("webots convert None.proto").status, 2);
  const ShellResult nothing = run("webots convert");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_EQ(nothing.output,
            "servosim: error: PROTO is missing: servosim webots convert [OPTION]... PROTO; see "
            "'servosim webots convert --help'\n");
  EXPECT_TRUE(contains(run("webots help convert").output,
                       "\nUsage: servosim webots convert [OPTION]... PROTO\n"));
}

TEST_F(Webots, IsLinkedWhereItIsAskedFor) {
  const ShellResult result =
      run("mkdir bin && servosim webots-home --link bin && servosim webots-home --link bin && "
          "bin/webots --version && bin/webots-controller --help");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(contains(result.output, "Webots version: R2025a")) << result.output;
  EXPECT_TRUE(contains(result.output, "Usage: servosim controller")) << result.output;
  const ShellResult taken = run(
      "mkdir other && touch other/webots && servosim webots-home --link other; echo $?; ls other");
  EXPECT_TRUE(contains(taken.output, "is there already")) << taken.output;
  EXPECT_TRUE(contains(taken.output, "2\nwebots\n")) << taken.output;
}

}  // namespace webots_test
}  // namespace servosim
