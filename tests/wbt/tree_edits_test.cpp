// SPDX-License-Identifier: Apache-2.0
// Edits that change a tree in place have the result of a new tree, and cost the same in a large
// one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/repetitions.h"
#include "wbt/test_support.h"
#include "wbt/tree.h"
#include "wbt/values.h"
#include "wbt/writer.h"

namespace servosim::wbt::tree_edits_test {
namespace {

using test::TemporaryProject;

constexpr const char* kBasket = R"(#VRML_SIM R2023b utf8
PROTO Basket [
  field SFVec3f translation 1 2 3
  field MFNode content [ DEF FIRST Pose { } ]
]
{
  Solid { translation IS translation children [ DEF INSIDE Group { children IS content } ] }
}
)";
constexpr const char* kCrate = R"(#VRML_SIM R2023b utf8
PROTO Crate [ field MFNode goods [ ] field SFVec3f place 4 5 6 ]
{ Basket { translation IS place content IS goods } }
)";
constexpr const char* kWorld =
    "WorldInfo { }\nDEF A Group { children [ DEF B Pose { } DEF C Group { } ] }\n"
    "DEF BASKET Basket { content [ DEF D Pose { } ] }\nDEF CRATE Crate { goods [ Pose { } ] }\n"
    "DEF S Solid { boundingObject DEF BOX Box { } children [ DEF T Shape { } ] }\n"
    "DEF U Group { children [ DEF SHARED Pose { } USE SHARED ] }\n";

struct Project {
  TemporaryProject folder;
  Project() {
    folder.write("protos/Basket.proto", kBasket);
    folder.write("protos/Crate.proto", kCrate);
  }
  std::shared_ptr<const WorldFile> world(const std::string& body) const {
    return std::make_shared<const WorldFile>(folder.read(body, "R2023b").file);
  }
};

const FieldType* row_of(const Node& node, std::string_view name) { return node.type->field(name); }

// Adds the new lists of one field of a node, and of all parameters that it IS, when nodes come and
// go.
void change_nodes(const Tree& tree, std::uint32_t id, FieldKey key, NodesChange change,
                  Edits& edits) {
  const auto add = [&](std::uint32_t node, FieldKey at) {
    change.node = node;
    change.key = at;
    edits.node_lists.push_back(change);
  };
  const Node& node = *tree.find(id)->node;
  for (const Connection& c : targets_of(node, key).fields) {
    add(c.node, *find_field(*tree.find(c.node)->node, 0, c.field->name));
    for (const ParameterPlace& p : parameters_of(tree, c.node, *c.field)) {
      add(p.node, {static_cast<std::uint8_t>(p.level), static_cast<std::uint16_t>(p.number)});
    }
  }
}

void for_all(const std::vector<NodePtr>& nodes, const std::function<void(const Node&)>& action) {
  for (const NodePtr& node : nodes) {
    action(*node);
    for_each_slot(*node, [&](const Value& value, const NodePlace&) {
      for_each_node(value, [&](const NodePtr& below) { for_all({below}, action); });
    });
  }
}

