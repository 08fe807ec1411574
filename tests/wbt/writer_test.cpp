// SPDX-License-Identifier: Apache-2.0
#include "wbt/writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "golden/run_worlds.h"
#include "wbt/test_support.h"
#include "wbt/world_file.h"

namespace servosim::wbt {
namespace {

using test::Messages;
using test::read_text;
using test::ReadWorld;
using test::TemporaryProject;

// Reads, writes and reads again. Both trees must be equal, and both texts, too.
std::string written(const std::string& text, const std::string& folder = "/nowhere/worlds") {
  const ReadWorld first = read_text(text, folder);
  EXPECT_EQ(first.errors, 0u) << first.messages.front();
  std::string once = write_world(first.file);
  const ReadWorld second = read_text(once, folder);
  EXPECT_EQ(second.messages, Messages());
  EXPECT_TRUE(equal(first.file, second.file)) << once;
  EXPECT_EQ(write_world(second.file), once);
  return once;
}

TEST(Writer, WritesAsWebotsDoes) {
  const std::string text = R"(#VRML_SIM R2021b utf8
# A comment.
#!mainWindow: 800x600

# And one after an empty line.
WorldInfo {
  info [
    "one"
    "two, \"quoted\""
  ]
  gravity 9.81
}
DEF R Robot {
  translation 0 -0.5 1e-20
  children [
    Shape {
      appearance NULL
      geometry DEF B Box {
        size 1 2 3
      }
      castShadows FALSE
    }
    HingeJoint {
      jointParameters HingeJointParameters {
        axis 0 1 0
        #servosim backlash 0.02
      }
    }
  ]
  name "r"
  boundingObject USE B
  supervisor TRUE
  battery [
  ]
}
)";
  EXPECT_EQ(written(text), text);
}

TEST(Writer, KeepsEveryCommentBeforeTheFirstNodeWhateverTheLineEnds) {
  EXPECT_EQ(written("\xEF\xBB\xBF#VRML_SIM V6.0 utf8\r\n#a\r\n\r\n  # b \r\nGroup { }\n#c\n"),
            "#VRML_SIM V6.0 utf8\n#a\n\n# b\nGroup {\n}\n");
  EXPECT_EQ(written("#VRML_SIM V6.0 utf8"), "#VRML_SIM V6.0 utf8\n");
}

// A `#servosim` line is not a comment.
TEST(Writer, ALineOfOursEndsTheComments) {
  EXPECT_EQ(written("#VRML_SIM R2025a utf8\n#a\n#servosim Group { }\n"),
            "#VRML_SIM R2025a utf8\n#a\nGroup {\n}\n");
}

TEST(Writer, FindsTheShortestNumbersThatReadTheSame) {
  const auto number = [](const std::string& text) {
    const std::string all = written("#VRML_SIM R2025a utf8\nSphere { radius " + text + " }");
    const std::size_t at = all.find("radius ") + 7;
    return all.substr(at, all.find('\n', at) - at);
  };
  EXPECT_EQ(number("1.000"), "1");
  EXPECT_EQ(number(".1"), "0.1");
  EXPECT_EQ(number("100000"), "100000");
  EXPECT_EQ(number("0.30000000000000004"), "0.30000000000000004");
  EXPECT_EQ(number("1.7976931348623157e308"), "1.7976931348623157e+308");
  EXPECT_EQ(number("4.9e-324"), "5e-324");
  const ReadWorld zero = read_text("#VRML_SIM R2025a utf8\nSphere { radius -0 }", "/");
  const ReadWorld again = read_text(write_world(zero.file), "/");
  EXPECT_TRUE(std::signbit(again.node().number("radius")));
}

TEST(Writer, RefusesWhatNoFileCanHold) {
  ReadWorld world = read_text("#VRML_SIM R2025a utf8\nSphere { radius 1 }", "/");
  Node sphere = world.node();
  sphere.fields[0].value = std::numeric_limits<double>::infinity();
  world.file.nodes[0] = std::make_shared<Node>(sphere);
  EXPECT_THROW(write_world(world.file), std::invalid_argument);
}

TEST(Writer, EscapesStrings) {
  const auto name = [](const std::string& text) {
    const std::string all = written("#VRML_SIM R2025a utf8\nSolid { name " + text + " }");
    const std::size_t at = all.find("name ") + 5;
    return all.substr(at, all.find('\n', at) - at);
  };
  EXPECT_EQ(name(R"("a\nb")"), R"("a\nb")");   // two characters, as in Webots
  EXPECT_EQ(name(R"("a\\nb")"), R"("a\nb")");  // the same value
  EXPECT_EQ(name(R"("\\\\n")"), R"("\\\n")");
  EXPECT_EQ(name(R"("\"#{\\")"), R"("\"#{\\")");
  EXPECT_EQ(name(R"("C:\dir")"), R"("C:\\dir")");  // unescaped, Webots would refuse it
}

TEST(Writer, KeepsTheOnlyArgumentOfOldControllers) {
  for (const char* line : {"'a b'", "''", "a'\\\" 'b", "one two", "", "plain"}) {
    written(std::string("#VRML_SIM V6.0 utf8\nRobot { controllerArgs \"") + line + "\" }");
  }
}

TEST(Writer, BindsEachUseToItsDefinition) {
  const std::string text = written(R"(#VRML_SIM R2025a utf8
Shape { geometry DEF A Box { } }
Shape { geometry DEF A Sphere { } }
Shape { geometry USE A }
)");
  EXPECT_NE(text.find("Sphere {\n  }\n}\nShape {\n  geometry USE A"), std::string::npos) << text;
}

TEST(Writer, BindsAUseToTheDescendantThatRepeatsTheName) {
  const std::string text = R"(#VRML_SIM R2025a utf8
DEF A Transform {
  children [
    DEF A Shape {
      geometry Box {
        size 2 3 4
      }
    }
  ]
}
Solid {
  boundingObject USE A
}
)";
  EXPECT_EQ(written(text), text);
}

TEST(Writer, WritesInFullWhatMayNotBeUsedAgain) {
  const ReadWorld world =
      read_text("#VRML_SIM R2025a utf8\nDEF S Solid { name \"x\" }\nUSE S\n", "/");
  EXPECT_EQ(world.messages.size(), 1u);  // the message is from reading
  EXPECT_EQ(write_world(world.file), R"(#VRML_SIM R2025a utf8
DEF S Solid {
  name "x"
}
DEF S Solid {
  name "x"
}
)");
}

// Two instances have the same names. A node that the world shares between them is still one node.
TEST(Writer, KeepsNamesOfProtoInstancesApart) {
  const TemporaryProject project;
  project.write(
      "protos/P.proto",
      "#VRML_SIM R2025a utf8\nPROTO P [ field SFNode g NULL ] { Group { children [ Shape "
      "{ geometry DEF A Box { size 1 2 3 } } Shape { geometry USE A } Shape { geometry IS "
      "g } ] } }\n");
  const std::string text = written(
      "#VRML_SIM R2025a utf8\nP { g DEF A Sphere { } }\nP { g USE A }\n", project.path("worlds"));
  // A Box called A is before the last Sphere, so the Sphere is written again.
  std::size_t spheres = 0;
  for (std::size_t at = 0; (at = text.find("DEF A Sphere", at)) != std::string::npos; ++at) {
    ++spheres;
  }
  EXPECT_EQ(spheres, 2u) << text;
}

TEST(Writer, DoesNotMindDepth) {
  constexpr std::size_t kLevels = 10000;
  std::vector<NodePtr> levels;
  NodePtr node;
  const NodeType* group = find_node_type("Group");
  for (std::size_t i = 0; i < kLevels; ++i) {
    Node parent;
    parent.type = group;
    parent.fields.push_back({group->field("children"), {}, std::vector<NodePtr>()});
    if (node) {
      parent.fields[0].value = std::vector<NodePtr>{node};
    }
    node = std::make_shared<Node>(std::move(parent));
    levels.push_back(node);
  }
  WorldFile world;
  world.version = kNewestVersion;
  world.nodes.push_back(std::move(node));
  const std::string text = write_world(world);
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '{')), kLevels);
  EXPECT_LT(text.size(), 20'000'000u);
  world.nodes.clear();
  while (!levels.empty()) {
    levels.pop_back();  // one by one, because destructors that are not optimised may recurse too
                        // deeply
  }
}

