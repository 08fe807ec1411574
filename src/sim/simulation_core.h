// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/copy_on_write.h"
#include "base/random.h"
#include "base/report_once.h"
#include "base/state_archive.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "scene/scene_builder.h"
#include "scene/scene_match.h"
#include "servosim/simulation.h"
#include "sim/device_lists.h"
#include "sim/devices.h"
#include "sim/node_states.h"
#include "sim/world_inspector.h"

namespace servosim {

namespace wbt {
struct Edits;
class Tree;
struct WorldFile;
}  // namespace wbt

struct MeshStore;

/// Checks an index that came from outside, and returns it.
/// @param what  what it numbers, for the message
/// @param index  the index
/// @param count  the number of items
/// @throws std::out_of_range if there is no such item, for example "joint 99 of 15"
inline std::size_t checked_index(const char* what, int index, std::size_t count) {
  if (index < 0 || static_cast<std::size_t>(index) >= count) {
    throw std::out_of_range(std::string(what) + ' ' + std::to_string(index) + " of " +
                            std::to_string(count));
  }
  return static_cast<std::size_t>(index);
}

/// The objects that are built from one tree. A changed tree gets new ones.
///
/// Threads: one at a time, with the whole Simulation.
struct BuiltScene {
  /// Builds the physics of a scene. Impossible masses and shapes are replaced with a warning.
  /// @param the_scene  the scene; not null
  /// @param diagnostics  gets the warnings
  /// @param options  the options of the physics
  /// @param like  objects of the same scene and options, with which this one shares what never
  ///   changes; may be null
  BuiltScene(std::shared_ptr<const Scene> the_scene, Diagnostics& diagnostics,
             const PhysicsOptions& options, const BuiltScene* like = nullptr);

  std::shared_ptr<const Scene> scene;  // not null
  PhysicsWorld physics;
  std::vector<Vec3> light_colors;  // the present colours of scene->world.lights, as LEDs set them
};

/// What a Simulation consists of: a scene with its physics, the devices that are bound to them, and
/// objects that outlive a change of the tree.
///
/// Invariants: `built` is never null; `lists` and `numbers` are those of its scene; each robot's
/// index is its index in `robots` and in the scene, or -1 in `detached_robots`.
///
/// Threads: one at a time, as Simulation.
struct SimulationCore {
  /// The settings that a clone shares.
  struct Settings {
    Notices notices;
    std::int64_t loaded_seed = 0;  // WorldInfo.randomSeed
    std::int64_t first_seed = 0;   // loaded_seed, or the option in its place; < 0: by the clock
    std::int64_t seed_offset = 0;  // added to any seed that is >= 0
    bool compat_webots = false;
    std::size_t step_memory = 0;  // [bytes]; see LoadOptions
    Solver solver = Solver::Tree;
    bool contact_forces = false;
  };

  struct DetachedRobot {
    NodeKey key;
    std::unique_ptr<Robot> robot;
  };

  /// Builds the physics, and the robots and devices, in the state of the start.
  /// @param the_file  the tree
  /// @param the_scene  the scene of this tree
  /// @param diagnostics  gets the warnings of the physics
  /// @param the_settings  the settings
  /// @param like  a simulation of the same scene and settings, with which this one shares what both
  ///   have; may be null
  SimulationCore(std::shared_ptr<const wbt::WorldFile> the_file,
                 std::shared_ptr<const Scene> the_scene, Diagnostics& diagnostics,
                 Settings the_settings, const SimulationCore* like = nullptr);
  SimulationCore(const SimulationCore&) = delete;  // devices refer to it
  SimulationCore& operator=(const SimulationCore&) = delete;

  /// Loads a world, in the state of the start.
  /// @param file  the world
  /// @param diagnostics  gets the warnings
  /// @param options  the options; its settings are made in `file`
  /// @param meshes  the files that were read before; may be null
  /// @throws LoadError if the world cannot be simulated
  static std::unique_ptr<SimulationCore> load(wbt::WorldFile file, Diagnostics& diagnostics,
                                              LoadOptions options,
                                              std::shared_ptr<const MeshStore> meshes = nullptr);

  // ---- for other parts of this program

