// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "base/child_process.h"
#include "programs/program.h"
#include "run/process.h"

namespace servosim {
namespace {

using test::contains;
using test::Program;
using test::Project;
using test::read_text;
using test::ScopedVariable;
using Arguments = std::vector<std::string>;

TEST(RunArguments, HelpAndVersion) {
  for (const Arguments& arguments :
       {Arguments{"--help"}, Arguments{"run", "--help"}, Arguments{"check", "--help"}}) {
    Program program(arguments);
    EXPECT_EQ(program.finish(), 0);
    EXPECT_TRUE(contains(program.out(), "Examples:")) << program.out();
  }
  Program version({"--version"});
  EXPECT_EQ(version.finish(), 0);
  int parts[6];
  int length = 0;
  EXPECT_EQ(std::sscanf(version.out().c_str(), "servosim %d.%d.%d (ODE %d.%d.%d)%n", &parts[0],
                        &parts[1], &parts[2], &parts[3], &parts[4], &parts[5], &length),
            6)
      << version.out();
  EXPECT_EQ(version.out().substr(static_cast<std::size_t>(length)), "\n");
}

TEST(RunArguments, WrongOnesEndWithStatus2AndAMessage) {
  const Project project("one");
  const std::string world = project.world();
  for (const Arguments& arguments : std::vector<Arguments>{
           {},
           {"fly"},
           {"run"},
           {"check"},
           {"run", world, "--fly"},
           {"run", world, "--duration", "3", "--steps", "5"},
           {"run", world, "--duration", "-3"},
           {"run", world, "--duration", "nan"},
           {"run", world, "--duration", "inf"},
           {"run", world, "--duration", "three"},
           {"run", world, "--duration", "1e300"},
           {"run", world, "--steps", "-5"},
           {"run", world, "--steps", "2.5"},
           {"run", world, "--steps", "99999999999999999999"},
           {"run", world, "--seed", "-5"},
           {"run", world, "--controller-timeout", "0"},
           {"run", world, "--log-level", "loud"},
           {"run", world, "--compat", "gazebo"},
           {"run", world, "--controller", "no equals sign"},
           {"run", world, "--controller", "leg=" + project.controller("wave")},
           {"run", world, "--controller", "arm=" + project.controller("absent")},
           {"run", world, "--controller", "arm=" + world},
           {"run", world, "--controller", "arm=<none>", "--trace", "/no/such/folder/x.csv"},
           {"run", project / "absent.wbt"},
           {"run", project.folder().path()}}) {
    Program program(arguments);
    EXPECT_EQ(program.finish(), 2) << ::testing::PrintToString(arguments);
    EXPECT_NE(program.err(), "") << ::testing::PrintToString(arguments);
    EXPECT_EQ(program.out(), "") << ::testing::PrintToString(arguments);
  }
}

TEST(RunArguments, AnUnknownRobotIsAnsweredWithTheKnownOnes) {
  const Project project("two");
  Program program({"run", project.world(), "--controller", "middle=<none>"});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_EQ(program.err(),
            "servosim: error: there is no robot 'middle'; the world has 'left', 'right'\n");
}

TEST(Run, WithoutControllersTakesTenSeconds) {
  const Project project("one");
  project.edit("\"wave\"", "\"<none>\"");
  Program program({"run", project.world()});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_TRUE(contains(program.out(), "\n1250 steps of 8 ms: 10 s simulated in ")) << program.out();
  EXPECT_EQ(program.err(), "");
}

TEST(Run, CompatWebotsTurnsFreeBodiesAsWebotsDoes) {
  const Project project("one");
  project.edit("WorldInfo {",
               "Solid { translation 9 9 9 angularVelocity 0.5 10 0.5 boundingObject Box { size 0.1 "
               "0.2 0.3 } physics Physics { } } WorldInfo {");
  const auto hash = [&](const Arguments& more) {
    Arguments arguments{"run", project.world(), "--controller", "arm=", "--steps", "20", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Program program(arguments);
    EXPECT_EQ(program.finish(), 0) << program.err();
    return program.out();
  };
  EXPECT_EQ(hash({"--compat", "webots"}), hash({"--compat", "webots"}));
  EXPECT_NE(hash({"--compat", "webots"}), hash({}));
}

TEST(Run, RoundsADurationUpToWholeSteps) {
  const Project project("one");
  for (const auto& [duration, steps] : std::vector<std::pair<std::string, std::string>>{
           {"0.024", "3"}, {"0.0241", "4"}, {"0", "0"}}) {
    Program program({"run", project.world(), "--controller", "arm=", "--duration", duration});
    EXPECT_EQ(program.finish(), 0);
    EXPECT_TRUE(contains(program.out(), "\n" + steps + " steps of 8 ms: ")) << program.out();
  }
}

TEST(Run, PrintsWhatTheJointsDidAndTheHashLast) {
  const Project project("one");
  Program program({"run", project.world()});
  EXPECT_EQ(program.finish(), 0);
  const std::size_t found = program.out().find("\narm/shoulder ");
  ASSERT_NE(found, std::string::npos) << program.out();
  std::istringstream row(program.out().substr(found));
  std::string name, type, units[4];
  double start, final, min, max, velocity, effort;
  row >> name >> type >> units[0] >> units[1] >> units[2] >> units[3] >> start >> final >> min >>
      max >> velocity >> effort;
  ASSERT_TRUE(row) << program.out();
  EXPECT_EQ(type + ' ' + units[0] + ' ' + units[1] + ' ' + units[2] + ' ' + units[3],
            "rotational rad rad/s N m");
  EXPECT_EQ(start, 0.0);
  EXPECT_NEAR(final, 0.75, 0.002);  // the controller stops within 0.001 rad, one step later
  EXPECT_EQ(min, 0.0);
  EXPECT_NEAR(max, 0.75, 0.002);
  EXPECT_NEAR(velocity, 4.0, 1e-6);     // maxVelocity is reached
  EXPECT_GT(effort, 0.7 * 9.81 * 0.1);  // it lifts 0.7 kg at an arm above 0.1 m
  EXPECT_LE(effort, 20.0 + 1e-9);       // maxTorque
  const std::string hash = program.last_line();
  ASSERT_EQ(hash.size(), std::string("state_hash: 0123456789abcdef\n").size());
  EXPECT_EQ(hash.find("state_hash: "), 0u);
  EXPECT_EQ(hash.find_first_not_of("0123456789abcdef\n", 12), std::string::npos) << hash;
}

TEST(Run, ShowsARobotThatIsImported) {
  const test::TempFolder folder;
  const std::string world = folder.write(
      "worlds/w.wbt",
      "#VRML_SIM R2023b utf8\nRobot { name \"s\" supervisor TRUE controller \"s\" }\n");
  folder.write("controllers/s/s.c", R"(#include <webots/robot.h>
#include <webots/supervisor.h>
int main(void) {
  wb_robot_init();
  wb_robot_step(32);
  wb_supervisor_field_import_mf_node_from_string(
      wb_supervisor_node_get_field(wb_supervisor_node_get_root(), "children"), -1,
      "Robot { name \"late\" translation 0 0 5 controller \"<none>\" children [ HingeJoint { "
      "jointParameters HingeJointParameters { axis 0 1 0 } device RotationalMotor { name \"m\" } "
      "endPoint Solid { translation 0.2 0 0 } } ] }");
  while (wb_robot_step(32) != -1) {
  }
  wb_robot_cleanup();
  return 0;
}
)");
  Program program({"run", world, "--steps", "9"});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.out(), "\nlate/m  rotational ")) << program.out();
  EXPECT_TRUE(contains(program.out(), "\nlate              0            0            5"))
      << program.out();
  EXPECT_FALSE(contains(program.out(), "--watch")) << program.out();
}

TEST(Run, SaysWhatThereIsInsteadOfJoints) {
  const test::TempFolder folder;
  const auto summary = [&](const std::string& nodes) {
    const std::string world = folder.write("w.wbt", "#VRML_SIM R2023b utf8\n" + nodes);
    Program program({"run", world, "--steps", "3"});
    EXPECT_EQ(program.finish(), 0) << program.err();
    return program.out().substr(0, program.out().find('\n'));
  };
  const std::string propeller = "Propeller { device RotationalMotor { } } ";
  const auto robot = [](const std::string& children) {
    return "Robot { controller \"<none>\" children [ " + children + "] }";
  };
  EXPECT_EQ(summary(robot("")), "the world has no joints");
  EXPECT_EQ(summary(robot(propeller)), "the world has no joints, but 1 propeller: see --trace");
  EXPECT_EQ(summary(robot(propeller + propeller)),
            "the world has no joints, but 2 propellers: see --trace");
}

TEST(Run, GivesTheSameHashTwice) {
  const Project project("one");
  Program first({"run", project.world(), "--quiet"});
  Program second({"run", project.world(), "--quiet"});
  Program other({"run", project.world(), "--quiet", "--steps", "20"});
  EXPECT_EQ(first.finish() + second.finish() + other.finish(), 0);
  EXPECT_EQ(first.last_line(), second.last_line());
  EXPECT_NE(first.last_line(), other.last_line());
}

TEST(Run, QuietPrintsOnlyTheHash) {
  const Project project("one");
  Program program(project.run_with("stay", {"--quiet", "--steps", "0"}));
  EXPECT_EQ(program.finish(), 0);
  EXPECT_EQ(program.out(), "told of the end\n" + program.last_line());
  EXPECT_EQ(program.err(), "");  // not even a message that it was compiled
}

TEST(Run, LogLevelsChooseWhatIsTold) {
  const Project project("one");
  project.edit("maxVelocity 4", "maxSpeed 4");
  const auto errors_at = [&](const std::string& level) {
    Program program({"run", project.world(), "--controller", "arm=" + project.controller("leave"),
                     "--steps", "8", "--log-level", level});
    EXPECT_EQ(program.finish(), 0);
    return program.err();
  };
  EXPECT_TRUE(contains(errors_at("info"), "servosim: info: compiled '"));
  EXPECT_TRUE(contains(errors_at("warning"), ":18:11: warning: "));
  EXPECT_EQ(errors_at("error"), "");
  EXPECT_TRUE(contains(errors_at("debug"),
                       "servosim: debug: robot 'arm': its controller exited with status 0\n"));
}

TEST(Run, CallsANoticeAWarningOnce) {
  const Project project("one");
  project.edit("maxVelocity 4", "maxVelocity 4 maxPosition 0.75 minPosition -0.5");
  project.edit("\"0.75\"", "\"0.875\"");
  Program program({"run", project.world(), "--quiet", "--steps", "5"});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_EQ(program.err().find("servosim: warning: robot \"arm\", motor \"shoulder\": target "
                               "position above maxPosition: 0.875 replaced by 0.75"),
            0u)
      << program.err();
  EXPECT_EQ(std::count(program.err().begin(), program.err().end(), '\n'), 1) << program.err();
}

TEST(Run, WritesATraceRowForEachStep) {
  const Project project("one");
  const std::string trace = project / "a trace, with commas.csv";
  Program program({"run", project.world(), "--steps", "50", "--trace", trace});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_TRUE(contains(program.out(), "\ntrace: " + trace + "\n"));
  const std::string text = read_text(trace);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 51);
  EXPECT_TRUE(contains(text, "\n0.4,"));  // the last row: 50 · 8 ms
}

