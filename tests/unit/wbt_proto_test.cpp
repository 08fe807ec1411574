// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "wbt/proto_finder.h"
#include "wbt_test_support.h"

namespace servosim::wbt::test {
namespace {

// A PROTO whose root is a Solid of that name; no header.
std::string solid_proto(const std::string& proto, const std::string& solid) {
  return "PROTO " + proto + " [ ] { Solid { name \"" + solid + "\" } }\n";
}

TEST(Proto, ParametersReachTheBody) {
  const TemporaryProject project;
  project.write("protos/P.proto", R"(#VRML_SIM R2020a utf8
# tags: static
PROTO P [
  field        SFVec3f    translation 2 3 4
  vrmlField    SFString   name        "default"
  hiddenField  SFFloat    mass        2.5
  w3dField     MFNode     children    [ Box { size 5 6 7 } ]
  deprecatedField SFNode{Box{}, Sphere{}} bound NULL
  unconnectedField SFString{"a", "b"} kind "a"
]
{
  DEF ROOT Solid {
    translation IS translation
    name IS name
    children [ Group { children IS children } ]
    boundingObject IS bound
    physics Physics { mass IS mass }
  }
}
)");
  const ReadWorld w = project.read(R"(
DEF ONE P { name "one" bound Sphere { radius 3 } kind "b" }
P { children Cone { height 3 } }
)");
  EXPECT_EQ(w.messages, Messages{});
  const Node& one = w.node(0);
  EXPECT_EQ(one.type->name, "Solid");
  EXPECT_EQ(one.def, "ONE");
  EXPECT_EQ(one.proto_name, "P");
  EXPECT_EQ(one.proto_project + "/", project.path(""));
  EXPECT_EQ(to_string(one.version), "R2020a");
  EXPECT_EQ(one.string("name"), "one");
  EXPECT_EQ(one.vec3("translation"), (Vec3{2, 3, 4}));
  EXPECT_EQ(one.node("physics")->number("mass"), 2.5);
  EXPECT_EQ(one.node("boundingObject")->number("radius"), 3.0);
  EXPECT_EQ(to_string(one.node("boundingObject")->version), "R2021b");
  EXPECT_EQ(one.nodes("children")[0]->nodes("children")[0]->type->name, "Box");
  const Node& two = w.node(1);
  EXPECT_EQ(two.def, "ROOT");
  EXPECT_EQ(two.string("name"), "default");
  EXPECT_EQ(two.nodes("children")[0]->nodes("children")[0]->type->name, "Cone");
}

TEST(Proto, WithoutHeaderHasTheVersionOfItsUser) {
  const TemporaryProject project;
  project.write("protos/P.proto", solid_proto("P", "p"));
  EXPECT_EQ(to_string(project.read("P { }", "V6.0").node().version), "V6.0");
  EXPECT_EQ(to_string(project.read("P { }", "R2022a").node().version), "R2022a");
}

// With a header it is one and the same PROTO for all, and says what is wrong with it once.
TEST(Proto, WithHeaderIsReadOnce) {
  const TemporaryProject project;
  project.write("protos/P.proto", "#VRML_SIM R2019a utf8\nPROTO P [ ] { Solid { skyy 2 } }");
  project.write("protos/Q.proto", "#VRML_SIM R2020a utf8\nPROTO Q [ ] { P { } }");
  const ReadWorld w = project.read("P { }\nQ { }");
  EXPECT_EQ(w.messages,
            (Messages{"P.proto:2:23: warning: unknown field 'skyy' in Solid (skipped)"}));
  EXPECT_EQ(w.node(1).version, (Version{2019, 0, 0}));
}

TEST(Proto, InstancesNest) {
  const TemporaryProject project;
  project.write("protos/Outer.proto",
                "PROTO Outer [ field SFString label \"x\" field MFNode inside [ ] ] "
                "{ Inner { name IS label children IS inside } }");
  project.write("protos/Inner.proto",
                "PROTO Inner [ field SFString name \"y\" field MFNode children [ ] ] "
                "{ Robot { name IS name children IS children } }");
  const ReadWorld w = project.read("Outer { label \"z\" inside Inner { } }");
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node().proto_name, "Outer");
  EXPECT_EQ(w.node().string("name"), "z");
  EXPECT_EQ(w.node().nodes("children").at(0)->string("name"), "y");
}

TEST(Proto, DefScopeIsTheBody) {
  const TemporaryProject project;
  project.write("protos/P.proto",
                "PROTO P [ ] { Group { children [ DEF B Box { } USE B USE OUTSIDE ] } }");
  const ReadWorld w = project.read("DEF OUTSIDE Sphere { }\nP { }\nGroup { children USE B }");
  EXPECT_EQ(
      w.messages,
      (Messages{"P.proto:1:58: warning: USE OUTSIDE: no DEF of that name before it; the node "
                "is left out",
                "4:22: warning: USE B: no DEF of that name before it; the node is left out"}));
}

// One string was the type of controllerArgs before R2020b.
TEST(Proto, ParametersFitFieldsThatBecameLists) {
  const TemporaryProject project;
  project.write("protos/P.proto",
                "PROTO P [ field SFString args \"2 98\" field SFVec3f com 2 3 4 ] "
                "{ Robot { controllerArgs IS args physics Physics { centerOfMass IS com } } }");
  const ReadWorld w = project.read("P { }", "V6.0");
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node().strings("controllerArgs"), (std::vector<std::string>{"2", "98"}));
  EXPECT_EQ(w.node().node("physics")->vec3s("centerOfMass").size(), 1u);
}