  /// The present scene. The reference is valid until the tree changes.
  const Scene& scene() const { return *built->scene; }
  /// The rigid bodies with their masses. The reference is valid until the tree changes.
  const std::vector<RigidBody>& bodies() const { return physics().bodies().rigid_bodies(); }
  /// Returns the index in Scene::joints of a joint of the simulation; -1 if it is gone.
  /// @throws std::out_of_range
  int joint_in_scene(int joint) const { return numbers.joint(joint).index; }
  /// The present tree of nodes; never null. It has the poses and positions that it was read with or
  /// that were written into it, which are not the present ones.
  const std::shared_ptr<const wbt::WorldFile>& world_file() const { return file; }
  /// A number that grows each time another tree replaces world_file().
  std::uint64_t edits() const { return edit_count; }
  /// The texts from which the nodes were read. A caller that reads more nodes adds their texts, so
  /// that messages about these name the right place.
  SourceMap& sources() { return source_map.writable(); }
  /// A number that grows by one each time rebuild(), Simulation::restore() or reset() builds
  /// another scene. Indices of Solids and robots, and references of scene() and bodies(), are then
  /// invalid.
  std::uint64_t tree_version() const { return version; }
  /// Rebuilds the world of another tree, with every check of loading. A node that remains, which
  /// its Node::id tells, keeps its pose and velocity, commands and measurements. New values of its
  /// fields apply from now on. A Solid that remains is moved only if the tree gives it another pose
  /// than at the last rebuild and than Solid::set_pose() did since.
  ///
  /// Robots and devices keep their addresses. Those that are gone stay as objects that do nothing;
  /// Robot::index() is then -1. Joints keep their indices, and new ones get the next ones; joints
  /// that are gone read NaN. Indices of Solids and robots are those of the new scene().
  ///
  /// New warnings of the checks go to the notices. Where a check replaces a bad value, world_file()
  /// has the substitute, as after loading.
  /// @returns all messages of the checks of the tree and of the physics, new or not
  /// @throws LoadError if the tree cannot be simulated; nothing has changed then
  std::vector<Diagnostic> rebuild(std::shared_ptr<const wbt::WorldFile> next_file);
  /// Replaces the tree without a rebuild. The new tree may differ only in values that the scene
  /// does not use (appearances, names of groups), or in poses that Solid::set_pose() has set
  /// already. It may be the present tree, changed in place while nobody else refers to it.
  void replace_world_file(std::shared_ptr<const wbt::WorldFile> next_file);
  /// The nodes of world_file() by their ids. The reference is valid until the simulation is
  /// destroyed.
  const wbt::Tree& tree();
  /// Changes world_file() by edits of values that the scene does not use, as replace_world_file().
  void edit_world_file(const wbt::Edits& edits);
  /// Stores a part of the world that a message about an edit, or a request of a controller, shows
  /// to be missing. take_missing() returns it.
  void keep_missing(const Diagnostic& diagnostic);
  void keep_missing(MissingPart part);
  /// Returns the parts that were found missing since the world was loaded, or since the last call.
  std::vector<MissingPart> take_missing() { return std::exchange(missing_since_load, {}); }
  /// Resets the world as Webots' Supervisor does, and keeps the fields that were edited. Time,
  /// poses, velocities, joints, motors, brakes, locks, packets, charges and random numbers become
  /// those after loading, and nodes that Supervisors have imported are removed. All other fields
  /// keep their values, and removed nodes stay away. If the result cannot be simulated, the world
  /// goes back to what was loaded, with a notice.
  ///
  /// The reset replaces a step: the time is one basic step afterwards, and every sensor that is
  /// enabled has a sample of the world at its start, whatever its period.
  void restart();
  /// Returns the poses, positions and velocities of all Solids and joints, as a Supervisor saves
  /// them under a name.
  NodeState node_state() const;
  /// The states that Supervisors have saved, and those of all nodes when they were loaded or added.
  /// They belong to the loaded world: neither restore() nor reset() changes them.
  NodeStates& node_states() { return kept_states.writable(); }
  /// Makes physics().contacts().forces() available from the next step on. It changes no state.
  void keep_contact_forces() {
    settings.contact_forces = true;
    physics().keep_contact_forces();
  }
  /// Stops a Solid and all Solids below it, or everything for -1. Velocities and forces become 0,
  /// and motors start from rest with the same targets.
  void reset_physics(int solid);

  // ---- for src/sim

  PhysicsWorld& physics() { return built->physics; }
  const PhysicsWorld& physics() const { return built->physics; }

