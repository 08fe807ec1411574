// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/tree_solver.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "base/assert.h"
#include "base/per_thread.h"
#include "physics/tree/row_states.h"

// A call goes through these steps:
//
//     order nodes by depth → read → phase 0: pivot (rows without friction)
//     → bounds of friction from the normal forces → phase 1: pivot (all rows) → write
//
// pivot() repeats rounds: fold the rows of joints, solve the equations by the passes, share the
// forces among the rows, and move rows that break their bounds. When no row does, the solution is
// refined once.
//
// The parametric rounds follow a path of problems. With λ̂ and r̂, forces and residuals that keep
// their bounds, and λ and r, those of the round,
//
//     λ(s) = λ̂ + s·(λ − λ̂),    r(s) = r̂ + s·(r − r̂),    0 ≤ s ≤ 1
//
// At s = 1 is the problem itself. The path goes to the smallest s at which a row reaches its bound
// (λ) or 0 (r), changes the state of this row, and goes on from there. s never decreases, so no set
// of states comes twice.

namespace servosim {

// The memory of one thread. Nothing in it is kept from one call to the next. It stays as large as
// the largest island needed, some kilobytes per node, until the thread ends.
struct SolverMemory {
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  using Lines = std::vector<Line>;

  std::vector<std::span<TreeNode>> trees;  // in the order of their addresses
  std::vector<std::size_t> depths;         // by node in that order
  std::vector<std::size_t> ends;           // by depth: the next free index
  std::vector<TreeNode*> nodes;            // by index, as everything below
  std::vector<NodeOrder> order;
  std::vector<std::uint8_t> is_dirty;
  std::vector<AxisWork> axes;
  std::vector<DirectionRows> directions;
  std::vector<BoundedRow> bounded;
  Lines of_nodes;
  Lines of_laws;
  Lines of_rows;
  Lines of_stages;
};
namespace {

using State = Row::State;

constexpr std::size_t kMaxRounds = 200;  // plus four for each row with bounds
constexpr int kPatience = 8;             // rounds in which the number of rows may not fall
constexpr double kMaxResidual = 1e-7;    // relative, of rows in the border

PerThread<SolverMemory> solver_memory;

// Memory only grows, so most calls allocate nothing. Lines are aligned to 64 bytes, for registers.
void* room_for(std::size_t count, std::size_t size, SolverMemory::Lines& lines) {
  const std::size_t needed =
      (count * size + sizeof(SolverMemory::Line) - 1) / sizeof(SolverMemory::Line);
  if (lines.size() < needed) {
    lines.resize(needed);
  }
  return lines.data();
}

// Without AVX2, a register of two numbers gains nothing for vectors of three.
const SolverKernel& passes_of(LaneSet set) {
#if defined(__x86_64__)
  return set == LaneSet::Avx512 ? kAvx512Passes : set == LaneSet::Avx2 ? kAvx2Passes : kPlainPasses;
#else
  static_cast<void>(set);
  return kPlainPasses;
#endif
}

// Returns the residual of the rows inside their bounds together, with the weights of fold(): Σ
// r_i/c_i over Σ 1/c_i. A row without softness determines it alone.
double axis_residual(const AxisRows& rows) {
  double stiffness = 0.0;
  double sum = 0.0;
  for (const AxisRow& row : rows) {
    if (row.state != State::Inside) {
      continue;
    }
    // A hard row determines the rate.
    if (row.softness <= 0.0) {
      return -row.residual();
    }
    stiffness += 1.0 / row.softness;
    sum -= row.residual() / row.softness;
  }
  return stiffness > 0.0 ? sum / stiffness : 0.0;
}

// Sets what the refinement must give the rows of an axis.
void find_missing_of_axis(const AxisRows& rows, AxisWork& axis) {
  axis.missing = axis_residual(rows);
  axis.missing_force = -axis.axis_force;
  for (const AxisRow& row : rows) {
    axis.missing_force += row.force;
  }
}

// Returns by how much a row inside its bounds breaks them, in terms of the distance between them. A
// row with one bound is measured by a fixed distance.
double excess(const Row& row) {
  if (row.state != State::Inside) {
    return 0.0;
  }
  const double width = row.high - row.low;
  return std::max(row.low - row.force, row.force - row.high) / (width < kInfinity ? width : 10.0);
}

}  // namespace

TreeSolver::TreeSolver(LaneSet set) : passes_(passes_of(set)) {
  SERVOSIM_ASSERT(has_lanes(set), "set {}", static_cast<int>(set));
}

TreeSolver::Result TreeSolver::solve(std::span<TreeNode> tree) {
  return solve(Trees(&tree, 1), {});
}

// The first phase has no friction. Its normal forces give the bounds of the second.
TreeSolver::Result TreeSolver::solve(Trees trees, std::span<BodyRow> rows) {
  trees_ = trees;
  rows_ = rows;
  memory_ = &solver_memory.get();  // only once, since it is a function call
  prepare();
  Result result;
  result.solved = solve_phase(0, result.rounds);
  if (std::any_of(rows.begin(), rows.end(), [](const BodyRow& row) { return row.normal >= 0; })) {
    bound_friction();
    result.solved = result.solved && solve_phase(1, result.rounds);
  }
  passes_.write(work_);
  for (std::size_t i = 0; i < work_.count; ++i) {
    // Numbers that are not finite pass every comparison of bounds.
    const SpatialVector& motion = work_.nodes[i]->motion;
    result.solved = result.solved && is_finite(motion.linear) && is_finite(motion.angular);
  }
  return result;
}

// Sorts the nodes by their depth in the tree (a counting sort). So the passes alternate between
// branches, and the processor need not wait for one node before it begins the next. The children of
// a node stay in their order. Trees are taken by address, so that the result does not depend on the
// order in which they were collected.
void TreeSolver::order_nodes() {
  SolverMemory& memory = *memory_;
  memory.trees.assign(trees_.begin(), trees_.end());
  std::sort(memory.trees.begin(), memory.trees.end(),
            [](const auto& a, const auto& b) { return a.data() < b.data(); });
  std::size_t count = 0;
  for (const std::span<TreeNode> tree : memory.trees) {
    count += tree.size();
  }
  memory.depths.resize(count);
  memory.ends.clear();
  std::size_t* depth = memory.depths.data();
  for (const std::span<TreeNode> tree : memory.trees) {
    for (const TreeNode& n : tree) {
      SERVOSIM_ASSERT(n.above >= 0 && n.above <= &n - tree.data(), "a parent {} before", n.above);
      *depth = n.above > 0 ? *(depth - n.above) + 1 : 0;
      if (*depth == memory.ends.size()) {
        memory.ends.push_back(0);
      }
      ++memory.ends[*depth++];
    }
  }
  // The counts become the first index of each depth.
  std::exclusive_scan(memory.ends.begin(), memory.ends.end(), memory.ends.begin(), std::size_t{0});
  memory.nodes.resize(count);
  memory.order.resize(count);
  std::int32_t rank = 0;
  for (const std::span<TreeNode> tree : memory.trees) {
    for (TreeNode& n : tree) {
      // Nodes of equal depth are in the order of the trees.
      n.index = memory.ends[memory.depths[rank]]++;
      memory.nodes[n.index] = &n;
      memory.order[n.index] = {n.above > 0 ? static_cast<std::int32_t>((&n - n.above)->index) : -1,
                               rank++};
    }
  }
}

// All nodes are dirty, and no row is folded.
void TreeSolver::set_work() {
  SolverMemory& memory = *memory_;
  const std::size_t count = memory.nodes.size();
  memory.is_dirty.assign(count, 1);
  memory.axes.assign(count, {});
  const auto with_directions = static_cast<std::size_t>(
      std::count_if(memory.nodes.begin(), memory.nodes.end(),
                    [](const TreeNode* n) { return n->subspace != nullptr; }));
  if (memory.directions.size() < with_directions) {
    memory.directions.resize(with_directions);
  }
  DirectionRows* next = memory.directions.data();
  for (std::size_t i = 0; i < count; ++i) {
    if (memory.nodes[i]->subspace != nullptr) {
      memory.axes[i].directions = next;
      next++->begin(*memory.nodes[i]);
    }
  }
  work_ = {};
  work_.count = count;
  work_.nodes = memory.nodes.data();
  work_.order = memory.order.data();
  work_.is_dirty = memory.is_dirty.data();
  work_.axes = memory.axes.data();
  work_.row_count = rows_.size();
  work_.rows = rows_.data();
  work_.node_memory = room_for(count, passes_.node_size, memory.of_nodes);
  work_.law_memory = room_for(with_directions, passes_.law_size, memory.of_laws);
  work_.row_memory = room_for(rows_.size(), passes_.row_size, memory.of_rows);
}

// Lists the rows that have bounds, and moves all rows inside, except for friction, which is idle in
// the first phase. The list has room for every row that may have bounds in a later step, so that
// memory cannot run out then.
void TreeSolver::list_bounded() {
  std::vector<BoundedRow>& bounded = memory_->bounded;
  // Nodes have an axis or a subspace, so this is an upper bound.
  const std::size_t most = std::max(kMaxAxisRows, kMaxRowsOfAxes) * work_.count + rows_.size();
  if (bounded.size() < most) {
    bounded.resize(most);
  }
  BoundedRow* next = bounded.data();
  const auto add = [&next](Row& row, BodyRow* body_row, const double& inertia, std::size_t node) {
    next->row = &row;
    next->body_row = body_row;
    next->inertia = &inertia;
    next->node = node;
    ++next;
  };
  for (const std::span<TreeNode> tree : trees_) {
    for (TreeNode& n : tree) {
      for (AxisRow& row : n.rows) {
        row.state = State::Inside;
        if (row.is_bounded()) {
          add(row, nullptr, n.along_axis, n.index);
        }
      }
      if (n.subspace == nullptr) {
        continue;
      }
      for (AxesRows::OfDirection& row : n.subspace->rows) {
        row.state = State::Inside;
        if (row.is_bounded()) {
          add(row, nullptr, n.subspace->inertia[row.direction], n.index);
        }
      }
    }
  }
  for (BodyRow& row : rows_) {
    row.state = row.normal >= 0 || row.has_further_ends ? State::Idle : State::Inside;
    if (!row.has_further_ends && (row.normal >= 0 || row.is_bounded())) {
      add(row, &row, row.inertia, 0);
    }
  }
  bounded_ = {bounded.data(), next};
  SERVOSIM_ASSERT(bounded_.size() <= most, "{} rows of {}", bounded_.size(), most);
}

// The order matters: the passes read the nodes by index.
void TreeSolver::prepare() {
  order_nodes();
  set_work();
  list_bounded();
  for (BodyRow& row : rows_) {
    row.is_bordered = is_bordered(row);
  }
  SERVOSIM_ASSERT(std::all_of(rows_.begin(), rows_.end(),
                              [](const BodyRow& row) { return row.ends[0].node != nullptr; }),
                  "one of {} rows is on no body", rows_.size());
  passes_.read(work_);
}

// |λ_t| ≤ μ·λ_n, with the normal forces of the first phase.
void TreeSolver::bound_friction() {
  for (BodyRow& row : rows_) {
    if (row.normal >= 0) {
      const BodyRow& of_normal = rows_[row.normal];
      SERVOSIM_ASSERT(of_normal.normal < 0 && row.friction > 0.0, "friction {}", row.friction);
      const double normal = std::abs(of_normal.force);
      // A normal force that is 0 but for rounding must not give a bound.
      row.high =
          normal > kTolerance * std::min(1.0, of_normal.inertia) ? row.friction * normal : 0.0;
      row.low = -row.high;
    }
  }
}

// Everything between the node and its root depends on it. A dirty node has dirty ancestors, so the
// walk ends at the first one.
void TreeSolver::set_dirty(std::size_t index) {
  SERVOSIM_ASSERT(index < work_.count, "node {} of {}", index, work_.count);
  while (work_.is_dirty[index] == 0) {
    work_.is_dirty[index] = 1;
    if (const std::int32_t parent = work_.order[index].parent; parent >= 0) {
      index = static_cast<std::size_t>(parent);
    }
  }
}

// A row changes all bodies that it acts on.
void TreeSolver::set_dirty(const BodyRow& row) {
  for (const BodyRow& part : row.all_ends()) {
    for (const BodyRow::End& end : part.ends) {
      if (end.node != nullptr) {
        set_dirty(end.node->index);
      }
    }
  }
}

// A row on a body changes the load or the inertia of this body. A row of a joint changes what the
// joint passes on, but not M of its own node.
void TreeSolver::change_state(const BoundedRow& b, State state) {
  SERVOSIM_ASSERT(state == State::Idle || has_bound(*b.row, state), "state {}",
                  static_cast<int>(state));
  b.row->state = state;
  if (b.body_row != nullptr) {
    set_dirty(*b.body_row);
    return;
  }
  AxisWork& axis = work_.axes[b.node];
  axis.is_folded = false;
  if (axis.directions != nullptr) {
    axis.directions->note_change();
  }
  // Only the parent sees what the joint passes on.
  if (const std::int32_t parent = work_.order[b.node].parent; parent >= 0) {
    set_dirty(static_cast<std::size_t>(parent));
  }
}

// A start from the last step's states saves rounds in most steps.
bool TreeSolver::solve_phase(std::size_t phase, int& rounds) {
  bool all_inside_bounds = true;
  const auto takes_part = [phase](const BoundedRow& b) {
    return b.body_row == nullptr || b.body_row->normal < 0 || (phase > 0 && b.row->high > 0.0);
  };
  for (const BoundedRow& b : bounded_) {
    const bool is_inside = b.row->state == State::Inside;
    if (is_inside && b.row->first_state[phase] == State::Inside) {
      continue;  // as for most rows
    }
    if (takes_part(b)) {
      set_state(b, first_state(*b.row, phase));
      all_inside_bounds = all_inside_bounds && b.row->state == State::Inside;
    }
  }
  bool solved = pivot(rounds);
  if (!all_inside_bounds && (!solved || has_degenerate_rows())) {
    // Several sets of states may be solutions: take the one that a start from the inside finds.
    for (const BoundedRow& b : bounded_) {
      if (takes_part(b)) {
        set_state(b, State::Inside);
      }
    }
    solved = pivot(rounds);
  }
  for (const BoundedRow& b : bounded_) {
    b.row->first_state[phase] = b.row->state;
  }
  return solved;
}

// Only joints with a row that has changed its state are folded again.
void TreeSolver::fold_rows() {
  for (std::size_t i = 0; i < work_.count; ++i) {
    AxisWork& axis = work_.axes[i];
    if (axis.is_folded) {
      continue;
    }
    axis.is_folded = true;
    if (axis.directions != nullptr) {
      axis.directions->fold();
    } else if (has_axis(work_.nodes[i]->kind)) {
      axis.is_inside = fold(work_.nodes[i]->rows, axis.folded);
    }
  }
}

// `of_directions` does so for the rows of a ball or Hinge2.
template <typename Action>
void TreeSolver::set_forces_of_joints(Action of_directions) {
  for (std::size_t i = 0; i < work_.count; ++i) {
    AxisWork& axis = work_.axes[i];
    if (axis.directions != nullptr) {
      of_directions(*axis.directions);
    } else if (AxisRows& rows = work_.nodes[i]->rows; !rows.empty()) {
      distribute(axis.rate, axis.axis_force, rows);
    }
  }
}

// Rows of the border first count as forces of 0, which gives their rates. The border then gives
// their forces, and the trees are solved once more with them.
bool TreeSolver::find_forces() {
  border_.clear();
  for (BodyRow& row : rows_) {
    // Rows inside their bounds start without a force. Further ends get that of their row.
    if (!row.has_further_ends) {
      row.set_force(row.force_at_bound());
    }
    if (row.is_bordered && row.state == State::Inside) {
      border_.add(row);
      set_dirty(row);
    }
  }
  work_.bordered_count = 0;
  fold_rows();
  passes_.find_motions(work_);
  if (!border_.empty()) {
    make_room_for_border();
    if (!border_.solve(passes_, work_)) {
      return false;
    }
    for (const BodyRow* const row : border_.rows()) {
      set_dirty(*row);
    }
    passes_.find_motions(work_);
  }
  passes_.find_rates(work_);
  set_forces_of_joints([](DirectionRows& rows) { rows.set_forces(); });
  return true;
}

// A row has at most one stage for each node between its ends and the root.
void TreeSolver::make_room_for_border() {
  border_.set_work(work_);
  std::size_t stages = 0;
  for (const BodyRow* const row : border_.rows()) {
    for (const BodyRow& part : row->all_ends()) {
      for (const BodyRow::End& end : part.ends) {
        for (const TreeNode* n = end.node; n != nullptr;
             n = n->above > 0 ? n - n->above : nullptr) {
          ++stages;
        }
      }
    }
  }
  work_.stage_memory = room_for(stages, passes_.stage_size, memory_->of_stages);
}

// One step of iterative refinement. A stiff row that is part of a body's inertia gives a force that
// is the small difference of large numbers: digits are lost in proportion to 1/(c·m), with the
// inertias m around it. The residuals of the equations of bodies, joints and rows are computed with
// the forces as they are. The factors that exist already give the corrections, which are added.
void TreeSolver::refine() {
  for (std::size_t i = 0; i < work_.count; ++i) {
    AxisWork& axis = work_.axes[i];
    if (axis.directions != nullptr) {
      axis.directions->find_missing();
    } else if (has_axis(work_.nodes[i]->kind)) {
      find_missing_of_axis(work_.nodes[i]->rows, axis);
    }
  }
  passes_.find_corrections(work_);
  if (!border_.empty()) {
    border_.correct(passes_, work_);
  }
  passes_.add_corrections(work_);
  set_forces_of_joints([](DirectionRows& rows) { rows.correct_forces(); });
}

// Block principal pivoting: in each round, rows that break their bounds change their state. This
// can return to the same states. So, if the number of these rows does not fall for kPatience
// rounds, one row at a time is moved along a path that cannot return.
// With r, the residual, the moves are
//
//     Inside, λ < low  → AtLow         AtLow,  r < 0 → Inside
//     Inside, λ > high → AtHigh        AtHigh, r > 0 → Inside
//
// Idle rows never move.
bool TreeSolver::pivot(int& rounds) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  int patience = kPatience;
  bool is_parametric = false;
  // The parametric path moves one row in each round.
  const std::size_t most = kMaxRounds + 4 * bounded_.size();
  for (std::size_t round = 0; round < most; ++round) {
    ++rounds;
    if (!find_forces()) {
      return false;
    }
    double largest = 0.0;
    std::size_t breaking = count_breaking(largest);
    // Only a solution that holds is refined, since this costs as much as a round.
    if (breaking == 0 && has_rows_inside()) {
      refine();
      breaking = count_breaking(largest);
    }
    if (breaking == 0) {
      return border_holds();
    }
    if (!is_parametric) {
      // Progress restores the patience.
      patience = breaking < fewest ? kPatience : patience - 1;
      fewest = std::min(fewest, breaking);
      if (patience < 0) {
        is_parametric = true;
        begin_parametric();
      }
    }
    if (!is_parametric) {
      flip_many(largest);
    } else if (!flip_parametric()) {
      return true;
    }
  }
  return false;
}

