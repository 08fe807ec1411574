// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assets/address.h"
#include "wbt/convert/convert.h"
#include "wbt/test_support.h"
#include "wbt/world_file.h"
#include "wbt/writer.h"

namespace servosim {
namespace {

using wbt::test::TemporaryProject;

TEST(ConvertUrls, LeadToTheSameFilesFromAnotherFolder) {
  const TemporaryProject project;
  project.write("protos/textures/wood.png", "");
  project.write("worlds/textures/own.png", "");
  project.write("protos/P.proto",
                "#VRML_SIM R2023b utf8\nPROTO P [ field MFString url [ ] ] { Group { children [ "
                "Mesh { url \"meshes/gone.stl\" } ImageTexture { url \"textures/wood.png\" } "
                "ImageTexture { url IS url } ] } }\n");
  project.write("worlds/w.wbt",
                "#VRML_SIM R2023b utf8\nBackground { frontUrl [ \"textures/a b.hdr\" "
                "\"https://x.org/a.png\" \"webots://b.png\" \"/c.png\" \"C:/d.png\" \"\" ] }\nP { "
                "url \"textures/own.png\" }\nCamera { noiseMaskUrl \"../noise.png\" }\n");
  Diagnostics diagnostics;
  wbt::WorldFile world = wbt::read_world(project.path("worlds/w.wbt"), {}, diagnostics);
  ASSERT_EQ(diagnostics.list().size(), 0u);
  wbt::WorldFile near = world;
  move_urls(world, project.path("other/worlds"), diagnostics.sources());
  using Texts = std::vector<std::string>;
  EXPECT_EQ(world.nodes[0]->strings("frontUrl"),
            (Texts{"../../worlds/textures/a b.hdr", "https://x.org/a.png", "webots://b.png",
                   "/c.png", "C:/d.png", ""}));
  const auto& children = world.nodes[1]->nodes("children");
  EXPECT_EQ(children[0]->strings("url"), Texts{"../../protos/meshes/gone.stl"});
  EXPECT_EQ(children[1]->strings("url"), Texts{"../../protos/textures/wood.png"});
  EXPECT_EQ(children[2]->strings("url"), Texts{"../../worlds/textures/own.png"});
  EXPECT_EQ(world.nodes[2]->string("noiseMaskUrl"), "../../noise.png");
  // If the folder stays the same, only addresses from the PROTO are rewritten.
  move_urls(near, project.path("worlds"), diagnostics.sources());
  EXPECT_EQ(near.nodes[0]->strings("frontUrl")[0], "textures/a b.hdr");
  EXPECT_EQ(near.nodes[2]->string("noiseMaskUrl"), "../noise.png");
  EXPECT_EQ(near.nodes[1]->nodes("children")[1]->strings("url"),
            Texts{"../protos/textures/wood.png"});
  EXPECT_EQ(near.nodes[1]->nodes("children")[2]->strings("url"), Texts{"textures/own.png"});
}

TEST(ConvertUrls, OfAProtoOfACacheLeadToWhereItIsPublished) {
  const TemporaryProject project;
  const std::string release = "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/";
  project.write("cache/" + assets::cache_name(release + "projects/p/P.proto"),
                "#VRML_SIM R2023b utf8\nPROTO P [ field MFString url [ ] ] { Group { children [ "
                "Mesh { url \"meshes/m.stl\" } ImageTexture { url \"webots://projects/t.png\" } "
                "ImageTexture { url IS url } ] } }\n");
  project.write("worlds/textures/own.png", "");
  wbt::ReadOptions options;
  options.assets = {project.path("cache")};
  Diagnostics diagnostics;
  wbt::WorldFile world = wbt::read_world_text(
      "#VRML_SIM R2023b utf8\nEXTERNPROTO \"webots://projects/p/P.proto\"\nP { url "
      "\"textures/own.png\" }\n",
      "w.wbt", project.path("worlds"), options, diagnostics);
  ASSERT_EQ(diagnostics.list().size(), 0u);
  move_urls(world, project.path("other"), diagnostics.sources());
  using Texts = std::vector<std::string>;
  const auto& children = world.nodes.at(0)->nodes("children");
  EXPECT_EQ(children.at(0)->strings("url"), Texts{release + "projects/p/meshes/m.stl"});
  EXPECT_EQ(children.at(1)->strings("url"), Texts{release + "projects/t.png"});
  EXPECT_EQ(children.at(2)->strings("url"), Texts{"../worlds/textures/own.png"});
}

TEST(ConvertUrls, ImportableProtosStay) {
  const std::string lines =
      "IMPORTABLE EXTERNPROTO \"../protos/A.proto\"\n"
      "IMPORTABLE EXTERNPROTO \"webots://projects/B.proto\"\n"
      "IMPORTABLE EXTERNPROTO \"https://x.org/C.proto\"\n";
  const auto read = wbt::test::read_text(
      "#VRML_SIM R2023b utf8\n# by me\n" + lines + "EXTERNPROTO \"D.proto\"\nGroup {\n}\n",
      "/a/worlds");
  EXPECT_EQ(read.messages, wbt::test::Messages());
  EXPECT_EQ(wbt::write_world(read.file),
            "#VRML_SIM R2023b utf8\n# by me\n" + lines + "Group {\n}\n");
  wbt::WorldFile world = read.file;
  world.importable.pop_back();
  EXPECT_FALSE(wbt::equal(world, read.file));
  world = read.file;
  move_urls(world, "/b", {});
  EXPECT_EQ(world.importable,
            (std::vector<std::string>{"../a/protos/A.proto", "webots://projects/B.proto",
                                      "https://x.org/C.proto"}));
}

}  // namespace
}  // namespace servosim
