// SPDX-License-Identifier: Apache-2.0
#include "sim/node_states.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>

#include "sim/simulation_core.h"
#include "wbt/tree.h"
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

NodeStates::NodeStates(std::shared_ptr<const wbt::WorldFile> file, NodeState initial)
    : initial_(std::move(initial)),
      last_loaded_(file->last_id),
      last_id_(file->last_id),
      file_(std::move(file)) {}

wbt::NodePtr NodeStates::start_of(std::uint32_t node, const wbt::WorldFile& present) {
  if (loaded_.empty()) {
    for (const wbt::NodePtr& top : file_->nodes) {
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

namespace {

using Numbers = std::vector<std::uint32_t>;  // ids of nodes, in rising order

bool contains(const Numbers& numbers, std::uint32_t node) {
  return std::binary_search(numbers.begin(), numbers.end(), node);
}

template <typename... Lists>
Numbers numbers_of(const Lists&... lists) {
  Numbers numbers;
  const auto add = [&numbers](const auto& parts) {
    std::transform(parts.begin(), parts.end(), std::back_inserter(numbers),
                   [](const auto& part) { return part.node; });
  };
  (add(lists), ...);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// The nodes whose states are known.
struct Known {
  Numbers solids;
  Numbers joints;
  Numbers batteries;
  Numbers locks;
};

// Returns the states of all nodes that are not known.
NodeState states_beside(const Known& known, const SimulationCore& core) {
  NodeState state;
  const Scene& scene = core.scene();
  for (std::size_t s = 0; s < scene.solids.size(); ++s) {
    const int solid = static_cast<int>(s);
    if (!contains(known.solids, scene.solids[s].node)) {
      state.solids.push_back({scene.solids[s].node, core.physics().solid_pose(solid),
                              velocity_of(core.physics(), solid)});
    }
  }
  // The index in state.joints by node. A USE has its own axes, after those of its DEF.
  std::map<std::uint32_t, std::size_t> at;
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const std::uint32_t node = scene.joints[j].node;
    if (contains(known.joints, node)) {
      continue;
    }
    const auto [place, is_new] = at.try_emplace(node, state.joints.size());
    if (is_new) {
      state.joints.push_back({node, {}});
    }
    state.joints[place->second].positions.push_back(core.physics().joints()[j].position);
  }
  for (const Robot* robot : core.devices().lists().with_battery) {
    if (!contains(known.batteries, robot->spec().node)) {
      state.batteries.push_back({robot->spec().node, robot->battery()->energy()});
    }
  }
  for (const DeviceNode* node : core.devices().lists().nodes) {
    if (!node->spec->connector || contains(known.locks, node->spec->node)) {
      continue;
    }
    if (const Connector* connector = node->get<Connector>()) {
      state.locks.push_back({node->spec->node, connector->locked()});
    }
  }
  return state;
}

template <typename Part>
void append(const std::vector<Part>& parts, std::vector<Part>& list) {
  list.insert(list.end(), parts.begin(), parts.end());
}

}  // namespace

NodeState present_state(const SimulationCore& core) { return states_beside({}, core); }

void NodeStates::save(std::uint32_t node, std::string name, NodeState state,
                      const wbt::Tree& present) {
  std::erase_if(named_, [&](const auto& named) {
    const std::uint32_t of = named.first.first;
    return of > last_loaded_ && present.find(of) == nullptr;
  });
  named_[{node, std::move(name)}] = std::move(state);
}

const NodeState* NodeStates::find(std::uint32_t node, const std::string& name) const {
  const auto found = named_.find({node, name});
  return found != named_.end() ? &found->second : nullptr;
}

void NodeStates::follow(const SimulationCore& core) {
  NodeState& known = initial_;
  // Connectors and robots with a battery are Solids.
  const Numbers there = numbers_of(core.scene().solids, core.scene().joints);
  const auto has_left = [&, last_loaded = last_loaded_](const auto& part) {
    return part.node > last_loaded && !contains(there, part.node);
  };
  std::erase_if(known.solids, has_left);
  std::erase_if(known.joints, has_left);
  std::erase_if(known.batteries, has_left);
  std::erase_if(known.locks, has_left);
  const NodeState added = states_beside({numbers_of(known.solids), numbers_of(known.joints),
                                         numbers_of(known.batteries), numbers_of(known.locks)},
                                        core);
  append(added.solids, known.solids);
  append(added.joints, known.joints);
  append(added.batteries, known.batteries);
  append(added.locks, known.locks);
}

}  // namespace servosim
