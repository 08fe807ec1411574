// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include "programs/program.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::Program;
using test::Project;
using test::ScopedVariable;
using test::TempFolder;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(Controllers, AreFoundBuiltAndRunToTheirEnd) {
  const Project project("one");
  Program program({"run", project.world()});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_EQ(program.out().find("2 arguments, the last is 'two words'\nthere\njoint "), 0u)
      << program.out();
  EXPECT_EQ(program.err(), "servosim: info: compiled '" + project.controller("wave") + "/wave'\n");
}

TEST(Controllers, AreRebuiltWhenStaleOrForeign) {
  const Project project("one");
  const std::string program_file = project.controller("wave") + "/wave";
  fs::copy_file("/bin/false", program_file);
  Program foreign({"run", project.world()});
  EXPECT_EQ(foreign.finish(), 0);
  EXPECT_TRUE(contains(foreign.out(), "there\n"));
  Program fresh({"run", project.world()});
  EXPECT_EQ(fresh.finish(), 0);
  EXPECT_EQ(fresh.err(), "");
  const std::string source = program_file + ".c";
  std::string text = test::read_text(source);
  text.replace(text.find("\"there"), 6, "\"where");
  std::ofstream(source) << text;
  Program stale({"run", project.world()});
  EXPECT_EQ(stale.finish(), 0);
  EXPECT_TRUE(contains(stale.out(), "where\n"));
}

TEST(Controllers, CanBeBuiltAwayFromTheirSources) {
  const Project project("one");
  const TempFolder cache;
  const ScopedVariable home("XDG_CACHE_HOME", cache.path());
  const ScopedVariable in_cache("SERVOSIM_BUILD_IN_CACHE", "1");
  Program program({"run", project.world()});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_TRUE(contains(program.out(), "there\n"));
  EXPECT_FALSE(fs::exists(project.controller("wave") + "/wave"));
  EXPECT_TRUE(fs::exists(cache / "servosim/controllers"));
}

// Each user has such a folder if the home folder cannot be written to or is not set.
TEST(Controllers, AreBuiltInATemporaryFolderWithoutAHome) {
  const Project project("two");
  const ScopedVariable in_cache("SERVOSIM_BUILD_IN_CACHE", "1");
  const ScopedVariable cache("XDG_CACHE_HOME", "");
  for (const char* home : {"/dev/null", "/proc/none", ""}) {
    const TempFolder temporary;
    const ScopedVariable tmp("TMPDIR", temporary.path());
    const ScopedVariable variable("HOME", home);
    Program program({"run", project.world(), "--steps", "2"});
    EXPECT_EQ(program.finish(), 0) << program.err();
    const std::string folder =
        (temporary / ("servosim-cache-" + std::to_string(::geteuid()) + "/controllers")).string();
    EXPECT_TRUE(fs::exists(folder)) << home;
    const std::string once = "' is used, and XDG_CACHE_HOME would name another folder";
    EXPECT_NE(program.err().find(once), std::string::npos) << program.err();
    EXPECT_EQ(program.err().find(once), program.err().rfind(once)) << program.err();
    EXPECT_TRUE(contains(program.err(), folder)) << program.err();
    Program again({"run", project.world(), "--steps", "2"});
    EXPECT_EQ(again.finish(), 0);
    EXPECT_FALSE(contains(again.err(), "compiled ")) << again.err();
  }
}

