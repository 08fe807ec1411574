// SPDX-License-Identifier: Apache-2.0
// Controllers with a Makefile, like those of public projects.
#include <gtest/gtest.h>

#include <map>

#include "programs/program.h"

namespace servosim {
namespace make_test {

namespace fs = std::filesystem;
using test::contains;
using test::Program;
using test::Project;
using test::ScopedVariable;
using test::TempFolder;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

class Make : public testing::Test {
 protected:
  // Returns the first line of the output.
  std::string run(const std::string& controller) {
    Program program(project_.run_with(controller));
    EXPECT_EQ(program.finish(), 0) << program.err();
    said_ = program.err();
    return first_line(program.out());
  }
  // Returns what the program prints when it refuses to run the controller.
  std::string refusal(const std::string& controller) {
    Program program(project_.run_with(controller));
    EXPECT_EQ(program.finish(), 2);
    EXPECT_EQ(program.out(), "");
    return program.err();
  }
  void write(const std::string& file, const std::string& text) const {
    project_.folder().write(file, text);
  }
  std::map<std::string, fs::file_time_type> files() const {
    std::map<std::string, fs::file_time_type> found;
    for (const auto& entry : fs::recursive_directory_iterator(project_.folder().path())) {
      if (entry.is_regular_file()) {
        found[entry.path().string()] = entry.last_write_time();
      }
    }
    return found;
  }