// Compares a tree with a new tree of the same file, and with the expected file.
void expect_same(const Tree& tree, const WorldFile& expected, const std::string& what) {
  ASSERT_TRUE(equal(*tree.file(), expected)) << what << write_world(*tree.file());
  const Tree fresh(tree.file());
  EXPECT_EQ(tree.defs(), fresh.defs()) << what;
  EXPECT_EQ(tree.file()->last_id, expected.last_id);
  for_all(tree.file()->nodes, [&](const Node& node) {
    const TreeEntry* a = tree.find(node.id);
    const TreeEntry* b = fresh.find(node.id);
    ASSERT_TRUE(a != nullptr && b != nullptr) << what << node.id;
    EXPECT_EQ(a->node, b->node) << what << node.id;
    EXPECT_EQ(a->parent, b->parent) << what << node.id;
    EXPECT_EQ(a->above, b->above) << what << node.id;
    EXPECT_EQ(a->internal, b->internal) << what << node.id;
    EXPECT_EQ(a->in_body, b->in_body) << what << node.id;
    EXPECT_EQ(a->collides, b->collides) << what << node.id;
    EXPECT_TRUE(node.def.empty() || tree.find_def(node.def) == fresh.find_def(node.def)) << what;
    EXPECT_EQ(tree.find_def("A." + node.def), fresh.find_def("A." + node.def)) << what;
    std::uint32_t height = 1;
    std::uint32_t expanded = 1;
    for_each_child(node, [&](const NodePtr& child) {
      height = std::max(height, child->height + 1);
      expanded += child->expanded;
    });
    EXPECT_EQ(node.height, height) << what;
    EXPECT_EQ(node.expanded, expanded) << what;
  });
  EXPECT_EQ(tree.find_def_in(tree.find_def("BASKET"), "FIRST"),
            fresh.find_def_in(fresh.find_def("BASKET"), "FIRST"));
  EXPECT_TRUE(std::equal(tree.file()->imported.begin(), tree.file()->imported.end(),
                         expected.imported.begin(), expected.imported.end()))
      << what;
}

// Makes random edits of one tree, as a supervisor does.
class RandomEdits {
 public:
  RandomEdits(Tree& tree, unsigned seed) : tree_(tree), random_(seed) {}

  Edits next(std::string& what) {
    switch (random_() % 6) {
      case 0:
        return insert_at_top(what = "insert at the top");
      case 1:
        return remove_from_top(what = "remove from the top");
      case 2:
        return set_value(what = "set a value");
      case 3:
        return exchange(what = "exchange a node");
      case 4:
        return remove(what = "remove");
      default:
        return insert(what = "insert");
    }
  }

 private:
  std::vector<NodePtr> nodes(Edits& edits) {
    static const std::vector<std::string> kTexts{
        "DEF B Pose { }",
        "DEF N Group { children [ DEF B Solid { } Pose { } ] }",
        "Basket { content [ DEF B Group { } DEF X Solid { boundingObject Box { } } ] }",
        "DEF CRATE Crate { goods [ DEF Y Pose { } ] }",
        "Group { children [ DEF V Pose { } USE V ] }",
        "Group { children [ DEF V Group { children [ Pose { } ] } Pose { children [ USE V ] } ] }"};
    WorldFile heading = tree_.heading();
    Diagnostics diagnostics;
    auto made = read_nodes(heading, kTexts[random_() % kTexts.size()], diagnostics);
    edits.last_id = heading.last_id;
    edits.imported = made;
    return made;
  }
  std::vector<std::uint32_t> all(const std::function<bool(const Node&)>& fits) {
    std::vector<std::uint32_t> ids;
    for_all(tree_.file()->nodes, [&](const Node& node) {
      if (fits(node) && !tree_.find(node.id)->internal) {
        ids.push_back(node.id);
      }
    });
    return ids;
  }
  std::uint32_t one_of(const std::vector<std::uint32_t>& ids) {
    return ids.empty() ? 0 : ids[random_() % ids.size()];
  }