// Another user who makes the folder first could give others a program to run.
TEST(Controllers, AreNotBuiltInATemporaryFolderOfOthers) {
  const Project project("one");
  const ScopedVariable in_cache("SERVOSIM_BUILD_IN_CACHE", "1");
  const ScopedVariable cache("XDG_CACHE_HOME", "");
  const ScopedVariable home("HOME", "/dev/null");
  const TempFolder temporary;
  const ScopedVariable tmp("TMPDIR", temporary.path());
  const fs::path folder = temporary / ("servosim-cache-" + std::to_string(::geteuid()));
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::all);
  Program program({"run", project.world()});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_TRUE(contains(program.err(), "XDG_CACHE_HOME names another folder")) << program.err();
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(Controllers, AreFoundByTheirNames) {
  const Project project("one");
  Program named({"run", project.world(), "--controller", "arm=index", "--steps", "3"});
  Program path({"run", project.world(), "--controller", "arm=" + project.controller("index"),
                "--steps", "3"});
  EXPECT_EQ(named.finish(), 0) << named.err();
  EXPECT_EQ(path.finish(), 0) << path.err();
  EXPECT_EQ(named.last_line(), path.last_line());
  EXPECT_TRUE(contains(named.out(), "index")) << named.out();
  // A path takes precedence over the name.
  project.folder().write_program("index", "#!/bin/sh\necho of this folder\nexit 0\n");
  Program there({"run", project.world(), "--controller", "arm=index", "--steps", "3"},
                {project.folder().path()});
  EXPECT_EQ(there.finish(), 0) << there.err();
  EXPECT_TRUE(contains(there.out(), "of this folder\n")) << there.out();
  Program none({"run", project.world(), "--controller", "arm=indx", "--steps", "3"});
  EXPECT_EQ(none.finish(), 2);
  EXPECT_TRUE(contains(none.err(), "/indx' is not there, and controller 'indx' not found"))
      << none.err();
  EXPECT_TRUE(contains(none.err(), "did you mean")) << none.err();
  // The file of a project can name it, too.
  project.folder().write("servosim.toml", "controller = [\"arm=index\"]\nsteps = 3\n");
  Program by_file({"run", project.world()}, {"/"});
  EXPECT_EQ(by_file.finish(), 0) << by_file.err();
  EXPECT_EQ(by_file.last_line(), path.last_line());
}

std::string lines_with(const std::string& text, const std::string& prefix) {
  std::string found;
  for (std::size_t start = 0, end; start < text.size(); start = end + 1) {
    end = std::min(text.find('\n', start), text.size());
    if (text.compare(start, prefix.size(), prefix) == 0) {
      found += text.substr(start, end - start) + '\n';
    }
  }
  return found;
}

TEST(Controllers, OfSeveralRobotsRunTogetherAndAreToldApart) {
  const Project project("two");
  Program program({"run", project.world()});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_EQ(lines_with(program.out(), "[left] "), "[left] left at 0.01\n[left] left at 0.02\n");
  EXPECT_EQ(lines_with(program.out(), "[right] "),
            "[right] right at 0.01\n[right] right at 0.02\n"
            "[right] right at 0.03\n[right] right at 0.04\n");
  EXPECT_EQ(lines_with(program.err(), "[left] "), "[left] left leaves\n");
  EXPECT_TRUE(contains(program.out(), "\n5 steps of 10 ms: "));  // the run lasts until the last
                                                                 // controller ends
}

TEST(Controllers, RunForEachOfTwoRobotsOfOneName) {
  const Project project("two");
  project.edit("name \"right\"", "name \"left\"");
  Program program({"run", project.world(), "--log-level", "warning"});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_TRUE(contains(program.err(), "[left] left leaves\n")) << program.err();
  EXPECT_TRUE(contains(program.err(), "[left#2] left leaves\n"));
  EXPECT_TRUE(contains(program.err(), " is called \"left\" too; this one is \"left#2\" here\n"));
}

TEST(Controllers, OfTheSecondRobotOfANameIsOverriddenByItsNumber) {
  const Project project("two");
  project.edit("name \"right\"", "name \"left\"");
  const auto script =
      project.folder().write_program("tell", "#!/bin/sh\necho I am $WEBOTS_ROBOT_NAME\n");
  Program program({"run", project.world(), "--controller", "left#2=" + script.string()});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.out(), "[left#2] I am left#2\n")) << program.out();
  EXPECT_TRUE(contains(program.out(), "[left] left at 0.01\n"));
}