TEST(Writer, WritesLargeMeshes) {
  Node mesh;
  mesh.type = find_node_type("Coordinate");
  mesh.version = kNewestVersion;
  std::vector<Vec3> points;
  for (int i = 0; i < 60000; ++i) {
    points.push_back({i / 7.0, i / 11.0, -i / 13.0});
  }
  mesh.fields.push_back({mesh.type->field("point"), {}, points});
  WorldFile world;
  world.version = kNewestVersion;
  world.nodes.push_back(std::make_shared<Node>(mesh));
  const std::string text = write_world(world);
  EXPECT_GT(text.size(), 2'400'000u);
  Diagnostics diagnostics;
  EXPECT_TRUE(equal(world, read_world_text(text, "w.wbt", "/", {}, diagnostics)));
}

// Each row of the table in the newest version gets a value, so that none is forgotten.
TEST(Writer, WritesFieldsOfEveryType) {
  for (const NodeType& type : all_node_types()) {
    std::string text = "#VRML_SIM R2025a utf8\n" + std::string(type.name) + " {\n";
    for (const FieldType* field : type.fields) {
      if (field->exists_in(kNewestVersion)) {
        const bool several = field->type == ValueType::MFNode;
        text += std::string(field->name) + ' ' +
                std::string(several ? "[ ]" : field->default_text) + '\n';
      }
    }
    written(text + "}\n");
  }
}

