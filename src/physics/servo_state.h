// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "physics/rows/servo_law.h"
#include "servosim/servo_model.h"

namespace servosim {

class Fnv1a;
struct Scene;

/// Holds the servo of a joint while the world runs. Physics and devices share it: physics reads
/// `command` and `reading` and writes `memory`, devices do the reverse. Signs are those of
/// JointState. rows/servo_law.h has the equations.
///
/// Threads: one at a time; it belongs to its world.
struct ServoState {
  const ServoModel* model = nullptr;  ///< null if the joint has no servo
  ServoNumbers numbers;
  bool is_simulated = false;  ///< the joint is a hinge or slider with Physics; else it has no rows
  /// Tells whether the servo moves the joint in the next step. If it does not, JointState::drive
  /// does, and the servo has no effect.
  bool acts = false;
  /// This is the command to its firmware for the next step. Physics sets the voltage in it.
  ServoCommand command;
  double reading = 0.0;  ///< the position that its encoder reads before the next step [rad|m]

  /// Holds everything that changes while the world runs, except for the command.
  struct Memory {
    ServoMemory law;
    double inertia = 0.0;  ///< α of the axis in the last step [kg·m²|kg]
    double force = 0.0;    ///< force of its rows on the child in the last step [N·m|N]
    // Where friction has held the joint since it came to rest.
    double is_held = 0.0;  ///< 1 or 0
    double held_at = 0.0;  ///< [rad|m]
    // With play in the gear, the shaft before it moves independently between the flanks.
    double shaft = 0.0;       ///< its position relative to the joint's [rad|m]
    double shaft_rate = 0.0;  ///< its rate [rad/s|m/s]
    double flank = 0.0;       ///< the flank at which it is: -1, 0 (none) or 1
  };
  Memory memory;
  /// Puts it at rest where its joint has been put, with this rate: the firmware holds the position
  /// that the encoder reads, and a profile starts from there. Temperatures stay, and so does a
  /// torque that the firmware has ended.
  void put(double position, double rate);
  /// Stops it, as its joint. Its target stays.
  void stop();
  /// Finds α and the load again in the next step: bodies have been put elsewhere.
  void forget_load() {
    memory.inertia = memory.force = memory.law.load_torque = memory.is_held = 0;
  }
  double play = 0.0;  ///< play of the gear, from flank to flank [rad|m]
  int supply = -1;    ///< index of its supply in ServoStates::loads
  /// Without a load its supply has at most this, whatever its model says [V]; > 0.
  double max_volts = std::numeric_limits<double>::infinity();
  /// Adds all of this to a hash.
  friend void add_to_hash(Fnv1a& hash, const Memory& memory);
};

/// Holds the servos of a world, by joint of the scene, and their supplies.
///
/// All servos of a robot whose supplies have one name share it. Its voltage drops with the sum of
/// the currents i that the servos draw with their duties u = V/U of the last step:
///
///     U = U₀ − R_s·Σ u·i(U), i(U) = i + u·(U − U_last)/R, from least_voltage() to U₀
///
/// U₀ is that of the model, or ServoState::max_volts if that is less.
struct ServoStates {
  /// Creates the servo of each joint whose motor is a servo. It is cold and at rest. The scene must
  /// outlive this object.
  explicit ServoStates(const Scene& scene);

  bool empty() const { return by_joint.empty(); }
  /// Returns the servo of a joint; null for a joint without one.
  ServoState* find(int joint) {
    return empty() || by_joint[joint].model == nullptr ? nullptr : &by_joint[joint];
  }
  /// Sets the voltages of all servos for the next step, by the currents of the last one.
  void set_voltages();

  std::vector<ServoState> by_joint;  ///< empty in a scene without servos; addresses never change
  bool sags = false;                 ///< some supply has a resistance
  std::vector<SupplyLoad> loads;     ///< of each supply, by the last step
};

}  // namespace servosim