// `largest` gets the largest excess().
std::size_t TreeSolver::count_breaking(double& largest) const {
  std::size_t breaking = 0;
  State to{};
  for (const BoundedRow& b : bounded_) {
    if (breaks_bounds(*b.row, *b.inertia, to)) {
      ++breaking;
      largest = std::max(largest, excess(*b.row));
    }
  }
  return breaking;
}

// Only such rows lose digits.
bool TreeSolver::has_rows_inside() const {
  return std::any_of(rows_.begin(), rows_.end(),
                     [](const BodyRow& row) { return row.state == State::Inside; });
}

// Redundant rows without softness leave the border without a solution; then their residuals stay.
bool TreeSolver::border_holds() const {
  return std::all_of(border_.rows().begin(), border_.rows().end(), [](const BodyRow* row) {
    return std::abs(row->residual()) <=
           kMaxResidual * (1.0 + std::abs(row->target) + std::abs(row->rate));
  });
}

// Moves all rows that break their bounds, except those that break them by much less than the worst
// one: these often hold after the others have moved.
void TreeSolver::flip_many(double largest) {
  for (const BoundedRow& b : bounded_) {
    State to{};
    if (breaks_bounds(*b.row, *b.inertia, to) &&
        (to == State::Inside || excess(*b.row) >= 0.2 * largest)) {
      set_state(b, to);
    }
  }
}