TEST(Run, FailsWhenTheTraceCannotBeWritten) {
  const Project project("one");
  Program program({"run", project.world(), "--steps", "50", "--trace", "/dev/full"});
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(
      contains(program.err(),
               "servosim: error: cannot write the trace /dev/full: No space left on device\n"))
      << program.err();
}

TEST(Run, OptionsTakeOneValueEachTime) {
  const Project project("one");
  Program program({"run", "--steps", "3", "--quiet", "--proto-path", ".", "--proto-path", "/",
                   "--controller", "arm=", "--watch", "*", project.world()});
  EXPECT_EQ(program.finish(), 0) << program.err();
}

TEST(Run, SeedsTheNoise) {
  const Project project("one");
  project.edit("name \"angle\"", "name \"angle\" noise 0.02");
  // The controller stops when its sensor reads the target, so the noise decides when.
  const auto hash_of = [&](const std::string& seed) {
    Program program({"run", project.world(), "--quiet", "--seed", seed});
    EXPECT_EQ(program.finish(), 0);
    return program.last_line();
  };
  const std::string five = hash_of("5");
  EXPECT_EQ(hash_of("5"), five);
  EXPECT_NE(hash_of("6"), five);
}

TEST(Run, EndsWithStatus1WhenTheSimulationDiverges) {
  const Project project("one");
  project.edit("name \"arm\"",
               "name \"arm\" translation 9.999e8 0 0 linearVelocity 9e8 0 0 physics Physics { } "
               "boundingObject Sphere { }");
  const std::string trace = project / "trace.csv";
  Program program(project.run_with("stay", {"--duration", "3", "--trace", trace}));
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.err(), "servosim: error: the simulation diverged at "))
      << program.err();
  EXPECT_TRUE(contains(program.err(), "0.008 s")) << program.err();
  EXPECT_TRUE(contains(program.out(), "told of the end\n"));
  EXPECT_EQ(read_text(trace).find("time [s],arm/shoulder position [rad]"), 0u);
}

