// SPDX-License-Identifier: Apache-2.0
#include "sim/node_states.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include "sim/simulation_core.h"
#include "wbt/world_file.h"

namespace servosim {

namespace {

void collect(const wbt::NodePtr& node, std::unordered_map<std::uint32_t, wbt::NodePtr>& nodes) {
  if (nodes.emplace(node->id, node).second) {
    wbt::for_each_child(*node, [&](const wbt::NodePtr& child) { collect(child, nodes); });
  }
}

wbt::NodePtr found_below(const wbt::NodePtr& node, std::uint32_t id) {
  if (node->id == id) {
    return node;
  }
  wbt::NodePtr found;
  wbt::for_each_child(*node, [&](const wbt::NodePtr& child) {
    found = found != nullptr ? found : found_below(child, id);
  });
  return found;
}

void collect_poses(const wbt::Node& node, std::vector<NodeState::OfPose>& poses) {
  const wbt::FieldType* place = node.type->field("translation", node.version);
  if (place != nullptr && place->type == wbt::ValueType::SFVec3f && !node.type->is_solid) {
    poses.push_back({node.id, node.vec3("translation"), node.rotation("rotation")});
  }
  wbt::for_each_child(node, [&](const wbt::NodePtr& child) { collect_poses(*child, poses); });
}

}  // namespace

std::vector<NodeState::OfPose> poses_below(const wbt::Node& node) {
  std::vector<NodeState::OfPose> poses;
  collect_poses(node, poses);
  return poses;
}

wbt::NodePtr NodeStates::start_of(std::uint32_t node, const wbt::WorldFile& present) {
  if (loaded_.empty()) {
    for (const wbt::NodePtr& top : file->nodes) {
      collect(top, loaded_);
    }
  }
  if (const auto known = loaded_.find(node); known != loaded_.end()) {
    return known->second;
  }
  for (const auto& [id, top] : present.imported) {
    if (auto found = found_below(top, node)) {
      return found;
    }
  }
  return nullptr;
}

NodeState SimulationCore::node_state() const {
  NodeState state;
  for (std::size_t s = 0; s < scene().solids.size(); ++s) {
    const int solid = static_cast<int>(s);
    state.solids.push_back(
        {scene().solids[s].node, physics().solid_pose(solid), solid_velocity(solid)});
  }
  std::map<std::uint32_t, std::size_t> known;  // a USE has axes of its own, after those of its DEF
  for (std::size_t j = 0; j < scene().joints.size(); ++j) {
    const auto [at, is_new] = known.try_emplace(scene().joints[j].node, state.joints.size());
    if (is_new) {
      state.joints.push_back({scene().joints[j].node, {}});
    }
    state.joints[at->second].positions.push_back(physics().joints()[j].position);
  }
  for (const Robot* robot : lists.with_battery) {
    state.batteries.push_back({robot->spec().node, robot->battery()->energy()});
  }
  for (const Device* device : lists.devices) {
    if (device->connector != nullptr) {
      state.locks.push_back({device->spec->node, device->connector->locked()});
    }
  }
  return state;
}

void SimulationCore::update_initial_states() {
  const NodeState now = node_state();
  NodeStates& states = node_states();
  std::set<std::uint32_t> there;
  const auto note = [&there](const auto& part) { there.insert(part.node); };
  std::for_each(now.solids.begin(), now.solids.end(), note);
  std::for_each(now.joints.begin(), now.joints.end(), note);
  std::for_each(now.batteries.begin(), now.batteries.end(), note);
  std::for_each(now.locks.begin(), now.locks.end(), note);
  const auto has_left = [&](const auto& part) {
    return part.node > states.last_loaded && !there.contains(part.node);
  };
  const auto follow = [&](auto& known, const auto& present) {
    std::erase_if(known, has_left);
    std::set<std::uint32_t> nodes;
    for (const auto& part : known) {
      nodes.insert(part.node);
    }
    std::copy_if(present.begin(), present.end(), std::back_inserter(known),
                 [&nodes](const auto& part) { return !nodes.contains(part.node); });
  };
  follow(states.initial.solids, now.solids);
  follow(states.initial.joints, now.joints);
  follow(states.initial.batteries, now.batteries);
  follow(states.initial.locks, now.locks);
}

}  // namespace servosim
