// SPDX-License-Identifier: Apache-2.0
#include "wbt/tree.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "wbt/test_support.h"
#include "wbt/writer.h"

namespace servosim::wbt {
namespace {

using test::ReadWorld;
using test::TemporaryProject;

constexpr const char* kCart = R"(#VRML_SIM R2023b utf8
PROTO Cart [
  field SFVec3f translation 1 2 3
  field SFFloat mass 5
  field MFNode slot [ DEF DEFAULT Group { } ]
]
{
  Solid {
    translation IS translation
    children [
      DEF INNER Group { children IS slot }
    ]
    physics Physics { density -1 mass IS mass }
  }
}
)";

constexpr const char* kRow = R"(#VRML_SIM R2023b utf8
# template language: javascript
PROTO Row [ field SFInt32 count 2 field SFString name "row" ]
{
  Group { children [ %< for (let i = 0; i < fields.count.value; i++) { >% Solid { name IS name } %< } >% ] }
}
)";

constexpr const char* kLongCart = R"(#VRML_SIM R2023b utf8
PROTO LongCart [ field SFVec3f place 0 0 9 field SFFloat load 7 ]
{ Cart { translation IS place mass IS load } }
)";

struct Project {
  TemporaryProject folder;
  Project() {
    folder.write("protos/Cart.proto", kCart);
    folder.write("protos/Row.proto", kRow);
    folder.write("protos/LongCart.proto", kLongCart);
  }
  Tree tree(const std::string& body) const {
    const ReadWorld world = folder.read(body, "R2023b");
    EXPECT_EQ(world.errors, 0u);
    return Tree(std::make_shared<const WorldFile>(world.file));
  }
};

const Node& node_of(const Tree& tree, std::string_view def) {
  return *tree.find(tree.find_def(def))->node;
}

void set(Tree& tree, std::uint32_t id, std::string_view field, const Value& value) {
  Edits edits;
  edits.change(id, [&](Node& node) { set_value(node, *node.type->field(field), value); });
  tree.apply(edits);
}

TEST(Tree, FindsNodesByTheirDefAndWhatIsAbove) {
  const Project project;
  const Tree tree = project.tree(
      "DEF A Group { children [ Group { children DEF B Pose { translation 1 0 0 } } ] }\n"
      "DEF C Group { children DEF B Pose { translation 2 0 0 } }\n"
      "DEF CART Cart { slot [ DEF B Pose { translation 3 0 0 } ] }");
  EXPECT_EQ(node_of(tree, "B").vec3("translation").x, 1.0);
  EXPECT_EQ(node_of(tree, "A.B").vec3("translation").x, 1.0);
  EXPECT_EQ(node_of(tree, "C.B").vec3("translation").x, 2.0);
  EXPECT_EQ(node_of(tree, "CART.B").vec3("translation").x, 3.0);
  EXPECT_EQ(tree.find_def("B.A"), 0u);
  EXPECT_EQ(tree.find_def("C.A.B"), 0u);
  EXPECT_EQ(tree.find_def(""), 0u);
  EXPECT_EQ(tree.find_def("."), 0u);
}

TEST(Tree, HidesWhatStandsInAProto) {
  const Project project;
  const Tree tree = project.tree("DEF CART Cart { }");
  EXPECT_EQ(tree.find_def("INNER"), 0u);
  const std::uint32_t inner = tree.find_def_in(tree.find_def("CART"), "INNER");
  ASSERT_NE(inner, 0u);
  EXPECT_TRUE(tree.find(inner)->internal);
  // The default of the PROTO is a value of this instance: it is below the instance and belongs to
  // it alone.
  const std::uint32_t given = tree.find_def("CART.DEFAULT");
  ASSERT_NE(given, 0u);
  EXPECT_FALSE(tree.find(given)->internal);
  EXPECT_EQ(tree.find(given)->parent, tree.find_def("CART"));
  EXPECT_EQ(tree.find(given)->above, inner);
}

TEST(Tree, InstancesDoNotShareTheirDefaultNodes) {
  const Project project;
  const Tree tree = project.tree("DEF ONE Cart { }\nDEF TWO Cart { }");
  EXPECT_NE(tree.find_def("ONE.DEFAULT"), tree.find_def("TWO.DEFAULT"));
}

TEST(Tree, AChangeLeavesTheOldTreeAsItIs) {
  const Project project;
  Tree tree =
      project.tree("DEF A Pose { children [ DEF B Pose { translation 1 0 0 } ] }\nGroup { }");
  const auto before = tree.file();
  const Node* b = &node_of(tree, "B");
  set(tree, b->id, "translation", Vec3{7.0, 8.0, 9.0});
  EXPECT_EQ(node_of(tree, "B").vec3("translation"), (Vec3{7.0, 8.0, 9.0}));
  EXPECT_EQ(b->vec3("translation").x, 1.0);
  EXPECT_NE(before->nodes[0], tree.file()->nodes[0]);
  EXPECT_EQ(before->nodes[1], tree.file()->nodes[1]);  // shared, because it has not changed
}

