// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "programs/program.h"

namespace servosim {
namespace {

using test::contains;
using test::Program;
using test::Project;

// In a world of two robots, one controller fails and the other must go on for all five steps.
struct Pair {
  explicit Pair(const std::string& failing) {
    arguments = {"run",     two.world(), "--controller", "left=" + one.controller(failing),
                 "--trace", trace()};
  }
  std::string trace() const { return two / "trace.csv"; }
  long trace_rows() const {
    const std::string text = test::read_text(trace());
    return std::count(text.begin(), text.end(), '\n') - 1;
  }
  Project one{"one"};
  Project two{"two"};
  std::vector<std::string> arguments;
};

TEST(ControllerFailure, ACrashIsNamedAndTheOthersGoOn) {
  const Pair pair("crash");
  Program program(pair.arguments);
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(
      contains(program.err(),
               "servosim: error: robot 'left': its controller was ended by SIGABRT at 0.02 s; its "
               "last line: last line"))
      << program.err();
  EXPECT_TRUE(contains(program.out(), "[left] last line\n"));
  EXPECT_TRUE(contains(program.out(), "[right] right at 0.04\n"));
  EXPECT_EQ(pair.trace_rows(), 5);
}

// The run goes on, faster than a process ends.
TEST(ControllerFailure, ACrashHasItsOwnTimeInALongRun) {
  const Pair pair("crash");
  std::vector<std::string> arguments = pair.arguments;
  arguments.insert(arguments.end(), {"--steps", "3000"});
  Program program(arguments);
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.err(), "its controller was ended by SIGABRT at 0.02 s; "))
      << program.err();
}

TEST(ControllerFailure, IsTheLastLine) {
  const Pair pair("crash");
  Program program(pair.arguments);
  EXPECT_EQ(program.finish(), 1);
  EXPECT_EQ(program.last_line(), "FAILED: robot 'left': its controller was ended by SIGABRT\n");
  const Project project("one");
  project.folder().write("controllers/broken_at_start/broken_at_start.py", "import nothing\n");
  Program python(project.run_with("broken_at_start", {}));
  EXPECT_EQ(python.finish(), 1);
  EXPECT_EQ(python.last_line(), "FAILED: robot 'arm': its controller exited with status 1\n");
  EXPECT_FALSE(contains(python.out(), "|velocity|")) << "a table of zeros: " << python.out();
  Program quiet(project.run_with("broken_at_start", {"--quiet"}));
  EXPECT_EQ(quiet.finish(), 1);
  EXPECT_EQ(quiet.last_line(), python.last_line());
}

TEST(ControllerFailure, AProgramThatNeverConnectsIsReported) {
  const test::TempFolder folder;
  folder.write("worlds/w.wbt",
               "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\nRobot { name \"r\" "
               "controller \"quiet\" }\n");
  const auto path = folder.write_program("controllers/quiet/quiet", "#!/bin/sh\nexit 0\n");
  Program program({"run", folder / "worlds/w.wbt", "--steps", "40"});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_EQ(program.err(), "servosim: warning: robot 'r': its program in '" +
                               path.parent_path().string() +
                               "' has ended without ever calling wb_robot_init() or Robot(); the "
                               "robot stays passive\n");
}

// After the traceback, the program names the missing device that may have caused it.
TEST(ControllerFailure, ATracebackIsFollowedByTheDeviceThatIsMissing) {
  SKIP_WITHOUT_PYTHON_API();
  const test::TempFolder folder;
  folder.write("worlds/w.wbt",
               "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\nRobot { name \"r\" "
               "controller \"c\" children [ GPS { name \"place\" } ] }\n");
  folder.write("controllers/c/c.py",
               "from controller import Robot\nRobot().getDevice('plcae').enable(20)\n");
  Program program({"run", folder / "worlds/w.wbt", "--steps", "40"});
  EXPECT_EQ(program.finish(), 1);
  const std::string missing = "Warning: \"plcae\" device not found. There are 'place'.\n";
  const std::size_t traceback = program.err().find("AttributeError");
  ASSERT_NE(traceback, std::string::npos) << program.err();
  EXPECT_LT(program.err().find(missing), traceback) << program.err();
  EXPECT_NE(program.err().find(missing, traceback), std::string::npos) << program.err();
}

// The same for a controller that crashes without an exception.
TEST(ControllerFailure, ACrashIsFollowedByTheDeviceThatIsMissing) {
  if (sizeof(SERVOSIM_SANITIZE) > 1) {
    GTEST_SKIP() << "a sanitized program reports its crash itself";
  }
  const test::TempFolder folder;
  folder.write("worlds/w.wbt",
               "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\nRobot { name \"r\" "
               "controller \"c\" children [ GPS { name \"place\" } ] }\n");
  const std::string missing = "Warning: \"plcae\" device not found. There are 'place'.\n";
  const auto ends_with = [&](const std::string& statement, const std::string& signal) {
    folder.write("controllers/c/c.cpp",
                 "#include <cstdlib>\n#include <webots/GPS.hpp>\n#include <webots/Robot.hpp>\n"
                 "int main() { webots::Robot robot; auto* gps = robot.getGPS(\"plcae\"); "
                 "robot.getGPS(\"plcae\"); " +
                     statement + " }\n");
    Program program({"run", folder / "worlds/w.wbt", "--steps", "40"});
    EXPECT_EQ(program.finish(), 1);
    EXPECT_TRUE(contains(program.err(), missing + missing + missing +
                                            "servosim: error: robot 'r': its controller was ended "
                                            "by " +
                                            signal +
                                            " at 0 s; its last line: " + missing.substr(0, 9)))
        << program.err();
  };
  ends_with("gps->enable(20);", "SIGSEGV");
  ends_with("if (gps == nullptr) std::abort();", "SIGABRT");
}

