// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "scene/scene.h"

// Two scenes made of two states of one tree: which part of the one is which of the other.

namespace servosim {

/// Tells the parts of a scene apart that are of one kind, before and after a change of the tree.
struct NodeKey {
  std::uint32_t node = 0;    ///< wbt::Node::id
  std::uint32_t axis = 0;    ///< of a joint with several
  std::uint32_t number = 0;  ///< counts the places at which the same node is used
  friend auto operator<=>(const NodeKey&, const NodeKey&) = default;
};

/// By joint of the scene.
std::vector<NodeKey> joint_keys(const Scene& scene);
std::vector<NodeKey> robot_keys(const Scene& scene);
std::vector<NodeKey> device_keys(const std::vector<DeviceSpec>& devices);

/// For each part of the later scene its index in the earlier one; -1: it is new.
struct SceneMatch {
  std::vector<int> solids;
  std::vector<int> joints;
  std::vector<int> propellers;
  /// By Solid of the later scene: it was there, and the tree gives it another place.
  std::vector<bool> relocated;
  /// Whether the scenes differ in what bodies at rest may feel: Solids, joints, gravity, surfaces.
  bool stirred = false;
};

/// Whether the axes of a joint are described by the same nodes; other ones begin at their own
/// position.
bool have_same_parameters(std::span<const JointSpec> before, std::span<const JointSpec> after);

/// `told`, by Solid of the earlier scene: another place in the tree that does not relocate it.
SceneMatch match_scenes(const Scene& before, const Scene& after, const std::map<int, Pose>& told);

}  // namespace servosim
