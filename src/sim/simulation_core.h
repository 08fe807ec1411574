// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/copy_on_write.h"
#include "base/report_once.h"
#include "base/state_archive.h"
#include "physics/physics_world.h"
#include "servosim/simulation.h"
#include "sim/built_scene.h"
#include "sim/device_set.h"
#include "sim/node_states.h"
#include "sim/seeded_random.h"
#include "sim/world_tree.h"

namespace servosim {

/// What a Simulation is made of: the tree of its world, the scene and the physics that are built
/// from it, the devices that are bound to them, and states. Only src/sim/ uses it; the rest of the
/// program has Simulation, WorldInspector and WorldControl.
///
/// Invariants: `built_` is never null; the devices are those of its scene.
///
/// Threads: one at a time, as Simulation.
class SimulationCore {
 public:
  /// What a simulation is made with, and what a clone has too.
  struct Setup {
    Notices notices;
    PhysicsOptions physics;  ///< without notices, which are those above
    const SeededRandom& random;
  };

  /// Builds the physics, and the robots and devices, in the state of the start.
  /// @param tree  the tree
  /// @param scene  the scene of this tree; not null
  /// @param diagnostics  gets the warnings of the physics
  /// @param setup  the setup
  /// @param like  a simulation of the same scene and setup, with which this one shares what both
  ///   have; may be null
  SimulationCore(WorldTree tree, std::shared_ptr<const Scene> scene, Diagnostics& diagnostics,
                 const Setup& setup, const SimulationCore* like = nullptr);
  SimulationCore(const SimulationCore&) = delete;  // devices refer to it
  SimulationCore& operator=(const SimulationCore&) = delete;

  /// Loads a world: see load_tree().
  static Simulation load(wbt::WorldFile file, Diagnostics& diagnostics, LoadOptions options,
                         std::shared_ptr<const MeshStore> meshes);
  Simulation clone() const;
  static SimulationCore& of(const Simulation& simulation) { return *simulation.core_; }

  // ---- components

  /// The present scene. The reference is valid until the tree changes, as that of physics().
  const Scene& scene() const { return *built_->scene; }
  PhysicsWorld& physics() { return built_->physics; }
  const PhysicsWorld& physics() const { return built_->physics; }
  WorldSight& sight() { return built_->sight; }
  WorldTree& tree() { return tree_; }
  const WorldTree& tree() const { return tree_; }
  DeviceSet& devices() { return devices_; }
  const DeviceSet& devices() const { return devices_; }
  SeededRandom& random() { return random_; }
  const SeededRandom& random() const { return random_; }
  Notices& notices() { return notices_; }
  const Notices& notices() const { return notices_; }
  /// The states that Supervisors have saved. They belong to the loaded world: neither go_to() nor
  /// reset() changes them.
  NodeStates& node_states() { return node_states_.writable(); }
  /// The simulations that may exchange states with this one.
  StateFamily& family() const { return *family_; }

  // ---- steps

  /// The number of basic steps since the start or the last reset.
  std::int64_t step_count() const { return steps_; }
  /// Takes one basic step: before_physics(), the step of physics(), and after_physics().
  void step();
  void before_physics();
  /// @param outcome  that of the step of physics()
  /// @throws StepFailed, Diverged, and other errors of the physics
  void after_physics(const PhysicsWorld::StepOutcome& outcome);

  // ---- changes

  /// See WorldControl::rebuild().
  std::vector<Diagnostic> rebuild(std::shared_ptr<const wbt::WorldFile> file);
  /// See WorldControl::restart().
  void restart();
  /// See Solid::set_pose(). The arguments are valid.
  void set_pose(int solid, const Pose& in_world);
  void keep_contact_forces();

  // ---- states

  void save(SimulationState& into) const;
  std::vector<std::byte> save_bytes() const;
  /// @throws std::invalid_argument for a state of another family; nothing has changed then
  void go_to(const SimulationState& state);
  void go_to(std::span<const std::byte> bytes);
  /// Goes back to what was loaded.
  void reset();

 private:
  friend class LaneGroup;  // goes on without the objects of the simulation
  friend class LaneWorld;
  // Another scene, before it takes the place of the present one.
  struct NextScene {
    std::unique_ptr<BuiltScene> built;
    Rebinding devices;
  };

  DeviceEnvironment environment(BuiltScene& of) {
    return {*of.scene, of.physics, of.colors, notices_, random_.numbers(), of.sight, of.surfaces};
  }
  NextScene next_scene(std::shared_ptr<const Scene> scene, Diagnostics& diagnostics);
  /// @returns the Connectors whose field isLocked has changed
  std::vector<Connector*> adopt(NextScene next);
  /// Makes the state of the start for the present tree, with the checks of loading.
  void prepare_start();
  double now_ms() const { return static_cast<double>(steps_) * scene().world.basic_time_step_ms; }
  std::shared_ptr<const SimulationState> saved() const;
  /// Writes all of a state but its block.
  void describe(SimulationState& state) const;
  void write(StateWriter& out) const;
  void read(StateReader in);
  void go_to(const SimulationState& state, std::span<const std::byte> block);

  Notices notices_;
  PhysicsOptions options_;
  WorldTree tree_;
  std::unique_ptr<BuiltScene> built_;
  SeededRandom random_;
  DeviceSet devices_;
  std::int64_t steps_ = 0;
  std::shared_ptr<StateFamily> family_;  // not null after loading
  // Never null after loading; clones share them.
  std::shared_ptr<const SimulationState> initial_;
  std::shared_ptr<const SimulationState> start_;  // the start of the present scene, for restart()
  /// The poses that Solid::set_pose() has set, by the index of the Solid, in the frame of the Solid
  /// above.
  std::map<int, Pose> placed_;
  CopyOnWrite<NodeStates> node_states_;
};

/// Stops a Solid and those below it: see WorldControl::reset_physics().
void reset_physics(SimulationCore& core, int solid);

}  // namespace servosim
