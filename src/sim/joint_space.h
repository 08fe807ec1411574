// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/mass_properties.h"
#include "servosim/joint_matrix.h"
#include "servosim/math.h"
#include "sim/world_inspector.h"

namespace servosim {

/// Returns what hangs on each Solid, itself included: the mass of its branch in the world's axes
/// and place; 0 for a Solid without a body of its own. The index is that of the Solid.
std::vector<MassProperties> branch_masses(const WorldInspector& inspector);

/// A robot in the coordinates in which its parts move, in its present state.
///
/// A coordinate moves all that hangs on it like a rigid body: with the velocity v_i(x) at a point x
/// and the angular velocity ω_i. With m, c and I, the mass, the centre and the inertia about it of
/// what hangs on coordinate j, and i, which is j or carries it,
///
///     M_ij = m·v_i(c)·v_j(c) + ω_i·I·ω_j,    g_j = −m·gravity·v_j(c)
///
/// This is the algorithm of composite rigid bodies: R. Featherstone, Rigid Body Dynamics Algorithms
/// (2008), chapter 6.
///
/// Threads: one at a time; valid until the simulation changes.
class JointSpace {
 public:
  /// @param robot  index of a robot in the scene
  JointSpace(const WorldInspector& inspector, int robot);

  std::vector<std::string> names() const;
  JointMatrix mass_matrix() const;
  std::vector<double> gravity_torques() const;
  /// @param solid  index of a Solid in the scene
  /// @param point  in its frame [m]
  JointMatrix jacobian(int solid, const Vec3& point) const;

 private:
  struct Coordinate {
    std::string name;
    int solid = -1;  // which it moves, with all that hangs on it
    Vec3 linear;     // of a slide, in the world
    Vec3 angular;    // of a turn, in the world
    Vec3 anchor;     // in the world
    double armature = 0.0;

    Vec3 velocity_at(const Vec3& x) const { return linear + cross(angular, x - anchor); }
  };

  void add_base(int solid);
  void add_joint(int joint);
  bool carries(const Coordinate& coordinate, int solid) const;

  const WorldInspector& inspector_;
  std::vector<MassProperties> masses_;  // by Solid
  std::vector<Coordinate> coordinates_;
};

}  // namespace servosim