// Chooses, for each row, a force and a residual that keep their bounds: those of this round, moved
// within the bounds by different amounts. They are a solution of a problem with other targets and
// bounds. The amounts are pseudorandom, so that no two rows reach a bound at the same point of the
// path, and the same in each call.
void TreeSolver::begin_parametric() {
  std::uint32_t random = 12345;
  for (BoundedRow& b : bounded_) {
    random = random * 1664525u + 1013904223u;
    // Between 0.3 and 1, this is the share of its excess by which a row is moved inside its bound.
    const double share = 0.3 + 0.7 * (random >> 8) * (1.0 / 16777216.0);
    const Row& row = *b.row;
    b.force = row.force;
    b.residual = 0.0;
    if (row.state == State::Inside) {
      // No row is moved beyond the middle of its bounds.
      const double half = 0.5 * (row.high - row.low);
      if (row.force > row.high) {
        b.force = row.high - share * std::min(row.force - row.high, half);
      } else if (row.force < row.low) {
        b.force = row.low + share * std::min(row.low - row.force, half);
      }
    } else if (row.state != State::Idle) {
      const double sign = row.state == State::AtLow ? 1.0 : -1.0;
      // A residual with the right sign stays. Any other one gets the right sign, and a share of its
      // size.
      const double feasible = sign * row.residual();
      b.residual = sign * (feasible >= 0.0 ? feasible : -share * feasible);
    }
  }
}

