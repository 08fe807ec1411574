// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "physics/rows/servo_law.h"
#include "servosim/servo_model.h"

namespace servosim {

class Fnv1a;
struct Scene;

/// The servo of a joint while the world runs. Physics and devices share it: physics reads `command`
/// and `reading` and writes `memory`, devices do the reverse.
struct ServoState {
  const ServoModel* model = nullptr;  ///< null: the joint has no servo
  ServoNumbers numbers;
  bool is_simulated = false;  ///< the joint is a hinge or slider with Physics; else it has no rows
  /// Whether the servo moves the joint in the next step; else JointState::drive does, and the servo
  /// is as if it were not there.
  bool acts = false;
  /// What its firmware is told for the next step; physics sets the voltage.
  ServoCommand command;
  double reading = 0.0;  ///< the position that its encoder reads before the next step [rad|m]

  /// Everything that changes while the world runs, but for the command.
  struct Memory {
    ServoMemory law;
    double inertia = 0.0;  ///< α of the axis in the last step [kg·m²|kg]
    // With play in the gear, the shaft before it moves by itself between the flanks.
    double shaft = 0.0;       ///< its position, seen from the joint's [rad|m]
    double shaft_rate = 0.0;  ///< its rate [rad/s|m/s]
    double flank = 0.0;       ///< at which it is: -1, 0 (none) or 1
  };
  Memory memory;
  double play = 0.0;  ///< of the gear, from flank to flank [rad|m]
  int supply = -1;    ///< the index of its supply
  friend void add_to_hash(Fnv1a& hash, const Memory& memory);
};

/// The servos of a world, by joint of the scene, and their supplies.
struct ServoStates {
  /// Makes the servo of each joint whose motor is one, cold and at rest.
  explicit ServoStates(const Scene& scene);

  bool empty() const { return by_joint.empty(); }
  /// Returns the servo of a joint; null for a joint without one.
  ServoState* find(int joint) {
    return empty() || by_joint[joint].model == nullptr ? nullptr : &by_joint[joint];
  }
  /// Sets the voltages of all servos for the next step, by the currents of the last one.
  void set_voltages();

  std::vector<ServoState> by_joint;  ///< empty in a scene without servos
  std::vector<double> currents;      ///< by supply, of the last step [A]
};

}  // namespace servosim