TEST(Proto, MistakesInParametersAreWarnings) {
  const TemporaryProject project;
  project.write("protos/P.proto",
                "PROTO P [ field SFFloat size 2.5 ]\n{ Solid {\nname IS size\nmodel IS modell } }");
  EXPECT_EQ(project.read("P { sizes 3 size TRUE }").messages,
            (Messages{"2:5: warning: unknown field 'sizes' in P (skipped); did you mean 'size'?",
                      "2:18: warning: field 'size' of P: expected a number, found 'TRUE' (default "
                      "used)",
                      "P.proto:3:9: warning: parameter 'size' does not fit field 'name' of Solid "
                      "(default used)",
                      "P.proto:4:10: warning: PROTO 'P' has no parameter 'modell' (default of "
                      "'model' used)"}));
}

// --- where PROTO files are found

TEST(ProtoFinder, SearchesTheProjectFirst) {
  const TemporaryProject project;
  const TemporaryProject other;
  const ReadOptions options{{other.path("lib")}};
  const auto found = [&] { return project.read("P { }", "R2021b", options).node().string("name"); };
  other.write("lib/deep/P.proto", solid_proto("P", "path"));
  EXPECT_EQ(found(), "path");
  project.write("worlds/P.proto", solid_proto("P", "beside"));
  EXPECT_EQ(found(), "beside");
  project.write("protos/x/y/P.proto", solid_proto("P", "deep"));
  EXPECT_EQ(found(), "deep");
  project.write("protos/z/P.proto", solid_proto("P", "less deep"));
  EXPECT_EQ(found(), "less deep");
}

TEST(ProtoFinder, ExternprotoComesBeforeAll) {
  const TemporaryProject project;
  project.write("protos/P.proto", solid_proto("P", "project"));
  project.write("elsewhere/P.proto", solid_proto("P", "declared"));
  for (const char* line : {"EXTERNPROTO", "IMPORTABLE EXTERNPROTO"}) {
    const ReadWorld w =
        project.read(std::string(line) + " \"../elsewhere/P.proto\"\nP { }", "R2023b");
    EXPECT_EQ(w.messages, Messages{});
    EXPECT_EQ(w.node().string("name"), "declared");
  }
  const std::string absolute = project.path("elsewhere/P.proto");
  EXPECT_EQ(project.read("EXTERNPROTO \"" + absolute + "\" P { }").node().string("name"),
            "declared");
}

