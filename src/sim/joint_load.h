// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "servosim/math.h"
#include "sim/simulation_core.h"

namespace servosim {

/// What gravity and springs ask of the joints of a simulation in its present state. Making it costs
/// as much as the scene has Solids, a load then a few operations.
///
/// Threads: one at a time; valid until the simulation changes.
class JointLoads {
 public:
  explicit JointLoads(const SimulationCore& core);

  /// The effort that holds a joint at rest at a position against gravity and its spring [N·m|N],
  /// positive where it pushes the position up; all other joints stay as they are. What touches the
  /// bodies is left out.
  /// @param joint  index in Scene::joints
  /// @return nothing for a joint with several axes, one without Physics, or one that is a part of a
  /// closed loop of joints and attachments, which carry an unknown share of the load
  std::optional<double> at(int joint, double position) const;
  /// The one of the largest magnitude between two positions, without its sign.
  std::optional<double> largest(int joint, double from, double to) const;

 private:
  // Of a Solid's body and those that hang on it.
  struct Branch {
    double mass = 0.0;     // [kg]
    Vec3 moment;           // mass times centre of mass, in the world [kg m]
    bool in_loop = false;  // what connects it with the Solid above is a part of a loop
  };

  void add_masses();
  void mark_loop(int solid, int other);
  void mark_loops();

  const SimulationCore& core_;
  std::vector<Branch> branches_;  // by Solid
};

}  // namespace servosim
