// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "servosim/math.h"
#include "sim/world_inspector.h"

namespace servosim {

/// The efforts that hold the joints of a simulation in its present state against gravity and
/// springs. The time of the constructor is proportional to the number of Solids, and that of at()
/// constant.
///
/// Threads: one at a time; valid until the simulation changes.
class JointLoads {
 public:
  /// `simulation` must outlive this object.
  explicit JointLoads(const Simulation& simulation);

  /// Returns the effort that holds a joint at rest at a position against gravity and its spring
  /// [N·m|N]. It is positive where it pushes the position up. All other joints keep their
  /// positions, and forces of contacts are left out.
  /// @param joint  index in Scene::joints
  /// @param position  [rad|m]
  /// @returns nothing for a joint with several axes, one without Physics, or one that is in a
  ///   closed loop of joints and attachments, which carry an unknown share of the load
  std::optional<double> at(int joint, double position) const;
  /// Returns the largest magnitude of at() between two positions [N·m|N], as found at 65 of them;
  /// nothing where at() returns nothing.
  std::optional<double> largest(int joint, double from, double to) const;

 private:
  // The body of a Solid together with those that hang on it.
  struct Branch {
    double mass = 0.0;     // [kg]
    Vec3 moment;           // mass times centre of mass, in the world [kg m]
    bool in_loop = false;  // whether the joint to the Solid above is a part of a loop
  };

  void mark_loop(int solid, int other);
  void mark_loops();

  const WorldInspector inspector_;
  std::vector<Branch> branches_;  // by the index of the Solid
};

}  // namespace servosim
