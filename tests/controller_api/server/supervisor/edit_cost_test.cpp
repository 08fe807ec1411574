// SPDX-License-Identifier: Apache-2.0
// The cost of an edit by a supervisor, counted in nodes that are visited, is the same in a large
// world.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "controller_api/server/custom_data.h"
#include "controller_api/server/supervisor/live_fields.h"
#include "controller_api/server/supervisor/tree_editor.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/tree.h"

namespace servosim::edit_cost_test {
namespace {

constexpr const char* kWorld =
    "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 16 }\n"
    "Robot { name \"boss\" supervisor TRUE controller \"<none>\" }\n"
    "DEF G Group { children [ DEF P Pose { children [ DEF Q Group { } ] } ] }\n";
constexpr int kFew = 50;
constexpr int kMany = 1500;

class Editor {
 public:
  SupervisorRequest field(SupervisorRequestKind kind, const char* def, const char* name) {
    SupervisorRequest request;
    request.kind = kind;
    request.node = static_cast<std::int32_t>(editor_.tree().find_def(def));
    request.field = wbt::find_field(editor_.node(request), 0, name)->number;
    request.index = -1;
    return request;
  }
  void import(const char* def, std::string_view text) {
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::Import;
    request.node = 0;
    if (*def != '\0') {
      request = field(SupervisorRequestKind::Import, def, "children");
    }
    request.index = -1;
    request.text = text;
    answer(request);
  }
  void answer(const SupervisorRequest& request) {
    OwnedResponse response;
    editor_.follow_simulation();
    editor_.answer(request, response);
  }
  std::uint64_t visits() const { return editor_.tree().visits(); }
  std::uint64_t builds() const { return WorldInspector(simulation_).tree_version(); }
  Vec3 place(const char* name) { return simulation_.solid(name).pose().translation; }
  std::size_t solids() const { return WorldInspector(simulation_).scene().solids.size(); }
  TreeEditor& operator*() { return editor_; }
  Simulation& simulation() { return simulation_; }

