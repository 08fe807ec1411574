// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "physics/tree/body_row.h"
#include "physics/tree/elimination.h"
#include "physics/tree/motion_subspace.h"
#include "physics/tree/tree_node.h"

// The interface between TreeSolver, which knows rows, bounds and rounds, and its passes over the
// nodes, which are compiled once for each set of instructions. One round is
//
//     find_motions → (couple_border, find_motions) → find_rates → (find_corrections →
//     correct_with_border → add_corrections)
//
// where the parts in parentheses are done only with a border, or only with rows that are part of
// the inertia of bodies. All symbols are those of docs/explanation/solver.md.

namespace servosim {

/// Holds the rows of a joint as the passes read them, and what the passes have found. A node with
/// free directions uses `directions`, any other node uses the rest.
struct AxisWork {
  DirectionRows* directions = nullptr;
  bool is_folded = false;  ///< the members below are those of the rows in their states
  FoldedRows<double> folded;
  bool is_inside = false;  ///< some row is inside its bounds
  /// In the refinement: the residual of all rows inside their bounds together, and, without such a
  /// row, the force that is missing.
  double missing = 0.0;
  double missing_force = 0.0;

  // ---- results

  double rate = 0.0;        ///< the rate of the rows
  double axis_force = 0.0;  ///< the part of w along the axis
};

/// Says where a node is among those that are solved together.
struct NodeOrder {
  std::int32_t parent;  ///< index of the parent; -1 for none
  std::int32_t rank;    ///< position in an order in which parents come before children
};

/// Holds what the passes of TreeSolver work on: the nodes of all trees, and their rows.
struct SolverWork {
  std::size_t count = 0;             ///< number of nodes
  TreeNode* const* nodes = nullptr;  ///< by depth, so parents come before their children
  const NodeOrder* order = nullptr;  ///< by node
  std::uint8_t* is_dirty = nullptr;  ///< by node: M and g are not valid
  AxisWork* axes = nullptr;          ///< by node

  std::size_t row_count = 0;
  BodyRow* rows = nullptr;

  /// The border, whose matrix is dense.
  std::size_t bordered_count = 0;
  BodyRow* const* bordered = nullptr;
  std::size_t skip = 0;                 ///< distance between two rows of the matrix
  double* matrix = nullptr;             ///< result: the part that is not above the diagonal
  std::size_t* first_stages = nullptr;  ///< the passes' own; one more than there are rows
  /// The changes of the border's forces. Before they are known, these are the changes of the rates
  /// that the corrections of motions cause.
  double* changes = nullptr;

  /// Memory of the passes, aligned to 64 bytes, whose sizes SolverKernel states.
  void* node_memory = nullptr;
  void* law_memory = nullptr;  // of nodes with free directions
  void* row_memory = nullptr;
  void* stage_memory = nullptr;
};

/// The passes of TreeSolver over its nodes, compiled for one set of instructions. All sets give the
/// same bits.
struct SolverKernel {
  std::size_t node_size;  ///< [bytes]
  std::size_t law_size;
  std::size_t row_size;
  std::size_t stage_size;  ///< of each node on the way of a bordered row to the root
  /// Reads nodes and rows into the memory of the passes.
  void (*read)(const SolverWork& work);
  /// Computes motions and forces of joints, with the rows in their states and the forces that they
  /// have: from the leaves to the roots where nodes are dirty, and back.
  void (*find_motions)(const SolverWork& work);
  /// Computes the rates of rows, and the forces of those that are part of the inertia of bodies.
  void (*find_rates)(const SolverWork& work);
  /// Computes the rates of bordered rows, and how a force of each changes the rates of all of them.
  void (*couple_border)(const SolverWork& work);
  /// Refinement: computes the residuals of the equations of bodies, joints and rows, and the
  /// corrections of motions and forces that remove them.
  void (*find_corrections)(const SolverWork& work);
  /// Computes the corrections again, with the changes of the border's forces.
  void (*correct_with_border)(const SolverWork& work);
  /// Adds the corrections to motions, and to forces and rates of joints and rows.
  void (*add_corrections)(const SolverWork& work);
  /// Writes motions and forces into the nodes.
  void (*write)(const SolverWork& work);
};
/// Works with single numbers, on any processor.
extern const SolverKernel kPlainPasses;
/// These keep the three numbers of a vector in one register.
extern const SolverKernel kAvx2Passes;
extern const SolverKernel kAvx512Passes;

}  // namespace servosim