TEST(Run, FailsWhenItsOutputIsLost) {
  const Project project("one");
  for (const char* arguments : {"check one.wbt", "run one.wbt --controller arm= --steps 5"}) {
    const std::string command =
        std::string("exec '") + SERVOSIM_PROGRAM + "' " + arguments + " > /dev/full";
    const CommandResult result = run_command({"sh", "-c", command}, project / "worlds", 10);
    EXPECT_EQ(describe_wait_status(result.wait_status), "exited with status 1") << arguments;
    EXPECT_EQ(result.output,
              "servosim: error: cannot write to standard output: No space left on device\n");
  }
}

TEST(Run, EndsWithStatus2WithoutTheControllerLibrary) {
  const Project project("one");
  const ScopedVariable home("SERVOSIM_HOME", project / "nowhere");
  Program program({"run", project.world()});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_TRUE(contains(program.err(), project / "nowhere/lib/controller")) << program.err();
}

TEST(Run, DoesNotNeedStandardStreams) {
  const Project project("one");
  const ScopedVariable compiler("CC", SERVOSIM_TEST_COMPILER);
  const std::string trace = project / "trace.csv";
  const std::string command =
      std::string("exec '") + SERVOSIM_PROGRAM + "' run one.wbt --trace ../trace.csv <&- >&- 2>&-";
  EXPECT_TRUE(run_command({"sh", "-c", command}, project / "worlds", 10).succeeded());
  const std::string text = read_text(trace);
  EXPECT_FALSE(contains(text, "state_hash"));  // the hash must not go to descriptor 1
  EXPECT_FALSE(contains(text, "there"));
  EXPECT_GT(text.size(), 1000u);
}

