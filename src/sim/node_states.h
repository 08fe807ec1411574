// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "servosim/math.h"
#include "servosim/simulation.h"
#include "wbt/node.h"

namespace servosim {

namespace wbt {
struct WorldFile;
}

/// The places of Solids and joints of the tree, to be restored. Parents come before what is below
/// them.
///
/// Threads: a plain value.
struct NodeState {
  struct OfSolid {
    std::uint32_t node;  ///< wbt::Node::id
    Pose pose;           ///< in the world
    SolidVelocity velocity;
  };
  struct OfJoint {
    std::uint32_t node;
    std::vector<double> positions;  ///< by axis
  };
  /// Of a Pose or Transform that is no Solid: the values of its fields.
  struct OfPose {
    std::uint32_t node;
    Vec3 translation;
    AxisAngle rotation;
  };
  /// Of a Robot with a battery.
  struct OfBattery {
    std::uint32_t node;
    double energy;  ///< [J]
  };
  /// Of a Connector or VacuumGripper.
  struct OfLock {
    std::uint32_t node;
    bool locked;
  };
  std::vector<OfSolid> solids;
  std::vector<OfJoint> joints;
  std::vector<OfPose> poses;  ///< not of NodeStates::initial: see start_of()
  std::vector<OfBattery> batteries;
  std::vector<OfLock> locks;
};

/// Of all Poses and Transforms at a node and below it.
std::vector<NodeState::OfPose> poses_below(const wbt::Node& node);

/// The states of a loaded world that Supervisors save. Threads: a plain value.
struct NodeStates {
  /// The states after loading; of nodes that were added later, as long as they exist, those when
  /// they were added.
  NodeState initial;
  /// By the node that it is of, with all below it, and its name.
  std::map<std::pair<std::uint32_t, std::string>, NodeState> named;
  std::uint32_t last_loaded = 0;  ///< largest wbt::Node::id of the loaded world
  /// Largest one a node ever had, also of trees before a reset: references of controllers go by it.
  std::uint32_t last_id = 0;
  std::shared_ptr<const wbt::WorldFile> file;  ///< that was loaded

  /// A node of the present tree as it was when it was loaded, or came with one that a Supervisor
  /// has imported; null if it did neither.
  wbt::NodePtr start_of(std::uint32_t node, const wbt::WorldFile& present);

 private:
  std::unordered_map<std::uint32_t, wbt::NodePtr> loaded_;  // filled when first looked into
};

}  // namespace servosim