  // ---- simulation.cpp
  PhysicsOptions physics_options() {
    return {settings.compat_webots, settings.step_memory, settings.solver, &settings.notices,
            settings.contact_forces};
  }
  /// The seed of new_random(); < 0: the clock gives it.
  std::int64_t seed() const;
  Random new_random() const;
  /// Makes the random numbers those of a world that was loaded with this LoadOptions::random_seed.
  void set_seed(std::int64_t seed) {
    settings.first_seed = seed;
    random = new_random();
  }
  /// Returns what the devices of a scene are bound to.
  DeviceEnvironment environment(BuiltScene& of) {
    return {*of.scene, of.physics, of.light_colors, settings.notices, random};
  }
  /// Lists and numbers the devices of the present scene.
  void assemble();
  /// Lists the devices after loading, and attaches locked Connectors to those in front of them.
  void begin();
  /// Attaches locked Connectors to those in front of them.
  void start_connectors(const std::vector<Connector*>& connectors);
  void drain_batteries();
  double now_ms() const { return static_cast<double>(steps) * scene().world.basic_time_step_ms; }
  double h() const { return scene().world.basic_time_step_ms / 1000.0; }  // [s]
  void step();
  // step() consists of before_physics(), the step of physics(), and after_physics().
  void before_physics();
  void after_physics(int torn_loop);
  /// Calls Device::after_step() of every device, as the last action of after_physics().
  void measure();
  [[noreturn]] void rethrow_failure(const std::exception_ptr& of_physics) const;
  [[noreturn]] void throw_diverged(int solid) const;

  // ---- state.cpp
  void archive_devices(DeviceArchive& archive) const;
  void archive_batteries(DeviceArchive& archive) const;
  void save(StateBlock& block) const;
  void save(StateWriter& out) const;
  void save(SimulationState& into) const;
  std::shared_ptr<const SimulationState> saved() const;
  void restore(std::span<const std::byte> block);
  /// @throws std::invalid_argument for a state of another family
  void check_family(const SimulationState& state) const;
  /// Restores a state of the same family, which may have another tree.
  void go_to(const SimulationState& state);
  /// Restores a state whose block is elsewhere.
  void go_to(const SimulationState& state, std::span<const std::byte> block);

  // ---- reset.cpp
  std::shared_ptr<const wbt::WorldFile> tree_at_start();
  void prepare_start();

  // ---- node_states.cpp
  /// Adds new nodes to NodeStates::initial, and removes nodes that have left the tree. Nodes that
  /// were loaded with the world are kept, since a reset brings them back.
  void update_initial_states();

  // ---- solid.cpp
  /// @throws std::out_of_range
  const SolidSpec& solid_spec(int solid) const {
    return scene().solids[checked_index("Solid", solid, scene().solids.size())];
  }
  SolidVelocity solid_velocity(int solid) const;

  // ---- rebuild.cpp
  /// Checks a tree and makes its scene, without a change of this simulation. The time step stays
  /// that of the present scene, since time is counted in steps.
  /// @throws LoadError if the tree cannot be simulated
  CheckedTree check_tree(std::shared_ptr<const wbt::WorldFile> next_file,
                         Diagnostics& diagnostics) const;
  /// Sends the messages that are new to the notices, and stores them.
  void report_new(const std::vector<Diagnostic>& list);

  std::shared_ptr<const wbt::WorldFile> file;
  std::shared_ptr<wbt::Tree> indexed;  // made by the first tree(), which updates it to `file`
  Settings settings;
  std::unique_ptr<BuiltScene> built;
  Random random;
  CopyOnWrite<std::vector<Diagnostic>> diagnostics_list;
  std::vector<MissingPart> missing_since_load;
  CopyOnWrite<SourceMap> source_map;  // the texts of the nodes
  std::shared_ptr<const MeshStore> meshes;
  std::shared_ptr<const FarSolids> far_solids;  // of the loaded world; not null after loading
  std::vector<std::unique_ptr<Robot>> robots;
  std::vector<DetachedRobot> detached_robots;
  std::vector<DeviceNode> ownerless;  // nodes outside of every robot, also those that are gone
  DeviceLists lists;
  JointNumbers numbers;
  std::int64_t steps = 0;

  std::shared_ptr<StateFamily> family;  // the simulations that may exchange states with this one
  // Never null after loading; clones share them.
  std::shared_ptr<const SimulationState> initial;
  std::shared_ptr<const SimulationState> start;  // the start of the present scene, for restart()
  std::uint64_t version = 0;
  std::uint64_t edit_count = 0;
  /// The poses that Solid::set_pose() has set, by the index of the Solid, in the frame of the Solid
  /// above.
  std::map<int, Pose> placed;
  CopyOnWrite<NodeStates> kept_states;
};

/// Returns the core of a simulation, for code of this program that needs more than its public
/// members.
SimulationCore& core_of(Simulation& simulation);
const SimulationCore& core_of(const Simulation& simulation);
/// Returns a simulation of a core that load() has made.
Simulation simulation_of(std::unique_ptr<SimulationCore> core);

/// Checks that each Solid is in the range of coordinates and speeds that a step accepts.
/// @throws LoadError for a Solid that the next step would not accept
void refuse_out_of_range(const BuiltScene& built);

}  // namespace servosim
