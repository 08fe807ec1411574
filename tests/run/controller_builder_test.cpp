// SPDX-License-Identifier: Apache-2.0
#include "run/controller_builder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "run/process.h"
#include "run/test_support.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using test::ScopedVariable;
using test::TempFolder;

// A small library takes the place of libController, so that these tests need only a compiler.
class BuildController : public testing::Test {
 protected:
  BuildController() {
    kit_.write("include/webots/robot.h", "int wb_answer(void);\n");
    kit_.write("robot.c", "int wb_answer(void) { return 42; }\n");
    fs::create_directories(kit_ / "lib");
    const CommandResult result = run_command(
        {"cc", "-shared", "-fPIC", "-o", "lib/libController.so", "robot.c"}, kit_.path(), 10);
    fs::copy_file(kit_ / "lib/libController.so", kit_ / "lib/libCppController.so");
    EXPECT_TRUE(result.succeeded()) << result.output;
  }

  BuiltController build(const ControllerChoice& choice) {
    return build_controller(choice, {kit_ / "include", kit_ / "lib"});
  }
  BuiltController build() { return build(choose_controller(folder_.path())); }
  int status_of(const std::string& program) {
    const ScopedVariable path("LD_LIBRARY_PATH", kit_ / "lib");
    const int status = run_command({program}, "/", 10).wait_status;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string name() { return folder_.path().filename(); }
  std::string beside() { return folder_ / name(); }
  std::string error_of_build() {
    try {
      build();
    } catch (const BuildError& error) {
      return error.what();
    }
    return "no error";
  }

  TempFolder kit_;
  TempFolder folder_;
  TempFolder cache_;
  ScopedVariable cache_variable_{"XDG_CACHE_HOME", cache_.path()};
  ScopedVariable compiler_variable_{"CC", ""};  // like a variable that is not set
  ScopedVariable make_variable_{"MAKE", "servosim-no-such-make"};
};

const char* const kMain =
    "#include <webots/robot.h>\n#include \"part.h\"\n"
    "int main(void) { return wb_answer() - PART; }\n";

TEST_F(BuildController, CompilesBesideTheSourcesOnce) {
  folder_.write("main.c", kMain);
  folder_.write("part.h", "#define PART 5\n");
  const BuiltController first = build();
  EXPECT_TRUE(first.compiled);
  EXPECT_EQ(first.program, beside());
  EXPECT_EQ(status_of(first.program), 37);
  const BuiltController second = build();
  EXPECT_FALSE(second.compiled);
  EXPECT_EQ(second.program, beside());
  // The folder has no other files.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 3);
}

TEST_F(BuildController, RebuildsAfterAChangeOfASourceOrAHeaderAnywhereInTheFolder) {
  folder_.write("main.c", kMain);
  folder_.write("part.h", "#include \"deep/er/value.h\"\n#define PART VALUE\n");
  folder_.write("deep/er/value.h", "#define VALUE 5\n");
  EXPECT_EQ(status_of(build().program), 37);
  folder_.write("deep/er/value.h", "#define VALUE 6\n");  // same size, and perhaps the same time in
                                                          // seconds
  const BuiltController changed = build();
  EXPECT_TRUE(changed.compiled);
  EXPECT_EQ(status_of(changed.program), 36);
}

TEST_F(BuildController, RebuildsAfterAChangeOfOurHeaders) {
  folder_.write("main.c", kMain);
  folder_.write("part.h", "#define PART 5\n");
  build();
  kit_.write("include/webots/robot.h", "int wb_answer(void); /* newer */\n");
  EXPECT_TRUE(build().compiled);
}

TEST_F(BuildController, ReplacesAForeignProgram) {
  folder_.write("main.c", kMain);
  folder_.write("part.h", "#define PART 5\n");
  fs::copy_file("/bin/true", beside());
  EXPECT_EQ(status_of(beside()), 0);
  EXPECT_TRUE(build().compiled);
  EXPECT_EQ(status_of(beside()), 37);
}

TEST_F(BuildController, NeverReplacesWhatIsNoProgram) {
  folder_.write("main.c", kMain);
  folder_.write("part.h", "#define PART 5\n");
  folder_.write(name(), "precious data");
  const BuiltController built = build();
  EXPECT_EQ(test::read_text(beside()), "precious data");
  EXPECT_EQ(built.program.find(cache_.path()), 0u);
  EXPECT_EQ(status_of(built.program), 37);
}

// Permission bits do not restrict root, so in that case the body runs as nobody.
bool holds_for_ordinary_user(const std::vector<fs::path>& visible, const fs::path& own,
                             const std::function<bool()>& body) {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() != 0) {
    return body();
  }
  for (const fs::path& path : visible) {
    ::chmod(path.c_str(), 0555);
  }
  const pid_t child = ::fork();
  if (child == 0) {
    const bool dropped = ::chown(own.c_str(), kNobody, kNobody) == 0 && ::setgid(kNobody) == 0 &&
                         ::setuid(kNobody) == 0;
    ::_exit(dropped && body() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

TEST_F(BuildController, BuildsInTheCacheWhenTheFolderIsReadOnly) {
  folder_.write("main.c", kMain);
  folder_.write("part.h", "#define PART 5\n");
  fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_TRUE(holds_for_ordinary_user({folder_.path(), kit_.path()}, cache_.path(), [&] {
    const BuiltController built = build();
    return built.program.find(cache_.path()) == 0 && status_of(built.program) == 37 &&
           !build().compiled;
  }));
  fs::permissions(folder_.path(), fs::perms::owner_all);
  EXPECT_FALSE(fs::exists(beside()));
}

TEST_F(BuildController, BuildsInTheCacheWhenAsked) {
  const ScopedVariable in_cache("SERVOSIM_BUILD_IN_CACHE", "1");
  folder_.write("main.c", kMain);
  folder_.write("part.h", "#define PART 5\n");
  const BuiltController built = build();
  EXPECT_FALSE(fs::exists(beside()));
  EXPECT_EQ(fs::path(built.program).parent_path().parent_path(), cache_ / "servosim/controllers");
  EXPECT_EQ(fs::path(built.program).filename(), name());
  EXPECT_EQ(status_of(built.program), 37);
  EXPECT_FALSE(build().compiled);
  folder_.write("part.h", "#define PART 6\n");
  EXPECT_TRUE(build().compiled);
}

TEST_F(BuildController, BuildsASingleFileAlone) {
  const auto source = folder_.write("-one.c", "int main(void) { return 7; }\n");
  folder_.write("broken.c", "this is no C\n");
  const BuiltController built = build(choose_controller(source));
  EXPECT_EQ(built.program, folder_ / "-one");
  EXPECT_EQ(status_of(built.program), 7);
}

TEST_F(BuildController, ShowsWhatTheCompilerSays) {
  folder_.write("main.c", "int main(void) { return undeclared_name; }\n");
  const std::string error = error_of_build();
  EXPECT_EQ(error.find("controller '" + name() + "' in '" + folder_.path().string() +
                       "' does not compile: cc exited with status 1\n"),
            0u)
      << error;
  EXPECT_NE(error.find("main.c:1:"), std::string::npos) << error;
  EXPECT_NE(error.find("undeclared_name"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(beside()));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(BuildController, KeepsOldCAlive) {
  folder_.write("main.c", "#include \"g.h\"\nmain() { shared = 9; return get(); }\n");
  folder_.write("get.c", "#include \"g.h\"\nint get(void) { return shared; }\n");
  folder_.write("g.h", "int shared;\nint get(void);\n");  // both files define it
  EXPECT_EQ(status_of(build().program), 9);
}

TEST_F(BuildController, CompilesCAndCxxTogether) {
  folder_.write("main.cpp",
                "#include <string>\nextern \"C\" int half(int x);\n"
                "int main() { return half(static_cast<int>(std::string(18, 'x').size())); }\n");
  folder_.write("half.c", "int half(int class) { return class / 2; }\n");
  EXPECT_EQ(status_of(build().program), 9);
}

TEST_F(BuildController, SaysWhatToInstallWithoutACompiler) {
  const ScopedVariable compiler("CC", "servosim-no-such-compiler --flag");
  folder_.write("main.c", kMain);
  EXPECT_NE(error_of_build().find("apt-get install gcc libc6-dev"), std::string::npos);
}

TEST_F(BuildController, UsesWhatIsThereWithoutACompiler) {
  const ScopedVariable compiler("CC", "servosim-no-such-compiler");
  folder_.write("main.c", kMain);
  folder_.write_program(name(), "#!/bin/sh\nexit 5\n");
  const BuiltController built = build();
  EXPECT_EQ(built.program, beside());
  EXPECT_FALSE(built.compiled);
  ASSERT_EQ(built.notes.size(), 1u);
  EXPECT_NE(built.notes[0].find("no C compiler"), std::string::npos);
}

TEST_F(BuildController, TakesACompilerWithArgumentsFromTheEnvironment) {
  const ScopedVariable compiler("CC", "gcc -DPART=11");
  folder_.write("main.c",
                "#include <webots/robot.h>\nint main(void) { return wb_answer() - PART; }");
  EXPECT_EQ(status_of(build().program), 31);
}

// A compiler that is killed leaves its temporary files behind.
TEST_F(BuildController, GivesTheCompilerATemporaryFolderThatIsRemoved) {
  folder_.write_program("servosim-cc", R"(#!/bin/sh
[ "$1" = --version ] && exit
touch "$TMPDIR/left.o" && echo "in $TMPDIR/"
exit 1
)");
  const ScopedVariable compiler("CC", "servosim-cc");
  const ScopedVariable path("PATH", folder_.path().string() + ":" + std::getenv("PATH"));
  folder_.write("main.c", kMain);
  const std::string error = error_of_build();
  const std::size_t at = error.find("in /");
  ASSERT_NE(at, std::string::npos) << error;
  const std::string temporary = error.substr(at + 3, error.find('\n', at) - at - 3);
  EXPECT_NE(temporary, std::filesystem::temp_directory_path());
  EXPECT_FALSE(std::filesystem::exists(temporary)) << temporary;
}

const char* const kNotRun =
    "' is not run, as there is no make here (on Debian: apt-get install make): only plain lists of "
    "C_SOURCES and CXX_SOURCES in it are heeded";

TEST_F(BuildController, WarnsEachTimeThatAMakefileIsNotRun) {
  folder_.write("main.c", "int main(void) { return 7; }\n");
  folder_.write("makefile", "all:\n\tfalse\n");
  const std::vector<std::string> expected{"'" + (folder_ / "makefile").string() + kNotRun};
  const BuiltController first = build();
  EXPECT_TRUE(first.compiled);
  EXPECT_EQ(first.warnings, expected);
  const BuiltController second = build();
  EXPECT_FALSE(second.compiled);
  EXPECT_EQ(second.warnings, expected);
  EXPECT_TRUE(build(choose_controller(folder_ / "main.c")).warnings.empty());
}

TEST_F(BuildController, SaysNothingOfTheMakefileThatWebotsWrites) {
  folder_.write("main.c", "int main(void) { return 7; }\n");
  folder_.write("Makefile", "C_SOURCES = main.c\ninclude $(WEBOTS_HOME)/Makefile.include\n");
  EXPECT_TRUE(build().warnings.empty());
}

TEST_F(BuildController, RemindsOfTheMakefileAfterACompileError) {
  const auto source = folder_.write("main.c", "int main(void) { return undeclared_name; }\n");
  folder_.write("Makefile", "include $(WEBOTS_HOME)/Makefile.include\n");
  const std::string remark = "\n'" + (folder_ / "Makefile").string() + "' is not run";
  const auto ends_with = [](const std::string& text, const std::string& end) {
    return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
  };
  const std::string error = error_of_build();
  EXPECT_TRUE(ends_with(error, "'" + (folder_ / "Makefile").string() + kNotRun)) << error;
  EXPECT_EQ(error.find("\n\n"), std::string::npos) << error;
  try {
    build(choose_controller(source));
    ADD_FAILURE();
  } catch (const BuildError& alone) {
    EXPECT_TRUE(ends_with(alone.what(), remark)) << alone.what();
  }
}

}  // namespace
}  // namespace servosim
