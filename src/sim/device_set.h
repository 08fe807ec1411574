// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/report_once.h"
#include "sim/device_lists.h"
#include "sim/rebinding.h"

namespace servosim {

class DeviceArchive;
class PhysicsWorld;
struct Scene;
struct SolidRange;

/// The robots and devices of a simulation: those in its scene, which act in each step, and those
/// that have left it.
///
/// Invariant: after assemble(), lists() and numbers() are those of the present scene.
///
/// Threads: one at a time, with the whole Simulation.
class DeviceSet {
 public:
  /// Makes the robots and devices of a scene in the state of the start; assemble() follows.
  /// @param scene  the scene; not null
  /// @param environment  what the devices are bound to
  /// @param like  devices of the same scene, whose numbers of joints become those of this object;
  ///   may be null
  DeviceSet(const std::shared_ptr<const Scene>& scene, const DeviceEnvironment& environment,
            const DeviceSet* like);
  DeviceSet(const DeviceSet&) = delete;  // Connectors refer to it
  DeviceSet& operator=(const DeviceSet&) = delete;

  const std::vector<std::unique_ptr<Robot>>& robots() const { return owners_.robots; }
  const DeviceLists& lists() const { return lists_; }
  const JointNumbers& numbers() const { return numbers_; }
  /// Returns the motor of a joint; null for a joint without one, and for -1.
  /// @param joint_in_scene  the index in Scene::joints, or -1
  Motor* motor_of(int joint_in_scene) const {
    return joint_in_scene >= 0 ? lists_.motor_of[static_cast<std::size_t>(joint_in_scene)]
                               : nullptr;
  }

  /// Lists the devices of the scene and gives them the numbers of their joints.
  void assemble(const Scene& scene, PhysicsWorld& physics);
  /// Is assemble() for a scene that begins: also attaches locked Connectors to those in front of
  /// them.
  void begin(const Scene& scene, PhysicsWorld& physics);
  /// Finds which robots and devices another scene has, and makes those that are new. Nothing
  /// changes before apply().
  /// @param present  the present scene
  /// @param next  the other scene; not null
  /// @param environment  what the devices will be bound to
  Rebinding prepare(const Scene& present, std::shared_ptr<const Scene> next,
                    const DeviceEnvironment& environment);
  /// Binds the robots and devices to the other scene.
  /// @param change  what prepare() has returned
  /// @returns the Connectors whose field isLocked has changed, in the order of the scene
  std::vector<Connector*> apply(Rebinding& change, const Scene& next, PhysicsWorld& physics);
  /// Attaches locked Connectors to those in front of them.
  void start_connectors(const std::vector<Connector*>& connectors);
  /// Lets motors start from rest with the same targets if the Solids that they move are in a range.
  void stop_motors(const Scene& scene, const SolidRange& range) const;

  /// Lets devices act before the physics of a step, in Webots' order.
  /// @param step_ms  the basic time step [ms]
  /// @param end_ms  the time at the end of the step [ms]
  void before_physics(const Scene& scene, PhysicsWorld& physics, double step_ms, double end_ms);
  /// Takes the energy of a step from batteries, and reports those that have become empty.
  /// @param step_ms  the basic time step [ms]
  /// @param now_ms  the time at the end of the step [ms]
  void drain_batteries(double step_ms, double now_ms, Notices& notices) const;
  /// Reports the servos whose protection has ended or limited their torque, each once.
  /// @param now_ms  the time at the end of the step [ms]
  void report_protections(double now_ms, Notices& notices) const;
  /// Lets devices measure, as the last action of a step.
  /// @param now_ms  the time at the end of the step [ms]
  void measure(double now_ms);

  /// Saves or restores all devices and batteries.
  void archive(DeviceArchive& archive) const;
  /// Adds to a hash: first the devices that drive, then the others, then batteries.
  void add_to_hash(DeviceArchive& archive) const;

 private:
  void archive_batteries(DeviceArchive& archive) const;

  DeviceOwners owners_;
  DeviceLists lists_;
  JointNumbers numbers_;
};

}  // namespace servosim
