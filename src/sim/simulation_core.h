// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/report_once.h"
#include "base/state_archive.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "scene/scene_match.h"
#include "servosim/simulation.h"
#include "sim/device_lists.h"
#include "sim/devices.h"

namespace servosim {

namespace wbt {
struct WorldFile;
}

struct NodeStates;
struct MeshStore;

/// For an index that came from outside. @throws std::out_of_range, e.g. "joint 99 of 15".
inline std::size_t checked_index(const char* what, int index, std::size_t count) {
  if (index < 0 || static_cast<std::size_t>(index) >= count) {
    throw std::out_of_range(std::string(what) + ' ' + std::to_string(index) + " of " +
                            std::to_string(count));
  }
  return static_cast<std::size_t>(index);
}

/// What one tree is made into. A tree that changes gets another one.
struct BuiltScene {
  /// Impossible masses and shapes are replaced with a warning.
  BuiltScene(std::shared_ptr<const Scene> the_scene, Diagnostics& diagnostics,
             const PhysicsOptions& options);

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

/// What a Simulation consists of: a scene with its physics, the devices that are bound to them, and
/// what outlives a change of the tree.
///
/// Invariants: `built` is never null; `lists` and `numbers` are those of its scene; each robot's
/// index is its place in `robots` and in the scene, or -1 in `detached_robots`.
struct SimulationCore {
  /// What a clone is made with again.
  struct Settings {
    Notices notices;
    std::int64_t loaded_seed = 0;  // WorldInfo.randomSeed
    std::int64_t first_seed = 0;   // that, or the one asked for in its place; < 0: by the clock
    std::int64_t seed_offset = 0;  // added to any of them that is >= 0
    bool compat_webots = false;
    std::size_t step_memory = 0;  // PhysicsOptions
  };

  struct DetachedRobot {
    NodeKey key;
    std::unique_ptr<Robot> robot;
  };

  SimulationCore(std::shared_ptr<const wbt::WorldFile> the_file,
                 std::shared_ptr<const Scene> the_scene, Diagnostics& diagnostics,
                 Settings the_settings);
  SimulationCore(const SimulationCore&) = delete;  // devices refer to it
  SimulationCore& operator=(const SimulationCore&) = delete;

  /// @throws LoadError if it cannot be simulated.
  static std::unique_ptr<SimulationCore> load(wbt::WorldFile file, Diagnostics& diagnostics,
                                              LoadOptions options);

  const Scene& scene() const { return *built->scene; }
  PhysicsWorld& physics() { return built->physics; }
  const PhysicsWorld& physics() const { return built->physics; }

  // ---- simulation.cpp
  PhysicsOptions physics_options() {
    return {settings.compat_webots, settings.step_memory, &settings.notices};
  }
  std::int64_t seed() const;  // < 0: by the clock
  Random new_random() const;
  DeviceEnvironment environment(BuiltScene& of) {
    return {*of.scene, of.physics, of.light_colors, settings.notices, random};
  }
  /// Lists and numbers the devices of the present scene.
  void assemble();
  /// After assemble(): what Connectors that are locked in the tree hold from the start.
  void begin();
  void drain_batteries();
  double now_ms() const { return static_cast<double>(steps) * scene().world.basic_time_step_ms; }
  double h() const { return scene().world.basic_time_step_ms / 1000.0; }  // [s]
  void step();
  [[noreturn]] void diverged(int solid);

  // ---- joints.cpp
  bool has_endpoint(int index) const {
    return index >= 0 && (scene().joints[index].child >= 0 || scene().joints[index].reference ||
                          scene().joints[index].belt);
  }
  const std::vector<MuscleSpec>& muscles_of(int joint) const;

  // ---- state.cpp
  void save(StateBlock& block) const;
  void save(SimulationState& into) const;
  void restore(const StateBlock& block);
  /// Goes to a state of the same family, which may have another tree.
  void go_to(const SimulationState& state);

  // ---- reset.cpp
  std::shared_ptr<const wbt::WorldFile> tree_at_start() const;
  void prepare_start();
  void restart();

  // ---- node_states.cpp
  NodeState node_state() const;
  /// Adds nodes to NodeStates::initial that are not known yet, and forgets those that have left,
  /// unless they were loaded with the world: those come back with a reset.
  void update_initial_states();

  // ---- solids.cpp
  /// @throws std::out_of_range
  std::size_t checked_solid(int solid) const {
    return checked_index("Solid", solid, scene().solids.size());
  }
  void stop(int solid);

  // ---- rebuild.cpp
  /// Changes nothing here. The time step stays: time is counted in steps.
  /// @throws LoadError
  CheckedTree check_tree(std::shared_ptr<const wbt::WorldFile> next_file,
                         Diagnostics& diagnostics) const;
  void rebuild(std::shared_ptr<const wbt::WorldFile> next_file);
  /// Sends those to the notices that are new, and keeps them.
  void report_new(const std::vector<Diagnostic>& list);

  std::shared_ptr<const wbt::WorldFile> file;
  Settings settings;
  std::unique_ptr<BuiltScene> built;
  Random random;
  std::vector<Diagnostic> diagnostics_list;
  std::shared_ptr<SourceMap> sources;  // of what was loaded
  std::shared_ptr<const MeshStore> meshes;
  std::vector<std::unique_ptr<Robot>> robots;
  std::vector<DetachedRobot> detached_robots;
  std::vector<Device> ownerless;  // of scene.ownerless_motors and _connectors, and former ones
  DeviceLists lists;
  JointNumbers numbers;
  std::int64_t steps = 0;

  std::shared_ptr<const void> family;  // of all that may exchange states
  SimulationState initial;
  SimulationState start;  // the same of the scene that it has, for restart()
  std::uint64_t tree_version = 0;
  /// By Solid: its place in the frame of the one above, by set_solid_pose().
  std::map<int, Pose> placed;
  std::shared_ptr<NodeStates> node_states;
};

/// @throws LoadError for a Solid that the next step would not accept.
void refuse_out_of_range(const BuiltScene& built);

}  // namespace servosim