TEST(Tree, ChangesAllPlacesOfAUse) {
  const Project project;
  Tree tree = project.tree("Group { children [ DEF G Pose { } USE G ] }");
  set(tree, tree.find_def("G"), "translation", Vec3{4.0, 0.0, 0.0});
  for (const NodePtr& child : tree.file()->nodes[0]->nodes("children")) {
    EXPECT_EQ(child->vec3("translation").x, 4.0);
  }
}

TEST(Tree, RemovesAndInserts) {
  const Project project;
  Tree tree =
      project.tree("DEF A Group { children [ DEF B Pose { } DEF C Pose { } ] }\nDEF D Pose { }");
  Edits edits;
  edits.replaced[tree.find_def("B")] = nullptr;
  edits.replaced[tree.find_def("D")] = nullptr;
  edits.inserted.emplace_back(0, tree.file()->nodes[0]->nodes("children")[0]);
  tree.apply(edits);
  EXPECT_EQ(tree.file()->nodes.size(), 2u);
  EXPECT_EQ(tree.file()->nodes[0]->def, "B");
  EXPECT_EQ(node_of(tree, "A").nodes("children").size(), 1u);
  EXPECT_EQ(tree.find_def("D"), 0u);
}

TEST(Tree, TakesANodeOutOfTheTopLevelAndLeavesItsUses) {
  const Project project;
  Tree tree = project.tree("DEF A Pose { }\nGroup { children [ USE A ] }\nDEF B Pose { }");
  Edits edits;
  edits.removed = {tree.find_def("A"), 12345};
  tree.apply(edits);
  EXPECT_EQ(tree.file()->nodes.size(), 2u);
  EXPECT_EQ(tree.find(tree.find_def("A"))->parent, tree.file()->nodes[0]->id);
}

TEST(Tree, RefusesToGrowWithoutEnd) {
  const Project project;
  Tree tree = project.tree("DEF A Group { }");
  auto group = std::make_shared<Node>(*tree.file()->nodes[0]);
  const auto double_it = [&] {
    auto both = std::make_shared<Node>(*group);
    set_value(*both, *both->type->field("children"), std::vector<NodePtr>{group, group});
    both->id = group->id + 1;
    both->expanded = 2 * group->expanded + 1;
    group = both;
    Edits edits;
    edits.inserted.emplace_back(0, group);
    tree.apply(edits);
  };
  EXPECT_THROW(
      {
        for (int i = 0; i < 25; ++i) double_it();
      },
      std::length_error);
}

TEST(TreeFields, AParameterReachesTheFieldsThatSayIs) {
  const Project project;
  const Tree tree = project.tree("DEF CART Cart { mass 11 }");
  const Node& cart = node_of(tree, "CART");
  const auto key = find_field(cart, 1, "mass");
  ASSERT_TRUE(key);
  EXPECT_EQ(std::get<double>(*field_view(cart, *key)->value), 11.0);
  const Targets targets = targets_of(cart, *key);
  EXPECT_FALSE(targets.needs_new_instance);
  ASSERT_EQ(targets.fields.size(), 1u);
  EXPECT_EQ(targets.fields[0].field->name, "mass");
  EXPECT_EQ(tree.find(targets.fields[0].node)->node->type->name, "Physics");
  EXPECT_EQ(field_keys(cart, 1).size(), 3u);
  EXPECT_FALSE(find_field(cart, 1, "physics"));
  EXPECT_TRUE(find_field(cart, 0, "physics"));
}

TEST(TreeFields, ADerivedProtoPassesItsParametersOn) {
  const Project project;
  const Tree tree = project.tree("DEF CART LongCart { load 13 }");
  const Node& cart = node_of(tree, "CART");
  EXPECT_EQ(cart.proto.instance->interface->name, "LongCart");
  ASSERT_NE(cart.proto.instance->base, nullptr);
  EXPECT_EQ(cart.proto.instance->base->interface->name, "Cart");
  const Targets targets = targets_of(cart, *find_field(cart, 1, "load"));
  ASSERT_EQ(targets.fields.size(), 1u);
  EXPECT_EQ(tree.find(targets.fields[0].node)->node->number("mass"), 13.0);
}

TEST(TreeFields, KnowsTheParametersThatAFieldIs) {
  const Project project;
  Tree tree = project.tree("DEF CART LongCart { load 3 }");
  const std::uint32_t cart = tree.find_def("CART");
  const NodePtr physics = node_of(tree, "CART").node("physics");
  const auto places = parameters_of(tree, physics->id, *physics->type->field("mass"));
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].node, cart);
  EXPECT_EQ(places[0].level, 1);
  EXPECT_EQ(places[0].number, 1u);
  EXPECT_EQ(places[1].level, 2);
  EXPECT_EQ(places[1].type, ValueType::SFFloat);
  Edits edits;
  edits.change(cart, [&](Node& node) { set_parameter(node, places[1].number, 9.0, 2); });
  tree.apply(edits);
  EXPECT_EQ(std::get<double>(instance_at(node_of(tree, "CART"), 2)->value(places[1].number)), 9.0);
  EXPECT_EQ(std::get<double>(instance_at(node_of(tree, "CART"), 1)->value(places[0].number)), 3.0);
  EXPECT_TRUE(parameters_of(tree, physics->id, *physics->type->field("density")).empty());
}

