// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
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
class Tree;
struct WorldFile;
}  // namespace wbt

class SimulationCore;

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
  std::vector<OfPose> poses;  ///< empty in NodeStates::initial(): see start_of()
  std::vector<OfBattery> batteries;
  std::vector<OfLock> locks;
};

/// Returns the poses of all Poses and Transforms at a node and below it.
std::vector<NodeState::OfPose> poses_below(const wbt::Node& node);

/// Returns the present poses, positions and velocities of all Solids and joints, as a Supervisor
/// saves them under a name.
NodeState present_state(const SimulationCore& core);

/// The states of a loaded world that Supervisors save, and those of all nodes when they were loaded
/// or added.
///
/// Threads: a plain value.
class NodeStates {
 public:
  NodeStates() = default;
  /// @param file  the world that was loaded; not null
  /// @param initial  the states after loading
  NodeStates(std::shared_ptr<const wbt::WorldFile> file, NodeState initial);

  /// The states after loading. A node that was added later has its state at that time, as long as
  /// it exists.
  const NodeState& initial() const { return initial_; }
  /// The world that was loaded.
  const wbt::WorldFile& loaded() const { return *file_; }
  /// Returns a node of the present tree as it was when it was loaded, or when it came with a node
  /// that a Supervisor has imported; null if it did neither.
  /// @param node  its wbt::Node::id
  /// @param present  the present tree
  wbt::NodePtr start_of(std::uint32_t node, const wbt::WorldFile& present);

  /// Saves the states of a node and all nodes below it under a name. States of nodes that were
  /// added and have left the tree are dropped, since their ids are not used again.
  /// @param node  its wbt::Node::id; 0 for all nodes
  /// @param name  the name
  /// @param state  the states
  /// @param present  the present tree
  void save(std::uint32_t node, std::string name, NodeState state, const wbt::Tree& present);
  /// Returns the states of a node that were saved under a name; null if there are none. The pointer
  /// is valid until the next call of save().
  const NodeState* find(std::uint32_t node, const std::string& name) const;
  /// The number of saved states.
  std::size_t count() const { return named_.size(); }

  /// The largest wbt::Node::id that a node ever had, also in trees before a reset. Controllers
  /// refer to nodes by their ids, so that none is used twice.
  std::uint32_t last_id() const { return last_id_; }
  /// Reserves the ids up to `last`.
  void reserve_ids(std::uint32_t last) { last_id_ = std::max(last_id_, last); }

  /// Adds nodes that are new in the scene to initial(), and removes those that have left the tree.
  /// Nodes that were loaded with the world are kept, since a reset brings them back.
  void follow(const SimulationCore& core);

 private:
  NodeState initial_;
  // By the id of the node and the name of the state.
  std::map<std::pair<std::uint32_t, std::string>, NodeState> named_;
  std::uint32_t last_loaded_ = 0;  // the largest wbt::Node::id of the loaded world
  std::uint32_t last_id_ = 0;
  std::shared_ptr<const wbt::WorldFile> file_;
  std::unordered_map<std::uint32_t, wbt::NodePtr> loaded_;  // filled by the first start_of()
};

}  // namespace servosim
