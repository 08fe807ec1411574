// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/report_once.h"
#include "base/scoped.h"
#include "servosim/diagnostics.h"
#include "servosim/simulation.h"

namespace servosim {

namespace wbt {
struct Edits;
struct ReadOptions;
class Tree;
struct WorldFile;
}  // namespace wbt

struct MeshStore;
class NodeStates;
class Sight;

/// What the rest of this program does to a simulation beyond its public members. It is a handle,
/// like Joint and Solid; WorldInspector reads.
///
/// Threads: one at a time, with the whole Simulation.
class WorldControl {
 public:
  /// `simulation` must outlive the use of this object; it may be moved, and not be assigned to.
  explicit WorldControl(Simulation& simulation);

  // ---- the tree

  /// Rebuilds the world of another tree, with every check of loading. A node that remains, which
  /// its Node::id tells, keeps its pose and velocity, commands and measurements. New values of its
  /// fields apply from now on. A Solid that remains is moved only if the tree gives it another pose
  /// than at the last rebuild and than Solid::set_pose() did since.
  ///
  /// Robots and devices keep their addresses. Those that are gone stay as objects that do nothing;
  /// Robot::index() is then -1. Joints keep their indices, and new ones get the next ones; joints
  /// that are gone read NaN. Indices of Solids and robots are those of the new scene.
  ///
  /// New warnings of the checks go to the notices. Where a check replaces a bad value,
  /// WorldInspector::world_file() has the substitute, as after loading.
  /// @returns all messages of the checks of the tree and of the physics, new or not
  /// @throws LoadError if the tree cannot be simulated; nothing has changed then
  /// @throws std::invalid_argument for null, and for a simulation that has diverged
  std::vector<Diagnostic> rebuild(std::shared_ptr<const wbt::WorldFile> file);
  /// Replaces the tree without a rebuild. The new tree may differ only in values that the scene
  /// does not use (appearances, names of groups), or in poses that Solid::set_pose() has set
  /// already. It may be the present tree, changed in place while nobody else refers to it.
  /// @throws std::invalid_argument for null
  void replace_world_file(std::shared_ptr<const wbt::WorldFile> file);
  /// Changes the tree by edits of values that the scene does not use, as replace_world_file().
  void edit_world_file(const wbt::Edits& edits);
  /// The nodes of the present tree by their ids. The reference is valid until the simulation is
  /// destroyed.
  const wbt::Tree& tree();
  /// Gives the texts of the nodes to `diagnostics` during the lifetime of the result. What is read
  /// with it meanwhile is added to them, so that later messages name the right place.
  [[nodiscard]] ScopedSwap<SourceMap> lend_sources(Diagnostics& diagnostics);
  /// Stores a part of the world that a message about an edit, or a request of a controller, shows
  /// to be missing. take_missing() returns it.
  void keep_missing(const Diagnostic& diagnostic);
  void keep_missing(MissingPart part);
  /// Returns the parts that were found missing since the world was loaded, or since the last call.
  std::vector<MissingPart> take_missing();

  // ---- motion

  /// Resets the world as Webots' Supervisor does, and keeps the fields that were edited. Time,
  /// poses, velocities, joints, motors, brakes, locks, packets, charges and random numbers become
  /// those after loading, and nodes that Supervisors have imported are removed. All other fields
  /// keep their values, and removed nodes stay away. If the result cannot be simulated, the world
  /// goes back to what was loaded, with a notice.
  ///
  /// The reset replaces a step: the time is one basic step afterwards, and every sensor that is
  /// enabled has a sample of the world at its start, whatever its period.
  void restart();
  /// Stops a Solid and all Solids below it, or everything for -1. Velocities and forces become 0,
  /// and motors start from rest with the same targets.
  void reset_physics(int solid);
  /// Returns the motor of a joint; null for a joint without one, and for -1.
  /// @param joint_in_scene  the index in Scene::joints, or -1
  Motor* motor_of(int joint_in_scene);
  /// Makes Contacts::forces() available from the next step on. It changes no state.
  void keep_contact_forces();
  /// What Cameras see of the present scene. The reference is valid until the tree changes.
  Sight& sight();
  /// The states that Supervisors have saved, and those of all nodes when they were loaded or added.
  /// They belong to the loaded world: neither Simulation::restore() nor reset() changes them.
  NodeStates& node_states();

  // ---- random numbers and notices

  /// Makes the random numbers those of a world that was loaded with this LoadOptions::random_seed.
  /// As with restart_random(), a later reset() or restore() brings back those of its state.
  void set_seed(std::int64_t seed);
  /// Lets the random numbers of devices begin anew with a seed. Simulation::reset() and restore()
  /// bring back those of their state, so a caller resets first and seeds afterwards.
  void restart_random(std::uint64_t seed);
  /// Sends the notices of the simulation there from now on.
  void send_notices_to(Notices notices);
  /// Sends the notices of the simulation to `notices` during the lifetime of the result.
  [[nodiscard]] ScopedSwap<Notices> redirect_notices(Notices& notices);
  /// Sends a notice to where those of the simulation go.
  void report(std::string_view notice);

 private:
  SimulationCore* core_;  // not null
};

/// Returns the options with which the file of such a world is read.
wbt::ReadOptions read_options(const LoadOptions& options);

/// Loads a world from its tree, in the state of the start.
/// @param file  the world
/// @param diagnostics  gets the warnings
/// @param options  the options; its settings are made in `file`
/// @param meshes  the files of meshes that were read before; may be null
/// @throws LoadError if the world cannot be simulated
Simulation load_tree(wbt::WorldFile file, Diagnostics& diagnostics, LoadOptions options,
                     std::shared_ptr<const MeshStore> meshes = nullptr);

}  // namespace servosim