  Project project_{"made"};
  std::string said_;
};

TEST_F(Make, BuildsWithListsOptionsAndALibraryOfTheProject) {
  EXPECT_EQ(run("modern"), "modern 30");
  EXPECT_EQ(said_, "servosim: info: compiled '" + project_.controller("modern") + "/modern'\n");
  EXPECT_TRUE(fs::exists(project_ / "libraries/mix/libmix.so"));
  EXPECT_TRUE(fs::exists(project_ / "controllers/modern/build/release/modern"));
}

TEST_F(Make, KnowsTheIncludeLinesOfAllTimes) {
  EXPECT_EQ(run("ancient"), "ancient 0");
  EXPECT_EQ(run("middle"), "middle 0");
}

TEST_F(Make, OfAControllerMayMakeALibraryElsewhere) {
  write("controllers/ancient/helper/helper.c", "int helper(void) { return 4; }\n");
  write("controllers/ancient/helper/Makefile",
        "C_SOURCES = helper.c\nSTATIC_LIBRARY = 1\n"
        "include $(WEBOTS_HOME)/resources/Makefile.include\n");
  write("controllers/ancient/ancient.c",
        "#include <stdio.h>\nint helper(void);\n"
        "int main() { printf(\"helped %d\\n\", helper()); return 0; }\n");
  write("controllers/ancient/Makefile",
        "C_SOURCES = ancient.c\nLIBRARIES = helper/libhelper.a\n"
        "default: helper release\n"
        "helper::\n\t$(MAKE) -C helper\n"
        "include $(WEBOTS_HOME)/resources/Makefile.include\n");
  EXPECT_EQ(run("ancient"), "helped 4");
}

TEST_F(Make, BuildsCxxWithTheCApi) {
  EXPECT_EQ(run("cxx"), "cxx 0");
  EXPECT_EQ(run("bare_cxx"), "bare 0");  // no Makefile
}

TEST_F(Make, BuildsCxxWithTheCxxApi) {
  EXPECT_EQ(run("objects"), "objects: arm after 24 ms");
  // This one has no Makefile.
  EXPECT_EQ(run("bare_objects"), "bare objects: arm after 24 ms");
}

// Many Makefiles have such rules and folders of their own, which refer to a Webots that is not
// installed.
TEST_F(Make, FindsOurHeadersAndLibrariesWhereAMakefileNamesOtherFolders) {
  for (const std::string kind : {"ancient/ancient.c", "objects/objects.cpp"}) {
    const std::string name = kind.substr(0, kind.find('/'));
    write("controllers/" + name + "/Makefile",
          "HERE = /usr/local/webots\n" + name + ": " + kind.substr(kind.find('/') + 1) +
              "\n\t$(CXX) -fpermissive -w -I$(HERE)/include/controller/c $< -o $@ "
              "-L$(HERE)/lib -lCppController -lController\n"
              "\ttest -d $(WEBOTS_HOME_PATH)/lib -a -d $(WEBOTS_MODULES_PATH)/lib\n");
  }
  EXPECT_EQ(run("ancient"), "ancient 0");
  EXPECT_EQ(run("objects"), "objects: arm after 24 ms");
}

// Older C++ had `register` and dynamic exception specifications.
TEST_F(Make, TakesOldCxxForOldWorlds) {
  constexpr const char* kOld =
      "#include <stdio.h>\nvoid old() throw(int) { throw 3; }\n"
      "int main() { register int n = 4; try { old(); } catch (int i) { n += i; } "
      "printf(\"old %d\\n\", n); return 0; }\n";
  write("controllers/objects/objects.cpp", kOld);
  write("controllers/objects/Makefile",
        "CFLAGS = -std=gnu++17\ninclude $(WEBOTS_HOME)/resources/Makefile.include\n");
  write("controllers/bare_objects/bare_objects.cpp", kOld);
  EXPECT_TRUE(contains(refusal("objects"), "C++17"));
  project_.edit("R2023b", "V8.5");
  EXPECT_EQ(run("objects"), "old 7");
  EXPECT_EQ(run("bare_objects"), "old 7");
  const auto before = files();
  EXPECT_EQ(run("objects"), "old 7");
  EXPECT_FALSE(contains(said_, "compiled")) << said_;
  EXPECT_EQ(files(), before);
  write("controllers/objects/objects.cpp", "int main() { return undeclared; }\n");
  EXPECT_TRUE(contains(refusal("objects"), "undeclared"));
}

TEST_F(Make, SaysWhatItKnowsOfProjectsFromOtherSystems) {
  write("controllers/ancient/ancient.c", "#include <Math.h>\n#include <webots/Robot.h>\n");
  EXPECT_TRUE(contains(refusal("ancient"),
                       "'Math.h' is called '/usr/include/math.h' here: upper and lower case"));
  write("controllers/bare_cxx/bare_cxx.cpp", "#include <webots/Gyro.h>\n");
  const std::string error = refusal("bare_cxx");
  EXPECT_TRUE(contains(error, "'webots/Gyro.h' is called '")) << error;
  EXPECT_TRUE(contains(error, "webots/gyro.h' here")) << error;
  write("controllers/ancient/Makefile",
        "C_SOURCES = ..\\shared\\say.c ancient.c\n"
        "include $(WEBOTS_HOME)/resources/Makefile.include\n");
  const std::string windows = refusal("ancient");
  EXPECT_TRUE(contains(windows, "'..\\shared\\say.c' in '")) << windows;
  EXPECT_TRUE(contains(windows, "is a path of Windows: write '../shared/say.c'\n")) << windows;
}

// Compilers repeat the line that they do not understand.
TEST_F(Make, ALongLineThatDoesNotCompileIsNoTrouble) {
  std::string numbers;
  for (int i = 0; i < 30000; ++i) {
    numbers += std::to_string(i % 90 + 10) + ',';
  }
  write("controllers/ancient/ancient.c",
        "int table[] = {" + numbers + "unknown_name};\nint main(void) { return 0; }\n");
  EXPECT_TRUE(contains(refusal("ancient"), "unknown_name"));
}

TEST_F(Make, SaysThatAScriptIsOfPython2) {
  const auto warning = [&](const std::string& script) {
    write("controllers/adder/adder.py", script);
    Program program(project_.run_with("adder", {"--steps", "2", "--log-level", "warning"}));
    program.finish();
    return program.err();
  };
  const std::string old = warning("from controller import Robot\nprint 'two plus', 2\n");
  EXPECT_TRUE(contains(old,
                       "adder.py' is written in Python 2 (line 2: `print` without "
                       "parentheses); Python 3 does not run it"))
      << old;
  const std::string text = "'''\nprint 'in a text'\n'''\n";
  EXPECT_FALSE(contains(warning(text), "Python 2"));
  write("controllers/adder/runtime.ini", "[python]\nCOMMAND = nice python3\n");
  EXPECT_FALSE(contains(warning(text), "Python 2"));  // what this command runs is unknown
}

TEST_F(Make, LeavesWhatIsUpToDateAsItIs) {
  run("modern");
  const auto before = files();
  EXPECT_EQ(run("modern"), "modern 30");
  EXPECT_EQ(said_, "");
  EXPECT_EQ(files(), before);
}

TEST_F(Make, FollowsAChangeOfAHeaderAndOfTheMakefile) {
  run("modern");
  std::string header = test::read_text(project_ / "controllers/shared/say.h");
  write("controllers/shared/say.h", header.replace(header.find("%d"), 2, "<%d>"));
  EXPECT_EQ(run("modern"), "modern <30>");
  const std::string makefile = project_.controller("modern") + "/Makefile";
  std::string text = test::read_text(makefile);
  std::ofstream(makefile) << text.replace(text.find("POLITE=3"), 8, "POLITE=5");
  EXPECT_EQ(run("modern"), "modern <50>");
}

TEST_F(Make, ReplacesProgramsMadeElsewhere) {
  fs::copy_file("/bin/false", project_ / "controllers/ancient/ancient");
  EXPECT_EQ(run("ancient"), "ancient 0");
  write("controllers/middle/middle", "MZ of another system");
  EXPECT_EQ(run("middle"), "middle 0");
}

TEST_F(Make, CanBuildAwayFromTheSources) {
  const TempFolder cache;
  const ScopedVariable home("XDG_CACHE_HOME", cache.path());
  const ScopedVariable in_cache("SERVOSIM_BUILD_IN_CACHE", "1");
  const auto before = files();
  EXPECT_EQ(run("modern"), "modern 30");
  EXPECT_EQ(files(), before);
  EXPECT_EQ(run("modern"), "modern 30");
  EXPECT_EQ(said_, "");
  write("controllers/shared/say.c",
        "#include <stdio.h>\n"
        "void say(const char *what, int number) { printf(\"new %s %d\\n\", what, number); }\n");
  EXPECT_EQ(run("modern"), "new modern 30");
}

TEST_F(Make, NeverReplacesWhatIsNoProgram) {
  const TempFolder cache;
  const ScopedVariable home("XDG_CACHE_HOME", cache.path());
  write("controllers/ancient/ancient", "precious data");
  EXPECT_EQ(run("ancient"), "ancient 0");
  EXPECT_EQ(test::read_text(project_ / "controllers/ancient/ancient"), "precious data");
}

TEST_F(Make, ShowsWhatItSaysWhenItFails) {
  write("controllers/ancient/ancient.c", "int main(void) { return undeclared_name; }\n");
  const std::string error = refusal("ancient");
  EXPECT_EQ(
      error.find("servosim: error: robot 'arm': controller 'ancient' in '" +
                 project_.controller("ancient") + "' is not built: make exited with status 2\n"),
      0u)
      << error;
  EXPECT_TRUE(contains(error, "undeclared_name"));
}

TEST_F(Make, SaysWhatOfAWebotsInstallationIsNotThere) {
  write("controllers/ancient/Makefile", "include $(WEBOTS_HOME)/projects/robots/x/Makefile.inc\n");
  const std::string error = refusal("ancient");
  EXPECT_TRUE(contains(error, "projects/robots/x/Makefile.inc: No such file")) << error;
  EXPECT_TRUE(contains(error, "of a Webots installation servosim has only what is in '")) << error;
}

TEST_F(Make, SaysThatThereIsNoProgramAfterIt) {
  write("controllers/ancient/Makefile", "all:\n\ttrue\n");
  EXPECT_TRUE(contains(refusal("ancient"), "there is no program 'ancient'"));
}

TEST_F(Make, ALibraryThatDoesNotBuildIsAWarning) {
  write("libraries/broken/Makefile", "all:\n\techo broken by purpose; false\n");
  EXPECT_EQ(run("ancient"), "ancient 0");
  EXPECT_TRUE(contains(said_, "warning: the library in '" +
                                  (project_ / "libraries/broken").string() +
                                  "' is not built: make exited with status 2\n"))
      << said_;
  EXPECT_TRUE(contains(said_, "broken by purpose\n"));
}

TEST_F(Make, OfOthersCannotSayWhereWebotsIs) {
  const std::string makefile = project_.controller("middle") + "/Makefile";
  const std::string text = test::read_text(makefile);
  std::ofstream(makefile) << "WEBOTS_HOME = /usr/local/webots\nWEBOTS_HOME_PATH = /opt/webots\n"
                          << text;
  EXPECT_EQ(run("middle"), "middle 0");
}

TEST_F(Make, IsDoneWithoutWhereTheControllersNameHasASpace) {
  fs::rename(project_ / "controllers/ancient", project_ / "controllers/very ancient");
  fs::rename(project_ / "controllers/very ancient/ancient.c",
             project_ / "controllers/very ancient/very ancient.c");
  EXPECT_EQ(run("very ancient"), "ancient 0");
  EXPECT_FALSE(contains(said_, "warning")) << said_;
  write("controllers/very ancient/Makefile", "all:\n\tfalse\n");
  write("controllers/very ancient/very ancient.c", "int main(void) { return 0; }\n");
  run("very ancient");
  EXPECT_TRUE(contains(said_, "make cannot make a program with a space in its name")) << said_;
}

TEST_F(Make, IsDoneWithoutWhereThereIsNone) {
  const ScopedVariable none("MAKE", "servosim-no-such-make");
  EXPECT_EQ(run("ancient"), "ancient 0");
  EXPECT_FALSE(contains(said_, "warning")) << said_;
  EXPECT_FALSE(fs::exists(project_ / "controllers/ancient/build"));
  EXPECT_EQ(run("objects"), "objects: arm after 24 ms");
  EXPECT_EQ(run("cxx"), "cxx 0");
  EXPECT_TRUE(contains(said_, "is not run, as there is no make here")) << said_;
}

}  // namespace make_test
}  // namespace servosim
