// SPDX-License-Identifier: Apache-2.0
#include "run/c_sources.h"

#include <gtest/gtest.h>

#include "run/test_support.h"

namespace servosim {
namespace {

using test::TempFolder;
using Names = std::vector<std::string>;

TEST(DefinesMain, TellsDefinitionsFromDeclarationsCallsAndText) {
  EXPECT_TRUE(defines_main("int main(int argc, char **argv) { return 3; }"));
  EXPECT_TRUE(defines_main("int\nmain ()\n{\n}"));
  // C before 1989 declares parameters in this way.
  EXPECT_TRUE(defines_main("main(argc, argv) int argc; char **argv; { }"));
  EXPECT_TRUE(defines_main("int main(void (*f)(int)) /* { */ {"));
  EXPECT_FALSE(defines_main("int main(int argc, char **argv);"));
  EXPECT_FALSE(defines_main("int again(void) { return main(7, 0); }"));
  EXPECT_FALSE(defines_main("/* int main() { */ int f(void);"));
  EXPECT_FALSE(defines_main("// int main() {\nint f(void);"));
  EXPECT_FALSE(defines_main("const char *s = \"int main() { \\\" main() {\";"));
  EXPECT_FALSE(defines_main("int domain(int x) { return x; }"));
  EXPECT_FALSE(defines_main("int x = main"));
  EXPECT_FALSE(defines_main("int x = main("));
}

TEST(MakefileSources, ReadsAPlainList) {
  EXPECT_EQ(makefile_sources("C_SOURCES = arm.c gait.c\n"), (Names{"arm.c", "gait.c"}));
  EXPECT_EQ(makefile_sources("C_SOURCES:=arm.c \\\n  sub/gait.c # the rest\nX = y.c"),
            (Names{"arm.c", "sub/gait.c"}));
  EXPECT_EQ(makefile_sources("C_SOURCES=arm.c\r\nC_SOURCES += gait.c\r\n"),
            (Names{"arm.c", "gait.c"}));
  EXPECT_EQ(makefile_sources("C_SOURCES=old.c\nexport C_SOURCES ?= arm.c"), (Names{"arm.c"}));
}

TEST(MakefileSources, LeavesWhatIsNoPlainList) {
  EXPECT_EQ(makefile_sources("# C_SOURCES = arm.c\n"), std::nullopt);
  EXPECT_EQ(makefile_sources("C_SOURCES = $(wildcard *.c)\n"), std::nullopt);
  EXPECT_EQ(makefile_sources("C_SOURCES =\n"), std::nullopt);
  EXPECT_EQ(makefile_sources("MY_C_SOURCES = arm.c\nX_CC_SOURCES=b.c"), std::nullopt);
  EXPECT_EQ(makefile_sources("all:\n\tcc -DC_SOURCES arm.c\n=\n"), std::nullopt);
}

const char* const kWebotsMakefile =
    "# Webots Makefile system\n### CFLAGS = -O3 \\\n  -DX=3\n\nnull :=\n"
    "space := $(null) $(null)\n"
    "WEBOTS_HOME_PATH?=$(subst $(space),\\ ,$(strip $(subst \\,/,$(WEBOTS_HOME))))\r\n"
    "include $(WEBOTS_HOME_PATH)/resources/Makefile.include\n";

TEST(IsStandardMakefile, KnowsWhatWebotsWrites) {
  const std::string standard = kWebotsMakefile;
  EXPECT_TRUE(is_standard_makefile(standard));
  EXPECT_TRUE(is_standard_makefile("C_SOURCES = arm.c \\\n gait.c\n" + standard));
  EXPECT_TRUE(is_standard_makefile("C_SOURCES = $(wildcard *.c)\n" + standard));
  EXPECT_TRUE(is_standard_makefile("space :=\nspace +=\nexport WEBOTS_HOME ?= /opt/webots\n"));
}

TEST(IsStandardMakefile, SeesWhatIsMore) {
  const std::string standard = kWebotsMakefile;
  for (const char* line :
       {"CFLAGS = -DGAIT=3", "LIBRARIES += -lblas", "C_SOURCES = $(SHARED)/gait.c",
        "C_SOURCES = $(wildcard sub/*.c)", "include ../common.mk", "all:\n\tfalse", "all: null=3",
        "ifdef X", "MY_C_SOURCES = arm.c"}) {
    EXPECT_FALSE(is_standard_makefile(standard + line + "\n")) << line;
    EXPECT_FALSE(is_standard_makefile(std::string(line) + "\n" + standard)) << line;
  }
}

TEST(HasMain, LooksIntoTheFolderAndTheListedFiles) {
  const TempFolder folder;
  folder.write("arm/help.c", "int main(void);\nint help(void) { return 3; }");
  EXPECT_FALSE(has_main(folder / "arm"));
  folder.write("shared/go.c", "int main(void) { return 3; }");
  EXPECT_FALSE(has_main(folder / "arm"));
  folder.write("arm/makefile", "C_SOURCES = help.c ../shared/go.c");
  EXPECT_TRUE(has_main(folder / "arm"));
  EXPECT_TRUE(has_main(folder / "shared"));
}

TEST(ControllerSources, TakesAllFilesButOtherMains) {
  const TempFolder folder;
  folder.write("arm.c", "int main(void) { return gait(); }");
  folder.write("gait.c", "int gait(void) { return 3; }");
  folder.write("trial.c", "int main(void) { return 4; }");
  folder.write("notes.txt", "int main(void) {}");
  EXPECT_EQ(controller_sources(folder.path(), "arm"), (Names{"arm.c", "gait.c"}));
}

TEST(ControllerSources, KeepsTheOnlyMainWhateverItsFileIsCalled) {
  const TempFolder folder;
  folder.write("other.c", "int main(void) { return gait(); }");
  folder.write("gait.c", "int gait(void) { return 3; }");
  EXPECT_EQ(controller_sources(folder.path(), "arm"), (Names{"gait.c", "other.c"}));
}

TEST(ControllerSources, RefusesToGuessAMain) {
  const TempFolder folder;
  folder.write("first.c", "int main(void) { return 3; }");
  folder.write("second.c", "int main(void) { return 4; }");
  try {
    controller_sources(folder.path(), "arm");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), "'" + folder.path().string() +
                                "': first.c, second.c all define main(), and none is arm.c");
  }
}

