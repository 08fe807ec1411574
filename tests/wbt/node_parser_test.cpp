// SPDX-License-Identifier: Apache-2.0
#include "wbt/node_parser.h"

#include <gtest/gtest.h>

#include "wbt/test_support.h"

namespace servosim::wbt::test {
namespace {

TEST(Parser, ReadsNodesInNodes) {
  const ReadWorld w = read_body(R"(
DEF ARM Solid {
  translation 2 3 4
  children [
    HingeJoint { device [ RotationalMotor { name "m" }, PositionSensor {} ] endPoint Solid {} }
    Shape { geometry Box { size .2 .3 .4 } }
  ]
}
)");
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node().def, "ARM");
  EXPECT_EQ(w.node().vec3("translation"), (Vec3{2, 3, 4}));
  const auto& children = w.node().nodes("children");
  ASSERT_EQ(children.size(), 2u);
  EXPECT_EQ(children[0]->nodes("device")[0]->string("name"), "m");
  EXPECT_EQ(children[0]->node("endPoint")->type->name, "Solid");
  EXPECT_EQ(children[1]->node("geometry")->vec3("size"), (Vec3{0.2, 0.3, 0.4}));
}

TEST(Parser, KnowsWhereThingsStand) {
  const ReadWorld w = read_body("Solid {\n  name \"a\"\n}");
  EXPECT_EQ(w.node().where.offset, 22u);
  EXPECT_EQ(w.node().where_of("name").offset, 32u);
  EXPECT_EQ(w.node().where_of("model").offset, 22u);
}

TEST(Parser, FieldsLeftOutHaveDefaultsOfTheVersion) {
  const ReadWorld old = read_body("Robot {}", "V6.0");
  EXPECT_EQ(old.node().string("controller"), "void");
  EXPECT_EQ(old.node().rotation("rotation"), (AxisAngle{{0, 1, 0}, 0}));
  EXPECT_FALSE(old.node().has("controller"));
  const ReadWorld now = read_body("Robot {}", "R2025a");
  EXPECT_EQ(now.node().string("controller"), "<generic>");
  EXPECT_EQ(&now.node().value("controller"), &now.node().value("controller"));
  EXPECT_THROW(now.node().value("size"), std::out_of_range);
  EXPECT_THROW(now.node().number("controller"), std::bad_variant_access);
}

TEST(Parser, ValuesNeedNoBrackets) {
  const ReadWorld w = read_body(R"(
Hinge2Joint { device RotationalMotor { name "m" } }
WorldInfo { info "a" contactProperties ContactProperties { coulombFriction 0.75 } }
)");
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node(0).nodes("device").size(), 1u);
  EXPECT_EQ(w.node(1).strings("info"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(w.node(1).nodes("contactProperties")[0]->numbers("coulombFriction"),
            (std::vector<double>{0.75}));
}

TEST(Parser, AFieldGivenTwiceHasTheLastValue) {
  const ReadWorld w = read_body("Box { size 2 3 4 size 5 6 7 }");
  EXPECT_EQ(w.node().vec3("size"), (Vec3{5, 6, 7}));
  EXPECT_EQ(w.node().fields.size(), 1u);
}

// --- DEF and USE

TEST(Parser, UseNamesTheClosestPrecedingDef) {
  const ReadWorld w = read_body(R"(
Group { children [
  DEF B Box { size 2 3 4 }
  Shape { geometry USE B }
  DEF B Box { size 5 6 7 }
  Shape { geometry USE B }
] }
)");
  EXPECT_EQ(w.messages, Messages{});
  const auto& children = w.node().nodes("children");
  EXPECT_EQ(children[1]->node("geometry"), children[0]);
  EXPECT_EQ(children[3]->node("geometry"), children[2]);
  EXPECT_EQ(w.node().expanded, 7u);
  EXPECT_EQ(w.node().height, 3u);
}

// A USE takes the DEF that comes last in the file. The end of an outer node does not give its name
// priority over a DEF inside it.
TEST(Parser, UseNamesTheDescendantThatRepeatsTheDef) {
  const ReadWorld w = read_body(R"(
DEF B Pose { translation 7 0 0 children [
  DEF B Pose { translation 8 0 0 children DEF B Shape { geometry DEF C Box { size 2 3 4 } } }
  DEF C Transform { children USE B }
] }
Group { children [ USE B USE C DEF B Pose { translation 9 0 0 children USE B } USE B ] }
)");
  EXPECT_EQ(w.messages, Messages{});
  const NodePtr& middle = w.node(0).nodes("children").at(0);
  const NodePtr& shape = middle->nodes("children").at(0);
  EXPECT_EQ(shape->type->name, "Shape");
  EXPECT_EQ(w.node(0).nodes("children").at(1)->nodes("children").at(0), shape);
  const auto& used = w.node(1).nodes("children");
  ASSERT_EQ(used.size(), 4u);
  EXPECT_EQ(used[0], shape);
  EXPECT_EQ(used[1], w.node(0).nodes("children").at(1));
  EXPECT_EQ(used[2]->nodes("children").at(0), shape);
  EXPECT_EQ(used[3], used[2]);
}

// If a node is lost, USE must not take another node of that name instead.
TEST(Parser, UseOfALostDescendantIsNotItsAncestor) {
  const ReadWorld w = read_body(
      "DEF B Group { children DEF B Unheard { } }\n"
      "DEF C Group { children Unheard { a DEF C Box { } } }\n"
      "Group { children [ USE B USE C ] }");
  EXPECT_EQ(w.messages.size(), 2u);  // these are about the lost nodes
  EXPECT_TRUE(w.node(2).nodes("children").empty());
}

// Webots skips the values of unknown fields, too.
TEST(Parser, ADefInASkippedValueTakesNoName) {
  const ReadWorld w = read_body(
      "DEF B Group { sky DEF B Box { } sea [ DEF B Cone { } ] }\n"
      "Group { children [ USE B ] }");
  EXPECT_EQ(w.messages.size(), 2u);
  EXPECT_EQ(w.node(1).nodes("children").at(0), w.file.nodes[0]);
}

TEST(Parser, UseOfNothingLeavesTheNodeOut) {
  const ReadWorld w = read_body("Group { children [ USE B ] }\nShape { geometry USE C }");
  EXPECT_EQ(
      w.messages,
      (Messages{"2:24: warning: USE B: no DEF of that name before it; the node is left out",
                "3:22: warning: USE C: no DEF of that name before it; the node is left out"}));
  EXPECT_TRUE(w.node(0).nodes("children").empty());
  EXPECT_EQ(w.node(1).node("geometry"), nullptr);
}

TEST(Parser, UseInsideItsOwnDefinitionIsAnError) {
  const ReadWorld w = read_body("DEF A Group { children [ USE A ] }");
  EXPECT_EQ(w.messages, (Messages{"2:30: error: USE A inside its own definition"}));
}

TEST(Parser, UseOfASolidIsACopy) {
  const ReadWorld w = read_body("Group { children [ DEF A Solid { name \"s\" } USE A ] }");
  EXPECT_EQ(w.messages, (Messages{"2:49: warning: USE of a Solid, which Webots does not allow: "
                                  "read as a copy"}));
  EXPECT_EQ(w.node().nodes("children").at(1)->string("name"), "s");
}

// The message about the missing PROTO is the only one.
TEST(Parser, UseOfALeftOutNodeIsSilent) {
  const ReadWorld w = read_body(R"(
Group { children [
  Shape { appearance DEF A Rust { texture DEF T ImageTexture {} } }
  Shape { appearance USE A }
  Shape { appearance Appearance { texture USE T } }
] }
)");
  EXPECT_EQ(w.messages,
            (Messages{"4:28: warning: PROTO 'Rust' not found; it is left out, which acts "
                      "on no motion"}));
}

// --- unknown fields

TEST(Parser, UnknownFieldsAreSkipped) {
  for (const char* value : {"", "USE x", "IS x", "Foo { a 2 b [ 3 ] }", "DEF x Foo { a 2 }",
                            "[ 2 [ 3 ] Foo { } ]", "2 3 \"a\" TRUE", "NULL", "DEF x Box { }"}) {
    const ReadWorld w = read_body("Box { sky " + std::string(value) + " size 2 3 4 }");
    EXPECT_EQ(w.messages, (Messages{"2:7: warning: unknown field 'sky' in Box (skipped)"}))
        << value;
    EXPECT_EQ(w.node().vec3("size"), (Vec3{2, 3, 4})) << value;
  }
}

TEST(Parser, ACloseNameIsSuggested) {
  EXPECT_EQ(read_body("Solid { boundingobject NULL }").messages,
            (Messages{"2:9: warning: unknown field 'boundingobject' in Solid (skipped); did you "
                      "mean 'boundingObject'?"}));
}

TEST(Parser, FieldsOfOtherErasAreUnknown) {
  EXPECT_EQ(read_body("Solid { scale 2 2 2 }", "R2025a").messages,
            (Messages{"2:9: warning: unknown field 'scale' in Solid (skipped); Webots dropped it "
                      "after R2023b"}));
  const ReadWorld old = read_body("Solid { scale 2 2 2 }", "R2023b");
  EXPECT_EQ(old.messages, Messages{});
  EXPECT_EQ(old.node().vec3("scale"), (Vec3{2, 2, 2}));
}

// --- values that do not fit

TEST(Parser, AValueOfAnotherTypeIsReplacedByTheDefault) {
  struct Case {
    const char* body;
    const char* message;
  };
  const Case cases[] = {
      {"Box { size 2 3 }",
       "2:12: warning: field 'size' of Box: expected three numbers, found '}' (default used)"},
      {"Robot { name 25 }",
       "2:14: warning: field 'name' of Robot: expected a string, found '25' (default used)"},
      {"Robot { supervisor 5 }",
       "2:20: warning: field 'supervisor' of Robot: expected TRUE or FALSE, found '5' (default "
       "used)"},
      {"Solid { physics 25 }",
       "2:17: warning: field 'physics' of Solid: expected a node, found '25' (default used)"},
      {"Solid { physics [ Physics { } ] }",
       "2:17: warning: field 'physics' of Solid: expected a node, found '[' (default used)"},
      {"Box { size Vec { a 2 } }",
       "2:12: warning: field 'size' of Box: expected three numbers, found 'Vec' (default used)"},
      {"Box { size IS x }",
       "2:15: warning: field 'size' of Box: IS outside a PROTO (default used)"},
      {"IndexedFaceSet { coordIndex [ 2 3.5 ] }",
       "2:29: warning: field 'coordIndex' of IndexedFaceSet: expected an integer, found '3.5' "
       "(default used)"},
  };
  for (const Case& c : cases) {
    const ReadWorld w = read_body(c.body);
    EXPECT_EQ(w.messages, (Messages{c.message}));
    EXPECT_TRUE(w.node().fields.empty()) << c.body;
  }
}

TEST(Parser, StrayTokensAreSkipped) {
  const ReadWorld w = read_body("Box { 25 \"a\" size 2 3 4 5 [ x ] }");
  EXPECT_EQ(w.messages, (Messages{"2:7: warning: expected a field of Box, found '25' (skipped)",
                                  "2:25: warning: expected a field of Box, found '5' (skipped)",
                                  "2:27: warning: expected a field of Box, found '[' (skipped)"}));
  EXPECT_EQ(w.node().vec3("size"), (Vec3{2, 3, 4}));
}

// --- syntax that cannot be recovered

TEST(Parser, BrokenSyntaxIsAnError) {
  struct Case {
    const char* body;
    const char* message;
  };
  const Case cases[] = {
      {"Box { size 2 3 4", "2:1: error: expected '}' at the end of Box, found the end of the file"},
      {"Group { children [ Box { } ",
       "2:9: error: expected a node or ']' in field 'children', found the end of the file"},
      {"Group { children [ Box { } }",
       "2:28: error: expected a node or ']' in field 'children', found '}'"},
      {"Group { ]", "2:9: error: expected '}' at the end of Group, found ']'"},
      {"Box { } }", "2:9: error: expected a node, found '}'"},
      {"25", "2:1: error: expected a node, found '25'"},
      {"Box", "2:4: error: expected '{' after 'Box', found the end of the file"},
      {"Box Box { }", "2:5: error: expected '{' after 'Box', found 'Box'"},
      {"DEF A 25 { }", "2:7: error: expected a node type, found '25'"},
      {"DEF", "2:4: error: expected a name after DEF, found the end of the file"},
      {"DEF \"a b\" Group { }", "2:5: error: expected a name after DEF, found \"a b\""},
      {"EXTERNPROTO Foo", "2:13: error: expected EXTERNPROTO \"file\", found 'Foo'"},
      {"IMPORTABLE Foo { }", "2:12: error: expected EXTERNPROTO \"file\", found 'Foo'"},
      {"Robot { name \"a\n}", "2:14: error: string is not closed on its line"},
      {"WorldInfo { info [ \"a\" \"b\n] }", "2:24: error: string is not closed on its line"},
      {"\"a", "2:1: error: string is not closed on its line"},
  };
  for (const Case& c : cases) {
    const ReadWorld w = read_body(c.body);
    EXPECT_EQ(w.messages, (Messages{c.message}));
    EXPECT_EQ(w.errors, 1u);
  }
}

TEST(Parser, AnUnclosedUnknownFieldIsAnError) {
  EXPECT_EQ(read_body("Box { sky [ 2 3").messages,
            (Messages{"2:7: warning: unknown field 'sky' in Box (skipped)",
                      "2:11: error: this bracket is never closed"}));
}

// --- unknown nodes

TEST(Parser, UnknownNodesAreLeftOut) {
  const ReadWorld w = read_body("Group { children [ Fooo { a [ 2 { } ] } Box { } ] }");
  EXPECT_EQ(
      w.messages,
      (Messages{"2:20: warning: PROTO 'Fooo' not found; the node is left out; Webots has none of "
                "this name; --proto-path FOLDER names its folder"}));
  EXPECT_EQ(w.node().nodes("children").size(), 1u);
}

TEST(Parser, ACloseNodeTypeIsSuggested) {
  EXPECT_EQ(read_body("Robott { }").messages,
            (Messages{"2:1: warning: PROTO 'Robott' not found; the node is left out; did you mean "
                      "'Robot'?"}));
}

TEST(Parser, ANodeOfWebotsNeedsItsDeclaration) {
  EXPECT_EQ(read_body("Elisa3 { }", "R2023b").messages,
            (Messages{"2:1: warning: PROTO 'Elisa3' not found; the node is left out; it is a PROTO "
                      "of Webots: add an EXTERNPROTO line with its address"}));
}

TEST(Parser, SlotsOfOtherTypesAreUnplugged) {
  const auto plugged = [](const std::string& outer, const std::string& inner) {
    const ReadWorld w = read_body("Slot { endPoint Slot { endPoint Solid { } type \"" + inner +
                                  "\" } type \"" + outer + "\" }");
    const bool is_in = w.node().node("endPoint") != nullptr;
    EXPECT_EQ(w.messages,
              is_in ? Messages{}
                    : Messages{"2:17: warning: a Slot of type '" + inner +
                               "' does not fit into one of type '" + outer + "'; it is left out"});
    return is_in;
  };
  EXPECT_TRUE(plugged("a", "a"));
  EXPECT_FALSE(plugged("a", "b"));
  EXPECT_TRUE(plugged("slot+", "slot-"));
  EXPECT_TRUE(plugged("slot-", "slot+"));
  EXPECT_FALSE(plugged("slot+", "slot+"));
  EXPECT_FALSE(plugged("slot+", "other-"));
  EXPECT_FALSE(plugged("slot+", "slot"));
  EXPECT_TRUE(plugged("", "a"));
}

TEST(Parser, RemovedNodesAreNamed) {
  EXPECT_EQ(
      read_body("Gripper { }", "V6.2").messages,
      (Messages{
          "2:1: warning: node type Gripper was removed in Webots V6.2; the node is left out"}));
  EXPECT_EQ(
      read_body("Switch { }", "R2021b").messages,
      (Messages{
          "2:1: warning: node type Switch was removed in Webots R2018a; the node is left out"}));
}

TEST(Parser, NodesNotYetRemovedAreNotCalledSo) {
  EXPECT_EQ(read_body("Gripper { }", "V6.0").messages,
            (Messages{"2:1: warning: Gripper is not simulated; the node is left out"}));
  EXPECT_EQ(read_body("Switch { }", "V8.6").messages,
            (Messages{"2:1: warning: Switch is not simulated; the node is left out"}));
}

TEST(Parser, MissingSkiesSignsAndAppearancesAreOfLooksOnly) {
  const ReadWorld w = read_body(R"(
NightSky { }
ExitPanel { }
Shape { appearance Rust { } }
Floor { appearance Parquetry { } }
RectangleArena { floorAppearance Grass { } wallAppearance Glass { } }
)");
  EXPECT_EQ(
      w.faults(),
      (Messages{"3:1: warning: PROTO 'NightSky' not found; it is left out, which acts on "
                "no motion",
                "4:1: warning: PROTO 'ExitPanel' not found; it is left out, which "
                "acts on no motion",
                "5:20: warning: PROTO 'Rust' not found; it is left out, which acts on no motion",
                "6:20: warning: PROTO 'Parquetry' not found; it is left out, which acts on no "
                "motion",
                "7:34: warning: PROTO 'Grass' not found; it is left out, which acts on no motion",
                "7:59: warning: PROTO 'Glass' not found; it is left out, which acts on no "
                "motion"}));
  EXPECT_EQ(w.file.nodes.size(), 3u);
  // StreetLight has a stand-in.
  EXPECT_EQ(read_body("Group { children [ StreetLight { } ] }").messages.size(), 1u);
}

TEST(Parser, MissingNodesThatOnlySoundLikeLightsAreNot) {
  const ReadWorld w = read_body(R"(
RobotWithLight { controller "x" }
DefenceBackground { }
CautionPanel { boundingObject Box { } }
ExitPanel { luminosity 2 texture [ "name" ] }
)");
  ASSERT_EQ(w.messages.size(), 4u);
  EXPECT_TRUE(w.messages[0].starts_with("3:1: warning: PROTO 'RobotWithLight' not found"));
  EXPECT_TRUE(w.messages[1].starts_with("4:1: warning: PROTO 'DefenceBackground' not found"));
  EXPECT_TRUE(w.messages[2].starts_with("5:1: warning: PROTO 'CautionPanel' not found"));
  for (std::size_t i = 0; i < 4; ++i) {
    const bool is_of_looks = w.messages[i].find("acts on no motion") != std::string::npos;
    EXPECT_EQ(is_of_looks, i == 3) << w.messages[i];
  }
}

// A PROTO that a project declares with a path can be anything, whatever its name.
TEST(Parser, MissingNodesThatAProjectDeclaresAreNoDecoration) {
  const auto messages = [](const std::string& text) {
    return read_text("#VRML_SIM R2023b utf8\n" + text, "/nowhere/worlds").messages;
  };
  for (const std::string name : {"RobotSign", "MovingPoster", "BlueSky", "YieldPanel"}) {
    const std::string text = "EXTERNPROTO \"../protos/" + name + ".proto\"\n" + name + " { }";
    const Messages found = messages(text);
    ASSERT_EQ(found.size(), 1u) << text;
    EXPECT_EQ(found[0].find("acts on no motion"), std::string::npos) << found[0];
  }
  const std::string place = "webots://projects/objects/traffic/protos/YieldPanel.proto";
  EXPECT_NE(
      messages("EXTERNPROTO \"" + place + "\"\nYieldPanel { }").at(0).find("acts on no motion"),
      std::string::npos);
}

// --- limits

std::string nested(int levels, const std::string& inner) {
  std::string text;
  for (int i = 0; i < levels; ++i) text += "Group { children [ ";
  text += inner;
  for (int i = 0; i < levels; ++i) text += "] } ";
  return text;
}

TEST(Parser, NodesMayNestEightHundredDeep) {
  EXPECT_EQ(read_body(nested(799, "Box { }")).messages, Messages{});
  EXPECT_EQ(read_body(nested(800, "Box { }")).messages,
            (Messages{"2:15201: error: nodes nest deeper than 800 levels"}));
  EXPECT_EQ(read_body(nested(100000, "")).errors, 1u);
}

TEST(Parser, SkippedBracketsMayNotNestForEver) {
  const std::string open(100000, '[');
  const std::string close(100000, ']');
  EXPECT_EQ(read_body("Box { sky " + open + close + " }").messages,
            (Messages{"2:7: warning: unknown field 'sky' in Box (skipped)",
                      "2:11: error: brackets in here nest too deep"}));
  EXPECT_EQ(read_body("Box { sky " + open).errors, 1u);
}

// Each level uses the previous one twice, so a walk of the tree would visit 2^30 nodes.
TEST(Parser, UseMayNotGrowExponentially) {
  std::string body = "Group { children [ DEF A2 Group { }\n";
  for (int i = 3; i < 32; ++i) {
    const std::string last = std::to_string(i - 1);
    body += "DEF A" + std::to_string(i) + " Group { children [ USE A" + last + " USE A" + last +
            " ] }\n";
  }
  const ReadWorld w = read_body(body + "] }");
  EXPECT_EQ(w.messages, (Messages{"21:9: error: the world has more than 1000000 nodes"}));
}

// If anything is missing at the end it is an error, unless the cut is at the beginning or end of a
// node.
TEST(Parser, EveryTruncationIsAnError) {
  const std::string header = "#VRML_SIM R2021b utf8\n";
  const std::string body =
      R"(DEF A Robot { name "a" children [ HingeJoint { device [ RotationalMotor
{ } ] endPoint Solid { physics Physics { centerOfMass [ 2 3 4 ] } } } ] supervisor TRUE })";
  EXPECT_EQ(read_text(header + body, "/nowhere").messages, Messages{});
  for (std::size_t length = 1; length < body.size(); ++length) {
    EXPECT_EQ(read_text(header + body.substr(0, length), "/nowhere").errors, 1u) << length;
  }
}

}  // namespace
}  // namespace servosim::wbt::test
