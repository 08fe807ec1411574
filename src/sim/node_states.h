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

/// The poses of Solids, positions of joints and other values of the tree that are restored. Parents
/// come before the nodes below them.
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
    std::vector<double> positions;  ///< by axis [rad|m]
  };
  /// The fields of a Pose or Transform that is no Solid.
  struct OfPose {
    std::uint32_t node;
    Vec3 translation;
    AxisAngle rotation;
  };
  /// The charge of a Robot with a battery.
  struct OfBattery {
    std::uint32_t node;
    double energy;  ///< [J]
  };
  /// The lock of a Connector or VacuumGripper.
  struct OfLock {
    std::uint32_t node;
    bool locked;
  };
  std::vector<OfSolid> solids;
  std::vector<OfJoint> joints;
  std::vector<OfPose> poses;  ///< empty in NodeStates::initial: see start_of()
  std::vector<OfBattery> batteries;
  std::vector<OfLock> locks;
};

/// Returns the poses of all Poses and Transforms at a node and below it.
std::vector<NodeState::OfPose> poses_below(const wbt::Node& node);

/// The states of a loaded world that Supervisors save.
///
/// Threads: a plain value.
struct NodeStates {
  /// The states after loading. A node that was added later has its state at that time, as long as
  /// it exists.
  NodeState initial;
  /// The saved states of a node and all nodes below it, by the id of the node and the name of the
  /// state.
  std::map<std::pair<std::uint32_t, std::string>, NodeState> named;
  std::uint32_t last_loaded = 0;  ///< the largest wbt::Node::id of the loaded world
  /// The largest wbt::Node::id that a node ever had, also in trees before a reset. Controllers
  /// refer to nodes by their ids, so that none is used twice.
  std::uint32_t last_id = 0;
  std::shared_ptr<const wbt::WorldFile> file;  ///< the world that was loaded

  /// Returns a node of the present tree as it was when it was loaded, or when it came with a node
  /// that a Supervisor has imported; null if it did neither.
  /// @param node  its wbt::Node::id
  /// @param present  the present tree
  wbt::NodePtr start_of(std::uint32_t node, const wbt::WorldFile& present);

 private:
  std::unordered_map<std::uint32_t, wbt::NodePtr> loaded_;  // filled by the first start_of()
};

}  // namespace servosim