TEST(ControllerSources, LeavesOutWhatIsIncluded) {
  const TempFolder folder;
  folder.write("arm.c", "#include  \"./tables.c\"\n#include <gait.c>\nint main(void) { }");
  folder.write("tables.c", "static int table[3];");
  folder.write("gait.c", "int gait(void) { return 3; }");
  EXPECT_EQ(controller_sources(folder.path(), "arm"), (Names{"arm.c", "gait.c"}));
}

TEST(ControllerSources, AWebotsMakefileWithoutListMeansTheFileOfThatName) {
  const TempFolder folder;
  folder.write("arm.c", "int main(void) { return 3; }");
  folder.write("arm_old.c", "int helper(void) { return 4; }");
  folder.write("Makefile", "# C_SOURCES = x.c\ninclude $(WEBOTS_HOME)/resources/Makefile.include");
  EXPECT_EQ(controller_sources(folder.path(), "arm"), (Names{"arm.c"}));
  folder.write("Makefile",
               "C_SOURCES = $(wildcard *.c)\ninclude $(WEBOTS_HOME)/resources/Makefile.include");
  EXPECT_EQ(controller_sources(folder.path(), "arm"), (Names{"arm.c", "arm_old.c"}));
  folder.write("Makefile", "C_SOURCES = arm_old.c ../shared/b.c\ninclude Makefile.include");
  EXPECT_EQ(controller_sources(folder.path(), "arm"), (Names{"arm_old.c", "../shared/b.c"}));
}

}  // namespace
}  // namespace servosim