  Edits insert_at_top(std::string&) {
    Edits edits;
    std::size_t at = random_() % (tree_.file()->nodes.size() + 1);
    for (const NodePtr& node : nodes(edits)) {
      edits.inserted.emplace_back(at++, node);
    }
    return edits;
  }
  Edits remove_from_top(std::string&) {
    Edits edits;
    const auto& nodes = tree_.file()->nodes;
    if (nodes.size() > 1) {
      edits.removed.push_back(nodes[1 + random_() % (nodes.size() - 1)]->id);
    }
    return edits;
  }
  Edits set_value(std::string&) {
    Edits edits;
    const auto id = one_of(all([](const Node& n) { return row_of(n, "translation") != nullptr; }));
    edits.change_value(id, [x = static_cast<double>(random_() % 100)](Node& node) {
      wbt::set_value(node, *row_of(node, "translation"), Vec3{x, 2.0, 3.0});
    });
    return edits;
  }
  // The new node has the same number, like a new instance of a PROTO.
  Edits exchange(std::string&) {
    Edits edits;
    const auto id = one_of(all([](const Node& n) { return n.type->name == "Group"; }));
    if (id == 0) {
      return edits;
    }
    auto made = std::make_shared<Node>(*tree_.find(id)->node);
    auto children = made->nodes("children");
    if (!children.empty() && !made->proto.instance) {
      made->expanded -= children.back()->expanded;
      children.pop_back();
      made->height = 1;
      for (const NodePtr& child : children) {
        made->height = std::max(made->height, child->height + 1);
      }
      wbt::set_value(*made, *row_of(*made, "children"), children);
    }
    edits.replaced[id] = made;
    return edits;
  }
  // Returns a field with a list of nodes, or such a parameter of an instance.
  std::optional<FieldKey> list_of(const Node& node) {
    if (node.proto.instance == nullptr) {
      return find_field(node, 0, "children");
    }
    const auto content = find_field(node, 1, "content");
    return content ? content : find_field(node, 1, "goods");
  }
  Edits insert(std::string&) {
    Edits edits;
    const auto id = one_of(all([this](const Node& n) { return list_of(n).has_value(); }));
    if (id == 0) {
      return {};
    }
    const FieldKey key = *list_of(*tree_.find(id)->node);
    NodesChange change;
    change.inserted = nodes(edits);
    change.index = static_cast<std::int32_t>(random_() % 4) - 1;
    change_nodes(tree_, id, key, change, edits);
    return edits;
  }
  Edits remove(std::string&) {
    Edits edits;
    const auto id = one_of(all([this](const Node& n) { return list_of(n).has_value(); }));
    if (id == 0) {
      return {};
    }
    const Node& node = *tree_.find(id)->node;
    const FieldKey key = *list_of(node);
    const auto& list = std::get<std::vector<NodePtr>>(*field_view(node, key)->value);
    if (!list.empty()) {
      NodesChange change;
      change.removed = list[random_() % list.size()]->id;
      change_nodes(tree_, id, key, change, edits);
    }
    return edits;
  }

  Tree& tree_;
  std::mt19937 random_;
};

TEST(TreeEdits, DoWhatANewTreeWould) {
  const Project project;
  for (int seed = 0; seed < servosim::test::repetitions(30, 1000); ++seed) {
    Tree tree(project.world(kWorld));
    RandomEdits edits(tree, static_cast<unsigned>(seed));
    for (int i = 0; i < 12; ++i) {
      std::string what;
      const Edits next = edits.next(what);
      what += " (edit " + std::to_string(i) + " of seed " + std::to_string(seed) + ") ";
      const WorldFile expected = rewritten(*tree.file(), next);
      // Sometimes the file has a second owner.
      const auto before = (seed + i) % 3 == 0 ? tree.file() : nullptr;
      const std::string text = before != nullptr ? write_world(*before) : "";
      tree.apply(next);
      expect_same(tree, expected, what);
      EXPECT_TRUE(before == nullptr || write_world(*before) == text)
          << what << "of what others have";
      if (testing::Test::HasFailure()) {
        return;
      }
    }
  }
}

// A tree that sometimes gets the file of another tree is equal to a tree of this file.
TEST(TreeEdits, AreFollowedByOtherTrees) {
  const Project project;
  for (int seed = 0; seed < servosim::test::repetitions(30, 1000); ++seed) {
    Tree tree(project.world(kWorld));
    Tree other(tree.file());
    RandomEdits edits(tree, static_cast<unsigned>(seed));
    for (int i = 0; i < 40; ++i) {
      std::string what;
      tree.apply(edits.next(what));
      if ((seed + i) % 3 != 0) {
        other.set_file(tree.file());
        expect_same(
            other, *tree.file(),
            what + " (edit " + std::to_string(i) + " of seed " + std::to_string(seed) + ") ");
      }
      if (testing::Test::HasFailure()) {
        return;
      }
    }
  }
}

