// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assets/address.h"
#include "wbt/proto/proto_finder.h"
#include "wbt/test_support.h"

namespace servosim::wbt::test {
namespace {

// Returns a PROTO without header whose root is a Solid of that name.
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
  EXPECT_EQ(one.proto.name, "P");
  EXPECT_EQ(one.proto.project + "/", project.path(""));
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

// With a header the same PROTO is used for all versions, and its faults are reported once.
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
  EXPECT_EQ(w.node().proto.name, "Outer");
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

// Before R2020b the type of controllerArgs was a single string.
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

TEST(ProtoFinder, SearchesBesideTheUserThenTheProjectThenTheProtoPaths) {
  const TemporaryProject project;
  const TemporaryProject other;
  const ReadOptions options{{other.path("lib")}};
  const auto found = [&] { return project.read("P { }", "R2021b", options).node().string("name"); };
  other.write("lib/deep/P.proto", solid_proto("P", "path"));
  EXPECT_EQ(found(), "path");
  project.write("protos/x/y/P.proto", solid_proto("P", "deep"));
  EXPECT_EQ(found(), "deep");
  project.write("protos/z/P.proto", solid_proto("P", "less deep"));
  EXPECT_EQ(found(), "less deep");
  project.write("worlds/P.proto", solid_proto("P", "beside"));
  EXPECT_EQ(found(), "beside");
}

// Webots' tests have PROTOs, too.
TEST(ProtoFinder, OfACloneOfWebotsSearchesProjectsFirst) {
  const TemporaryProject project;
  const TemporaryProject clone;
  clone.write("projects/objects/a/b/protos/P.proto", solid_proto("P", "projects"));
  clone.write("tests/protos/P.proto", solid_proto("P", "tests"));
  clone.write("tests/protos/Q.proto", solid_proto("Q", "tests"));
  const ReadWorld w = project.read("P { } Q { }", "R2021b", ReadOptions{{clone.path("")}});
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node(0).string("name"), "projects");
  EXPECT_EQ(w.node(1).string("name"), "tests");
}

// A store that has files in the form of Webots' cache, and worlds that name these files.
class ProtoOfACache : public testing::Test {
 protected:
  void keep(const std::string& address, const std::string& text) const {
    store_.write(assets::cache_name(address), text);
  }
  ReadWorld read(const std::string& body, const std::string& version) const {
    ReadOptions options;
    options.assets = {store_.path("")};
    return project_.read(body, version, options);
  }
  static std::string published(const std::string& tag, const std::string& path) {
    return "https://raw.githubusercontent.com/cyberbotics/webots/" + tag + "/projects/" + path;
  }
  static std::string declaring(const std::string& url, const std::string& node) {
    return "EXTERNPROTO \"" + url + "\"\n" + node;
  }

  TemporaryProject project_;
  TemporaryProject store_;
};

TEST_F(ProtoOfACache, IsFoundByItsAddress) {
  keep("https://example.org/protos/P.proto", solid_proto("P", "cached"));
  const ReadWorld w = read(declaring("https://example.org/protos/P.proto", "P { }"), "R2023b");
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node().string("name"), "cached");
  EXPECT_EQ(w.node().proto.project, "");
  project_.write("protos/P.proto", solid_proto("P", "mine"));
  EXPECT_EQ(read(declaring("https://example.org/protos/P.proto", "P { }"), "R2023b")
                .node()
                .string("name"),
            "mine");
}

// The folder of the cache is flat, so addresses must not be joined to it.
TEST_F(ProtoOfACache, JoinsItsUrlsToItsAddress) {
  keep(published("R2023a", "robots/r/protos/P.proto"),
       "#VRML_SIM R2023a utf8\nEXTERNPROTO \"../parts/Q.proto\"\nEXTERNPROTO "
       "\"webots://projects/R.proto\"\nPROTO P [ ] { Group { children [ Q { } R { } ] } }");
  keep(published("R2023a", "robots/r/parts/Q.proto"), solid_proto("Q", "relative"));
  keep(published("R2023a", "R.proto"), solid_proto("R", "of its release"));
  keep(published("R2025a", "R.proto"), solid_proto("R", "of another"));
  const ReadWorld w =
      read(declaring(published("R2023a", "robots/r/protos/P.proto"), "P { }"), "R2025a");
  EXPECT_EQ(w.messages, Messages{});
  ASSERT_EQ(w.node().nodes("children").size(), 2u);
  EXPECT_EQ(w.node().nodes("children")[0]->string("name"), "relative");
  EXPECT_EQ(w.node().nodes("children")[1]->string("name"), "of its release");
}