TEST(ProtoFinder, OfAUrlOnlyTheFileNameCounts) {
  const TemporaryProject project;
  project.write("protos/P.proto", solid_proto("P", "here"));
  for (const char* url : {"https://example.org/x/P.proto", "webots://projects/P.proto"}) {
    const ReadWorld w = project.read(std::string("EXTERNPROTO \"") + url + "\"\nP { }", "R2025a");
    EXPECT_EQ(w.messages, Messages{});
    EXPECT_EQ(w.node().string("name"), "here");
  }
}

// As in a checkout of Webots, or a tree like it.
TEST(ProtoFinder, APlaceInWebotsIsLookedForAboveTheWorld) {
  const TemporaryProject project;
  project.write("tests/default/protos/P.proto", solid_proto("P", "above"));
  for (const char* url : {"webots://tests/default/protos/P.proto",
                          "https://raw.githubusercontent.com/cyberbotics/webots/R2025a/tests/"
                          "default/protos/P.proto"}) {
    const ReadWorld w =
        read_text(std::string("#VRML_SIM R2025a utf8\nEXTERNPROTO \"") + url + "\"\nP { }",
                  project.path("tests/api/worlds"));
    EXPECT_EQ(w.messages, Messages{});
    EXPECT_EQ(w.node().string("name"), "above");
  }
  const ReadWorld lost = read_text("#VRML_SIM R2025a utf8\nEXTERNPROTO \"webots://P.proto\"\nP { }",
                                   project.path("tests/api/worlds"));
  EXPECT_EQ(lost.messages.size(), 1u);
}

TEST(ProtoFinder, ProtosDeclareAndFindTheirOwn) {
  const TemporaryProject project;
  const TemporaryProject other;
  other.write("protos/a/P.proto",
              "#VRML_SIM R2023b utf8\nEXTERNPROTO \"../../parts/Q.proto\"\nPROTO P [ ] { Group { "
              "children [ Q { } R { } S { } ] } }");
  other.write("parts/Q.proto", solid_proto("Q", "declared"));
  other.write("protos/a/R.proto", solid_proto("R", "neighbour"));
  other.write("protos/b/S.proto", solid_proto("S", "same project"));
  const ReadWorld w = project.read("P { }", "R2023b", ReadOptions{{other.path("protos/a")}});
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node().nodes("children").size(), 3u);
  EXPECT_EQ(w.node().proto_project + "/", other.path(""));
}

TEST(ProtoFinder, SaysWhereItLooked) {
  const ReadWorld w = read_text("#VRML_SIM R2023b utf8\nEXTERNPROTO \"../a/Ppp.proto\"\nPpp { }",
                                "/nowhere/worlds", ReadOptions{{"/lib"}});
  EXPECT_EQ(w.messages,
            (Messages{"3:1: warning: PROTO 'Ppp' not found (looked in /nowhere/a/Ppp.proto, "
                      "/nowhere/protos, /nowhere/worlds, /lib); the node is left out; put the file "
                      "where its EXTERNPROTO line says, or name its folder by --proto-path "
                      "FOLDER"}));
}

TEST(ProtoFinder, SaysWhatToDoAboutADownload) {
  const std::string url =
      "https://raw.example.org/somebody/webots/R2023b/projects/objects/boxes/protos/Boxx.proto";
  const ReadWorld w =
      read_text("#VRML_SIM R2023b utf8\nEXTERNPROTO \"" + url + "\"\nBoxx { }", "/nowhere/worlds");
  EXPECT_EQ(
      w.messages,
      (Messages{"3:1: warning: PROTO 'Boxx' not found (looked in /nowhere/protos, "
                "/nowhere/worlds); the node is left out; Webots would download it from " +
                url +
                ", but servosim does not use the network: put the file into /nowhere/protos, or "
                "name its folder by --proto-path FOLDER"}));
}

