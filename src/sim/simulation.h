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
#include "sim/devices.h"

namespace servosim {

namespace wbt {
struct WorldFile;
}

struct Limbo;
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

/// A simulation with one scene. When the tree changes, another one takes its place, and the robots.
struct Simulation::Impl {
  /// What a clone is made with again.
  struct Settings {
    Notices notices;
    std::int64_t loaded_seed = 0;  // WorldInfo.randomSeed
    std::int64_t first_seed = 0;   // that, or the one asked for in its place; < 0: by the clock
    std::int64_t seed_offset = 0;  // added to any of them that is >= 0
    bool compat_webots = false;
    std::size_t step_memory = 0;  // PhysicsOptions
  };

  /// What a joint is called outside: its number stays when the tree changes.
  struct NumberedJoint {
    NodeKey key;
    int index;  // in scene.joints; -1: it is gone
    std::string name;
    JointType type;
  };

  /// A propeller with a motor that a robot has.
  struct TurnedPropeller {
    std::string name;  // `robot/motor`
    const Motor* motor;
    const PropellerState* state;  // nullptr: it is gone
  };

  struct GoneRobot {
    NodeKey key;
    std::unique_ptr<Robot> robot;
  };

  Impl(std::shared_ptr<const wbt::WorldFile> the_file, std::shared_ptr<const Scene> the_scene,
       Diagnostics& diagnostics, Settings the_settings);

  static std::unique_ptr<Impl> load(wbt::WorldFile file, Diagnostics& diagnostics,
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
  DeviceSurroundings surroundings() {
    return {scene(), physics(), settings.notices, random, built->light_colors};
  }
  bool has_endpoint(int index) const {
    return index >= 0 && (scene().joints[index].child >= 0 || scene().joints[index].reference ||
                          scene().joints[index].belt);
  }
  void drain_batteries();
  double now_ms() const { return static_cast<double>(steps) * scene().world.basic_time_step_ms; }
  void step();
  [[noreturn]] void diverged(int solid);

  // ---- devices.cpp
  void assemble();
  void enlist(Device& device, const DeviceSpec& spec);
  void couple(const std::vector<Device*>& siblings);

  // ---- by what a joint is called outside; @throws std::out_of_range
  const NumberedJoint& numbered(int joint) const {
    return numbers[checked_index("joint", joint, numbers.size())];
  }
  const TurnedPropeller& turned_propeller(int propeller) const {
    return turned_propellers[checked_index("propeller", propeller, turned_propellers.size())];
  }
  const std::vector<MuscleSpec>& muscles_of(int joint) const;

  // ---- state.cpp
  void save(StateBlock& block) const;
  void save(SimulationState& into) const;
  void restore(const StateBlock& block);

  // ---- reset.cpp
  void begin();
  std::shared_ptr<const wbt::WorldFile> tree_at_start() const;
  void prepare_start();

  // ---- node_states.cpp
  NodeState node_state() const;
  void note_newcomers();

  // ---- solids.cpp
  /// @throws std::out_of_range
  std::size_t checked_solid(int solid) const {
    return checked_index("Solid", solid, scene().solids.size());
  }
  void stop(int solid);

  // ---- rebuild.cpp
  std::unique_ptr<Impl> successor(std::shared_ptr<const wbt::WorldFile> next_file,
                                  Diagnostics& diagnostics);
  void refuse_what_is_too_far() const;
  void inherit(Impl& before);
  void inherit_robots(Impl& before);
  void inherit_numbers(Impl& before);
  void inherit_robot(Robot& known, Robot& anew, int index);
  void merge(std::vector<Device>& known, std::vector<Device>& anew, const std::string& owner);
  void adopt(Device& known, Device& anew, const std::string& owner);
  void lock_connectors(const std::vector<Connector*>& before);
  void bury(Device& device, const std::string& owner);
  void bury(Robot& robot);
  void say_news(const Impl& before);

  std::shared_ptr<const wbt::WorldFile> file;
  Settings settings;
  std::unique_ptr<BuiltScene> built;
  Random random;
  std::vector<Diagnostic> diagnostics_list;
  std::shared_ptr<SourceMap> sources;  // of what was loaded
  std::shared_ptr<const MeshStore> meshes;
  double h;  // [s]
  std::vector<std::unique_ptr<Robot>> robots;
  std::vector<Device> ownerless;  // of scene.ownerless_motors and _connectors
  std::vector<Device*> devices;   // of robots and ownerless ones, in the order of the tree
  std::vector<Motor*> motors;     // likewise
  std::vector<PositionSensor*> sensors;
  std::vector<SolidSensor*> solid_sensors;
  std::vector<Emitter*> emitters;
  std::vector<Receiver*> receivers;
  std::vector<Connector*> connectors;
  std::vector<DifferentialWheels*> wheels;
  std::vector<Motor*> motor_of;                 // by joint of the scene
  std::vector<const MotorSpec*> motor_spec_of;  // likewise
  std::vector<NumberedJoint> numbers;
  std::vector<int> number_of;  // by joint of the scene
  std::vector<TurnedPropeller> turned_propellers;
  std::vector<Robot*> with_battery;
  std::int64_t steps = 0;

  std::shared_ptr<const void> family;  // of all that may exchange states
  SimulationState initial;
  SimulationState start;  // the same of the scene that it has, for restart()
  std::uint64_t tree_version = 0;
  std::map<int, Pose>
      told;  // by Solid: its place in the frame of the one above, by set_solid_pose()
  std::shared_ptr<NodeStates> node_states;
  std::vector<GoneRobot> gone_robots;
  std::shared_ptr<Limbo> limbo;      // where there is one
  std::vector<Connector*> relocked;  // their isLocked was changed by the tree
};

}  // namespace servosim
