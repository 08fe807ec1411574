// SPDX-License-Identifier: Apache-2.0
#include "fetch/world_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "assets/address.h"
#include "base/files.h"
#include "servosim/diagnostics.h"

namespace servosim::fetch {
namespace {

namespace fs = std::filesystem;

class WorldFilesTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path path = fs::path(folder_.path()) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  // Returns the names; those below the folder are relative to it.
  std::vector<std::string> names(const WorldFiles& files) const {
    std::vector<std::string> names;
    for (const WorldFilePart& part : files.files) {
      names.push_back(part.name.starts_with(folder_.path())
                          ? part.name.substr(folder_.path().size() + 1)
                          : part.name);
    }
    return names;
  }

  TemporaryFolder folder_{"servosim_world_files_"};
};

constexpr const char* kHeader = "#VRML_SIM R2023b utf8\n";
constexpr const char* kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\n";

TEST_F(WorldFilesTest, AreAllThatAWorldNamesOrItsTemplatesRead) {
  const std::string address = "https://example.org/a/Far.proto";
  const std::string world = write("p/worlds/w.wbt", std::string(kHeader) +
                                                        "EXTERNPROTO \"../protos/Made.proto\"\n"
                                                        "EXTERNPROTO \"" +
                                                        address +
                                                        "\"\n"
                                                        "WorldInfo { }\nMade { }\nFar { }\n"
                                                        "Library { }\n");
  write("p/protos/Made.proto",
        std::string(kHeader) +
            "# template language: javascript\nEXTERNPROTO \"Other.proto\"\nPROTO Made [ field "
            "SFBool other FALSE ] {\n%< import * as wbfile from 'wbfile.js'; >%\nSolid { children "
            "[\n%< if (fields.other.value) { >% Other { } %< } >%\n] name \"%<= "
            "wbfile.readTextFile('name.txt').trim() >%\" }\n}\n");
  write("p/protos/name.txt", "named\n");
  write("p/protos/Other.proto", std::string(kHeader) +
                                    "PROTO Other [ ] { Solid { boundingObject Mesh { url "
                                    "\"other.obj\" } } }\n");
  write("p/protos/other.obj", kTriangle);
  write("p/protos/Unused.proto", std::string(kHeader) + "PROTO Unused [ ] { Solid { } }\n");
  write("library/deep/Library.proto", std::string(kHeader) +
                                          "PROTO Library [ ] { Solid { name \"l\" boundingObject "
                                          "Mesh { url \"l.obj\" } } }\n");
  write("library/deep/l.obj", kTriangle);
  write("store/" + assets::cache_name(address),
        std::string(kHeader) + "PROTO Far [ ] { Solid { name \"f\" } }\n");
  const WorldFiles files =
      files_of_world(world, {folder_.path() + "/library"}, {}, {folder_.path() + "/store"});
  EXPECT_EQ(files.world, world);
  EXPECT_EQ(files.proto_paths, std::vector<std::string>{folder_.path() + "/library"});
  EXPECT_EQ(names(files), (std::vector<std::string>{"p/worlds/w.wbt", "library/deep/Library.proto",
                                                    "library/deep/l.obj", "p/protos/Made.proto",
                                                    "p/protos/Other.proto", "p/protos/name.txt",
                                                    "p/protos/other.obj", address}));
  EXPECT_EQ(files.files[5].content, "named\n");
}

TEST_F(WorldFilesTest, OfNoWorldAreAnError) {
  EXPECT_THROW(static_cast<void>(files_of_world(folder_.path() + "/none.wbt", {}, {}, {})),
               LoadError);
  const std::string bad = write("bad.wbt", std::string(kHeader) + "WorldInfo { basicTimeStep ]");
  EXPECT_THROW(static_cast<void>(files_of_world(bad, {}, {}, {})), LoadError);
}

// The world's own messages report files that are named but missing.
TEST_F(WorldFilesTest, ThatAreMissingAreLeftOut) {
  const std::string world = write("w.wbt", std::string(kHeader) +
                                               "EXTERNPROTO \"Gone.proto\"\nGone { }\nSolid { "
                                               "boundingObject Mesh { url \"gone.obj\" } }\n");
  EXPECT_EQ(names(files_of_world(world, {}, {}, {})), std::vector<std::string>{"w.wbt"});
}

// Servos are named by the world, by servosim.toml and by values that a field may get.
TEST_F(WorldFilesTest, HaveTheServosOfTheUser) {
  const std::string motor =
      "Robot { children [ HingeJoint { device RotationalMotor { name \"m\" servo \"one\" } "
      "endPoint Solid { physics Physics { } boundingObject Box { } } } ] }\n";
  const std::string world = write("p/worlds/w.wbt", kHeader + motor);
  const std::string servo = "[supply]\nvoltage = 5\n";
  for (const char* name : {"worlds/one", "worlds/unused", "mine/two", "mine/unused"}) {
    write(fmt::format("p/{}.toml", name), servo);
  }
  write("given/three.toml", servo);
  write("p/servosim.toml", "servo_path = [\"mine\"]\n[servo.m]\nmodel = \"two\"\n");
  const WorldFiles files =
      files_of_world(world, {}, {folder_.path() + "/given"}, {}, {"three/m1 firmware.p=2", "SG90"});
  EXPECT_EQ(names(files),
            (std::vector<std::string>{"p/worlds/w.wbt", "given/three.toml", "p/mine/two.toml",
                                      "p/servosim.toml", "p/worlds/one.toml"}));
  EXPECT_EQ(files.servo_paths,
            (std::vector<std::string>{folder_.path() + "/p/worlds", folder_.path() + "/given",
                                      folder_.path() + "/p/mine"}));
}

}  // namespace
}  // namespace servosim::fetch