TEST_F(ProtoOfACache, OfWebotsSchemeIsOfTheReleaseOfTheWorld) {
  keep(published("R2023b", "P.proto"), solid_proto("P", "R2023b"));
  keep(published("R2025a", "P.proto"), solid_proto("P", "R2025a"));
  for (const char* version : {"R2023b", "R2025a"}) {
    const ReadWorld w = read(declaring("webots://projects/P.proto", "P { }"), version);
    EXPECT_EQ(w.messages, Messages{});
    EXPECT_EQ(w.node().string("name"), version);
  }
  EXPECT_EQ(read(declaring("webots://projects/P.proto", "P { }"), "R2022b").node().string("name"),
            "R2023b");  // the next newer one
}

TEST_F(ProtoOfACache, ComesBeforeTheStandInsButNotWithOtherAxes) {
  const std::string place = "objects/solids/protos/SolidBox.proto";
  keep(published("R2025a", place), "#VRML_SIM R2025a utf8\n" + solid_proto("SolidBox", "cached"));
  const auto name = [&](const std::string& version) {
    return read("SolidBox { }", version).node().string("name");
  };
  EXPECT_EQ(name("R2022a"), "cached");
  EXPECT_NE(name("R2021b"), "cached");
  keep(published("R2021b", place), "#VRML_SIM R2021b utf8\n" + solid_proto("SolidBox", "old"));
  EXPECT_EQ(name("R2021b"), "old");
  EXPECT_EQ(name("R2022a"), "cached");
}

// Before EXTERNPROTO the name was enough.
TEST_F(ProtoOfACache, OfAnInstallationIsFoundByItsName) {
  const TemporaryProject webots;
  const auto read_here = [&](const std::string& text, const std::string& version) {
    assets::Places places;
    places.installations = {webots.path("")};
    ReadOptions options;
    options.library = std::make_shared<const assets::Library>(places);
    return project_.read(text, version, options);
  };
  const std::string file = "projects/objects/garden/protos/Gnome.proto";
  webots.write(file, "#VRML_SIM R2021a utf8\n" + solid_proto("Gnome", "old"));
  const ReadWorld w = read_here("Gnome { }", "R2021b");
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node().string("name"), "old");
  webots.write(file, "#VRML_SIM R2023b utf8\n" + solid_proto("Gnome", "new"));
  EXPECT_EQ(read_here("Gnome { }", "R2022a").node().string("name"), "new");
  const std::vector<std::string> messages = read_here("Gnome { }", "R2021b").messages;
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].find("; that of R2023b here has other axes: 'servosim fetch WORLD' looks "
                             "for an older one"),
            std::string::npos)
      << messages[0];
  EXPECT_EQ(read_here("Gnome { }", "R2023b").messages.size(), 1u);  // it is not declared
  EXPECT_EQ(read_here(declaring("webots://" + file, "Gnome { }"), "R2023b").messages, Messages{});
}

TEST_F(ProtoOfACache, IsNamedByItsAddressInMessages) {
  const std::string address = "https://example.org/protos/P.proto";
  keep(address, "#VRML_SIM R2023b utf8\nPROTO P [ ] { Solid { nom \"x\" } }");
  Diagnostics diagnostics;
  ReadOptions options;
  options.assets = {store_.path("")};
  read_world_text("#VRML_SIM R2023b utf8\n" + declaring(address, "P { }"), "w.wbt",
                  project_.path("worlds"), options, diagnostics);
  ASSERT_EQ(diagnostics.list().size(), 1u);
  EXPECT_EQ(to_string(diagnostics.list()[0]).find(address + ":2:23: warning: unknown field 'nom'"),
            0u);
}

TEST_F(ProtoOfACache, ThatCannotBeUsedIsWarnedOf) {
  ReadOptions options;
  options.assets = {"/nowhere/a.zip"};
  EXPECT_EQ(project_.read("Solid { }", "R2023b", options).messages,
            Messages{"1:1: warning: '/nowhere/a.zip' does not exist; no file is looked for in it"});
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

// This happens in a checkout of Webots, or in a tree like it.
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
  EXPECT_EQ(w.node().proto.project + "/", other.path(""));
}

TEST(ProtoFinder, SaysWhatToDoAboutADeclaration) {
  const ReadWorld w = read_text("#VRML_SIM R2023b utf8\nEXTERNPROTO \"../a/Ppp.proto\"\nPpp { }",
                                "/nowhere/worlds", ReadOptions{{"/nowhere/lib"}});
  EXPECT_EQ(w.messages,
            (Messages{"3:1: warning: PROTO 'Ppp' not found; the node is left out; put the file "
                      "where its EXTERNPROTO line says, or name its folder by --proto-path "
                      "FOLDER"}));
}