TEST(Writer, OursAreSingleValues) {
  for (const NodeType& type : all_node_types()) {
    for (const FieldType* field : type.fields) {
      // Other types would need more than one line, with a mark on each.
      EXPECT_TRUE(!field->extension || field->type < ValueType::SFNode) << field->name;
    }
  }
}

bool all_of_version(const std::vector<NodePtr>& nodes, const Version& version);
bool all_of_version(const Value& value, const Version& version) {
  if (const auto* one = std::get_if<NodePtr>(&value)) {
    return !*one || all_of_version(std::vector{*one}, version);
  }
  const auto* several = std::get_if<std::vector<NodePtr>>(&value);
  return several == nullptr || all_of_version(*several, version);
}
bool all_of_version(const std::vector<NodePtr>& nodes, const Version& version) {
  return std::all_of(nodes.begin(), nodes.end(), [&](const NodePtr& node) {
    return node->version == version &&
           std::all_of(node->fields.begin(), node->fields.end(),
                       [&](const Field& field) { return all_of_version(field.value, version); });
  });
}

// Every world stays the same when it is written, and moves equally.
TEST(Writer, WorldsStayWhatTheyAre) {
  int compared = 0;
  for (const std::string folder :
       {SERVOSIM_WORLDS_DIR, SERVOSIM_TEST_DIR "/worlds", SERVOSIM_TEST_DIR "/programs/projects"}) {
    for (const std::string& path : servosim::test::worlds_in(folder)) {
      SCOPED_TRACE(path);
      Diagnostics diagnostics;
      const WorldFile world = read_world(path, {}, diagnostics);
      if (diagnostics.errors() > 0 || !all_of_version(world.nodes, world.version)) {
        continue;  // convert() makes versions equal: tests/wbt/convert/worlds_test.cpp
      }
      const std::string home = std::filesystem::path(path).parent_path().string();
      const std::string text = write_world(world);
      Diagnostics said;
      const WorldFile again = read_world_text(text, "again.wbt", home, {}, said);
      EXPECT_EQ(said.list().size(), 0u);
      EXPECT_TRUE(equal(world, again));
      EXPECT_EQ(write_world(again), text);
      LoadOptions quiet;
      quiet.notice = [](std::string_view) {};
      Simulation original(path, quiet);
      Simulation copy = Simulation::from_text(text, quiet, home);
      original.step(200);
      copy.step(200);
      EXPECT_EQ(original.state_hash(), copy.state_hash());
      ++compared;
    }
  }
  EXPECT_GE(compared, 110);
}

