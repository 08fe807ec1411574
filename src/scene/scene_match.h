// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "scene/scene.h"

// Two scenes of two states of one tree: the parts of one that correspond to parts of the other.

namespace servosim {

/// Identifies a part of a scene among those of its kind, before and after a change of the tree.
struct NodeKey {
  std::uint32_t node = 0;    ///< wbt::Node::id
  std::uint32_t axis = 0;    ///< of a joint with several axes
  std::uint32_t number = 0;  ///< counts the uses (USE) of the same node
  friend auto operator<=>(const NodeKey&, const NodeKey&) = default;
};

/// By joint of the scene.
std::vector<NodeKey> joint_keys(const Scene& scene);
std::vector<NodeKey> robot_keys(const Scene& scene);
std::vector<NodeKey> device_keys(const std::vector<DeviceSpec>& devices);

/// For each part of the later scene its index in the earlier one; -1: a new part.
///
/// Invariant: each list has an element for each part of its kind in the later scene.
struct SceneMatch {
  std::vector<int> solids;
  std::vector<int> joints;
  std::vector<int> propellers;
  /// By Solid of the later scene: it existed, and its place in the tree has changed.
  std::vector<bool> relocated;
  /// Whether bodies at rest must wake: Solids, joints, gravity or surfaces differ.
  bool wakes_bodies = false;
};

/// Whether the axes of a joint have the same parameter nodes; an axis with a new node starts at the
/// position of that node.
bool have_same_parameters(std::span<const JointSpec> before, std::span<const JointSpec> after);

/// `placed`: by Solid of the earlier scene, a pose that counts as its place in the tree, too.
SceneMatch match_scenes(const Scene& before, const Scene& after, const std::map<int, Pose>& placed);

}  // namespace servosim
