// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "physics/lane_set.h"
#include "physics/tree/body_row.h"
#include "physics/tree/border.h"
#include "physics/tree/solver_kernel.h"
#include "physics/tree/tree_node.h"

// The rounds of the tree solver. It solves the system that ODE's dWorldStep builds for trees of
// bodies and further rows on them:
//
//     M·u = g + Σ Jᵀ·λ,    J·u + c·λ = e,    low ≤ λ ≤ high for each row
//
// u are the velocities after the step divided by its length. Each round solves the equations with
// given states of the rows (inside their bounds, or at one of them) from the leaves to the roots
// and back. Rows that then break their bounds get another state, until none does. With c > 0 the
// solution is unique. Signs are those of row.h. Source: docs/explanation/solver.md. The rounds are
// block principal pivoting (Júdice and Pires, 1994). If they do not converge, a parametric path
// follows, which cannot return (Cottle, Pang and Stone, The Linear Complementarity Problem, 1992).

namespace servosim {

struct SolverMemory;

/// Holds a row with bounds, and what belongs to it.
struct BoundedRow {
  Row* row = nullptr;
  BodyRow* body_row = nullptr;      // the same; null for a row of an axis
  const double* inertia = nullptr;  // what the row moves
  std::size_t node = 0;             // index of the node, of a row of an axis
  /// In the parametric rounds: a force and a residual that keep their bounds.
  double force = 0.0;
  double residual = 0.0;
};

/// Solves for the velocities after the step and the forces of all rows, each within its bounds. The
/// time of a round is linear in the number of nodes. There is one more round for each set of rows
/// that reach or leave a bound.
///
/// Threads: one at a time. Its memory belongs to the thread.
class TreeSolver {
 public:
  /// Says whether there is a solution, and how many rounds it took.
  struct Result {
    bool solved = false;  ///< within the limit of rounds, with finite numbers
    int rounds = 0;
  };
  using Trees = std::span<const std::span<TreeNode>>;

  /// `set` must be a set that the processor has. All sets give the same bits.
  explicit TreeSolver(LaneSet set = widest_lanes());

  /// Solves trees that `rows` connect, or one tree. In a tree, parents come before their children.
  /// Motions and forces do not depend on the states in which rows start, which save rounds; whether
  /// the rounds are enough may.
  Result solve(Trees trees, std::span<BodyRow> rows);
  /// Solves one tree without further rows.
  Result solve(std::span<TreeNode> tree);

 private:
  // These prepare a call.
  void order_nodes();
  void set_work();
  void prepare();
  void list_bounded();
  // Solves without friction (phase 0), or with it (phase 1). Adds to `rounds`; returns whether
  // there is a solution.
  bool solve_phase(std::size_t phase, int& rounds);
  // Sets the bounds of friction, and lets it take part.
  void bound_friction();
  // Moves rows to and from their bounds until all keep them.
  bool pivot(int& rounds);
  // Returns how many rows break their bounds, and by how much at most.
  std::size_t count_breaking(double& largest) const;
  // Returns whether a row on bodies is inside its bounds, so that a refinement is worth its time.
  bool has_rows_inside() const;
  // Returns whether the rows of the border satisfy their equations.
  bool border_holds() const;
  // Does a round. Returns false if the border has no finite solution.
  bool find_forces();
  // Folds the rows of joints whose states have changed.
  void fold_rows();
  // Sets rates and forces of the rows of joints from the results of the passes.
  template <typename Action>
  void set_forces_of_joints(Action of_directions);
  // Does a step of iterative refinement.
  void refine();
  // Must be called when the load or the inertia of a node has changed.
  void set_dirty(std::size_t index);
  void set_dirty(const BodyRow& row);
  // Gives the passes memory for the matrix and the ways to the root.
  void make_room_for_border();
  // Moves a row to another state, and marks what depends on it.
  void set_state(const BoundedRow& b, Row::State state) {
    if (b.row->state != state) {
      change_state(b, state);
    }
  }
  void change_state(const BoundedRow& b, Row::State state);
  // Moves most of the rows that break their bounds.
  void flip_many(double largest);
  // Begins a path of solutions of neighbouring problems, and moves one row along it.
  void begin_parametric();
  // Moves the next row on the path. Returns false at its end.
  bool flip_parametric();
  // Returns whether some row could as well be in another state.
  bool has_degenerate_rows() const;

  Trees trees_;
  std::span<BodyRow> rows_;
  Border border_;
  const SolverKernel& passes_;
  // These are valid during one call only.
  SolverMemory* memory_ = nullptr;
  std::span<BoundedRow> bounded_;
  SolverWork work_;
};

}  // namespace servosim
