// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "scene/scene.h"

// Matches the parts of two scenes that are two states of one tree.

namespace servosim {

/// Identifies a part of a scene among those of its kind, before and after a change of the tree.
struct NodeKey {
  std::uint32_t node = 0;    ///< wbt::Node::id
  std::uint32_t axis = 0;    ///< for a joint with several axes
  std::uint32_t number = 0;  ///< counts the uses (USE) of the same node
  friend auto operator<=>(const NodeKey&, const NodeKey&) = default;
};

/// The keys are in the order of the scene's joints.
std::vector<NodeKey> joint_keys(const Scene& scene);
std::vector<NodeKey> robot_keys(const Scene& scene);
std::vector<NodeKey> device_keys(const std::vector<DeviceSpec>& devices);

/// For each part of the later scene, its index in the earlier scene; -1 for a new part.
///
/// Invariant: each list has an element for each part of its kind in the later scene.
struct SceneMatch {
  std::vector<int> solids;
  std::vector<int> joints;
  std::vector<int> propellers;
  /// By Solid of the later scene: whether it existed and its place in the tree has changed.
  std::vector<bool> relocated;
  /// Bodies at rest must wake, because Solids, joints, gravity or surfaces differ.
  bool wakes_bodies = false;
};

/// Returns whether the axes of a joint have the same parameter nodes. An axis with a new node
/// starts at the position of that node.
bool have_same_parameters(std::span<const JointSpec> before, std::span<const JointSpec> after);

/// Matches two scenes.
/// @param placed  by Solid of the earlier scene, a pose that also counts as its place in the tree
SceneMatch match_scenes(const Scene& before, const Scene& after, const std::map<int, Pose>& placed);

}  // namespace servosim
