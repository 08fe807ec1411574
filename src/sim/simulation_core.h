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

namespace servosim {

namespace wbt {
struct Edits;
struct ReadOptions;
class Tree;
struct WorldFile;
}  // namespace wbt

struct MeshStore;

/// For an index that came from outside. @throws std::out_of_range, e.g. "joint 99 of 15".
inline std::size_t checked_index(const char* what, int index, std::size_t count) {
  if (index < 0 || static_cast<std::size_t>(index) >= count) {
    throw std::out_of_range(std::string(what) + ' ' + std::to_string(index) + " of " +
                            std::to_string(count));
  }
  return static_cast<std::size_t>(index);
}

/// The objects that are built from one tree. A changed tree gets new ones.
struct BuiltScene {
  /// Impossible masses and shapes are replaced with a warning.
  /// `like`: of the same scene and options, with which it shares what never changes; may be null.
  BuiltScene(std::shared_ptr<const Scene> the_scene, Diagnostics& diagnostics,
             const PhysicsOptions& options, const BuiltScene* like = nullptr);

  std::shared_ptr<const Scene> scene;  // not null
  PhysicsWorld physics;
  std::vector<Vec3> light_colors;  // of scene->world.lights, as LEDs have set them
};

/// A tree that can be simulated.
struct CheckedTree {
  std::shared_ptr<const wbt::WorldFile> file;  // with substitutes for bad values
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const MeshStore> meshes;
};

/// Shapes that overlap each other, the one the next and so on.
/// Threads: a plain value.
struct OverlappingShapes {
  int count = 0;   ///< of shapes of Solids with Physics
  int solid = -1;  ///< of one of them, as in solids(); -1: none overlap
};

/// Solids whose shapes overlap deeply, so that the contacts between them throw them apart.
/// Threads: a plain value.
struct DeepOverlap {
  int count = 0;       ///< of contact points that are deeper than was asked for
  int solid = -1;      ///< at the deepest, as in solids(); -1 without any
  int other = -1;      ///< what it overlaps
  double depth = 0.0;  ///< of the deepest [m]
};

/// The parts of a Simulation: a scene with its physics, the devices that are bound to them, and
/// objects that outlive a change of the tree.
///
/// Invariants: `built` is never null; `lists` and `numbers` are those of its scene; each robot's
/// index is its place in `robots` and in the scene, or -1 in `detached_robots`.
struct SimulationCore {
  /// The settings that a clone shares.
  struct Settings {
    Notices notices;
    std::int64_t loaded_seed = 0;  // WorldInfo.randomSeed
    std::int64_t first_seed = 0;   // that, or the option in its place; < 0: by the clock
    std::int64_t seed_offset = 0;  // added to any of them that is >= 0
    bool compat_webots = false;
    std::size_t step_memory = 0;  // PhysicsOptions
    Solver solver = Solver::Tree;
    bool contact_forces = false;
  };

  struct DetachedRobot {
    NodeKey key;
    std::unique_ptr<Robot> robot;
  };

  /// `like`: a simulation of the same scene and settings, with which it shares what both have; may
  /// be null.
  SimulationCore(std::shared_ptr<const wbt::WorldFile> the_file,
                 std::shared_ptr<const Scene> the_scene, Diagnostics& diagnostics,
                 Settings the_settings, const SimulationCore* like = nullptr);
  SimulationCore(const SimulationCore&) = delete;  // devices refer to it
  SimulationCore& operator=(const SimulationCore&) = delete;

  /// @param meshes  files that were read before; may be null
  /// @throws LoadError if it cannot be simulated.
  static std::unique_ptr<SimulationCore> load(wbt::WorldFile file, Diagnostics& diagnostics,
                                              LoadOptions options,
                                              std::shared_ptr<const MeshStore> meshes = nullptr);

  // ---- for other parts of this program

