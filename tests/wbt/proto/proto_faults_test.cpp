// SPDX-License-Identifier: Apache-2.0
// PROTO files with mistakes.
#include <gtest/gtest.h>

#include "wbt/test_support.h"

namespace servosim::wbt::test {
namespace {

TEST(Proto, CyclesAreLeftOut) {
  const TemporaryProject project;
  project.write("protos/A.proto", "PROTO A [ ] { Group { children [ B { } Box { } ] } }");
  project.write("protos/B.proto", "PROTO B [ ] { A { } }");
  project.write("protos/C.proto", "PROTO C [ ] { Group { children [ A { } Box { } ] } }");
  project.write("protos/D.proto", "PROTO D [ field SFNode x D { } ] { Group { } }");
  const std::string a_b = " uses itself (A -> B -> A); the node is left out";
  const ReadWorld w = project.read("C { }\nSolid { }\nB { }");
  EXPECT_EQ(
      w.messages,
      (Messages{"B.proto:1:15: warning: PROTO 'A'" + a_b, "A.proto:1:34: warning: PROTO 'B'" + a_b,
                "C.proto:1:34: warning: PROTO 'A'" + a_b, "4:1: warning: PROTO 'B'" + a_b}));
  ASSERT_EQ(w.file.nodes.size(), 2u);
  EXPECT_EQ(w.node().nodes("children").size(), 1u);
  EXPECT_EQ(w.file.lost.size(), 4u);
  const std::string d = ": warning: PROTO 'D' uses itself (D -> D); the node is left out";
  EXPECT_EQ(project.read("D { }").messages, (Messages{"D.proto:1:26" + d, "2:1" + d}));
}

// Each of them uses all others, so there are too many paths to follow all of them.
TEST(Proto, ManyCyclesTakeNoTime) {
  const TemporaryProject project;
  std::string all;
  for (int i = 0; i < 30; ++i) {
    all += "P" + std::to_string(i) + "X { } ";
  }
  for (int i = 0; i < 30; ++i) {
    const std::string name = "P" + std::to_string(i) + "X";
    project.write("protos/" + name + ".proto",
                  "PROTO " + name + " [ ] { Group { children [ " + all + "] } }");
  }
  const ReadWorld w = project.read(all);
  EXPECT_EQ(w.errors, 0u);
  EXPECT_TRUE(w.file.nodes.empty());
}

// A text that makes no node costs the node, not the world.
TEST(Proto, BrokenOnesAreLeftOut) {
  const TemporaryProject project;
  const std::string end = "; the node is left out";
  const std::string body = ": warning: PROTO 'P': ";
  const std::pair<const char*, std::string> cases[] = {
      {"PROTO P [ ] { Box { ",
       "P.proto:1:15" + body + "expected '}' at the end of Box, found the end of the file" + end},
      {"PROTO P [ ] {",
       "P.proto:1:14" + body + "expected a node type, found the end of the file" + end},
      {"PROTO P [ ] { Group { children [ Box { ] } }",
       "P.proto:1:40" + body + "expected '}' at the end of Box, found ']'" + end},
      {"PROTO P [ ] { Group {\nchildren [ DEF { } ] } }",
       "P.proto:2:16" + body + "expected a name after DEF, found '{'" + end},
      {"PROTO P [ ] { Solid { name \"open } }",
       "P.proto:1:28" + body + "string is not closed on its line" + end},
      {"PROTO P [ ] { Solid { nothing [",
       "P.proto:1:31" + body + "this bracket is never closed" + end},
      {"PROTO P [ ] { DEF X Group { children USE X } }",
       "P.proto:1:42" + body + "USE X inside its own definition" + end},
      {"PROTO P [ ]\n{\n}", "P.proto:3:1" + body + "its body is empty" + end},
  };
  for (const auto& [text, message] : cases) {
    project.write("protos/P.proto", text);
    const ReadWorld w = project.read("DEF X P { }\nGroup { children [ Solid { } P { } USE X ] }");
    ASSERT_FALSE(w.messages.empty()) << text;
    EXPECT_EQ(w.messages.back(), message);
    EXPECT_EQ(w.errors, 0u) << text;
    ASSERT_EQ(w.file.nodes.size(), 1u) << text;
    EXPECT_EQ(w.node().nodes("children").size(), 1u) << text;
    EXPECT_EQ(w.file.lost.size(), 2u) << text;
  }
}

TEST(Proto, BrokenInterfacesCannotBeUsed) {
  const TemporaryProject project;
  const std::pair<const char*, const char*> cases[] = {
      {"PROTO P { }", "1:9: expected '[' after PROTO P, found '{'"},
      {"PROTO P [ ] Box { }", "1:13: expected '{' before the body of PROTO P, found 'Box'"},
      {"PROTO P [ field SFTime t 2 ] { Box { } }",
       "1:17: expected the type of a field of PROTO P, found 'SFTime'"},
      {"PROTO P [ in SFFloat t 2 ] { Box { } }",
       "1:11: expected a field of PROTO P or ']', found 'in'"},
      {"PROTO P [\nfield SFFloat t 2",
       "2:18: expected a field of PROTO P or ']', found the end of the file"},
      {"PROTO P [ field SFNode{Box { } n NULL", "1:23: this bracket is never closed"},
      {"EXTERNPROTO P", "1:13: expected EXTERNPROTO \"file\", found 'P'"},
  };
  for (const auto& [text, message] : cases) {
    project.write("protos/P.proto", text);
    const ReadWorld w = project.read("Solid { }\nP { size [ 2 2 ] }\nSolid { }");
    EXPECT_EQ(w.messages,
              (Messages{"3:1: warning: PROTO 'P' cannot be used (" +
                        project.path("protos/P.proto:") + message + "); the node is left out"}));
    EXPECT_EQ(w.file.nodes.size(), 2u) << text;
    EXPECT_EQ(w.file.lost.size(), 1u) << text;
  }
}

TEST(Proto, FaultsOfTheWorldStayErrors) {
  const TemporaryProject project;
  project.write("protos/P.proto", "PROTO P [ field MFNode children [ ] ] { Group { } }");
  EXPECT_EQ(project.read("P { children [ Solid { ] }").messages,
            (Messages{"2:24: error: expected '}' at the end of Solid, found ']'"}));
  EXPECT_EQ(project.read("P { children [ 3 ] }").messages,
            (Messages{"2:16: error: expected a node or ']' in field 'children', found '3'"}));
}

TEST(Proto, OnlyTheRootNodeOfABodyIsUsed) {
  const TemporaryProject project;
  const std::string rest = "after the root node of PROTO P, found ";
  const std::string end = "; what follows is not used";
  project.write("protos/P.proto", "PROTO P [ ] { Solid { } Robot { } }");
  const ReadWorld w = project.read("P { } P { }");
  EXPECT_EQ(w.messages,
            (Messages{"P.proto:1:25: warning: expected '}' " + rest + "'Robot'" + end}));
  ASSERT_EQ(w.file.nodes.size(), 2u);
  EXPECT_EQ(w.node().type->name, "Solid");
  project.write("protos/P.proto", "PROTO P [ ] { Solid { }\n");
  EXPECT_EQ(project.read("P { }").messages,
            (Messages{"P.proto:2:1: warning: expected '}' " + rest + "the end of the file" + end}));
}

TEST(Proto, NothingFollowsTheEndOfAFile) {
  const TemporaryProject project;
  project.write("protos/P.proto", "PROTO P [ ] { Solid { } }\n# the end\n");
  EXPECT_EQ(project.read("P { }").messages, Messages{});
  for (const auto& [text, found] :
       {std::pair{"Robot { }", "'Robot'"}, {"}", "'}'"}, {"\"text", "'\"text'"}}) {
    project.write("protos/P.proto", std::string("PROTO P [ ] { Solid { } }\n  ") + text);
    const Messages messages = project.read("P { } P { }").messages;
    ASSERT_EQ(messages.size(), 1u) << text;
    EXPECT_TRUE(messages[0].starts_with("P.proto:2:3: error: ")) << messages[0];
  }
  project.write("protos/T.proto",
                "# template language: javascript\nPROTO T [ ] {\n"
                "%< for (let i = 0; i < 2; ++i) { >%\nSolid { } }\n%< } >%");
  const Messages messages = project.read("T { }").messages;
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_TRUE(messages[0].starts_with("T.proto:4:1: error: expected the end of the file"))
      << messages[0];
}

TEST(Proto, FieldsDeclaredTwiceCountOnce) {
  const TemporaryProject project;
  project.write("protos/P.proto",
                "PROTO P [ field SFString n \"a\"\nfield SFFloat n 3 field SFFloat m 2 ]\n"
                "{ Solid { name IS n physics Physics { mass IS m } } }");
  const ReadWorld w = project.read("P { n \"b\" m 4 }");
  EXPECT_EQ(w.messages, (Messages{"P.proto:2:15: warning: PROTO P has a field 'n' already; the "
                                  "first one is used"}));
  EXPECT_EQ(w.node().string("name"), "b");
  EXPECT_EQ(w.node().node("physics")->number("mass"), 4.0);
  EXPECT_EQ(w.node().proto.instance->interface->fields.size(), 2u);
}

TEST(Proto, DefaultsOutsideOfTheirBracesAreUsed) {
  const TemporaryProject project;
  project.write("protos/C.proto", "PROTO C [ ] { Cone { } }");
  project.write("protos/P.proto", R"(PROTO P [
  field SFString{"a", "b"} s "c"
  field SFFloat{1 2} f 2
  field SFInt32{1 2} i 3
  field SFVec3f{0 0 1, 0 1 0} v 0 1 0
  field MFString{"a"} l ["a" "z"]
  field MFBool{TRUE} e []
  field SFNode{Box{} Sphere{radius 2}} n Cone { }
  field SFNode{C{}} c C { }
  field MFNode{Box{}, Sphere{}} m [ Box { } Sphere { } ]
  field SFFloat{odd 3} o 4
]
{ Solid { name IS s } }
)");
  const ReadWorld w = project.read("P { }");
  const auto warning = [](const std::string& place, const std::string& field) {
    return "P.proto:" + place + ": warning: the default of field '" + field +
           "' of PROTO P is none of the values in its braces; it is used all the same";
  };
  EXPECT_EQ(w.messages, (Messages{warning("2:28", "s"), warning("4:22", "i"), warning("6:23", "l"),
                                  warning("8:40", "n")}));
  EXPECT_EQ(w.node().string("name"), "c");
}

}  // namespace
}  // namespace servosim::wbt::test
