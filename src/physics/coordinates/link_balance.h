// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "physics/coordinates/link_step.h"
#include "physics/rows/body_frame.h"
#include "physics/rows/spatial.h"

namespace servosim {

/// The energy of a tree [J]. The potential is 0 at the tree's point of reference.
struct TreeEnergy {
  double kinetic = 0.0;
  double potential = 0.0;
  double total() const { return kinetic + potential; }
};

/// The momentum of a tree [N·s, N·m·s]; the angular one is about a point of the world.
struct TreeMomentum {
  Vec3 linear;
  Vec3 angular;
};

/// What the midpoint rule misses of the energy of a tree that hangs on the world, and of the
/// momentum of one that is free: terms of third order in the step, which the rates take after it.
///
/// Threads: one at a time for each LinkStep.
struct LinkBalance {
  LinkStep<Vec3>& step;         ///< its rates and its last evaluation
  std::span<MovedBody> bodies;  ///< by link, in the places and with the motions of the step's state
  Vec3 gravity;                 ///< [m/s²]
  Vec3 reference;               ///< in the world [m]

  TreeEnergy energy() const;
  /// Returns the power of the forces on the bodies and of their damping in the last evaluation [W].
  double power_on_bodies() const;
  /// Scales all rates so that the energy is `total`.
  /// @returns false if that takes more than a tenth of the kinetic energy: the step is too long
  bool balance_energy(double total) const;

  TreeMomentum momentum(const Vec3& origin) const;
  /// Returns the impulse of the forces on the bodies and of gravity in the given time, in the
  /// places of the last evaluation. `root` is the centre of mass of the root there, from the point
  /// to which the angular part belongs.
  TreeMomentum impulse(const Vec3& root, double time) const;
  /// Moves the tree as one rigid piece so that it has this momentum, since no joint changes it. No
  /// rate of a joint changes.
  void balance_momentum(const TreeMomentum& wanted, const Vec3& origin) const;

 private:
  const TreeLink& link_of(std::size_t l) const;
};

}  // namespace servosim
