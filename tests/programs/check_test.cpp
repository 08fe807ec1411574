// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "programs/program.h"

namespace servosim {
namespace {

using test::Program;
using test::Project;
using test::TempFolder;

TEST(Check, SaysThatNothingIsWrong) {
  const Project project("one");
  Program program({"check", project.world()});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_EQ(program.out(), "1 world: 0 errors, 0 warnings\n");
  EXPECT_EQ(program.err(), "");
}

TEST(Check, ShowsWarningsAndCountsThemOnDemand) {
  const Project project("one");
  project.edit("maxVelocity 4", "maxSpeed 4");
  Program lenient({"check", project.world()});
  EXPECT_EQ(lenient.finish(), 0);
  EXPECT_EQ(lenient.out().find(project.world() + ":18:11: warning: "), 0u) << lenient.out();
  EXPECT_NE(lenient.out().find("maxSpeed"), std::string::npos);
  EXPECT_EQ(lenient.last_line(), "1 world: 0 errors, 1 warning\n");
  Program strict({"check", "--strict", project.world()});
  EXPECT_EQ(strict.finish(), 2);
  EXPECT_EQ(strict.out(), lenient.out());
}

TEST(Check, AddsUpSeveralWorlds) {
  const Project good("one");
  const Project odd("two");
  odd.edit("translation 2 0 0", "transition 2 0 0");
  const auto broken = odd.folder().write("broken.wbt", "#VRML_SIM R2023b utf8\nRobot { name \"a\"");
  Program program({"check", good.world(), odd.world(), broken, good.world()});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_NE(program.out().find(broken.string() + ":2:"), std::string::npos) << program.out();
  EXPECT_EQ(program.last_line(), "4 worlds: 1 error, 1 warning\n");
}

TEST(Check, RefusesWhatIsNoWorldFile) {
  const TempFolder folder;
  const auto text = folder.write("notes.wbt", "Dear diary");
  for (const std::string& path : {text.string(), folder.path().string(), std::string("/dev/zero"),
                                  (folder / "absent.wbt").string()}) {
    Program program({"check", path});
    EXPECT_EQ(program.finish(), 2) << path;
    EXPECT_EQ(program.out().find(path + ":"), 0u) << program.out();
    EXPECT_NE(program.out().find(" error: "), std::string::npos) << program.out();
    EXPECT_EQ(program.last_line(), "1 world: 1 error, 0 warnings\n");
  }
}

TEST(Check, NamesAFileThatTakesThePlaceOfTheOneThatWasMeant) {
  const TempFolder folder;
  const auto used =
      folder.write("protos/Cart.proto", "#VRML_SIM R2023b utf8\nPROTO Cart [ ] { Solid { } }\n");
  const auto world = folder.write("worlds/w.wbt",
                                  "#VRML_SIM R2023b utf8\nEXTERNPROTO \"../else/Cart.proto\"\n"
                                  "Cart { }\nCart { }\n");
  Program program({"check", world});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_EQ(program.out(), world.string() + ":3:1: info: the EXTERNPROTO line of 'Cart' names " +
                               (folder.path() / "else/Cart.proto").string() +
                               ", which is not there; " + used.string() + " is used instead\n" +
                               "1 world: 0 errors, 0 warnings\n");
}

TEST(Check, LooksForProtosWhereItIsTold) {
  const Project project("one");
  project.edit("Robot {", "Cart { }\nRobot {");
  Program without({"check", project.world()});
  EXPECT_EQ(without.finish(), 3);
  EXPECT_EQ(without.last_line(), "1 world: 0 errors, 1 warning\n") << without.out();
  const TempFolder elsewhere;
  elsewhere.write("deep/Cart.proto", "#VRML_SIM R2023b utf8\nPROTO Cart [ ] { Solid { } }\n");
  Program with({"check", project.world(), "--proto-path", elsewhere.path()});
  EXPECT_EQ(with.finish(), 0);
  EXPECT_EQ(with.last_line(), "1 world: 0 errors, 0 warnings\n") << with.out();
}

}  // namespace
}  // namespace servosim