TEST(TreeFields, KnowsWhatATemplateLooksAt) {
  const Project project;
  const Tree tree = project.tree("DEF ROW Row { }");
  const Node& row = node_of(tree, "ROW");
  EXPECT_TRUE(targets_of(row, *find_field(row, 1, "count")).needs_new_instance);
  EXPECT_FALSE(targets_of(row, *find_field(row, 1, "name")).needs_new_instance);
}

TEST(TreeFields, HaveAPlaceAndChildrenFirst) {
  const Project project;
  const Tree tree = project.tree("DEF R Robot { }");
  const Node& robot = node_of(tree, "R");
  const auto keys = field_keys(robot, 0);
  EXPECT_EQ(field_view(robot, keys[0])->name, "translation");
  EXPECT_EQ(field_view(robot, keys[1])->name, "rotation");
  EXPECT_EQ(field_view(robot, keys[2])->name, "children");
  EXPECT_EQ(field_view(robot, keys[3])->name, "name");
}

TEST(TreeReading, ReadsANodeAsTheWorldWould) {
  const Project project;
  Tree tree = project.tree("DEF A Group { }");
  WorldFile world = *tree.file();
  Diagnostics diagnostics;
  const auto nodes = read_nodes(world, "DEF X Cart { slot [ DEF P Pose { } USE P ] }", diagnostics);
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(diagnostics.list().size(), 0u);
  EXPECT_EQ(nodes[0]->proto.name, "Cart");
  EXPECT_GT(nodes[0]->id, tree.file()->last_id);
  EXPECT_LE(nodes[0]->id, world.last_id);
}

TEST(TreeReading, RefusesHostileTexts) {
  const Project project;
  const Tree tree = project.tree("DEF A Group { }");
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "Group { children [ ";
  for (const std::string& text :
       {std::string("Solid {"), std::string("}"), std::string("Solid { name \"x }"),
        std::string("{ }"), deep, std::string("Solid { children [ Group { ]"),
        std::string("\0\xff", 2)}) {
    WorldFile world = *tree.file();
    Diagnostics diagnostics;
    EXPECT_TRUE(read_nodes(world, text, diagnostics).empty()) << text.substr(0, 40);
    EXPECT_GT(diagnostics.errors(), 0u) << text.substr(0, 40);
  }
  WorldFile world = *tree.file();
  Diagnostics diagnostics;
  EXPECT_TRUE(read_nodes(world, "Nonsense { }", diagnostics).empty());
  ASSERT_FALSE(diagnostics.list().empty());
  EXPECT_NE(diagnostics.list()[0].message.find("PROTO 'Nonsense' not found"), std::string::npos);
}

TEST(TreeReading, AnInstanceMadeAnewHandsItsNumbersOn) {
  const Project project;
  const Tree tree = project.tree("DEF ROW Row { name \"mine\" }");
  const Node& row = node_of(tree, "ROW");
  const auto before = row.nodes("children");
  WorldFile world = *tree.file();
  Diagnostics diagnostics;
  auto given = row.proto.instance->given;
  given[0] = Value(std::int32_t{3});
  const NodePtr made = reinstantiate(world, row, given, diagnostics);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->id, row.id);
  EXPECT_EQ(made->def, "ROW");
  const auto& after = made->nodes("children");
  ASSERT_EQ(after.size(), 3u);
  EXPECT_EQ(after[0]->id, before[0]->id);
  EXPECT_EQ(after[1]->id, before[1]->id);
  EXPECT_GT(after[2]->id, tree.file()->last_id);
  EXPECT_EQ(after[2]->string("name"), "mine");
}

TEST(TreeReading, ABuiltInInstanceMadeAnewShowsItsShapes) {
  const Project project;
  const Tree tree = project.tree("DEF ARENA RectangleArena { }");
  const Node& arena = node_of(tree, "ARENA");
  WorldFile world = *tree.file();
  Diagnostics diagnostics;
  const NodePtr made = reinstantiate(world, arena, arena.proto.instance->given, diagnostics);
  ASSERT_NE(made, nullptr);
  ASSERT_EQ(made->nodes("children").size(), 5u);
  EXPECT_EQ(made->nodes("children")[2]->id, arena.nodes("children")[2]->id);
}

TEST(TreeReading, WhatIsWrittenReadsTheSame) {
  const Project project;
  const Tree tree = project.tree("DEF CART Cart { mass 11 slot [ Pose { translation 1 2 3 } ] }");
  const std::string text = write_node(node_of(tree, "CART"));
  WorldFile world = *tree.file();
  Diagnostics diagnostics;
  const auto nodes = read_nodes(world, text, diagnostics);
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(write_node(*nodes[0]), text);
}

}  // namespace
}  // namespace servosim::wbt