TEST(Controllers, AreOverriddenRobotByRobot) {
  const Project project("two");
  const auto single =
      project.folder().write("my own.c", test::read_text(project.controller("greet") + "/greet.c"));
  Program program({"run", project.world(), "--controller", "left=<none>", "--controller",
                   "right=" + single.string()});
  EXPECT_EQ(program.finish(), 0);
  // There is no prefix, because there is only one controller.
  EXPECT_EQ(program.out().find("right at 0.01\n"), 0u) << program.out();
  EXPECT_TRUE(fs::exists(project / "my own"));
}

TEST(Controllers, StepsAreRoundedUpToBasicSteps) {
  const Project project("one");
  project.edit("\"wave\"", "\"clock\"");
  project.edit("\"two words\"", "\"2500\"");
  Program slow({"run", project.world()});
  EXPECT_EQ(slow.finish(), 0);
  EXPECT_EQ(first_line(slow.out()), "2.504 5.008 7.512 10.016 12.520 ");
  project.edit("\"2500\"", "\"3\"");
  Program fast({"run", project.world()});
  EXPECT_EQ(fast.finish(), 0);
  EXPECT_EQ(first_line(fast.out()), "0.008 0.016 0.024 0.032 0.040 ");
}

TEST(Controllers, AreToldOfTheEnd) {
  const Project project("one");
  Program building(project.run_with("stay", {"--steps", "0"}));
  EXPECT_EQ(building.finish(), 0);
  Program program(project.run_with("stay", {"--duration", "0.4", "--end-timeout", "1000"}));
  EXPECT_EQ(program.finish(), 0);  // the run does not wait for the whole time
  EXPECT_EQ(first_line(program.out()), "told of the end");
}

TEST(Controllers, MayEndAsTheyLikeAfterTheEnd) {
  const Project project("one");
  Program program(project.run_with("rude", {"--duration", "0.4"}));
  EXPECT_EQ(program.finish(), 0);
}

TEST(Controllers, ThatGoOnAfterTheEndAreTerminated) {
  const Project project("one");
  Program program(project.run_with("deaf", {"--steps", "4"}));
  EXPECT_EQ(program.finish(), 0);
  EXPECT_EQ(first_line(program.out()), "got SIGTERM");
  EXPECT_GE(program.seconds(), 1.0);
}

TEST(Controllers, ThatIgnoreSigtermAreKilled) {
  const Project project("one");
  project.edit("supervisor TRUE", "synchronization FALSE");  // the run does not wait for its steps
  Program program(project.run_with("hang", {"--duration", "30"}));
  EXPECT_EQ(program.finish(), 1);  // what it may have been saving is lost
  EXPECT_TRUE(contains(program.err(), "sending SIGTERM (--end-timeout S gives it more time)"))
      << program.err();
  EXPECT_TRUE(contains(program.err(), "sending SIGKILL\n")) << program.err();
  EXPECT_TRUE(contains(program.err(), "its controller was ended by SIGKILL\n")) << program.err();
  EXPECT_TRUE(contains(program.out(), "30 s simulated"));
  EXPECT_GE(program.seconds(), 1.5);  // 1 s until SIGTERM, 0.5 s until SIGKILL
}

// A controller that takes a minute is killed after a second. One that takes two seconds gets them
// if it is given more time.
TEST(Controllers, HaveAsLongToEndAsTheyAreGiven) {
  const Project project("one");
  project.edit("\"0.75\"", "\"60\"");
  Program killed(project.run_with("slow_end", {"--steps", "4"}));
  EXPECT_EQ(killed.finish(), 1);
  EXPECT_TRUE(contains(killed.err(), "its controller was ended by SIGTERM\n")) << killed.err();
  EXPECT_FALSE(contains(killed.out(), "saved\n")) << killed.out();
  project.edit("\"60\"", "\"2\"");
  Program patient(project.run_with("slow_end", {"--steps", "4", "--end-timeout", "30"}));
  EXPECT_EQ(patient.finish(), 0) << patient.err();
  EXPECT_TRUE(contains(patient.out(), "saved\n")) << patient.out();
}

