// SPDX-License-Identifier: Apache-2.0
// How controllers are started.
#include <gtest/gtest.h>

#include "programs/program.h"

namespace servosim {
namespace {

using test::contains;
using test::Program;
using test::Project;
using test::ScopedVariable;
using test::TempFolder;

TEST(Launch, RunsPythonInItsFolderWithItsArgumentsAndVariables) {
  const Project project("made");
  project.edit("\"modern\"", "\"snake\"");
  Program program({"run", project.world(), "--quiet"});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_EQ(program.out().find("['snake.py', '0.75', 'two words'] snake\n"
                               "arm hello \"there\" Grüße\n"
                               "True True\n"),
            0u)
      << program.out();
  EXPECT_TRUE(contains(program.err(), "/controllers/snake' has ended without ever calling "))
      << program.err();
}

TEST(Launch, GivesEachRunAFolderOfItsOwn) {
  const Project project("made");
  const TempFolder instances;
  const ScopedVariable folder("TMPDIR", instances.path());
  instances.write("look.py",
                  "import os\nfolder = os.environ['WEBOTS_INSTANCE_PATH']\n"
                  "print(folder[-1], os.listdir(folder), oct(os.stat(folder).st_mode))\n"
                  "open(folder + 'mine', 'w').close()\n");
  for (int i = 0; i < 2; ++i) {  // a run leaves nothing there
    Program program({"run", project.world(), "--quiet", "--controller",
                     "arm=" + (instances / "look.py").string()});
    EXPECT_EQ(program.finish(), 0) << program.err();
    EXPECT_TRUE(contains(program.out(), "/ ['lock'] 0o40700\n")) << program.out();
  }
}

TEST(Launch, GivesPythonTheModuleController) {
  SKIP_WITHOUT_PYTHON_API();
  const Project project("made");
  Program program(project.run_with("adder", {"--duration", "0.104"}));
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_EQ(program.out().find("arm begins\narm ends after 0.104 s\n"), 0u) << program.out();
  EXPECT_EQ(program.err(), "");
}

TEST(Launch, GivesItToAnExternOneToo) {
  SKIP_WITHOUT_PYTHON_API();
  const Project project("made");
  const TempFolder instances;
  const ScopedVariable folder("TMPDIR", instances.path());
  Program run({"run", project.world(), "--controller", "arm=<extern>", "--duration", "0.104"});
  ASSERT_TRUE(run.wait_for_errors("waits for its controller"));
  Program controller({"controller", "--robot-name", "arm", project.controller("adder")});
  EXPECT_EQ(controller.finish(), 0) << controller.err();
  EXPECT_EQ(controller.out(), "arm begins\narm ends after 0.104 s\n");
  EXPECT_EQ(run.finish(), 0) << run.err();
}

TEST(Launch, ReportsAPythonControllerThatFails) {
  const Project project("made");
  project.folder().write("controllers/snake/snake.py", "raise ValueError('on purpose')\n");
  Program program(project.run_with("snake"));
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.err(), "ValueError: on purpose")) << program.err();
  EXPECT_TRUE(contains(program.err(), "robot 'arm': its controller exited with status 1"));
}

TEST(Launch, SplitsTheArgumentsOfAnOldWorld) {
  const Project project("made");
  project.edit("R2023b", "R2019b");
  project.edit("[ \"0.75\" \"two words\" ]", "\"one   'two words' \\\"a b\\\"\"");
  project.edit("\"modern\"", "\"snake\"");
  Program program({"run", project.world(), "--quiet"});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.out(), "['snake.py', 'one', 'two words', 'a b']")) << program.out();
}

// Python's subprocess does so: it closes all descriptors that are not in pass_fds.
TEST(Launch, AControllerMayBeStartedByAProgramThatDoesNotHandOnTheLink) {
  for (const std::string how : {"keeps", "closes"}) {
    const Project project("one");
    project.edit("\"0.75\" \"two words\"", '"' + how + '"');
    Program program(project.run_with("wrapper", {"--quiet", "--trace", project / "trace.csv"}));
    EXPECT_EQ(program.finish(), 0) << how << ": " << program.err();
    EXPECT_EQ(program.out().find("at 0.040, alone\n"), 0u) << how << ": " << program.out();
    EXPECT_FALSE(contains(program.err(), "error")) << how << ": " << program.err();
    // No step is taken before the controller connects or after it leaves.
    const std::string trace = test::read_text(project / "trace.csv");
    EXPECT_TRUE(contains(trace, "\n0.04,")) << trace;
    EXPECT_FALSE(contains(trace, "\n0.048,")) << trace;
  }
}

}  // namespace
}  // namespace servosim
