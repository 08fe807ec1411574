// SPDX-License-Identifier: Apache-2.0
// This file has the start of the present tree, for a Supervisor's reset.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/scoped.h"
#include "sim/node_states.h"
#include "sim/simulation_core.h"
#include "wbt/tree.h"
#include "wbt/values.h"
#include "wbt/world_file.h"

namespace servosim {

namespace {

using wbt::Node;
using wbt::NodePtr;
using wbt::Value;

// The fields that motion changes. All other fields are unchanged.
constexpr std::array<std::string_view, 10> kMoving{
    "translation",    "rotation",        "position", "position2", "position3",
    "linearVelocity", "angularVelocity", "battery",  "isLocked",  "isOn"};

// Whether motion changes a field of kMoving of this node. Rotations and translations of a Pose,
// Transform or Solid move, those of a TextureTransform do not; positions of joints move, that of a
// Viewpoint does not.
bool moves(const Node& node, const wbt::FieldType& field) {
  const wbt::FieldType* place = node.type->field("translation", node.version);
  return field.name == "rotation"      ? place != nullptr && place->type == wbt::ValueType::SFVec3f
         : field.name == "translation" ? field.type == wbt::ValueType::SFVec3f
         : field.name.starts_with("position") ? field.type == wbt::ValueType::SFFloat
                                              : true;
}

// Returns the value of a field at the start. Only the charge of a battery goes back, not its
// capacity.
Value at_start(std::string_view field, const Value& loaded, const Value& now) {
  const auto* charge = std::get_if<std::vector<double>>(&loaded);
  Value value = loaded;
  if (field == "battery" && charge != nullptr && !charge->empty()) {
    value = now;
    if (auto* numbers = std::get_if<std::vector<double>>(&value);
        numbers != nullptr && !numbers->empty()) {
      numbers->front() = charge->front();
    }
  }
  return value;
}

// Finds the differences of a tree from its start. Nodes that both share are skipped.
class Difference {
 public:
  Difference(const wbt::WorldFile& present, NodeStates& states)
      : present_(present), states_(states) {}

  void look(const NodePtr& node) {
    if (node == nullptr || !seen_.insert(node.get()).second) {
      return;
    }
    if (present_.imported.contains(node->id)) {
      edits.replaced[node->id] = nullptr;
      return;
    }
    const NodePtr start = states_.start_of(node->id, present_);
    if (start == node) {
      return;
    }
    if (start != nullptr && start->type == node->type) {
      compare(*start, *node);
    }
    wbt::for_each_child(*node, [this](const NodePtr& child) { look(child); });
  }

  struct Change {
    std::uint32_t node;
    const wbt::FieldType* field;
    Value value;
  };
  wbt::Edits edits;
  std::vector<Change> changes;

 private:
  void compare(const Node& loaded, const Node& now) {
    for (const std::string_view name : kMoving) {
      const wbt::FieldType* field = now.type->field(name, now.version);
      if (field == nullptr || !moves(now, *field)) {
        continue;
      }
      Value value = at_start(name, loaded.value(name), now.value(name));
      if (value != now.value(name)) {
        changes.push_back({now.id, field, std::move(value)});
      }
    }
  }

  const wbt::WorldFile& present_;
  NodeStates& states_;
  std::set<const Node*> seen_;
};

// Returns a tree with moving parts at their places after loading, and without the nodes that
// Supervisors have inserted.
std::shared_ptr<const wbt::WorldFile> at_start(const std::shared_ptr<const wbt::WorldFile>& file,
                                               NodeStates& states) {
  Difference difference(*file, states);
  for (const NodePtr& node : file->nodes) {
    difference.look(node);
  }
  wbt::Edits& edits = difference.edits;
  if (!difference.changes.empty()) {
    const wbt::Tree tree(file);
    for (const auto& [node, field, value] : difference.changes) {
      edits.change(node, [row = field, v = value](Node& n) { wbt::set_value(n, *row, v); });
      for (const wbt::ParameterPlace& p : wbt::parameters_of(tree, node, *field)) {
        if (auto fitting = wbt::converted(value, field->type, p.type)) {
          edits.change(p.node, [p, v = std::move(*fitting)](Node& n) {
            wbt::set_parameter(n, p.number, v, p.level);
          });
        }
      }
    }
  }
  return edits.empty() ? file
                       : std::make_shared<const wbt::WorldFile>(wbt::rewritten(*file, edits));
}

}  // namespace

void SimulationCore::prepare_start() {
  const auto& file = tree_.file();
  const auto next = file == initial_->file_ ? file : at_start(file, node_states());
  if (next == file && start_->scene_ == built_->scene) {
    const auto of_this_file = std::make_shared<SimulationState>(*start_);
    of_this_file->file_ = file;
    start_ = of_this_file;
    return;
  }
  Diagnostics diagnostics;
  const ScopedSwap swapped(tree_.sources(), diagnostics.sources());
  const CheckedTree checked = tree_.check(next, scene(), diagnostics);
  SimulationCore fresh(WorldTree(checked.file, checked.meshes, tree_.far_solids()), checked.scene,
                       diagnostics, Setup{notices_, options_, random_});
  fresh.built_->refuse_out_of_range();
  tree_.report_new(diagnostics.list(), notices_);
  fresh.devices_.begin(fresh.scene(), fresh.physics());
  fresh.family_ = family_;
  tree_.keep_meshes(checked.meshes);
  start_ = fresh.saved();
}

void SimulationCore::restart() {
  try {
    prepare_start();
  } catch (const LoadError& error) {
    notices_.report(
        std::string("the world goes back to what was loaded, as its present nodes cannot be "
                    "simulated where it began: ") +
        error.what());
    start_ = initial_;
  }
  std::vector<std::function<void()>> afterwards;
  for (Device* device : devices_.lists().devices) {
    afterwards.push_back(device->keep_settings());
  }
  go_to(*std::shared_ptr(start_));
  for (const auto& action : afterwards) {
    action();
  }
  if (!random_.seed()) {
    random_.begin();
  }
  steps_ = 1;
  physics().contacts().find_touched();
  devices_.measure(now_ms());
}

}  // namespace servosim
