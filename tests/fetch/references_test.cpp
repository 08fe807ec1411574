// SPDX-License-Identifier: Apache-2.0
#include "fetch/references.h"

#include <gtest/gtest.h>

namespace servosim::fetch {
namespace {

using Texts = std::vector<std::string>;

TEST(References, AreWhatExternprotoLinesAndUrlsName) {
  const References found = references_in(
      "#VRML_SIM R2023b utf8\nEXTERNPROTO \"../A.proto\"\nIMPORTABLE EXTERNPROTO "
      "\"https://example.org/B.proto\"\nEXTERNPROTO \"../A.proto\"\n# EXTERNPROTO \"C.proto\"\n"
      "DEF d Solid { boundingObject Mesh { url [ \"meshes/a.STL\" \"b.obj\" ] } # \"no.stl\"\n"
      "children [ CadShape { url \"c.dae\" } ImageTexture { url \"t.png\" } E-puck { } ] "
      "name \"stl\" }\n");
  EXPECT_EQ(found.externs, (Texts{"../A.proto", "https://example.org/B.proto"}));
  EXPECT_EQ(found.meshes, (Texts{"meshes/a.STL", "b.obj", "c.dae"}));
  EXPECT_EQ(found.textures, Texts{"t.png"});
  EXPECT_EQ(found.nodes,
            (std::set<std::string>{"Solid", "Mesh", "CadShape", "ImageTexture", "E-puck"}));
}

TEST(References, OfTemplatesAreThoseThatAreNotComputed) {
  const References found = references_in(
      "PROTO P [ ] {\n%< const x = fields.it's.value; if (x == '\"') { x = 'a\"b'; } >%\n"
      "Mesh { url \"%<= x >%.stl\" }\nMesh { url \"one.stl\" }\n%{ y = \"two.stl\" }%\n"
      "Mesh { url \"back\\\\slash.stl\" }\n");
  EXPECT_EQ(found.meshes, (Texts{"one.stl", "two.stl", "back\\slash.stl"}));
}

TEST(References, OfBrokenTextsEnd) {
  EXPECT_EQ(references_in("").externs, Texts{});
  EXPECT_EQ(references_in("EXTERNPROTO").externs, Texts{});
  EXPECT_EQ(references_in("EXTERNPROTO \"a.proto").externs, Texts{});
  EXPECT_EQ(references_in("\"a.stl").meshes, Texts{});
  EXPECT_EQ(references_in("\"a.stl\\").meshes, Texts{});
  EXPECT_EQ(references_in('"' + std::string(5000, 'a') + ".stl\"").meshes, Texts{});
}

TEST(References, TellWhatAFileIs) {
  EXPECT_TRUE(is_proto("#VRML_SIM R2023b utf8\nEXTERNPROTO \"Q.proto\"\nPROTO P [ ] { }"));
  EXPECT_TRUE(is_proto("PROTO P [ ] { }"));
  EXPECT_FALSE(is_proto("#VRML_SIM R2023b utf8\nWorldInfo { }"));
  EXPECT_FALSE(is_proto("404: Not Found"));
  EXPECT_FALSE(is_proto(""));
  EXPECT_TRUE(is_web_page("\xef\xbb\xbf\n <!DOCTYPE HTML>\n"));
  EXPECT_TRUE(is_web_page("<html lang=\"en\">"));
  EXPECT_FALSE(is_web_page("<?xml version=\"1.0\"?><COLLADA>"));
  EXPECT_FALSE(is_web_page("solid html"));
}

}  // namespace
}  // namespace servosim::fetch