TEST(Run, SurvivesAReaderThatLeaves) {
  const Project project("one");
  Program program({"run", project.world(), "--steps", "50"},
                  {"/", Program::Sink::Closed, Program::Sink::Captured});
  EXPECT_EQ(program.finish(), 0);
}

TEST(Run, ShowsProgressOnATerminalOnly) {
  const Project project("one");
  project.edit("basicTimeStep 8", "basicTimeStep 0.125");
  const Arguments arguments{"run", project.world(), "--duration",
                            "5",   "--controller",  "arm=<none>"};
  Program shown(arguments, {"/", Program::Sink::Captured, Program::Sink::Terminal});
  EXPECT_EQ(shown.finish(), 0);
  double simulated, factor, left;
  EXPECT_EQ(std::sscanf(shown.err().c_str(), "\r%lf s simulated, %lf x real time, %lf s left",
                        &simulated, &factor, &left),
            3)
      << shown.err();
  EXPECT_NEAR(simulated + left, 5.0, 0.011);  // both printed with two digits
  ASSERT_GE(shown.err().size(), 12u);
  // The line is wiped.
  EXPECT_EQ(shown.err().substr(shown.err().size() - 11), "          \r");
  Program hidden(arguments);
  EXPECT_EQ(hidden.finish(), 0);
  EXPECT_EQ(hidden.err(), "");
}

TEST(Run, FindsItsWorldFromAnyFolder) {
  const Project project("one");
  Program program({"run", "one.wbt", "--steps", "3", "--controller", "arm=../controllers/stay"},
                  {project / "worlds", Program::Sink::Captured, Program::Sink::Captured});
  EXPECT_EQ(program.finish(), 0) << program.err();
}

}  // namespace
}  // namespace servosim
