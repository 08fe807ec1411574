// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "physics/coordinates/link_step.h"
#include "physics/rows/body_frame.h"
#include "physics/rows/spatial.h"

namespace servosim {

/// The energy of a tree [J]. The potential is 0 at the tree's point of reference.
template <class Real>
struct TreeEnergyOf {
  Real kinetic{};
  Real potential{};
  Real total() const { return kinetic + potential; }
};

/// The momentum of a tree [N·s, N·m·s]; the angular one is about a point of the world.
struct TreeMomentum {
  Vec3 linear;
  Vec3 angular;
};

/// What the midpoint rule misses of the energy of a tree that hangs on the world, and of the
/// momentum of one that is free: terms of third order in the step, which the rates take after it.
/// Energies are for single trees and lanes of them.
///
/// Threads: one at a time for each LinkStep.
template <class V>
struct LinkBalanceOf {
  using Real = RealOf<V>;

  LinkStep<V>& step;                 ///< its rates and its last evaluation
  std::span<MovedBodyOf<V>> bodies;  ///< by link, in the places and with the motions of the state
  V gravity;                         ///< [m/s²]
  V reference;                       ///< in the world [m]
  /// By rate [kg·m²|kg]; empty without any. They are masses behind the axes.
  std::span<const double> armatures;

  TreeEnergyOf<Real> energy() const {
    TreeEnergyOf<Real> sum;
    for (std::size_t l = 0; l < bodies.size(); ++l) {
      const TreeLink& link = link_of(l);
      const auto& body = bodies[l];
      const V spin = transposed_times(rotation_of(body.turn), body.spin);
      sum.kinetic = sum.kinetic + 0.5 * (link.mass * dot(body.velocity, body.velocity) +
                                         dot(spin, inertia_of(link) * spin));
      sum.potential = sum.potential - link.mass * dot(gravity, body.center - reference);
    }
    for (std::size_t r = 0; r < armatures.size(); ++r) {
      const Real& rate = step.rates[r];
      sum.kinetic = sum.kinetic + (0.5 * armatures[r]) * (rate * rate);
    }
    return sum;
  }

  /// Returns the power of the forces on the bodies and of their damping in the last evaluation [W].
  Real power_on_bodies() const {
    Real power{};
    for (std::size_t l = 0; l < bodies.size(); ++l) {
      const TreeLink& link = link_of(l);
      const LinkStateOf<V>& state = step.kernel().state(l);
      const SpatialVectorOf<V> motion = motion_at(state.motion, state.center);
      if (!step.forces.empty()) {
        power = power + dot(step.forces[l], motion);
      }
      if (link.linear_decay > 0.0 || link.angular_decay > 0.0) {
        const V spin = transposed_times(state.rotation, motion.angular);
        power = power - (link.linear_decay * link.mass * dot(motion.linear, motion.linear) +
                         link.angular_decay * dot(spin, inertia_of(link) * spin));
      }
    }
    return power;
  }

  /// Scales all rates, where `chosen` holds, so that the energy is `total`.
  /// @returns where that takes more than a tenth of the kinetic energy: the step is too long
  ConditionOf<V> balance_energy(const Real& total, const ConditionOf<V>& chosen) const {
    constexpr double kMostDefect = 0.1;  // of the kinetic energy; with more the step is too long
    constexpr double kRounding = 1e-12;  // of the energies: a tree that hardly moves has no balance
    const TreeEnergyOf<Real> now = energy();
    const ConditionOf<V> moves =
        chosen & (now.kinetic > kRounding * (absolute(now.potential) + now.kinetic));
    const Real defect = now.total() - total;
    const ConditionOf<V> fits = absolute(defect) <= kMostDefect * now.kinetic;
    const Real one = Real{} + 1.0;
    const Real factor = choose(moves & fits, square_root(Real(1.0 - defect / now.kinetic)), one);
    for (Real& rate : step.rates) {
      rate = rate * factor;
    }
    for (auto& body : bodies) {
      body.velocity = factor * body.velocity;
      body.spin = factor * body.spin;
    }
    return moves & opposite(fits);
  }

  TreeMomentum momentum(const Vec3& origin) const;
  /// Returns the impulse of the forces on the bodies and of gravity in the given time, in the
  /// places of the last evaluation. `root` is the centre of mass of the root there, from the point
  /// to which the angular part belongs.
  TreeMomentum impulse(const Vec3& root, double time) const;
  /// Moves the tree as one rigid piece so that it has this momentum, since no joint changes it. No
  /// rate of a joint changes.
  void balance_momentum(const TreeMomentum& wanted, const Vec3& origin) const;

 private:
  const TreeLink& link_of(std::size_t l) const { return step.kernel().model().links()[l]; }
  static SymMat3Of<V> inertia_of(const TreeLink& link) {
    const Real zero{};
    const SymMat3& m = link.inertia;
    return {zero + m.xx, zero + m.xy, zero + m.xz, zero + m.yy, zero + m.yz, zero + m.zz};
  }
};
using LinkBalance = LinkBalanceOf<Vec3>;

template <>
TreeMomentum LinkBalance::momentum(const Vec3& origin) const;
template <>
TreeMomentum LinkBalance::impulse(const Vec3& root, double time) const;
template <>
void LinkBalance::balance_momentum(const TreeMomentum& wanted, const Vec3& origin) const;

}  // namespace servosim
