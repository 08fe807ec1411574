// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/files.h"
#include "programs/program.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using test::Program;
using test::TempFolder;

constexpr const char* kOld = "#VRML_SIM V6.0 utf8\n#by me\nSolid { boundingObject Capsule { } }\n";
constexpr const char* kNew =
    "#VRML_SIM R2025a utf8\n#by me\nWorldInfo {\n  gravity 9.81\n  coordinateSystem \"NUE\"\n}\n"
    "Solid {\n  boundingObject Pose {\n    rotation 1 0 0 -1.5707963267948966\n    children [\n"
    "      Capsule {\n      }\n    ]\n  }\n}\n";

std::string content(const fs::path& path) { return read_file_or_nothing(path.string()); }

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Convert, WritesTheWorldAndSaysWhatWasDone) {
  const TempFolder folder;
  const std::string in = folder.write("old.wbt", kOld).string();
  const std::string out = (folder / "new.wbt").string();
  Program program({"convert", in, out});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_EQ(program.err(), "");
  EXPECT_EQ(program.out(), out +
                               ": V6.0 -> R2025a, 2 of 4 nodes changed, 0 PROTO instances written "
                               "out, 0 warnings. Next: servosim check " +
                               out + "\n");
  EXPECT_EQ(content(out), kNew);
  EXPECT_EQ(content(in), kOld);
  Program check({"check", "--strict", out});
  EXPECT_EQ(check.finish(), 0) << check.out();
}

TEST(Convert, WritesToStandardOutput) {
  const TempFolder folder;
  const std::string in = folder.write("old.wbt", kOld).string();
  Program program({"convert", in, "-"});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_EQ(program.out(), kNew);
  EXPECT_EQ(program.err().find("-: V6.0 -> R2025a, "), 0u) << program.err();
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(Convert, ReplacesOnlyWhenForced) {
  const TempFolder folder;
  const std::string in = folder.write("w.wbt", kOld).string();
  Program refused({"convert", in, in});
  EXPECT_EQ(refused.finish(), 2);
  EXPECT_EQ(refused.err(), "servosim: error: '" + in + "' exists already; --force replaces it\n");
  EXPECT_EQ(content(in), kOld);
  ::chmod(in.c_str(), 0640);
  const std::string link = (folder / "link.wbt").string();
  fs::create_symlink("w.wbt", link);
  Program forced({"convert", in, link, "--force"});
  EXPECT_EQ(forced.finish(), 0) << forced.err();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(in), kNew);
  EXPECT_EQ(fs::status(in).permissions(), fs::perms(0640));
  EXPECT_EQ(files_in(folder.path()), 2u);
}

