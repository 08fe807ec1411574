// SPDX-License-Identifier: Apache-2.0
// If there is no memory for an edit of a tree, nothing changes.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <new>
#include <string>

#include "support/counted_malloc.h"
#include "wbt/tree.h"
#include "wbt/values.h"
#include "wbt/writer.h"

namespace servosim::wbt {
namespace {

using servosim::test::fails_after;

constexpr const char* kWorld =
    "#VRML_SIM R2023b utf8\nWorldInfo { }\n"
    "DEF A Group { children [ DEF B Pose { translation 1 2 3 } DEF C Group { } ] }\n"
    "DEF D Solid { name \"a name that is longer than what a string holds in itself\" }\n"
    "DEF E Solid { physics Physics { } }\n";

using MakeEdits = std::function<Edits(Tree&)>;

NodePtr read(Tree& tree, const char* text, Edits& edits) {
  WorldFile heading = tree.heading();
  Diagnostics diagnostics;
  NodePtr made = read_nodes(heading, text, diagnostics).front();
  edits.last_id = heading.last_id;
  edits.imported = {made};
  edits.externs = {"https://example.com/a/long/address/of/Some.proto"};
  return made;
}

NodesChange change_of(Tree& tree, const char* def, const char* field) {
  NodesChange change;
  change.node = tree.find_def(def);
  change.key = *find_field(*tree.find(change.node)->node, 0, field);
  return change;
}

// Makes several edits at once, so that a later one fails when others are done.
Edits many(Tree& tree) {
  Edits edits;
  for (const char* def : {"B", "D"}) {
    edits.change_value(tree.find_def(def), [](Node& node) {
      set_value(node, *node.type->field("translation"), Vec3{4.0, 5.0, 6.0});
      if (node.type->field("description") != nullptr) {
        set_value(node, *node.type->field("description"), std::string(100, 'x'));
      }
    });
  }
  NodesChange gone = change_of(tree, "A", "children");
  gone.removed = tree.find_def("B");
  edits.node_lists.push_back(gone);
  NodesChange come = change_of(tree, "C", "children");
  come.inserted = {read(tree, "DEF X Group { children [ DEF Y Pose { } ] }", edits)};
  come.index = -1;
  edits.node_lists.push_back(come);
  edits.node_lists.push_back(change_of(tree, "E", "physics"));  // becomes NULL
  edits.removed.push_back(tree.find_def("D"));
  return edits;
}

Edits at_the_top(Tree& tree) {
  Edits edits;
  edits.inserted.emplace_back(1, read(tree, "DEF X Solid { children [ DEF Y Pose { } ] }", edits));
  return edits;
}

Edits exchanged(Tree& tree) {
  Edits edits;
  const NodePtr made = read(tree, "DEF A Group { children [ DEF Z Pose { } ] }", edits);
  edits.imported.clear();
  edits.replaced[tree.find_def("A")] = made;
  return edits;
}

// With `shared`, the file has another owner, so the edit begins with a copy.
void expect_all_or_nothing(const MakeEdits& make, bool shared) {
  Diagnostics diagnostics;
  Tree tree(std::make_shared<const WorldFile>(
      read_world_text(kWorld, "w", "", ReadOptions(), diagnostics)));
  ASSERT_EQ(diagnostics.errors(), 0u);
  Edits own;  // after these, later edits change only nodes of this tree
  own.change_value(tree.find_def("C"), [](Node&) {});
  tree.apply(own);
  const Edits edits = make(tree);
  const auto other = shared ? tree.file() : nullptr;
  const std::string before = write_world(*tree.file());
  const auto defs = tree.defs();
  const std::uint32_t last_id = tree.file()->last_id;
  long n = 0;
  for (bool fails = true; fails; ++n) {
    ASSERT_LT(n, 10000);
    fails_after = n;
    try {
      tree.apply(edits);
      fails = false;
    } catch (const std::bad_alloc&) {
    }
    fails_after = -1;
    if (fails) {
      ASSERT_EQ(write_world(*tree.file()), before) << n;
      ASSERT_EQ(tree.defs(), defs) << n;
      ASSERT_EQ(tree.file()->last_id, last_id) << n;
      ASSERT_TRUE(tree.file()->externs.empty()) << n;
      ASSERT_TRUE(tree.file()->imported.empty()) << n;
      for (const std::string& def : defs) {
        ASSERT_EQ(tree.find(tree.find_def(def))->node->def, def) << n;
      }
    }
  }
  EXPECT_GT(n, 10) << "allocations";
  EXPECT_NE(write_world(*tree.file()), before);
  EXPECT_TRUE(other == nullptr || write_world(*other) == before);
  const Tree fresh(tree.file());
  EXPECT_EQ(tree.defs(), fresh.defs());
}

TEST(TreeEdit, ThatFailsChangesNothing) {
  for (const bool shared : {false, true}) {
    for (const MakeEdits& make : {MakeEdits(many), MakeEdits(at_the_top), MakeEdits(exchanged)}) {
      expect_all_or_nothing(make, shared);
    }
  }
}

}  // namespace
}  // namespace servosim::wbt