  /// Valid until the tree changes.
  const Scene& scene() const { return *built->scene; }
  /// The rigid bodies with their masses; likewise.
  const std::vector<RigidBody>& bodies() const { return physics().bodies().rigid_bodies(); }
  /// The number of a joint of the simulation in Scene::joints; -1: it is gone.
  int joint_in_scene(int joint) const { return numbers.joint(joint).index; }
  /// The tree of nodes that the world is made of now, never null. Places and positions in it are
  /// those that it was read with or that were written into it, not the present ones.
  const std::shared_ptr<const wbt::WorldFile>& world_file() const { return file; }
  /// Grows each time that tree becomes another one.
  std::uint64_t edits() const { return edit_count; }
  /// The texts that its nodes were read from: a caller that reads more nodes adds their texts, so
  /// that messages about these name the right place.
  SourceMap& sources() { return source_map.writable(); }
  /// Grows by one each time rebuild(), Simulation::restore() or reset() built another scene:
  /// indices of Solids and robots, and what scene() and bodies() gave, are then invalid.
  std::uint64_t tree_version() const { return version; }
  /// Rebuilds the world of another tree, with every check of loading. What remains, by Node::id,
  /// keeps its pose and velocity, commands and measurements. New values of its fields count from
  /// now on. A Solid that remains is moved only if the tree gives it another place than at the last
  /// rebuild and than Solid::set_pose() did since.
  ///
  /// Robot, Motor and all other devices keep their addresses. Those that are gone stay as objects
  /// that do nothing; Robot::index() is then -1. Joints keep their indices, too, new ones follow
  /// behind; those that are gone read NaN. Indices of Solids and robots are those of the new
  /// scene().
  ///
  /// New warnings of the checks go to the notices. Where they put another value in the place of a
  /// bad one, world_file() has that value, as after loading.
  /// @returns what the checks of the tree and of the physics say, new or not
  /// @throws LoadError if the tree cannot be simulated; nothing has changed then.
  std::vector<Diagnostic> rebuild(std::shared_ptr<const wbt::WorldFile> next_file);
  /// Replaces the tree by one that differs only in what nothing is made of (appearances, names of
  /// groups), or in poses that Solid::set_pose() has set already. It may be the present one, which
  /// has changed while nobody else had it. No rebuild.
  void replace_world_file(std::shared_ptr<const wbt::WorldFile> next_file);
  /// The nodes of world_file() by number.
  const wbt::Tree& tree();
  /// Changes world_file() by edits of which nothing is made, as replace_world_file().
  void edit_world_file(const wbt::Edits& edits);
  /// Keeps what a message about an edit, or a controller's request, says is missing, for
  /// take_missing().
  void keep_missing(const Diagnostic& diagnostic);
  void keep_missing(MissingPart part);
  /// What is missing of all that came into the tree, or was read, since the world was loaded or
  /// this was called.
  std::vector<MissingPart> take_missing() { return std::exchange(missing_since_load, {}); }
  /// Goes back to the start of the world as it is by now, as Webots' Supervisor does: time, places,
  /// velocities, joints, motors, brakes, locks, packets, charges and random numbers are those of
  /// loading it, and nodes that Supervisors brought in are gone. All other fields stay as they are,
  /// and removed nodes stay away. Where the world cannot be simulated so, it goes back to what was
  /// loaded, with a notice.
  ///
  /// It takes the place of a step: the time is one basic step, and every sensor that is enabled has
  /// a sample of the world at its start, whatever its period.
  void restart();
  /// The poses, positions and velocities of all Solids and joints, as a Supervisor saves them under
  /// a name.
  NodeState node_state() const;
  /// Those that Supervisors keep, and where all were when they came. They belong to the loaded
  /// world: neither restore() nor reset() touches them.
  NodeStates& node_states() { return kept_states.writable(); }
  /// The most that overlap now. What the solver needs grows with their square.
  OverlappingShapes overlapping_shapes() const;
  /// Who touches whom at the contacts of the next step; a pair may come several times.
  std::vector<std::pair<int, int>> touching_solids() const;
  /// Of the contacts of the next step, those deeper than `limit` [m].
  DeepOverlap deep_overlap(double limit) const;
  /// From the next step on physics().contacts().forces() are known; changes no state.
  void keep_contact_forces() {
    settings.contact_forces = true;
    physics().keep_contact_forces();
  }
  /// Stops a Solid and all below it, or everything for -1: velocities and forces are 0, and motors
  /// start from rest, with the same targets.
  void reset_physics(int solid);

  // ---- for src/sim

  PhysicsWorld& physics() { return built->physics; }
  const PhysicsWorld& physics() const { return built->physics; }