TEST(ControllerFailure, AControlStepThatFitsNoTimeStepIsTold) {
  SKIP_WITHOUT_PYTHON_API();
  for (const int step : {20, 24}) {
    const test::TempFolder folder;
    folder.write("worlds/w.wbt",
                 "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\nRobot { name \"r\" "
                 "controller \"c\" }\n");
    folder.write("controllers/c/c.py", "from controller import Robot\nr = Robot()\nwhile r.step(" +
                                           std::to_string(step) + ") != -1: pass\n");
    Program program({"run", folder / "worlds/w.wbt", "--steps", "40"});
    EXPECT_EQ(program.finish(), 0);
    EXPECT_EQ(
        contains(program.err(),
                 "servosim: warning: robot \"r\": its control step of 20 ms is no multiple of "
                 "basicTimeStep, 8 ms"),
        step == 20)
        << program.err();
  }
}

TEST(ControllerFailure, AnExitStatusIsNamedAndTheOthersGoOn) {
  const Pair pair("leave");
  pair.two.edit("\"0.03\"", "\"3\"");
  Program program(pair.arguments);
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.err(),
                       "servosim: error: robot 'left': its controller exited with status 3\n"))
      << program.err();
  EXPECT_TRUE(contains(program.out(), "[right] right at 0.04\n"));
  EXPECT_EQ(pair.trace_rows(), 5);
}

TEST(ControllerFailure, OfTheOnlyOneFailsTheRunToo) {
  const Project project("one");
  project.edit("\"0.75\"", "\"3\"");
  Program program(project.run_with("leave"));
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.err(), "its controller exited with status 3\n"));
  EXPECT_TRUE(contains("\n" + program.out(), "\n2 steps of 8 ms: "));
}

// Without its supervisor a world does not do what its author intended.
TEST(ControllerFailure, OfASupervisorBeforeItsFirstStepEndsTheRun) {
  const Project project("one");
  Program program(project.run_with("early", {"--steps", "40"}));
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.err(), "its controller exited with status 4\n"));
  EXPECT_TRUE(contains(program.err(),
                       "servosim: error: the run ends after 0 steps, since the controller of robot "
                       "'arm' failed before its first step\n"))
      << program.err();
  EXPECT_TRUE(contains("\n" + program.out(), "\n0 steps of 8 ms: ")) << program.out();
  project.edit("supervisor TRUE", "supervisor FALSE");
  Program ordinary(project.run_with("early", {"--steps", "40"}));
  EXPECT_EQ(ordinary.finish(), 1);
  EXPECT_TRUE(contains("\n" + ordinary.out(), "\n40 steps of 8 ms: ")) << ordinary.out();
}

TEST(ControllerFailure, EndsTheRunWhenThatIsWanted) {
  for (const std::string failing : {"crash", "leave"}) {
    const Pair pair(failing);
    pair.two.edit("\"0.03\"", "\"3\"");
    std::vector<std::string> arguments = pair.arguments;
    arguments.insert(arguments.end(), {"--steps", "500", "--stop-on-failure"});
    Program program(arguments);
    EXPECT_EQ(program.finish(), 1);
    EXPECT_TRUE(contains(program.err(),
                         "servosim: error: the run ends after 2 steps, since the controller of "
                         "robot 'left' failed\n"))
        << program.err();
    EXPECT_EQ(pair.trace_rows(), 2);
  }
}

TEST(ControllerFailure, GarbageIsNamedAndTheOthersGoOn) {
  const Pair pair("garbage");
  Program program(pair.arguments);
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(
      contains(program.err(), "servosim: error: robot 'left': its controller sent garbage ("))
      << program.err();
  EXPECT_TRUE(contains(program.err(), ") and was removed\n"));
  EXPECT_TRUE(contains(program.out(), "[right] right at 0.04\n"));
  EXPECT_EQ(pair.trace_rows(), 5);
}

TEST(ControllerFailure, AHangEndsWithTheTimeout) {
  const Pair pair("hang");
  std::vector<std::string> arguments = pair.arguments;
  arguments.insert(arguments.end(), {"--controller-timeout", "2"});
  Program program(arguments);
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.err(),
                       "servosim: error: robot 'left': its controller did not ask for a step "
                       "within 2 s and was removed\n"))
      << program.err();
  EXPECT_TRUE(contains(program.out(), "[right] right at 0.04\n"));
  EXPECT_EQ(pair.trace_rows(), 5);
}