// Returns how many nodes each edit visits. The 2000th edit must visit as many as the 100th.
std::vector<std::uint64_t> costs(Tree& tree, const std::function<Edits(int)>& edit, int count) {
  std::vector<std::uint64_t> costs;
  for (int i = 0; i < count; ++i) {
    const Edits edits = edit(i);
    const std::uint64_t before = tree.visits();
    tree.apply(edits);
    costs.push_back(tree.visits() - before);
  }
  return costs;
}

Edits import(const Tree& tree, std::uint32_t id, FieldKey key, const std::string& text, int index) {
  Edits edits;
  WorldFile heading = tree.heading();
  Diagnostics diagnostics;
  NodesChange change;
  change.inserted = read_nodes(heading, text, diagnostics);
  change.index = index;
  edits.last_id = heading.last_id;
  edits.imported = change.inserted;
  change_nodes(tree, id, key, change, edits);
  return edits;
}

TEST(TreeEdits, CostTheSameInALargeWorld) {
  const Project project;
  constexpr int kCount = 600;
  for (const char* text :
       {"DEF X Solid { children [ Shape { geometry Box { } } ] boundingObject Box { } }",
        "DEF X Pose { }", "Group { children [ Group { children [ DEF X Pose { } ] } ] }",
        "DEF X Basket { content [ Pose { } ] }"}) {
    for (const char* owner : {"A", "C", "BASKET", "CRATE", "SHARED"}) {
      for (const int index : {-1, 0}) {
        Tree tree(project.world(kWorld));
        const std::uint32_t id = tree.find_def(owner);
        const Node& node = *tree.find(id)->node;
        const FieldKey key = node.proto.instance == nullptr   ? *find_field(node, 0, "children")
                             : find_field(node, 1, "content") ? *find_field(node, 1, "content")
                                                              : *find_field(node, 1, "goods");
        const auto of_import = costs(
            tree, [&](int) { return import(tree, id, key, text, index); }, kCount);
        EXPECT_EQ(of_import[100], of_import[kCount - 1]) << text << " in " << owner << index;
        const std::uint32_t x = tree.find_def("X");
        const auto of_field = costs(
            tree,
            [&](int i) {
              Edits edits;
              edits.change_value(x, [i](Node& n) {
                set_value(n, *row_of(n, "translation"), Vec3{static_cast<double>(i), 0.0, 0.0});
              });
              return edits;
            },
            2);
        EXPECT_LE(of_field[1], 2u) << text << " in " << owner;
        const std::uint64_t before = tree.visits();
        EXPECT_NE(tree.find_def("X"), 0u);
        EXPECT_NE(tree.find_def(std::string(owner) + ".X"), 0u);
        EXPECT_LE(tree.visits() - before, 8u) << text << " in " << owner;
        const auto of_removal = costs(
            tree,
            [&](int) {
              Edits edits;
              NodesChange change;
              const Node& now = *tree.find(id)->node;
              const auto& list = std::get<std::vector<NodePtr>>(*field_view(now, key)->value);
              change.removed = (index < 0 ? list.back() : list.front())->id;
              change.index = index;
              change_nodes(tree, id, key, change, edits);
              return edits;
            },
            kCount - 1);
        EXPECT_EQ(of_removal[1], of_removal[kCount - 100]) << text << " in " << owner << index;
      }
    }
  }
}