  // ---- simulation.cpp
  PhysicsOptions physics_options() {
    return {settings.compat_webots, settings.step_memory, settings.solver, &settings.notices,
            settings.contact_forces};
  }
  std::int64_t seed() const;  // < 0: by the clock
  Random new_random() const;
  /// From now on as if it had been loaded with LoadOptions::random_seed.
  void set_seed(std::int64_t seed) {
    settings.first_seed = seed;
    random = new_random();
  }
  DeviceEnvironment environment(BuiltScene& of) {
    return {*of.scene, of.physics, of.light_colors, settings.notices, random};
  }
  /// Lists and numbers the devices of the present scene.
  void assemble();
  /// After loading: lists the devices, and attaches locked Connectors to those in front of them.
  void begin();
  /// Attaches locked Connectors to those in front of them.
  void start_connectors(const std::vector<Connector*>& connectors);
  void drain_batteries();
  double now_ms() const { return static_cast<double>(steps) * scene().world.basic_time_step_ms; }
  double h() const { return scene().world.basic_time_step_ms / 1000.0; }  // [s]
  void step();
  // A step in three parts: these, and that of physics() between them.
  void before_physics();
  void after_physics(int torn_loop);
  /// The last part of after_physics(): every sensor that is due measures.
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
  /// Goes to a state of the same family, which may have another tree.
  void go_to(const SimulationState& state);
  /// The same of one whose block is elsewhere.
  void go_to(const SimulationState& state, std::span<const std::byte> block);

  // ---- reset.cpp
  std::shared_ptr<const wbt::WorldFile> tree_at_start();
  void prepare_start();

  // ---- node_states.cpp
  /// Adds nodes to NodeStates::initial that are not known yet, and forgets those that have left,
  /// unless they were loaded with the world: those come back with a reset.
  void update_initial_states();

  // ---- solid.cpp
  /// @throws std::out_of_range
  const SolidSpec& solid_spec(int solid) const {
    return scene().solids[checked_index("Solid", solid, scene().solids.size())];
  }
  SolidVelocity solid_velocity(int solid) const;

  // ---- rebuild.cpp
  /// Changes nothing here. The time step stays: time is counted in steps.
  /// @throws LoadError
  CheckedTree check_tree(std::shared_ptr<const wbt::WorldFile> next_file,
                         Diagnostics& diagnostics) const;
  /// Sends those to the notices that are new, and keeps them.
  void report_new(const std::vector<Diagnostic>& list);

  std::shared_ptr<const wbt::WorldFile> file;
  std::shared_ptr<wbt::Tree> indexed;  // made when it is first asked for; follows `file`
  Settings settings;
  std::unique_ptr<BuiltScene> built;
  Random random;
  CopyOnWrite<std::vector<Diagnostic>> diagnostics_list;
  std::vector<MissingPart> missing_since_load;
  CopyOnWrite<SourceMap> source_map;  // of what was loaded
  std::shared_ptr<const MeshStore> meshes;
  std::shared_ptr<const FarSolids> far_solids;  // of the world as it was loaded; not null then
  std::vector<std::unique_ptr<Robot>> robots;
  std::vector<DetachedRobot> detached_robots;
  std::vector<DeviceNode> ownerless;  // of scene.ownerless_motors and _connectors, and former ones
  DeviceLists lists;
  JointNumbers numbers;
  std::int64_t steps = 0;

  std::shared_ptr<StateFamily> family;  // all that may exchange states
  // Never null after loading; clones share them.
  std::shared_ptr<const SimulationState> initial;
  std::shared_ptr<const SimulationState> start;  // of the scene that it has, for restart()
  std::uint64_t version = 0;
  std::uint64_t edit_count = 0;
  /// By Solid: its place in the frame of the one above, by Solid::set_pose().
  std::map<int, Pose> placed;
  CopyOnWrite<NodeStates> kept_states;
};

/// The core of a simulation, for the parts of this program that need more than its public members.
SimulationCore& core_of(Simulation& simulation);
const SimulationCore& core_of(const Simulation& simulation);
/// How a world is read that is loaded so.
wbt::ReadOptions read_options(const LoadOptions& options);
/// A simulation of a core that load() has made.
Simulation simulation_of(std::unique_ptr<SimulationCore> core);

/// @throws LoadError for a Solid that the next step would not accept.
void refuse_out_of_range(const BuiltScene& built);

}  // namespace servosim
