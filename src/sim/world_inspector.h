// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/report_once.h"
#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "servosim/simulation.h"

namespace servosim {

namespace wbt {
struct WorldFile;
}

class PhysicsWorld;
struct CheckedTree;
struct FarSolids;
struct MeshStore;
struct NodeState;
struct RigidBody;

/// A group of shapes that are connected because they overlap each other.
///
/// Threads: a plain value.
struct OverlappingShapes {
  int count = 0;   ///< the number of such shapes; only shapes of Solids with Physics count
  int solid = -1;  ///< the Solid of one of them, as in solids(); -1: none overlap
};

/// Solids whose shapes overlap deeply, so that the contacts between them throw them apart.
///
/// Threads: a plain value.
struct DeepOverlap {
  int count = 0;       ///< the number of contact points that are deeper than the limit
  int solid = -1;      ///< the Solid at the deepest one, as in solids(); -1 without any
  int other = -1;      ///< the Solid that it overlaps
  double depth = 0.0;  ///< the depth of the deepest one [m]
};

/// What the rest of this program reads of a simulation beyond its public members. It is a handle,
/// like Joint and Solid, and changes nothing; WorldControl acts.
///
/// Threads: one at a time, with the whole Simulation.
class WorldInspector {
 public:
  /// `simulation` must outlive the use of this object; it may be moved, and not be assigned to.
  explicit WorldInspector(const Simulation& simulation);

  // ---- the tree and the scene

  /// The present scene. The reference is valid until the tree changes.
  const Scene& scene() const;
  /// The present tree of nodes; never null. It has the poses and positions that it was read with or
  /// that were written into it, which are not the present ones.
  const std::shared_ptr<const wbt::WorldFile>& world_file() const;
  /// A number that grows each time another tree replaces world_file().
  std::uint64_t edits() const;
  /// A number that grows by one each time WorldControl::rebuild(), Simulation::restore() or reset()
  /// builds another scene. Indices of Solids and robots, and references of scene(), bodies() and
  /// physics(), are then invalid.
  std::uint64_t tree_version() const;
  /// The texts from which the nodes were read. The reference is valid until more are read.
  const SourceMap& sources() const;
  /// The files of meshes that were read; may be null.
  const std::shared_ptr<const MeshStore>& meshes() const;
  /// The Solids that loading has left out, since they are too far away.
  const FarSolids& far_solids() const;
  /// Checks a tree as WorldControl::rebuild() does, without a change of the simulation.
  /// @param file  the tree; not null
  /// @param diagnostics  gets the messages; its texts have to include those of the nodes
  /// @throws LoadError if the tree cannot be simulated
  CheckedTree check_tree(std::shared_ptr<const wbt::WorldFile> file,
                         Diagnostics& diagnostics) const;

  // ---- joints, devices and bodies

  /// Returns the index in Scene::joints of a joint of the simulation; -1 if it is gone.
  /// @throws std::out_of_range
  int joint_in_scene(int joint) const;
  /// Returns the motor of a joint; null for a joint without one, and for -1.
  /// @param joint_in_scene  the index in Scene::joints, or -1
  const Motor* motor_of(int joint_in_scene) const;
  /// Returns the node of a motor; null if it is not in the tree. The pointer is valid until the
  /// tree changes.
  const DeviceNode* node_of(const Motor& motor) const;
  /// The rigid bodies with their masses. The reference is valid until the tree changes.
  const std::vector<RigidBody>& bodies() const;
  /// The physics of the present scene. The reference is valid until the tree changes.
  const PhysicsWorld& physics() const;
  /// Returns whether a step has failed, so that the simulation must be restored or reset.
  bool is_over() const;
  /// Returns the largest group of overlapping shapes. The memory of the solver grows with the
  /// square of their number.
  OverlappingShapes overlapping_shapes() const;
  /// Returns the pairs of Solids that touch at the contacts of the next step. A pair may come
  /// several times.
  std::vector<std::pair<int, int>> touching_solids() const;
  /// Returns the contacts of the next step that are deeper than `limit` [m].
  DeepOverlap deep_overlap(double limit) const;

  // ---- states, random numbers and notices

  /// Returns the poses, positions and velocities of all Solids and joints, as a Supervisor saves
  /// them under a name.
  NodeState node_state() const;
  /// @throws std::invalid_argument for a state that Simulation::restore() would refuse
  void check_family(const SimulationState& state) const;
  /// Returns the state in bytes of Simulation::save_bytes().
  /// @throws std::invalid_argument for bytes that Simulation::restore_bytes() would refuse
  SimulationState state_of(std::span<const std::byte> bytes) const;
  /// Returns the seed of the random numbers, with LoadOptions::random_seed_offset; nothing if the
  /// clock gives it.
  std::optional<std::int64_t> seed() const;
  /// Returns where the notices of the simulation go.
  Notices notices() const;

 private:
  const SimulationCore* core_;  // not null
};

}  // namespace servosim