TEST(ControllerFailure, StepsWithoutDurationDoNotCountAsAnswers) {
  const Project project("one");
  Program program(project.run_with("floods", {"--duration", "3", "--controller-timeout", "0.75"}));
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.err(), "within 0.75 s and was removed\n")) << program.err();
}

TEST(ControllerFailure, AHangIsNamedAfterThreeSeconds) {
  const Project project("one");
  Program program(project.run_with("hang", {"--duration", "3"}));
  ASSERT_TRUE(program.wait_for_output("hangs\n"));
  EXPECT_TRUE(
      program.wait_for_errors("servosim: warning: robot 'arm': its controller has not "
                              "asked for a step for 3 s; the simulation waits for it; `gdb -p "));
}

TEST(ControllerFailure, EndlessPrintingNeitherBlocksNorIsStored) {
  const Project project("one");
  Program program(project.run_with("chatter", {"--duration", "3", "--controller-timeout", "2"}));
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.out(), "and another thing\n"));
}

// A robot that has left the world has neither pose nor position.
TEST(ControllerFailure, IsTheLastLineWithoutTheRobotsThatAreGone) {
  const test::TempFolder folder;
  const std::string world = folder.write(
      "worlds/w.wbt",
      "#VRML_SIM R2023b utf8\nWorldInfo { gravity 0 }\n"
      "Robot { name \"boss\" supervisor TRUE controller \"c\" }\n"
      "DEF ARM Robot { name \"arm\" controller \"<none>\" children [\n"
      "  HingeJoint { device RotationalMotor { name \"m\" } endPoint Solid { } } ] }\n");
  folder.write(
      "controllers/c/c.c",
      "#include <stdlib.h>\n#include <webots/robot.h>\n#include <webots/supervisor.h>\n"
      "int main(void) {\n  wb_robot_init();\n  wb_robot_step(32);\n"
      "  wb_supervisor_field_import_mf_node_from_string(wb_supervisor_node_get_field(\n"
      "    wb_supervisor_node_get_root(), \"children\"), -1,\n"
      "    \"DEF NEW Robot { name \\\"new\\\" controller \\\"<none>\\\" children [ HingeJoint \"\n"
      "    \"{ device RotationalMotor { name \\\"n\\\" } endPoint Solid { } } ] }\");\n"
      "  wb_robot_step(32);\n"
      "  wb_supervisor_node_remove(wb_supervisor_node_get_from_def(\"NEW\"));\n"
      "  wb_supervisor_node_remove(wb_supervisor_node_get_from_def(\"ARM\"));\n"
      "  wb_robot_step(32);\n  return getenv(\"LEAVES_WELL\") != NULL ? 0 : 5;\n}\n");
  Program failing({"run", world, "--steps", "6"});
  EXPECT_EQ(failing.finish(), 1);
  EXPECT_TRUE(contains(failing.out(), "FAILED")) << failing.out() << failing.err();
  EXPECT_FALSE(contains(failing.out(), "|velocity|")) << failing.out();  // nothing has moved
  const test::ScopedVariable well("LEAVES_WELL", "yes");
  Program program({"run", world, "--steps", "6"});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains("\n" + program.out(), "\narm/m ")) << program.out();
  EXPECT_FALSE(contains("\n" + program.out(), "\nnew/n ")) << program.out();
}

// Without a display programs draw off screen, if they can.
TEST(ControllerFailure, AWindowWithoutADisplayIsNamed) {
  const test::ScopedVariable x11("DISPLAY", "");
  const test::ScopedVariable wayland("WAYLAND_DISPLAY", "");
  const test::ScopedVariable own("MPLBACKEND", "svg");
  const test::TempFolder folder;
  const std::string world =
      folder.write("worlds/w.wbt",
                   "#VRML_SIM R2023b utf8\nWorldInfo { }\nRobot { name \"r\" controller \"c\" }\n");
  folder.write("controllers/c/c.c",
               "#include <stdio.h>\n#include <stdlib.h>\n#include <webots/robot.h>\n"
               "static void imshow(void) {}\nint main(void) {\n  wb_robot_init();\n  imshow();\n"
               "  printf(\"%s %s %s\\n\", getenv(\"QT_QPA_PLATFORM\"), getenv(\"MPLBACKEND\"),\n"
               "         getenv(\"SDL_VIDEODRIVER\"));\n  fflush(stdout);\n"
               "  fprintf(stderr, \"no display name and no $DISPLAY environment variable\\n\");\n"
               "  return 1;\n}\n");
  Program program({"run", world, "--steps", "3"});
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.out(), "offscreen svg dummy\n")) << program.out();
  EXPECT_TRUE(contains(program.err(), "c.c' opens windows, and there is no display") ||
              contains(program.err(), "/c' opens windows, and there is no display"))
      << program.err();
  EXPECT_TRUE(contains(program.err(),
                       "its controller exited with status 1: it opens a window, and there is no "
                       "display"))
      << program.err();
}

}  // namespace
}  // namespace servosim