TEST(Convert, RefusesWhatIsNoWorldAndWritesNothing) {
  const TempFolder folder;
  const std::string broken =
      folder.write("broken.wbt", "#VRML_SIM R2023b utf8\nRobot { name \"a\"").string();
  for (const std::string& in : {broken, folder.path().string(), (folder / "absent").string()}) {
    Program program({"convert", in, (folder / "out.wbt").string()});
    EXPECT_EQ(program.finish(), 2) << in;
    EXPECT_EQ(program.out(), "");
    EXPECT_EQ(program.err().find(in + ":"), 0u) << program.err();
    EXPECT_NE(program.err().find(" is not converted; correct it first\n"), std::string::npos);
  }
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(Convert, FailsWhereNothingCanBeWritten) {
  const TempFolder folder;
  const std::string in = folder.write("old.wbt", kOld).string();
  const std::string fifo = (folder / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& out : {(folder / "no/such/new.wbt").string(), folder.path().string(),
                                 fifo, std::string("/dev/full"), std::string("/proc/new.wbt")}) {
    Program program({"convert", in, out, "--force"});
    EXPECT_EQ(program.finish(), 1) << out;
    EXPECT_EQ(program.out(), "");
    EXPECT_EQ(program.err().find("servosim: error: '" + out + "' "), 0u) << program.err();
  }
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_EQ(files_in(folder.path()), 2u);
}

// A decoration may be missing. The Cart, the device and what is no node at all must not.
TEST(Convert, RefusesToLoseNodes) {
  const TempFolder folder;
  const std::string in = folder
                             .write("worlds/w.wbt",
                                    "#VRML_SIM R2025a utf8\nTexturedBackground { }\n"
                                    "Robot { children [\nShape { appearance Grass { } }\n"
                                    "HingeJoint { device [ Maxon { } ]\nendPoint Wheel { } } ] "
                                    "boundingObject Bolt { } }\nLua { }\nSolidd { }\n")
                             .string();
  const std::string lua = folder
                              .write("protos/Lua.proto",
                                     "#VRML_SIM R2021b utf8\nPROTO Lua [ ] { Solid { name "
                                     "\"%{= none.at }%\" } }\n")
                              .string();
  const std::string out = (folder / "out.wbt").string();
  Program program({"convert", in, out, "--strict"});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_EQ(program.out(), "");
  EXPECT_EQ(
      program.err(),
      "servosim: error: '" + in + "' is not converted, because these nodes would be lost:\n  " +
          in + ":5: PROTO 'Maxon' not found\n  " + in + ":6: PROTO 'Wheel' not found\n  " + in +
          ":6: PROTO 'Bolt' not found\n  " + lua +
          ":2: Lua template of PROTO 'Lua': attempt to index a nil value (global "
          "'none')\n  " +
          in +
          ":8: PROTO 'Solidd' not found; did you mean 'Solid'?\n"
          "Name the folders of their PROTO files with --proto-path; without --strict they are "
          "left out. Webots R2025a opens a world of R2022b and later without a "
          "conversion.\n");
  EXPECT_FALSE(fs::exists(out));
  Program dropping({"convert", in, out});
  EXPECT_EQ(dropping.finish(), 0) << dropping.err();
  EXPECT_NE(dropping.out().find(", 5 LEFT OUT, "), std::string::npos) << dropping.out();
  for (const char* said :
       {":2:1: warning: PROTO 'Text", ":4:20: warning: PROTO 'Grass' not found",
        ":5:23: warning: PROTO 'Maxon' not found", ":6:10: warning: PROTO 'Wheel' not found",
        ":6:39: warning: PROTO 'Bolt' not found",
        "Lua.proto:2:1: warning: Lua template of PROTO 'Lua'",
        ":8:1: warning: PROTO 'Solidd' not found"}) {
    EXPECT_NE(dropping.err().find(said), std::string::npos) << said << dropping.err();
  }
  EXPECT_TRUE(fs::exists(out));
}

// P is expanded twice, but the message appears once. The world is older than EXTERNPROTO lines.
TEST(Convert, NamesEachPlaceOfALossOnce) {
  const TempFolder folder;
  const std::string in =
      folder.write("worlds/w.wbt", "#VRML_SIM R2021b utf8\nP { }\nP { }\n").string();
  folder.write("protos/P.proto",
               "#VRML_SIM R2021b utf8\nPROTO P [ ] { Group { children [ Q { } ] } }\n");
  Program program({"convert", in, "-", "--strict"});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_EQ(program.err(),
            "servosim: error: '" + in +
                "' is not converted, because these nodes would be lost:\n  " +
                (folder / "protos/P.proto").string() +
                ":2: PROTO 'Q' not found\nName the folders of their PROTO files with "
                "--proto-path; without --strict they are left out.\n");
}

TEST(Convert, SaysWhatIsLostWithAMissingProto) {
  const TempFolder folder;
  const std::string in =
      folder
          .write("w.wbt",
                 "#VRML_SIM R2025a utf8\nTexturedBackground { }\nRectangleArena { }\nCart { }\n")
          .string();
  Program program({"convert", in, "-"});
  EXPECT_EQ(program.finish(), 0);
  for (const char* said : {":2:1: warning: PROTO 'TexturedBackground' not found",
                           ":3:1: warning: PROTO 'RectangleArena' not found: its shape is known",
                           ":4:1: warning: PROTO 'Cart' not found", " 3 warnings. "}) {
    EXPECT_NE(program.err().find(said), std::string::npos) << program.err();
  }
}

// With the Pose that it needs, the world would be too deep to be read.
TEST(Convert, WritesNothingThatCannotBeRead) {
  const TempFolder folder;
  std::string text = "#VRML_SIM R2021a utf8\n";
  for (int i = 0; i < 798; ++i) {
    text += "Group { children [ ";
  }
  text += "Shape { geometry Cylinder { } } ";
  for (int i = 0; i < 798; ++i) {
    text += "] } ";
  }
  const std::string in = folder.write("deep.wbt", text).string();
  Program program({"convert", in, (folder / "out.wbt").string()});
  EXPECT_EQ(program.finish(), 2);
  EXPECT_EQ(program.err(), "servosim: error: '" + in +
                               "' cannot be written: in the result nodes nest deeper than 800 "
                               "levels\n");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

// The robot's controller and the picture are found from the new folder.
TEST(Convert, MovesPathsAlong) {
  const TempFolder folder;
  folder.write("old/worlds/w.wbt",
               "#VRML_SIM R2020a utf8\nBackground { frontUrl \"sky.png\" }\nP { }\n");
  folder.write("old/protos/P.proto",
               "#VRML_SIM R2020a utf8\nPROTO P [ ] { Group { children [ "
               "ImageTexture { url \"wood.png\" } ] } }\n");
  fs::create_directories(folder / "new");
  Program program({"convert", "old/worlds/w.wbt", "new/w.wbt"}, {folder.path().string()});
  EXPECT_EQ(program.finish(), 0) << program.err();
  const std::string text = content(folder / "new/w.wbt");
  EXPECT_NE(text.find("\"../old/worlds/sky.png\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"../old/protos/wood.png\""), std::string::npos) << text;
  EXPECT_NE(program.out().find(", 1 PROTO instance written out, "), std::string::npos);
}

// When a robot is written without its PROTO, it is no longer in the PROTO's project, and a
// supervisor has no instance to read parameters from.
TEST(Convert, WarnsOfWhatInstancesTakeAlong) {
  const TempFolder folder;
  folder.write("arm/controllers/wave/wave.py", "");
  folder.write(
      "arm/protos/Arm.proto",
      "#VRML_SIM R2020a utf8\nPROTO Arm [ field MFNode tools [ ] ] { Robot { supervisor TRUE "
      "controller \"wave\" children [ Group { children IS tools } DEF HAND Solid { name "
      "\"hand\" } ] } }\n");
  const std::string world = "#VRML_SIM R2020a utf8\nArm { tools DEF TOOL Group { } }\n";
  folder.write("lab/worlds/w.wbt", world);
  folder.write("arm/worlds/w.wbt", world);
  Program away({"convert", "lab/worlds/w.wbt", "lab/worlds/new.wbt", "--proto-path", "arm/protos"},
               {folder.path().string()});
  EXPECT_EQ(away.finish(), 0) << away.err();
  const std::string lab = fs::canonical(folder / "lab").string();
  const std::string arm = fs::canonical(folder / "arm").string();
  for (const std::string& said :
       {"controller 'wave' of robot \"robot\" is in '" + arm +
            "/controllers/wave', where it is not found from OUT: copy it to '" + lab +
            "/controllers/wave', or add '" + arm + "' to WEBOTS_EXTRA_PROJECT_PATH",
        std::string("such as Arm for \"HAND\"; there wb_supervisor_node_get_from_def(\"HAND\") "
                    "finds it")}) {
    EXPECT_NE(away.err().find(said), std::string::npos) << away.err();
  }
  folder.write("elsewhere/readme.txt", "");
  Program nowhere({"convert", "arm/worlds/w.wbt", "elsewhere/new.wbt"}, {folder.path().string()});
  EXPECT_EQ(nowhere.finish(), 0) << nowhere.err();
  EXPECT_NE(
      nowhere.err().find("from OUT: put OUT into worlds/ of the project that has it, or add '" +
                         arm + "' to WEBOTS_EXTRA_PROJECT_PATH"),
      std::string::npos)
      << nowhere.err();
  Program home({"convert", "arm/worlds/w.wbt", "arm/worlds/new.wbt"}, {folder.path().string()});
  EXPECT_EQ(home.finish(), 0) << home.err();
  EXPECT_EQ(home.err().find("controller 'wave'"), std::string::npos) << home.err();
}

// The controller is in the project of the PROTO, and a supervisor reads parameters of the instance.
TEST(Convert, KeepsInstancesWithTheirControllers) {
  const TempFolder folder;
  folder.write("arm/controllers/wave/wave.py", "");
  folder.write("arm/protos/Arm.proto",
               "#VRML_SIM R2023b utf8\nPROTO Arm [ field SFString name \"arm\" ] { Robot { name IS "
               "name supervisor TRUE controller \"wave\" children [ DEF HAND Solid { name \"hand\" "
               "} ] } }\n");
  folder.write("lab/worlds/w.wbt",
               "#VRML_SIM R2021b utf8\nWorldInfo { }\nArm { name \"left\" }\nArena { }\n");
  folder.write("lab/protos/Arena.proto", "#VRML_SIM R2021b utf8\nPROTO Arena [ ] { Solid { } }\n");
  const std::vector<std::string> command{"convert", "lab/worlds/w.wbt", "lab/worlds/new.wbt",
                                         "--proto-path", "arm/protos"};
  std::vector<std::string> with_option = command;
  with_option.push_back("--keep-protos");
  Program keep(with_option, {folder.path().string()});
  EXPECT_EQ(keep.finish(), 0) << keep.err();
  EXPECT_NE(keep.out().find(", 1 PROTO instance kept, 1 PROTO instance written out, 1 warning."),
            std::string::npos)
      << keep.out();
  EXPECT_NE(keep.err().find("PROTO 'Arena' is written out as its nodes: '"), std::string::npos)
      << keep.err();
  EXPECT_EQ(keep.err().find("wave"), std::string::npos) << keep.err();
  EXPECT_EQ(keep.err().find("HAND"), std::string::npos) << keep.err();
  EXPECT_EQ(content(folder / "lab/worlds/new.wbt"),
            "#VRML_SIM R2025a utf8\nEXTERNPROTO \"../../arm/protos/Arm.proto\"\nWorldInfo {\n  "
            "coordinateSystem \"ENU\"\n}\n"
            "Arm {\n  name \"left\"\n}\nSolid {\n}\n");
  Program info({"info", "--json", "lab/worlds/new.wbt"}, {folder.path().string()});
  EXPECT_EQ(info.finish(), 0) << info.err();
  EXPECT_NE(info.out().find("\"left\""), std::string::npos) << info.out();
  Program run({"run", "--duration", "0.1", "lab/worlds/new.wbt"}, {folder.path().string()});
  EXPECT_EQ(run.finish(), 0) << run.err();
  EXPECT_EQ(run.err().find("not found"), std::string::npos) << run.err();
}

TEST(Convert, MakesTheNameOfOutPrintable) {
  const TempFolder folder;
  folder.write("w.wbt", "#VRML_SIM R2020a utf8\nWorldInfo { }\n");
  Program program({"convert", "w.wbt", "\x1b[31m.wbt"}, {folder.path().string()});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(program.out().starts_with("\\x1b[31m.wbt: R2020a -> ")) << program.out();
  EXPECT_EQ(program.out().find('\x1b'), std::string::npos) << program.out();
}

}  // namespace
}  // namespace servosim