 private:
  Simulation simulation_ = Simulation::from_text(kWorld);
  LiveFields live_{simulation_};
  TreeEditor editor_{simulation_, live_};
};

TEST(EditCost, IsTheSameInALargeWorld) {
  for (const char* owner : {"G", "P", "Q", ""}) {
    for (const char* text :
         {"DEF X Solid { boundingObject Box { } children [ Shape { geometry Box { } } ] }",
          "DEF X Pose { }", "DEF X Group { children [ Pose { children [ Shape { } ] } ] }"}) {
      Editor editor;
      std::vector<std::uint64_t> imports;
      for (int i = 0; i < kMany; ++i) {
        const std::uint64_t before = editor.visits();
        editor.import(owner, text);
        imports.push_back(editor.visits() - before);
      }
      EXPECT_EQ(imports[kFew], imports[kMany - 1]) << owner << ": " << text;
      EXPECT_EQ(editor.builds(), 0u);
      std::vector<std::uint64_t> removals;
      for (int i = 0; i < kMany - 1; ++i) {
        SupervisorRequest request;
        request.kind = SupervisorRequestKind::Remove;
        request.node = static_cast<std::int32_t>((*editor).tree().find_def("X"));
        const std::uint64_t before = editor.visits();
        editor.answer(request);
        removals.push_back(editor.visits() - before);
      }
      EXPECT_EQ(removals[kFew], removals[kMany - kFew]) << owner << ": " << text;
    }
  }
}

// Two supervisors edit in turn. Each visits what the other one has changed.
TEST(EditCost, OfAnotherSupervisorIsTheSameInALargeWorld) {
  for (const char* owner : {"G", "Q", ""}) {
    Editor editor;
    LiveFields live(editor.simulation());
    TreeEditor other(editor.simulation(), live);
    std::vector<std::uint64_t> costs;
    for (int i = 0; i < kMany; ++i) {
      editor.import(owner, "DEF X Group { children [ Pose { } ] }");
      const std::uint64_t before = other.tree().visits();
      other.follow_simulation();
      costs.push_back(other.tree().visits() - before);
      ASSERT_EQ(other.tree().file(), (*editor).tree().file());
    }
    EXPECT_EQ(costs[kFew], costs[kMany - 1]) << owner;
    EXPECT_LT(costs[kFew], 20u) << owner;
  }
}

// A controller sets its custom data, and supervisors read it in the tree.
TEST(EditCost, OfCustomDataIsTheSameInALargeWorld) {
  Editor editor;
  CustomData data(editor.simulation(), editor.simulation().robot("boss"), {});
  CustomData reader(editor.simulation(), editor.simulation().robot("boss"), {});
  const auto visits = [&editor] { return WorldControl(editor.simulation()).tree().visits(); };
  std::vector<std::uint64_t> costs;
  for (int i = 0; i < kMany; ++i) {
    editor.import("G", "Pose { }");
    data.set("before");  // visits what was imported
    const std::uint64_t before = visits();
    const std::string text = "number " + std::to_string(i);
    data.set(text);
    ASSERT_TRUE(reader.follow_tree());
    ASSERT_EQ(reader.text(), text);
    costs.push_back(visits() - before);
  }
  EXPECT_EQ(costs[kFew], costs[kMany - 1]);
  EXPECT_LT(costs[kFew], 20u);
}

// All edits before a step cause one build of the world.
TEST(EditCost, OfManyImportsIsOneWorld) {
  Editor editor;
  const std::size_t before = editor.solids();
  for (int i = 0; i < kFew; ++i) {
    editor.import("Q", "Solid { name \"s" + std::to_string(i) + "\" }");
  }
  (*editor).settle();
  EXPECT_EQ(editor.builds(), 1u);
  EXPECT_EQ(editor.solids(), before + kFew);
}

// Reading the poses of nodes that were imported since the last step builds no world.
TEST(EditCost, OfPlacesOfNewNodesIsNoWorld) {
  for (const bool has_physics : {false, true}) {
    Editor editor;
    for (int i = 0; i < kFew; ++i) {
      const std::string name = "s" + std::to_string(i);
      editor.import("P", "DEF " + name + " Solid { name \"" + name + "\" translation 0 0 " +
                             std::to_string(3 * i) + " boundingObject Box { } " +
                             (has_physics ? "physics Physics { }" : "") + " }");
      SupervisorRequest request =
          editor.field(SupervisorRequestKind::Set, name.c_str(), "translation");
      request.type = 5;  // WB_SF_VEC3F
      request.count = 3;
      request.index = 0;
      for (const double x : {5.0, 4.5}) {  // the last value counts
        request.numbers = {x, 2.5, 3.0 * i};
        editor.answer(request);
      }
    }
    EXPECT_EQ(editor.builds(), 0u);
    (*editor).settle();
    EXPECT_EQ(editor.builds(), 1u);
    EXPECT_EQ(editor.place("s7"), (Vec3{4.5, 2.5, 21.0}));
    EXPECT_EQ(editor.place("s49"), (Vec3{4.5, 2.5, 147.0}));
  }
}

// What would be refused is refused at once, and a read returns what was set.
TEST(EditCost, OfANewNodeThatIsReadIsAWorld) {
  Editor editor;
  editor.import("G", "DEF X Solid { name \"x\" }");
  SupervisorRequest request = editor.field(SupervisorRequestKind::Set, "X", "translation");
  request.type = 5;
  request.count = 3;
  request.index = 0;
  request.numbers = {1e30, 0.0, 0.0};
  EXPECT_THROW(editor.answer(request), SupervisorRequestError);
  editor.import("G", "DEF Y Solid { name \"y\" }");
  request = editor.field(SupervisorRequestKind::Set, "Y", "translation");
  request.type = 2;  // WB_SF_INT32
  request.count = 1;
  EXPECT_THROW(editor.answer(request), SupervisorRequestError);
  request.type = 5;
  request.count = 3;
  request.index = 0;
  request.numbers = {1.5, 0.0, 0.0};
  editor.answer(request);
  const auto read = (*editor).live_value((*editor).node(request), key_of(request));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(std::get<Vec3>(*read), (Vec3{1.5, 0.0, 0.0}));
}

}  // namespace
}  // namespace servosim::edit_cost_test
