// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/tree/axis_rows.h"
#include "physics/tree/spatial.h"
#include "servosim/math.h"

namespace servosim {

/// A body and the joint that holds it to its parent. All vectors are in the world's axes.
/// docs/explanation/solver.md has the equations; symbols in comments are those of that page.
struct TreeNode {
  enum class Kind : std::uint8_t {
    Free,   ///< no joint
    Rigid,  ///< a fixed joint
    Hinge,
    Slider,
  };

  // ---- to be set before each step

  int parent = -1;  ///< its index, below this node's own; -1: the world, or none
  Kind kind = Kind::Free;
  double mass = 0.0;    ///< [kg]
  SymMat3 inertia;      ///< about the centre of mass [kg·m²]
  SpatialVector load;   ///< m·v/h + forces and I·ω/h + torques, at the centre of mass
  Vec3 arm;             ///< from the centre of mass to the anchor on this body [m]; 0 if Free
  Vec3 parent_arm;      ///< from that of the parent to the anchor on the parent; 0 for the world
  Vec3 axis;            ///< of length one; of a Hinge or Slider
  SpatialVector drift;  ///< d: what the joint's error asks of the child's rate against the parent's
  double linear_softness = 0.0;   ///< c_l
  double angular_softness = 0.0;  ///< c_a
  AxisRows rows;                  ///< of a Hinge or Slider

  // ---- results, beside those of the rows

  SpatialVector motion;  ///< of the centre of mass after the step, divided by h
  SpatialVector force;   ///< w: of the joint and all its rows on the body, about its anchor

  // ---- the solver's own

  SpatialMatrix own_inertia;    // of the body, seen from its anchor
  SpatialVector own_load;       // likewise
  SpatialMatrix articulated;    // M: of the body and what hangs on it
  SpatialVector bias;           // g
  SpatialMatrix through;        // N₀: M as the joint passes it on, without its axis
  SpatialVector through_bias;   // x
  SpatialVector on_axis;        // n = N₀·a
  double along_axis = 0.0;      // α = a·n
  double gain = 0.0;            // η
  double push = 0.0;            // κ
  double axis_drift = 0.0;      // d_e, or 0 where no row is inside its bounds
  SpatialVector anchor_motion;  // t
  bool is_dirty = true;         // M has to be found again
};

/// Solves the system that ODE's dWorldStep builds for a tree of bodies: the velocities after the
/// step, and the forces of all rows, each within its bounds. Linear in the number of nodes for each
/// round; there is one round more for each set of rows that reach or leave a bound.
///
/// Threads: one at a time.
class TreeSolver {
 public:
  struct Result {
    bool solved = false;  ///< false: not within the limit of rounds, or not with finite numbers
    int rounds = 0;
  };

  /// `rows`: at most so many will be bounded in one tree.
  explicit TreeSolver(std::size_t rows) { bounded_.reserve(rows); }

  /// Parents come before their children. The result does not depend on the states of rows before,
  /// which only save rounds.
  Result solve(std::span<TreeNode> tree);

 private:
  struct Bounded {
    AxisRow* row;
    TreeNode* node;
    // Of the parametric rounds: a force and a residual that keep their bounds.
    double force = 0.0;
    double residual = 0.0;
  };

  bool pivot(std::span<TreeNode> tree, int& rounds);
  void flip_many(double largest);
  void begin_parametric();
  bool flip_parametric();
  bool is_degenerate() const;

  std::vector<Bounded> bounded_;
  std::span<TreeNode> tree_;
};

}  // namespace servosim
