// SPDX-License-Identifier: Apache-2.0
#include "sim/world_inspector.h"

#include <algorithm>
#include <utility>

#include "sim/simulation_core.h"
#include "sim/state_family.h"

namespace servosim {

WorldInspector::WorldInspector(const Simulation& simulation) : core_(&core_of(simulation)) {}

const Scene& WorldInspector::scene() const { return core_->scene(); }
const std::shared_ptr<const wbt::WorldFile>& WorldInspector::world_file() const {
  return core_->world_file();
}
std::uint64_t WorldInspector::edits() const { return core_->edits(); }
std::uint64_t WorldInspector::tree_version() const { return core_->tree_version(); }
const SourceMap& WorldInspector::sources() const { return *core_->source_map; }
const std::shared_ptr<const MeshStore>& WorldInspector::meshes() const { return core_->meshes; }
const FarSolids& WorldInspector::far_solids() const { return *core_->far_solids; }

CheckedTree WorldInspector::check_tree(std::shared_ptr<const wbt::WorldFile> file,
                                       Diagnostics& diagnostics) const {
  return core_->check_tree(std::move(file), diagnostics);
}

int WorldInspector::joint_in_scene(int joint) const { return core_->joint_in_scene(joint); }

const Motor* WorldInspector::motor_of(int joint_in_scene) const {
  return joint_in_scene >= 0 ? core_->lists.motor_of[static_cast<std::size_t>(joint_in_scene)]
                             : nullptr;
}

const DeviceNode* WorldInspector::node_of(const Motor& motor) const {
  const auto& nodes = core_->lists.nodes;
  const auto found =
      std::ranges::find(nodes, &motor, [](const DeviceNode* node) { return node->get<Motor>(); });
  return found != nodes.end() ? *found : nullptr;
}

const std::vector<RigidBody>& WorldInspector::bodies() const { return core_->bodies(); }
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

NodeState WorldInspector::node_state() const { return core_->node_state(); }
void WorldInspector::check_family(const SimulationState& state) const {
  core_->check_family(state);
}

SimulationState WorldInspector::state_of(std::span<const std::byte> bytes) const {
  return core_->family->state_of(bytes);
}

std::optional<std::int64_t> WorldInspector::seed() const {
  const std::int64_t seed = core_->seed();
  return seed >= 0 ? std::optional(seed + core_->settings.seed_offset) : std::nullopt;
}

Notices WorldInspector::notices() const { return core_->settings.notices; }

}  // namespace servosim