TEST(ProtoFinder, SaysWhatToDoAboutADownload) {
  const std::string url =
      "https://raw.example.org/somebody/webots/R2023b/projects/objects/boxes/protos/Boxx.proto";
  const ReadWorld w =
      read_text("#VRML_SIM R2023b utf8\nEXTERNPROTO \"" + url + "\"\nBoxx { }", "/nowhere/worlds");
  EXPECT_EQ(w.messages,
            (Messages{"3:1: warning: PROTO 'Boxx' not found; the node is left out; 'servosim fetch "
                      "WORLD' downloads it from https://raw.example.org"}));
  const ReadWorld near =
      read_text("#VRML_SIM R2023b utf8\nEXTERNPROTO \"https://example.org/Boxx.proto\"\nBoxx { }",
                "/nowhere/worlds");
  EXPECT_EQ(near.messages,
            (Messages{"3:1: warning: PROTO 'Boxx' not found; the node is left out; 'servosim fetch "
                      "WORLD' looks for it at https://example.org/Boxx.proto"}));
}

// Webots 7 called this PROTO EPuck.
TEST(ProtoFinder, KnowsAFormerName) {
  for (const char* name : {"EPuck", "E-puck"}) {
    const ReadWorld w = read_body(std::string(name) + " { name \"one\" }", "V7.4.3");
    ASSERT_EQ(w.file.nodes.size(), 1u) << name;
    EXPECT_EQ(w.node().proto.name, "E-puck");
    EXPECT_EQ(w.node().string("name"), "one");
  }
}

TEST(ProtoFinder, KnowsEachNameOfWebotsInOldWorlds) {
  const std::string expected =
      " not found; the node is left out; it is a PROTO of Webots: 'servosim fetch WORLD' "
      "downloads it";
  for (const char* name : {"BmwX5", "HokuyoUtm30lx", "Tiago++", "Gear"}) {
    const ReadWorld w = read_body(std::string(name) + " { }", "R2021b");
    EXPECT_EQ(w.messages, (Messages{"2:1: warning: PROTO '" + std::string(name) + "'" + expected}));
    EXPECT_LE(w.messages.at(0).size(), 160u);
  }
}

// If the instance does not give a parameter, its default is a node of the instance.
TEST(Proto, UseFindsWhatTheDefaultOfAnotherParameterDefines) {
  TemporaryProject project;
  project.write("protos/P.proto",
                "#VRML_SIM R2023b utf8\nPROTO P [ field SFNode ball DEF BALL Sphere { radius "
                "0.25 } field SFNode bounds NULL ] { Solid { children [ Shape { geometry IS ball } "
                "] boundingObject IS bounds } }");
  const ReadWorld w = project.read("P { bounds USE BALL } P { bounds USE BALL }", "R2023b");
  EXPECT_EQ(w.messages, Messages{});
  ASSERT_EQ(w.file.nodes.size(), 2u);
  std::set<const Node*> balls;
  for (const NodePtr& solid : w.file.nodes) {
    const NodePtr& ball = solid->node("boundingObject");
    ASSERT_NE(ball, nullptr);
    EXPECT_EQ(ball->number("radius"), 0.25);
    EXPECT_EQ(solid->nodes("children").at(0)->node("geometry"), ball);
    balls.insert(ball.get());
  }
  EXPECT_EQ(balls.size(), 2u);
  EXPECT_NE(project.read("P { bounds USE NONE }", "R2023b").messages, Messages{});
}

// The default may be used any number of times, by any of its names, and be replaced later.
TEST(Proto, UseFindsEachNameOfADefaultAgain) {
  TemporaryProject project;
  project.write("protos/P.proto",
                "#VRML_SIM R2023b utf8\nPROTO P [ field SFNode ball DEF GROUP Group { children [ "
                "DEF X Box { } DEF Y Sphere { } ] } field SFNode a NULL field SFNode b NULL ] { "
                "Solid { children [ Group { } ] } }");
  const auto nodes = [&](const std::string& fields) {
    const ReadWorld w = project.read("P { " + fields + " }", "R2023b");
    EXPECT_EQ(w.messages, Messages{}) << fields;
    return std::get<NodePtr>(*w.node().proto.instance->given.at(1)) == nullptr
               ? std::vector<NodePtr>{}
               : std::vector<NodePtr>{std::get<NodePtr>(*w.node().proto.instance->given.at(0)),
                                      std::get<NodePtr>(*w.node().proto.instance->given.at(1)),
                                      std::get<NodePtr>(*w.node().proto.instance->given.at(2))};
  };
  const auto both = nodes("a USE X b USE Y");
  ASSERT_EQ(both.size(), 3u);
  EXPECT_EQ(both[0]->nodes("children").at(0), both[1]);
  EXPECT_EQ(both[0]->nodes("children").at(1), both[2]);
  const auto same = nodes("a USE X b USE X");
  ASSERT_EQ(same.size(), 3u);
  EXPECT_EQ(same[0]->nodes("children").at(0), same[1]);
  EXPECT_EQ(same[1], same[2]);
  const auto replaced = nodes("a USE X ball Group { } b USE X");
  ASSERT_EQ(replaced.size(), 3u);
  EXPECT_TRUE(replaced[0]->nodes("children").empty());
  EXPECT_EQ(replaced[1], replaced[2]);
}

