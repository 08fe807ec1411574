// SPDX-License-Identifier: Apache-2.0
#include "run/controller_finder.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/files.h"
#include "run/test_support.h"
#include "support/case_names.h"

namespace servosim {
namespace {

using test::ScopedVariable;
using test::TempFolder;
using Kind = ControllerChoice::Kind;

const char* const kScript = "#!/bin/sh\nexit 3\n";

ControllerQuery query(const TempFolder& project, const std::string& controller) {
  return {"arm", controller, project.path(), {}};
}

TEST(FindController, RunsNothingForWebotsNamesOfNothing) {
  const TempFolder project;
  for (const char* name : {"", "void", "<generic>", "<none>"}) {
    const ControllerChoice choice = find_controller(query(project, name));
    EXPECT_EQ(choice.kind, Kind::Nothing) << name;
    EXPECT_EQ(choice.warning, "") << name;
  }
}

TEST(FindController, LeavesExternToSomebodyElse) {
  const TempFolder project;
  const ControllerChoice choice = find_controller(query(project, "<extern>"));
  EXPECT_EQ(choice.kind, Kind::Extern);
  EXPECT_EQ(choice.warning, "");
  EXPECT_EQ(choose_controller("<extern>").kind, Kind::Extern);
}

TEST(FindController, RefusesPaths) {
  const TempFolder project;
  project.write_program("controllers/evil/evil", kScript);
  for (const char* name : {"../controllers/evil", "..", ".", "/bin", "evil/"}) {
    const ControllerChoice choice = find_controller(query(project, name));
    EXPECT_EQ(choice.kind, Kind::Nothing) << name;
    EXPECT_EQ(choice.warning, std::string("robot 'arm': controller '") + name +
                                  "' must be a plain folder name; the robot stays passive");
  }
}

TEST(FindController, SaysWhereToPutOneThatIsNotThere) {
  const TempFolder project;
  const ControllerChoice choice = find_controller(query(project, "gait"));
  EXPECT_EQ(choice.warning, "robot 'arm': controller 'gait' not found; the robot stays passive");
  EXPECT_EQ(choice.missing->subject, "controller 'gait' of robot 'arm'");
  EXPECT_EQ(choice.missing->remedy,
            "not found; put it into controllers/gait of the project, or name one by --controller "
            "'arm=PROGRAM'");
  EXPECT_EQ(find_controller(query(project, "..")).missing->remedy,
            "must be a plain folder name; name one by --controller 'arm=PROGRAM'");
}

TEST(FindController, SearchesTheProjectThenItsProtosThenTheExtraOnes) {
  const TempFolder project;
  const TempFolder proto;
  const TempFolder extra1;
  const TempFolder extra2;
  const ScopedVariable path("WEBOTS_EXTRA_PROJECT_PATH",
                            extra1.path().string() + "::" + extra2.path().string());
  ControllerQuery asked = query(project, "gait");
  asked.proto_project = proto.path();
  for (const TempFolder* folder : {&extra2, &extra1, &proto, &project}) {
    const auto program = folder->write_program("controllers/gait/gait", kScript);
    const ControllerChoice choice = find_controller(asked);
    EXPECT_EQ(choice.kind, Kind::Program);
    EXPECT_EQ(choice.program, program);
    EXPECT_EQ(choice.folder, program.parent_path());
    EXPECT_EQ(choice.name, "gait");
  }
}

TEST(FindController, TheFirstFolderWinsEvenIfNothingInItRuns) {
  const TempFolder project;
  const TempFolder proto;
  project.write("controllers/gait/readme.txt", "later");
  proto.write_program("controllers/gait/gait", kScript);
  ControllerQuery asked = query(project, "gait");
  asked.proto_project = proto.path();
  EXPECT_EQ(
      find_controller(asked).warning,
      "robot 'arm': '" + (project / "controllers/gait").string() +
          "' holds neither a program 'gait' nor 'gait.py' nor C or C++ sources; the robot stays "
          "passive");
}

TEST(FindController, SaysHowCMakeBuildsAController) {
  const TempFolder project;
  project.write("controllers/gait/CMakeLists.txt", "project(gait)");
  project.write("controllers/gait/src/gait.c", "int main(void) {}");
  const std::string folder = (project / "controllers/gait").string();
  EXPECT_EQ(find_controller(query(project, "gait")).warning,
            "robot 'arm': '" + folder +
                "' is built by CMake, and not by us: build it there, with WEBOTS_HOME='" +
                find_controller_kit().home +
                "' in the environment (cmake -S . -B build && cmake --build build), and put the "
                "program at '" +
                folder + "/gait'; the robot stays passive");
  const auto program = project.write_program("controllers/gait/gait", kScript);
  EXPECT_EQ(find_controller(query(project, "gait")).program, program);
}

TEST(FindController, PrefersCSourcesToAProgram) {
  const TempFolder project;
  project.write_program("controllers/gait/gait", kScript);
  project.write("controllers/gait/walk.c", "int main(void) {}");
  const ControllerChoice choice = find_controller(query(project, "gait"));
  EXPECT_EQ(choice.kind, Kind::Sources);
  EXPECT_EQ(choice.program, project / "controllers/gait/gait");
}

TEST(FindController, TakesTheProgramOfAReleaseBuild) {
  const TempFolder project;
  const auto program = project.write_program("controllers/gait/build/release/gait", kScript);
  EXPECT_EQ(find_controller(query(project, "gait")).program, program);
}

TEST(FindController, TakesTheNewerOfTwoPrograms) {
  const TempFolder project;
  const auto beside = project.write_program("controllers/gait/gait", kScript);
  const auto built = project.write_program("controllers/gait/build/release/gait", kScript);
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(beside, now);
  std::filesystem::last_write_time(built, now - std::chrono::hours(1));
  EXPECT_EQ(find_controller(query(project, "gait")).program, beside);
  std::filesystem::last_write_time(built, now + std::chrono::hours(1));
  EXPECT_EQ(find_controller(query(project, "gait")).program, built);
}

TEST(FindController, TakesAnElfProgramForThisMachineOnly) {
  const TempFolder project;
  std::string elf = test::read_text("/bin/sh").substr(0, 64);
  project.write_program("controllers/gait/gait", elf);
  EXPECT_EQ(find_controller(query(project, "gait")).kind, Kind::Program);
  elf[18] = static_cast<char>(elf[18] ^ 0x55);  // e_machine
  project.write_program("controllers/gait/gait", elf);
  EXPECT_EQ(find_controller(query(project, "gait")).warning,
            "robot 'arm': '" + (project / "controllers/gait/gait").string() +
                "' is not an executable program for this machine; the robot stays passive");
}

TEST(FindController, TakesNoFileThatIsNotExecutable) {
  const TempFolder project;
  project.write("controllers/gait/gait", kScript);
  EXPECT_EQ(find_controller(query(project, "gait")).kind, Kind::Nothing);
}

struct Unsupported {
  const char* file;
  const char* kind;

