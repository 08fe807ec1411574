// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/notices.h"
#include "core/random.h"
#include "core/state_block.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "servosim/simulation.h"

namespace servosim {

namespace wbt {
struct WorldFile;
}

/// For an index that came from outside. @throws std::out_of_range, e.g. "joint 99 of 15".
inline std::size_t checked_index(const char* what, int index, std::size_t count) {
  if (index < 0 || static_cast<std::size_t>(index) >= count) {
    throw std::out_of_range(std::string(what) + ' ' + std::to_string(index) + " of " +
                            std::to_string(count));
  }
  return static_cast<std::size_t>(index);
}

struct Simulation::Impl {
  /// What a clone is made with again.
  struct Settings {
    Notices notices;
    std::uint64_t seed = 0;
    bool compat_webots = false;
  };

  /// A propeller with a motor that a robot has.
  struct TurnedPropeller {
    std::string name;  // `robot/motor`
    const PropellerState* state;
  };

  Impl(std::shared_ptr<const Scene> the_scene, Diagnostics& diagnostics, Settings the_settings);

  static std::unique_ptr<Impl> load(const wbt::WorldFile& file, Diagnostics& diagnostics,
                                    LoadOptions options);

  Device create_device(const DeviceSpec& spec, const std::string& owner);
  void connect_propeller(const DeviceSpec& spec, const std::string& owner, Motor& motor);
  bool has_endpoint(int joint) const {
    return joint >= 0 && (scene.joints[joint].child >= 0 || scene.joints[joint].reference);
  }
  void connect_devices(const RobotSpec& spec, Robot& robot);
  void connect_connectors();
  void drain_batteries();
  /// @throws std::out_of_range
  const JointSpec& joint_spec(int joint) const {
    return scene.joints[checked_index("joint", joint, scene.joints.size())];
  }
  /// @throws std::out_of_range
  const TurnedPropeller& turned_propeller(int propeller) const {
    return turned_propellers[checked_index("propeller", propeller, turned_propellers.size())];
  }
  const std::vector<MuscleSpec>& muscles_of(int joint) const;
  double now_ms() const { return static_cast<double>(steps) * scene.world.basic_time_step_ms; }
  void step();
  void save(StateBlock& block) const;
  void restore(const StateBlock& block);
  [[noreturn]] void diverged(int solid);

  std::shared_ptr<const Scene> shared_scene;
  const Scene& scene;
  Settings settings;
  Random random;
  PhysicsWorld physics;
  std::vector<Diagnostic> diagnostics_list;
  double h;  // [s]
  std::vector<std::unique_ptr<Robot>> robots;
  std::vector<Device> ownerless;  // of scene.ownerless_motors
  std::vector<Motor*> motors;     // in the order of the tree
  std::vector<PositionSensor*> sensors;
  std::vector<Brake*> brakes;
  std::vector<SolidSensor*> solid_sensors;
  std::vector<Emitter*> emitters;
  std::vector<Receiver*> receivers;
  std::vector<Connector*> connectors;
  std::vector<DifferentialWheels*> wheels;
  std::vector<Motor*> motor_of;                 // by joint
  std::vector<const MotorSpec*> motor_spec_of;  // likewise
  std::vector<TurnedPropeller> turned_propellers;
  std::vector<Robot*> with_battery;
  std::int64_t steps = 0;
  StateBlock initial;
};

}  // namespace servosim
