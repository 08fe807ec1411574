// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "physics/tree/body_row.h"
#include "physics/tree/elimination.h"
#include "physics/tree/motion_subspace.h"
#include "physics/tree/tree_node.h"

namespace servosim {

/// The rows of a joint, as the passes take them, and what these have found: of a node with free
/// directions those, else what follows.
struct AxisWork {
  DirectionRows* directions = nullptr;
  bool is_folded = false;  ///< all is that of the rows in their states
  FoldedRows<double> folded;
  bool is_inside = false;  ///< some row is inside its bounds
  // What the equations of the rows lack in a step's refinement: `missing` is that of all rows
  // inside their bounds together. Without such a row, `missing_force` is the force that is missing.
  double missing = 0.0;
  double missing_force = 0.0;

  // ---- results

  double rate = 0.0;        ///< of the rows
  double axis_force = 0.0;  ///< w along the axis
};

/// The order of a node among those that are solved together.
struct NodeOrder {
  std::int32_t parent;  ///< its place; -1: none
  std::int32_t rank;    ///< in which order ways to the root are added up; parents come first
};

/// What the passes of TreeSolver work on: the nodes of all trees, and their rows.
struct SolverWork {
  std::size_t count = 0;             ///< of nodes
  TreeNode* const* nodes = nullptr;  ///< by their depth: parents come before their children
  const NodeOrder* order = nullptr;  ///< by node
  std::uint8_t* is_dirty = nullptr;  ///< by node: M and g have to be found again
  AxisWork* axes = nullptr;          ///< by node

  std::size_t row_count = 0;
  BodyRow* rows = nullptr;

  // The border.
  std::size_t bordered_count = 0;
  BodyRow* const* bordered = nullptr;
  std::size_t skip = 0;                 ///< from a row of the matrix to the next
  double* matrix = nullptr;             ///< result, what is not above the diagonal
  std::size_t* first_stages = nullptr;  ///< the passes' own; one more than rows
  /// The changes of the border's forces; before they are known, the changes of the rates that
  /// corrections of motions cause.
  double* changes = nullptr;

  // The passes' own: by SolverKernel's sizes, aligned to 64 bytes.
  void* node_memory = nullptr;
  void* law_memory = nullptr;  // of nodes with free directions
  void* row_memory = nullptr;
  void* stage_memory = nullptr;
};

/// The passes of TreeSolver over its nodes, for a set of instructions.
struct SolverKernel {
  std::size_t node_size;  ///< [bytes]
  std::size_t law_size;
  std::size_t row_size;
  std::size_t stage_size;  ///< of each node on the way from a bordered row to the root
  /// Takes over what nodes and rows are set to.
  void (*read)(const SolverWork& work);
  /// From the leaves to the roots where nodes are dirty, and back: motions and forces of joints,
  /// with the rows in their states and the forces that they have.
  void (*find_motions)(const SolverWork& work);
  /// Rates of rows, and forces of those that are part of the inertia of bodies.
  void (*find_rates)(const SolverWork& work);
  /// Rates of bordered rows, and what a force of each does to those of all.
  void (*couple_border)(const SolverWork& work);
  /// Refinement: what is missing in the equations of bodies, joints and rows, and the corrections
  /// of motions and forces that give it.
  void (*find_corrections)(const SolverWork& work);
  /// Finds them again, with the changes of the border's forces.
  void (*correct_with_border)(const SolverWork& work);
  /// Adds them to motions, and to forces and rates of joints and rows.
  void (*add_corrections)(const SolverWork& work);
  /// Into the nodes.
  void (*write)(const SolverWork& work);
};
/// With single numbers.
extern const SolverKernel kPlainPasses;
/// Three numbers of a vector at a time.
extern const SolverKernel kAvx2Passes;
extern const SolverKernel kAvx512Passes;

}  // namespace servosim
