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

namespace servosim {

struct SolverMemory;

/// A row with bounds, and what belongs to it.
struct BoundedRow {
  Row* row = nullptr;
  BodyRow* body_row = nullptr;      // that one, unless it is of an axis
  const double* inertia = nullptr;  // that the row moves
  std::size_t node = 0;             // index; of an axis
  // In the parametric rounds, a force and a residual that keep their bounds.
  double force = 0.0;
  double residual = 0.0;
};

/// Solves the system that ODE's dWorldStep builds for trees of bodies and further rows on them: the
/// velocities after the step, and the forces of all rows, each within its bounds. Linear in the
/// number of nodes for each round; there is one round more for each set of rows that reach or leave
/// a bound.
///
/// Threads: one at a time.
class TreeSolver {
 public:
  struct Result {
    bool solved = false;  ///< false: not within the limit of rounds, or not with finite numbers
    int rounds = 0;
  };
  using Trees = std::span<const std::span<TreeNode>>;

  /// All sets give the same bits.
  explicit TreeSolver(LaneSet set = widest_lanes());

  /// Trees that `rows` connect, or one; parents come before their children. The result does not
  /// depend on the states in which rows start, which only save rounds.
  Result solve(Trees trees, std::span<BodyRow> rows);
  /// One tree without further rows.
  Result solve(std::span<TreeNode> tree);

 private:
  void order_nodes();
  void set_work();
  void prepare();
  void list_bounded();
  bool solve_phase(std::size_t phase, int& rounds);
  void bound_friction();
  bool pivot(int& rounds);
  std::size_t count_breaking(double& largest) const;
  bool has_rows_inside() const;
  bool border_holds() const;
  bool find_forces();
  void fold_rows();
  template <typename Action>
  void set_forces_of_joints(Action of_directions);
  void refine();
  void set_dirty(std::size_t index);
  void set_dirty(const BodyRow& row);
  void make_room_for_border();
  void set_state(const BoundedRow& b, Row::State state) {
    if (b.row->state != state) {
      change_state(b, state);
    }
  }
  void change_state(const BoundedRow& b, Row::State state);
  void flip_many(double largest);
  void begin_parametric();
  bool flip_parametric();
  bool has_degenerate_rows() const;

  Trees trees_;
  std::span<BodyRow> rows_;
  Border border_;
  const SolverKernel& passes_;
  // Used in one call only.
  SolverMemory* memory_ = nullptr;
  std::span<BoundedRow> bounded_;
  SolverWork work_;
};

}  // namespace servosim