// Goes from the solution of the neighbouring problem straight to that of this round, up to the
// first row that reaches the end of its range, and moves this row. Returns false if none does.
bool TreeSolver::flip_parametric() {
  double share = 1.0;
  BoundedRow* hit = nullptr;
  State to{};
  const auto reaches = [&](BoundedRow& b, double at, State then) {
    if (at < share) {
      share = at;
      hit = &b;
      to = then;
    }
  };
  for (BoundedRow& b : bounded_) {
    const Row& row = *b.row;
    if (row.state == State::Inside) {
      if (row.force > row.high) {
        reaches(b, (row.high - b.force) / (row.force - b.force), State::AtHigh);
      } else if (row.force < row.low) {
        reaches(b, (row.low - b.force) / (row.force - b.force), State::AtLow);
      }
    } else if (row.state != State::Idle) {
      const double end = row.residual();
      if (row.state == State::AtLow ? end < 0.0 : end > 0.0) {
        reaches(b, b.residual / (b.residual - end), State::Inside);
      }
    }
  }
  if (hit == nullptr) {
    return false;
  }
  // Rounding can put a row just beyond its end.
  share = std::max(share, 0.0);
  for (BoundedRow& b : bounded_) {
    if (b.row->state == State::Inside) {
      // The rows go along with the path.
      b.force += share * (b.row->force - b.force);
    } else {
      b.residual += share * (b.row->residual() - b.residual);
    }
  }
  SERVOSIM_ASSERT(share <= 1.0, "{} of the way", share);
  // The row is exactly at its bound.
  hit->residual = 0.0;
  hit->force = to == State::Inside  ? hit->row->force
               : to == State::AtLow ? hit->row->low
                                    : hit->row->high;
  set_state(*hit, to);
  return true;
}

bool TreeSolver::has_degenerate_rows() const {
  return std::any_of(bounded_.begin(), bounded_.end(),
                     [](const BoundedRow& b) { return is_degenerate(*b.row, *b.inertia); });
}

}  // namespace servosim