// The other tree visits only what has changed.
TEST(TreeEdits, CostOtherTreesTheSameInALargeWorld) {
  const Project project;
  for (const char* owner : {"A", "C", "BASKET", "CRATE", "B", "SHARED"}) {
    Tree tree(project.world(kWorld));
    Tree other(tree.file());
    const std::uint32_t id = tree.find_def(owner);
    const Node& node = *tree.find(id)->node;
    const FieldKey key = node.proto.instance == nullptr   ? *find_field(node, 0, "children")
                         : find_field(node, 1, "content") ? *find_field(node, 1, "content")
                                                          : *find_field(node, 1, "goods");
    std::vector<std::uint64_t> costs;
    for (int i = 0; i < 400; ++i) {
      tree.apply(import(tree, id, key, "DEF X Solid { children [ Pose { } ] }", -1));
      const std::uint64_t before = other.visits();
      other.set_file(tree.file());
      costs.push_back(other.visits() - before);
      ASSERT_EQ(other.find_def("X"), tree.find_def("X"));
    }
    EXPECT_EQ(costs[50], costs[399]) << owner;
    EXPECT_LT(costs[399], 40u) << owner;
  }
}

TEST(TreeEdits, RemoveAUseWithoutALookAtTheRest) {
  const Project project;
  std::string body;
  for (int i = 0; i < 400; ++i) {
    body += "Group { children [ Pose { } ] }\n";
  }
  for (const char* use : {"DEF USER Group { children [ USE V ] }",
                          "DEF USER Solid { children [ Shape { geometry USE V } ] }"}) {
    Tree tree(project.world(body +
                            "Solid { boundingObject DEF V Box { } children [ Group { "
                            "children [ Shape { geometry USE V } ] } ] }\n" +
                            use));
    const std::uint32_t user = tree.find_def("USER");
    const Node& node = *tree.find(user)->node;
    const FieldKey key = *find_field(node, 0, "children");
    Edits edits;
    NodesChange change;
    change.removed = std::get<std::vector<NodePtr>>(*field_view(node, key)->value).front()->id;
    change_nodes(tree, user, key, change, edits);
    const WorldFile expected = rewritten(*tree.file(), edits);
    const std::uint64_t before = tree.visits();
    tree.apply(edits);
    EXPECT_LE(tree.visits() - before, 10u) << use;
    expect_same(tree, expected, use);
  }
}

TEST(TreeEdits, FindTheFirstOfManyEqualNamesInTheOrderOfTheFile) {
  const Project project;
  std::string body;
  for (int i = 0; i < 400; ++i) {
    body +=
        "DEF G" + std::to_string(i) + " Group { children [ DEF BOX Pose { } DEF LID Pose { } ] }\n";
  }
  const Tree tree(project.world(body));
  const std::uint64_t before = tree.visits();
  const std::uint32_t found = tree.find_def("G371.LID");
  ASSERT_NE(found, 0u);
  EXPECT_EQ(tree.find(found)->parent, tree.find_def("G371"));
  EXPECT_LE(tree.visits() - before, 10u);
  EXPECT_EQ(tree.find(tree.find_def("BOX"))->parent, tree.find_def("G0"));
  EXPECT_EQ(tree.find_def("BOX.LID"), 0u);
}

TEST(OrderedPlaces, StayInOrderWhereverTheyAreInserted) {
  std::mt19937 random(5);
  OrderedPlaces order;
  std::list<OrderedPlaces::Place> expected;  // in order
  std::vector<std::list<OrderedPlaces::Place>::iterator> places;
  for (int i = 0; i < 20000; ++i) {
    const auto at =
        i % 2 == 0 || places.empty() ? expected.begin() : places[random() % places.size()];
    const auto next = at == expected.end() ? order.end() : *at;
    places.push_back(
        expected.insert(at, order.insert_before(expected.empty() ? order.end() : next)));
  }
  for (auto at = expected.begin(); std::next(at) != expected.end(); ++at) {
    ASSERT_TRUE(OrderedPlaces::is_before(*at, *std::next(at)));
  }
}

}  // namespace
}  // namespace servosim::wbt::tree_edits_test