// A walk through the defaults for each of the names would take hours.
TEST(Proto, LooksUpUnknownNamesOnce) {
  TemporaryProject project;
  std::string groups;
  for (int i = 0; i < 100'000; ++i) {
    groups += "Group { } ";
  }
  project.write("protos/P.proto",
                "#VRML_SIM R2023b utf8\nPROTO P [ field SFNode all DEF ALL Group { children [ " +
                    groups + "] } field MFNode some [ ] ] { Group { children IS some } }");
  std::string uses;
  for (int i = 0; i < 300'000; ++i) {
    uses += "USE NONE ";
  }
  const ReadWorld w = project.read("P { some [ " + uses + "] all NULL }", "R2023b");
  ASSERT_EQ(w.file.nodes.size(), 1u);
  EXPECT_TRUE(w.node().nodes("children").empty());
}

TEST(ProtoFinder, SaysWhichStepsWouldFindWhatComesWithWebots) {
  const std::string place = "projects/robots/gctronic/e-puck/protos/E-puck.proto";
  const std::string lacks = read_stand_in(stand_in_text("E-puck")).lacks;
  const auto expected = [&](const std::string& at) {
    return Messages{at +
                    ": info: PROTO 'E-puck' not found: the stand-in of servosim is used (numbers "
                    "read in Webots R2022b); it lacks: " +
                    lacks + "; it is a PROTO of Webots: 'servosim fetch WORLD' downloads it"};
  };
  EXPECT_EQ(read_body("EXTERNPROTO \"webots://" + place + "\"\nE-puck { }", "R2023b").messages,
            expected("3:1"));
  // Worlds before R2022b name no address.
  EXPECT_EQ(read_body("E-puck { }", "R2021b").messages, expected("2:1"));
  EXPECT_EQ(read_body("E-puck { }", "V6.0").messages, expected("2:1"));
}

TEST(ProtoFinder, NamesOfDeclaredFiles) {
  EXPECT_EQ(extern_proto_name("https://example.org/a/Foo.proto"), "Foo");
  EXPECT_EQ(extern_proto_name("Foo.proto"), "Foo");
  EXPECT_EQ(extern_proto_name("..\\Foo.proto"), "Foo");
  EXPECT_EQ(project_of("/a/protos/b/Foo.proto", "protos"), "/a");
  EXPECT_EQ(project_of("/a/b/Foo.proto", "protos"), "");
}

// Track became a node in V8.1. Earlier worlds could have a PROTO of that name.
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

TEST(Proto, ThatIsThereAndCannotBeUsedIsNoDecoration) {
  const TemporaryProject project;
  project.write(
      "protos/YieldPanel.proto",
      "#VRML_SIM R2023b utf8\nPROTO YieldPanel [ ] { Solid { name \"%<= none.at >%\" } }");
  project.write("protos/Rust.proto",
                "#VRML_SIM R2023b utf8\nPROTO Rust [ ] { PBRAppearance { roughness %<= none.at "
                ">% } }");
  project.write("protos/StopPanel.proto", "Solid { }");
  for (const char* text : {"YieldPanel { }", "Shape { appearance Rust { } }", "StopPanel { }"}) {
    const ReadWorld w = project.read(text, "R2023b");
    EXPECT_EQ(w.file.lost.size(), 1u) << text;
    ASSERT_EQ(w.messages.size(), 1u) << text;
    EXPECT_EQ(w.messages[0].find("acts on no motion"), std::string::npos) << w.messages[0];
  }
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

// Each instance wraps its parameter in 300 levels, but no text is nested deeper than that.
TEST(Proto, ParametersCannotBuildDeeperTrees) {
  const TemporaryProject project;
  std::string body;
  for (int i = 0; i < 300; ++i) body += "Group { children [ ";
  body += "Group { children IS children }";
  for (int i = 0; i < 300; ++i) body += " ] }";
  project.write("protos/W.proto", "PROTO W [ field MFNode children [ ] ] { " + body + " }");
  const ReadWorld w = project.read("W { children W { children W { } } }");
  ASSERT_EQ(w.messages.size(), 1u);
  EXPECT_NE(w.messages[0].find("error: nodes nest deeper than 800 levels"), std::string::npos);
}

}  // namespace
}  // namespace servosim::wbt::test
