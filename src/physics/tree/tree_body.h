// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/tree/body_step.h"
#include "physics/tree/joint_geometry.h"
#include "physics/tree/tree_node.h"
#include "servosim/math.h"

namespace servosim {

struct Body;

/// A body of ODE as a node of a tree: what the node gets from it, and how it moves. ODE stays the
/// store of the state; body_step.h has the equations.
///
/// Invariant: `body`, `force` and `torque` point to ODE's body, which must outlive this object, as
/// must the node.
struct TreeBody {
  /// Reads what never changes. `informs_geoms` says that geoms must be told when the body moves.
  /// Both objects must outlive this one.
  TreeBody(const Body& body, TreeNode& node, bool informs_geoms);

  /// Sets the node's inertia and load from the state of the body: momentum, gravity, added forces,
  /// and the gyroscopic torque. `h` is the length of the step [s].
  void read(double h, const Vec3& gravity);
  /// Moves the body by the node's motion, and clears its forces.
  void move(double h) const;
  /// Gives the body this pose and motion, and clears its forces.
  void put(const MovedBody& moved) const;

  const Body* body;
  TreeNode* node;
  InertialParameters inertial;
  double min_inertia;  ///< lower bound of the inertia about any axis [kg·m²]
  bool is_gyroscopic;
  bool informs_geoms;  ///< geoms are told of each move
  MotionLimits limits;
  const double* force;   ///< where ODE adds forces on the body
  const double* torque;  ///< where ODE adds torques on the body
  BodyFrame frame;       ///< pose before the step; read() sets it
};

}  // namespace servosim
