// SPDX-License-Identifier: Apache-2.0
#include "wbt/world_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "run/test_support.h"
#include "wbt/test_support.h"

namespace servosim::wbt::test {
namespace {

const Messages kNotAWorld{
    "1:1: error: not a Webots world file: the first line must be '#VRML_SIM <version> utf8'"};

TEST(WorldFile, EveryHeaderEra) {
  for (const char* version :
       {"V3.0", "V5.0", "V6.0", "V7.4.3", "V8.6", "R2018a", "R2021b revision 1", "R2025a"}) {
    const ReadWorld w = read_body("WorldInfo { }", version);
    EXPECT_EQ(w.messages, Messages{});
    EXPECT_EQ(to_string(w.file.version), version);
    EXPECT_EQ(to_string(w.node().version), version);
  }
}

TEST(WorldFile, HeaderMayBeLoose) {
  for (const char* text :
       {"\uFEFF#VRML_SIM V6.0 utf8\r\nBox { }\r\n", "\n\n# VRML_SIM V6.0 utf8 \nBox { }",
        "#VRML_SIM V6.0 utf8\n#!mainWindow: 2 3\nBox { }"}) {
    const ReadWorld w = read_text(text, "/nowhere");
    EXPECT_EQ(w.messages, Messages{}) << text;
    EXPECT_EQ(w.file.nodes.size(), 1u) << text;
  }
}

TEST(WorldFile, OtherFilesAreRefused) {
  for (const char* text : {"", "Box { }", "# a comment\n#VRML_SIM V6.0 utf8\n", "#VRML V2.0 utf8\n",
                           "#VRML_SIM R2021b\n", "#VRML_SIM Rxyz utf8\n", "#X3D V3.0 utf8\n",
                           "\x7f"
                           "ELF\x02"}) {
    EXPECT_EQ(read_text(text, "/nowhere").messages, kNotAWorld) << text;
  }
}

TEST(WorldFile, NewerThanKnownIsAWarning) {
  const ReadWorld w = read_body("Box { }", "R2031c");
  EXPECT_EQ(w.messages, (Messages{"1:1: warning: this file is of Webots R2031c, newer than the "
                                  "newest known, R2025a"}));
  EXPECT_EQ(w.file.nodes.size(), 1u);
  EXPECT_EQ(read_body("Box { }", "R2025a revision 3").messages, Messages{});
}

TEST(WorldFile, ProjectIsTheParentOfWorlds) {
  EXPECT_EQ(read_text("", "/a/b/worlds").file.project, "/a/b");
  EXPECT_EQ(read_text("", "/a/b").file.project, "/a/b");
  EXPECT_EQ(read_text("", "/a/b/worlds").file.path, "/a/b/worlds/w.wbt");
}

TEST(WorldFile, ProjectIsTheNearestFolderAboveThatLooksLikeOne) {
  const TemporaryProject folder;
  folder.write("a/controllers/c/c.py", "");
  folder.write("a/worlds/old/very/w.wbt", "");
  folder.write("a/maps/w.wbt", "");
  folder.write("b/protos/P.proto", "#VRML_SIM R2023b utf8\nPROTO P [ ] { Solid { } }\n");
  folder.write("b/maps/old/w.wbt", "");
  const auto project = [&](const std::string& of) {
    return read_text("", folder.path(of)).file.project;
  };
  EXPECT_EQ(project("a/worlds/old/very"), folder.path("a"));
  EXPECT_EQ(project("a/maps"), folder.path("a"));
  EXPECT_EQ(project("a"), folder.path("a"));
  EXPECT_EQ(project("b/maps/old"), folder.path("b"));
  const ReadWorld below = read_text("#VRML_SIM R2023b utf8\nP { }", folder.path("b/maps/old"));
  EXPECT_EQ(below.messages, Messages{});
  EXPECT_EQ(below.file.nodes.size(), 1u);
}

TEST(WorldFile, ProjectWithWorldsComesBeforeANearerProtosFolder) {
  const TemporaryProject folder;
  folder.write("a/controllers/c/c.py", "");
  folder.write("a/worlds/old/protos/P.proto", "");
  folder.write("b/worlds/old/protos/P.proto", "");
  folder.write("worlds/c/controllers/c/c.py", "");
  EXPECT_EQ(project_of_world(folder.path("a/worlds/old")), folder.path("a"));
  EXPECT_EQ(project_of_world(folder.path("b/worlds/old")), folder.path("b/worlds/old"));
  EXPECT_EQ(project_of_world(folder.path("worlds/c")), folder.path("worlds/c"));
}

// A shared folder is not the project of a world somewhere below it.
TEST(WorldFile, ProjectIsNoFolderFarAboveOrShared) {
  const TemporaryProject folder;
  folder.write("a/controllers/c/c.py", "");
  folder.write("a/1/2/3/4/w.wbt", "");
  EXPECT_EQ(project_of_world(folder.path("a/1/2/3")), folder.path("a"));
  EXPECT_EQ(project_of_world(folder.path("a/1/2/3/4")), folder.path("a/1/2/3/4"));
  folder.write("tmp/controllers/c/c.py", "");
  folder.write("tmp/x/w.wbt", "");
  EXPECT_EQ(project_of_world(folder.path("tmp/x")), folder.path("tmp"));
  std::filesystem::permissions(folder.path("tmp"), std::filesystem::perms(01777));
  EXPECT_EQ(project_of_world(folder.path("tmp/x")), folder.path("tmp/x"));
  EXPECT_EQ(project_of_world(folder.path("tmp")), folder.path("tmp"));
}

TEST(WorldFile, ProjectIsNotTheHomeFolder) {
  const TemporaryProject folder;
  folder.write("home/protos/P.proto", "");
  folder.write("home/Downloads/w.wbt", "");
  folder.write("home/worlds/old/w.wbt", "");
  const servosim::test::ScopedVariable home("HOME", folder.path("home"));
  EXPECT_EQ(project_of_world(folder.path("home/Downloads")), folder.path("home/Downloads"));
  EXPECT_EQ(project_of_world(folder.path("home/worlds/old")), folder.path("home/worlds/old"));
  EXPECT_EQ(project_of_world(folder.path("home/worlds")), folder.path("home"));
  EXPECT_EQ(project_of_world(folder.path("home/worlds/")), folder.path("home"));
}

TEST(WorldFile, ProjectBelongsToTheOwnerOfTheWorldsFolder) {
  const TemporaryProject folder;
  folder.write("a/controllers/c/c.py", "");
  folder.write("a/maps/w.wbt", "");
  if (::chown(folder.path("a/controllers").c_str(), 4711, static_cast<gid_t>(-1)) != 0) {
    GTEST_SKIP() << "only root can give a folder to another user";
  }
  EXPECT_EQ(project_of_world(folder.path("a/maps")), folder.path("a/maps"));
}

struct FromDisk {
  WorldFile world;
  std::vector<Diagnostic> messages;
};

FromDisk read_path(const std::string& path) {
  Diagnostics diagnostics;
  WorldFile world = read_world(path, {}, diagnostics);
  return {std::move(world), diagnostics.list()};
}

TEST(WorldFile, IsReadFromDisk) {
  const TemporaryProject project;
  project.write("worlds/a.wbt", "#VRML_SIM R2021b utf8\nBox { }\n");
  const FromDisk r = read_path(project.path("worlds/../worlds/a.wbt"));
  EXPECT_TRUE(r.messages.empty());
  EXPECT_EQ(r.world.path, project.path("worlds/a.wbt"));
  EXPECT_EQ(r.world.project, project.path("").substr(0, project.path("").size() - 1));
}

TEST(WorldFile, OnlyRegularFilesAreRead) {
  const TemporaryProject project;
  ASSERT_EQ(mkfifo(project.path("pipe.wbt").c_str(), 0600), 0);
  const std::pair<std::string, std::string> cases[] = {
      {project.path("worlds"), "is a directory; name a world file (.wbt) in it"},
      {project.path("pipe.wbt"), "is not a regular file"},
      {"/dev/zero", "is not a regular file"},
      {project.path("none.wbt"), "cannot be read: No such file or directory"},
      {std::string("a\0b", 3), "has a name with a NUL byte"},
  };
  for (const auto& [path, message] : cases) {
    const FromDisk r = read_path(path);
    ASSERT_EQ(r.messages.size(), 1u);
    EXPECT_EQ(r.messages[0].severity, Severity::Error);
    EXPECT_EQ(r.messages[0].message, message);
    EXPECT_EQ(r.messages[0].file, path);
  }
}

TEST(WorldFile, TooLargeFilesAreRefused) {
  const TemporaryProject project;
  project.write("a.wbt", "#VRML_SIM R2021b utf8\n");
  // The file is sparse.
  std::filesystem::resize_file(project.path("a.wbt"), (256u << 20) + 1);
  const FromDisk r = read_path(project.path("a.wbt"));
  ASSERT_EQ(r.messages.size(), 1u);
  EXPECT_EQ(r.messages[0].message, "is larger than 256 MB");
}

}  // namespace
}  // namespace servosim::wbt::test