// A Supervisor that saves the world writes its instances in this way.
TEST(Writer, KeepsInstancesOfWhatIsSaved) {
  const TemporaryProject project;
  project.write("protos/P.proto", R"(PROTO P [
  field SFVec3f translation 0 0 0
  field SFString name "p"
  field MFNode slot [ Group { } ]
]
{
  Solid {
    translation IS translation
    name IS name
    children [ Group { children IS slot } Solid { name "inner" translation 1 0 0 } ]
  }
})");
  const std::string text = R"(#VRML_SIM R2021b utf8
EXTERNPROTO "../protos/P.proto"
IMPORTABLE EXTERNPROTO "Other.proto"
DEF N P {
  translation 0 1 0
  slot [
    DEF S Solid {
      translation 3 0 0
      name "given"
    }
    P {
    }
  ]
  hidden translation_4 1 2 3
  hidden linearVelocity_4 0 0 1
}
)";
  const ReadWorld read = read_text(text, project.path("worlds"));
  EXPECT_EQ(read.messages, Messages());
  EXPECT_EQ(write_saved_world(read.file), text);
  EXPECT_NE(write_world(read.file).find("DEF N Solid {"), std::string::npos);
}

TEST(Writer, SavesNoValueThatIsTheDefault) {
  const std::string head = "#VRML_SIM R2023b utf8\n";
  const ReadWorld read = read_text(
      head +
          "WorldInfo { gravity 9.81 basicTimeStep 32 coordinateSystem \"ENU\" title \"\" }\n"
          "DEF S Solid { translation 0 0 0 rotation 0 0 1 0 name \"solid\" children [ ] "
          "boundingObject NULL linearVelocity 0 0 0.5 angularVelocity 0 0 0 "
          "physics Physics { density 1000 mass 2 } }\n",
      "/nowhere/worlds");
  EXPECT_EQ(read.messages, Messages());
  EXPECT_EQ(write_saved_world(read.file), head +
                                              "WorldInfo {\n}\nDEF S Solid {\n  physics Physics "
                                              "{\n    mass 2\n  }\n  linearVelocity 0 0 0.5\n}\n");
}

// Values that instances inside a PROTO have from their own PROTO are no state.
TEST(Writer, SavesOnlyStateAsHidden) {
  const TemporaryProject project;
  project.write("protos/Inner.proto", R"(#VRML_SIM R2021b utf8
PROTO Inner [ field SFVec3f translation 0 0 0 ]
{ Solid { translation IS translation rotation 0 0 1 1 children [ %< if (true) { >%
  HingeJoint { jointParameters HingeJointParameters { position 0.5 } endPoint Solid {
    translation 0 1 0 } } %< } >% ] } })");
  project.write("protos/Outer.proto", R"(#VRML_SIM R2021b utf8
PROTO Outer [ ]
{ Solid { children [ SolidBox { translation 0 0 1 } Inner { translation 2 0 0 } ] } })");
  project.write("protos/Derived.proto",
                "PROTO Derived [ ] { SolidBox { translation 0 0 3 name \"d\" } }");
  const std::string text = R"(#VRML_SIM R2021b utf8
Outer {
}
Outer {
  hidden translation_1 0 0 2
  hidden position_2_0 0.75
  hidden rotation_3 0 1 0 1
}
Derived {
}
Derived {
  hidden translation_0 1 0 3
}
SolidBox {
  translation 0 0 4
}
)";
  const ReadWorld read = read_text(text, project.path("worlds"));
  EXPECT_EQ(read.faults(), Messages());
  EXPECT_EQ(read.node(1).nodes("children")[0]->vec3("translation"), (Vec3{0, 0, 2}));
  EXPECT_EQ(write_saved_world(read.file), text);
}

}  // namespace
}  // namespace servosim::wbt
