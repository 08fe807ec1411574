// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/tree/body_step.h"
#include "physics/tree/joint_geometry.h"
#include "physics/tree/tree_node.h"
#include "servosim/math.h"

namespace servosim {

struct Body;

/// A body of ODE as a node of a tree: what the node has of it, and how it moves.
struct TreeBody {
  TreeBody(const Body& body, TreeNode& node, bool informs_geoms);

  /// Sets the node's inertia and load: momentum and forces, which are gravity, what was added to
  /// the body, and the gyroscopic torque. `h`: length of the step [s].
  void read(double h, const Vec3& gravity);
  /// Moves the body by the node's motion, and clears its forces.
  void move(double h) const;

  const Body* body;
  TreeNode* node;
  InertialParameters inertial;
  double min_inertia;  ///< about no axis is it less
  bool is_gyroscopic;
  bool informs_geoms;  ///< a move tells them
  MotionLimits limits;
  const double* force;   ///< where ODE adds forces on the body
  const double* torque;  ///< where ODE adds torques on the body
  BodyFrame frame;       ///< before the step; of read()
};

}  // namespace servosim