  friend void PrintTo(const Unsupported& u, std::ostream* out) { *out << test::case_name(u.file); }
};

class FindUnsupported : public testing::TestWithParam<Unsupported> {};

TEST_P(FindUnsupported, IsNamed) {
  const TempFolder project;
  project.write(std::string("controllers/gait/") + GetParam().file, "text");
  const ControllerChoice choice = find_controller(query(project, "gait"));
  EXPECT_EQ(choice.kind, Kind::Nothing);
  EXPECT_EQ(choice.warning,
            std::string("robot 'arm': ") + GetParam().kind + " controllers are not supported ('" +
                (project / "controllers/gait").string() + "'); the robot stays passive");
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, FindUnsupported,
    testing::Values(Unsupported{"gait.java", "Java"}, Unsupported{"gait.class", "Java"},
                    Unsupported{"gait.jar", "Java"}, Unsupported{"gait.m", "MATLAB"},
                    Unsupported{"gait.bsg", "BotStudio"}, Unsupported{"Dockerfile", "Docker"}),
    testing::PrintToStringParamName());

class FindUnsupportedWithC : public testing::TestWithParam<Unsupported> {};

TEST_P(FindUnsupportedWithC, IsNamedUnlessTheCFilesAreAProgram) {
  const TempFolder project;
  project.write(std::string("controllers/gait/") + GetParam().file, "text");
  project.write("controllers/gait/module.c", "int help(void) { return 3; }");
  EXPECT_EQ(find_controller(query(project, "gait")).warning,
            std::string("robot 'arm': ") + GetParam().kind + " controllers are not supported ('" +
                (project / "controllers/gait").string() + "'); the robot stays passive");
  project.write("controllers/gait/start.c", "int main(void) { return 3; }");
  EXPECT_EQ(find_controller(query(project, "gait")).kind, Kind::Sources);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FindUnsupportedWithC,
                         testing::Values(Unsupported{"gait.java", "Java"},
                                         Unsupported{"gait.class", "Java"},
                                         Unsupported{"gait.jar", "Java"},
                                         Unsupported{"gait.m", "MATLAB"},
                                         Unsupported{"gait.bsg", "BotStudio"}),
                         testing::PrintToStringParamName());

TEST(FindController, LeavesPythonWithItsModulesInCToPython) {
  const TempFolder project;
  const auto script = project.write("controllers/gait/gait.py", "pass");
  project.write("controllers/gait/module.c", "int help(void) { return 3; }");
  project.write("controllers/gait/Makefile", "all:");
  const ControllerChoice choice = find_controller(query(project, "gait"));
  EXPECT_EQ(choice.kind, Kind::Python);
  EXPECT_EQ(choice.program, script);
  project.write_program("controllers/gait/gait", kScript);  // takes precedence
  EXPECT_EQ(find_controller(query(project, "gait")).kind, Kind::Program);
  project.write("controllers/gait/start.c", "int main(void) { return 3; }");
  EXPECT_EQ(find_controller(query(project, "gait")).kind, Kind::Sources);
}

TEST(FindController, BuildsCBesideToolsInAnotherLanguage) {
  const TempFolder project;
  project.write("controllers/gait/plot.py", "pass");
  project.write("controllers/gait/gait.c", "#include \"main_of_all.inc\"\n");
  EXPECT_EQ(find_controller(query(project, "gait")).kind, Kind::Sources);
}

TEST(FindController, BuildsCxx) {
  const TempFolder project;
  project.write("controllers/gait/gait.cpp", "int main() {}");
  project.write("controllers/gait/help.c", "int help(void) {}");
  EXPECT_EQ(find_controller(query(project, "gait")).kind, Kind::Sources);
}

TEST(FindController, LeavesAMakefileAloneToMake) {
  const TempFolder project;
  project.write("controllers/gait/Makefile", "all:");
  EXPECT_EQ(find_controller(query(project, "gait")).kind, Kind::Sources);
}

TEST(ChooseController, TakesAProgramASourceFileOrAFolder) {
  const TempFolder folder;
  const auto program = folder.write_program("-dash", kScript);
  const auto source = folder.write("two words.c", "int main(void) {}");
  EXPECT_EQ(choose_controller(program).kind, Kind::Program);
  EXPECT_EQ(choose_controller(program).folder, folder.path());

  const ControllerChoice one = choose_controller(source);
  EXPECT_EQ(one.kind, Kind::Sources);
  EXPECT_EQ(one.name, "two words");
  EXPECT_EQ(one.source, "two words.c");

  const auto script = folder.write("walk.py", "pass");
  EXPECT_EQ(choose_controller(script).kind, Kind::Python);
  EXPECT_EQ(choose_controller(script).program, script);

  const ControllerChoice all = choose_controller(folder.path().string() + "/");
  EXPECT_EQ(all.kind, Kind::Sources);
  EXPECT_EQ(all.name, folder.path().filename());
  EXPECT_EQ(all.source, "");
}

TEST(ChooseController, TakesNothingByName) {
  EXPECT_EQ(choose_controller("<none>").kind, Kind::Nothing);
  EXPECT_EQ(choose_controller("").kind, Kind::Nothing);
}

TEST(ChooseController, ThrowsForWhatCannotRun) {
  const TempFolder folder;
  const auto text = folder.write("notes.txt", "not a program");
  folder.write("coffee/coffee.java", "class coffee {}");
  EXPECT_THROW(choose_controller(text), std::invalid_argument);
  EXPECT_THROW(choose_controller(folder / "absent"), std::invalid_argument);
  EXPECT_THROW(choose_controller(folder / "coffee"), std::invalid_argument);
  EXPECT_THROW(choose_controller("/dev/null"), std::invalid_argument);
}

}  // namespace
}  // namespace servosim
