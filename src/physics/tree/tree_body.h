// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/tree/tree_joint.h"
#include "physics/tree/tree_node.h"
#include "servosim/math.h"

namespace servosim {

struct Body;

/// A body of ODE as a node of a tree: what the node has of it, and how it moves.
struct TreeBody {
  TreeBody(const Body& body, TreeNode& node);

  /// Sets the node's inertia and load: momentum and forces, which are gravity, what was added to
  /// the body, and the gyroscopic torque. `h`: length of the step [s].
  void read(double h, const Vec3& gravity);
  /// Moves the body by the node's motion, and clears its forces.
  void move(double h) const;

  const Body* body;
  TreeNode* node;
  SymMat3 inertia;     ///< in the body's frame [kg·m²]
  double min_inertia;  ///< about no axis is it less
  bool is_gyroscopic;
  double linear_rest;  ///< of the velocity that damping leaves
  double angular_rest;
  double max_spin;  ///< [rad/s]
  BodyFrame frame;  ///< before the step
};

}  // namespace servosim