TEST(Controllers, ThatExitWithStatus0AreDoneWithout) {
  const Project project("one");
  Program program(project.run_with("leave", {"--duration", "0.4", "--log-level", "warning"}));
  EXPECT_EQ(program.finish(), 0);
  EXPECT_TRUE(contains(program.out(), "\n50 steps of 8 ms: "));
  EXPECT_EQ(program.err(), "");
}

TEST(Controllers, OfASupervisorChooseTheExitCode) {
  const Project project("one");
  project.edit("\"0.75\"", "\"7\"");
  Program with_status(project.run_with("quit"));
  EXPECT_EQ(with_status.finish(), 7);
  EXPECT_EQ(first_line(with_status.out()), "told of the end");
  EXPECT_TRUE(contains(with_status.out(), "\n2 steps of 8 ms: "));
  project.edit("\"7\"", "\"0\"");
  Program well(project.run_with("quit", {"--duration", "9"}));
  EXPECT_EQ(well.finish(), 0);
}

TEST(Controllers, ThatCannotRunLeaveTheRobotPassive) {
  const Project project("one");
  project.edit("\"wave\"", "\"coffee\"");
  project.folder().write("controllers/coffee/coffee.java", "class coffee {}");
  Program java({"run", project.world()});
  EXPECT_EQ(java.finish(), 3);
  EXPECT_EQ(java.err(), "servosim: warning: robot 'arm': Java controllers are not supported ('" +
                            project.controller("coffee") + "'); the robot stays passive\n");
  EXPECT_TRUE(contains(java.out(), "10 s simulated"));
  EXPECT_TRUE(contains(java.out(),
                       "lacks\n  controller 'coffee' of robot 'arm': Java controllers are "
                       "not supported"))
      << java.out();
  EXPECT_EQ(java.last_line(),
            "exit code 3; --allow-missing=controllers accepts it and exits with 0\n");
  Program accepted({"run", project.world(), "--duration", "1", "--allow-missing=controllers"});
  EXPECT_EQ(accepted.finish(), 0);
  EXPECT_TRUE(contains(accepted.out(), "accepted as missing:\n  controller 'coffee'"))
      << accepted.out();
  project.edit("\"coffee\"", "\"gone\"");
  Program absent({"run", project.world()});
  EXPECT_EQ(absent.finish(), 3);
  EXPECT_EQ(absent.err(),
            "servosim: warning: robot 'arm': controller 'gone' not found; the robot stays "
            "passive\n");
}

TEST(Controllers, ThatDoNotCompileAreWrongInput) {
  const Project project("one");
  Program program(project.run_with("broken"));
  EXPECT_EQ(program.finish(), 2);
  EXPECT_EQ(program.err().find("servosim: error: robot 'arm': controller 'broken' in '" +
                               project.controller("broken") + "' does not compile: "),
            0u)
      << program.err();
  EXPECT_TRUE(contains(program.err(), "broken.c:3:")) << program.err();
  EXPECT_TRUE(contains(program.err(), "undeclared_name"));
  EXPECT_EQ(program.out(), "");
  Program help({"run", "--help"});
  EXPECT_EQ(help.finish(), 0);
  EXPECT_TRUE(contains(help.out(), "a controller does not compile")) << help.out();
}

TEST(Controllers, WithAMakefileOfTheirOwnAreWarnedOfOnceWithoutMake) {
  const Project project("two");  // its robots share a controller
  const ScopedVariable none("MAKE", "servosim-no-such-make");
  const std::string makefile = project.controller("greet") + "/Makefile";
  std::ofstream(makefile) << "CFLAGS = -DPOLITE=3\n";
  const std::string expected =
      "servosim: warning: '" + makefile +
      "' is not run, as there is no make here (on Debian: apt-get install make): only plain lists "
      "of C_SOURCES and CXX_SOURCES in it are heeded\n";
  for (int run = 0; run < 2; ++run) {
    Program program({"run", project.world(), "--quiet"});
    EXPECT_EQ(program.finish(), 0);
    EXPECT_EQ(lines_with(program.err(), "servosim: "), expected) << run;
  }
}

}  // namespace
}  // namespace servosim
