// SPDX-License-Identifier: Apache-2.0
#include "sim/world_inspector.h"

#include <algorithm>
#include <utility>

#include "sim/simulation_core.h"
#include "sim/state_family.h"

namespace servosim {

WorldInspector::WorldInspector(const Simulation& simulation)
    : core_(&SimulationCore::of(simulation)) {}

const Scene& WorldInspector::scene() const { return core_->scene(); }
const std::shared_ptr<const wbt::WorldFile>& WorldInspector::world_file() const {
  return core_->tree().file();
}
std::uint64_t WorldInspector::edits() const { return core_->tree().edits(); }
std::uint64_t WorldInspector::tree_version() const { return core_->tree().version(); }
const SourceMap& WorldInspector::sources() const { return core_->tree().sources(); }
const std::shared_ptr<const MeshStore>& WorldInspector::meshes() const {
  return core_->tree().meshes();
}
const FarSolids& WorldInspector::far_solids() const { return *core_->tree().far_solids(); }

CheckedTree WorldInspector::check_tree(std::shared_ptr<const wbt::WorldFile> file,
                                       Diagnostics& diagnostics) const {
  return core_->tree().check(std::move(file), scene(), diagnostics);
}

int WorldInspector::joint_in_scene(int joint) const {
  return core_->devices().numbers().joint(joint).index;
}

const Motor* WorldInspector::motor_of(int joint_in_scene) const {
  return core_->devices().motor_of(joint_in_scene);
}

const DeviceNode* WorldInspector::node_of(const Motor& motor) const {
  const auto& nodes = core_->devices().lists().nodes;
  const auto found =
      std::ranges::find(nodes, &motor, [](const DeviceNode* node) { return node->get<Motor>(); });
  return found != nodes.end() ? *found : nullptr;
}

const std::vector<RigidBody>& WorldInspector::bodies() const {
  return physics().bodies().rigid_bodies();
}
const PhysicsWorld& WorldInspector::physics() const { return core_->physics(); }
bool WorldInspector::is_over() const { return core_->physics().is_over(); }

OverlappingShapes WorldInspector::overlapping_shapes() const {
  const auto [count, solid] = physics().contacts().largest_overlap();
  return {count, solid};
}

std::vector<std::pair<int, int>> WorldInspector::touching_solids() const {
  std::vector<std::pair<int, int>> pairs;
  for (const SolidContact& contact : physics().contacts().points()) {
    const std::pair pair{contact.solid, contact.other};
    if (pairs.empty() || pairs.back() != pair) {
      pairs.push_back(pair);
    }
  }
  return pairs;
}

DeepOverlap WorldInspector::deep_overlap(double limit) const {
  DeepOverlap deepest;
  for (const SolidContact& contact : physics().contacts().points()) {
    if (contact.depth > limit) {
      ++deepest.count;
      if (contact.depth > deepest.depth) {
        deepest = {deepest.count, contact.solid, contact.other, contact.depth};
      }
    }
  }
  return deepest;
}

NodeState WorldInspector::node_state() const { return present_state(*core_); }
void WorldInspector::check_family(const SimulationState& state) const {
  core_->family().check(state);
}

SimulationState WorldInspector::state_of(std::span<const std::byte> bytes) const {
  return core_->family().state_of(bytes);
}

std::optional<std::int64_t> WorldInspector::seed() const { return core_->random().seed(); }

Notices WorldInspector::notices() const { return core_->notices(); }

}  // namespace servosim