TEST(ProtoFinder, NamesOfDeclaredFiles) {
  EXPECT_EQ(extern_proto_name("https://example.org/a/Foo.proto"), "Foo");
  EXPECT_EQ(extern_proto_name("Foo.proto"), "Foo");
  EXPECT_EQ(extern_proto_name("..\\Foo.proto"), "Foo");
  EXPECT_EQ(project_of("/a/protos/b/Foo.proto", "protos"), "/a");
  EXPECT_EQ(project_of("/a/b/Foo.proto", "protos"), "");
}

// Track became a node in V8.1; worlds before could have a PROTO of that name.
TEST(Proto, MayHaveTheNameOfALaterNode) {
  const TemporaryProject project;
  project.write("protos/Track.proto", solid_proto("Track", "mine"));
  EXPECT_EQ(project.read("Track { }", "V6.0").node().string("name"), "mine");
  EXPECT_EQ(project.read("Track { }", "R2021b").node().string("name"), "track");
}

// --- PROTOs that cannot be used

TEST(Proto, WithMarksInCommentsIsNoTemplate) {
  const TemporaryProject project;
  project.write("protos/N.proto", "# 50%{ of it\nPROTO N [ ] { Solid { } # %<\n }");
  const ReadWorld w = project.read("N { }");
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.file.nodes.size(), 1u);
}

TEST(Proto, FilesOfAnotherNameAreNotUsed) {
  const TemporaryProject project;
  project.write("protos/P.proto", solid_proto("Q", "q"));
  project.write("protos/E.proto", "Solid { }");
  EXPECT_EQ(project.read("P { }\nE { }").messages,
            (Messages{"2:1: warning: PROTO 'P' is called 'Q' in its file; the node is left out",
                      "3:1: warning: PROTO 'E' is not in the file of that name; the node is left "
                      "out"}));
}

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

// Each of them uses all: there are more ways through than anybody could go.
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

// Text that no node can be made of costs the node, not the world.
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
  EXPECT_EQ(w.node().instance->interface->fields.size(), 2u);
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

TEST(Proto, ExpansionIsLimited) {
  const TemporaryProject project;
  for (int i = 2; i < 25; ++i) {
    const std::string next = "E" + std::to_string(i + 1) + " { } ";
    project.write(
        "protos/E" + std::to_string(i) + ".proto",
        "PROTO E" + std::to_string(i) + " [ ] { Group { children [ " + next + next + "] } }");
  }
  project.write("protos/E25.proto", "PROTO E25 [ ] { Group { } }");
  const ReadWorld w = project.read("E2 { }");
  ASSERT_EQ(w.messages.size(), 1u);
  EXPECT_NE(w.messages[0].find("error: the world has more than 1000000 nodes"), std::string::npos);
}

TEST(Proto, NestingIsLimited) {
  const TemporaryProject project;
  for (int i = 2; i < 150; ++i) {
    project.write("protos/L" + std::to_string(i) + ".proto",
                  "PROTO L" + std::to_string(i) + " [ ] { L" + std::to_string(i + 1) + " { } }");
  }
  EXPECT_EQ(project.read("L2 { }").messages,
            (Messages{"L101.proto:1:18: error: PROTOs nest deeper than 100 levels"}));
}

// Each instance wraps its parameter 800 levels deep, though no text nests deeper than that.
TEST(Proto, ParametersCannotBuildDeeperTrees) {
  const TemporaryProject project;
  std::string body;
  for (int i = 0; i < 800; ++i) body += "Group { children [ ";
  body += "Group { children IS children }";
  for (int i = 0; i < 800; ++i) body += " ] }";
  project.write("protos/W.proto", "PROTO W [ field MFNode children [ ] ] { " + body + " }");
  const ReadWorld w = project.read("W { children W { children W { } } }");
  ASSERT_EQ(w.messages.size(), 1u);
  EXPECT_NE(w.messages[0].find("error: nodes nest deeper than 1000 levels"), std::string::npos);
}

}  // namespace
}  // namespace servosim::wbt::test
