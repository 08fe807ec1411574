// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/tree_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "physics/tree/elimination.h"
#include "physics/tree/free_directions.h"
#include "physics/tree/row_states.h"

namespace servosim {

namespace {

using State = Row::State;

constexpr std::size_t kMaxRounds = 200;  // and four for each row with bounds
constexpr int kPatience = 8;             // rounds without fewer rows that break their bounds
constexpr double kMaxResidual = 1e-7;    // of rows in the border, relative

void fold_rows(TreeNode& n) {
  if (n.kind == TreeNode::Kind::Rigid) {
    n.gain = n.push = n.axis_drift = 0.0;
    return;
  }
  FoldedRows<double> folded;
  const bool inside = fold(n.rows, folded);
  set_law(n, folded, inside);
}

// Of a joint with free directions.
void add_free_to_parent(TreeNode& n) {
  TreeNode& parent = *n.parent();
  const SpatialVector held = n.through * n.drift - n.through_bias;
  const SpatialVector force = n.free->transmitted(held, n.free->push().slip).force;
  const Vec3 arm = n.parent_arm - parent.arm;
  add(parent.articulated, seen_from(n.free->as_seen_by_parent(n), arm));
  parent.bias = parent.bias - force_from(force, arm);
}

const BodyRow::End& end_at(const BodyRow& row, const TreeNode& n) {
  return row.ends[row.ends[0].node == &n ? 0 : 1];
}

// The rows at a body: soft ones within their bounds are part of its inertia, the others forces.
void add_rows(TreeNode& n) {
  for (const BodyRow* row = n.first_row; row != nullptr; row = end_at(*row, n).next) {
    const SpatialVector& jacobian = end_at(*row, n).jacobian;
    double force = row->force;
    if (row->is_part_of_inertia()) {
      const double stiffness = 1.0 / row->softness;
      n.articulated = minus_outer(n.articulated, -stiffness, jacobian);
      force = stiffness * row->target;
    }
    if (force != 0.0) {
      n.bias = n.bias + force * jacobian;
    }
  }
}

// From the leaves to the roots: M and g of the nodes that are dirty.
void eliminate_tree(std::span<TreeNode> tree) {
  for (TreeNode& n : tree) {
    if (n.is_dirty) {
      n.articulated = n.own_inertia;
      n.bias = n.own_load;
      if (n.first_row != nullptr) {
        add_rows(n);
      }
    }
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    TreeNode& n = tree[i];
    if (n.kind == TreeNode::Kind::Free) {
      if (n.is_dirty) {
        factor_free(n);
      }
      continue;
    }
    if (n.is_dirty) {
      eliminate_joint(n);
      if (n.free != nullptr) {
        n.free->eliminate(n);
      }
    }
    if (n.parent() == nullptr || n.parent()->is_dirty) {
      n.free != nullptr ? n.free->fold() : fold_rows(n);
      if (n.parent() != nullptr) {
        n.free != nullptr ? add_free_to_parent(n) : add_to_parent(n);
      }
    }
  }
  for (TreeNode& n : tree) {
    n.is_dirty = false;
  }
}

// The motion of a body whose joint has free directions, and the forces of that.
void find_free_motion(TreeNode& n) {
  const SpatialVector parent = parent_motion(n);
  const SpatialVector wanted = parent + n.drift;
  const SpatialVector held = n.through * wanted - n.through_bias;
  const Response by_joint = response(n, held, wanted, 0.0, n.free->push().slip);
  n.force = by_joint.force;
  n.anchor_motion = by_joint.motion;
  n.free->set_forces(held, n.anchor_motion - parent);
}

// From the roots to the leaves: motions, and the forces of joints and rows.
void find_motions_of(std::span<TreeNode> tree) {
  for (TreeNode& n : tree) {
    if (n.kind == TreeNode::Kind::Free) {
      n.anchor_motion = free_motion(n, n.bias);
      continue;
    }
    if (n.free != nullptr) {
      find_free_motion(n);
      continue;
    }
    find_motion(n);
    set_axis_forces(n);
  }
}

// Marks what a change of a node's load or inertia changes.
void set_dirty(TreeNode* n) {
  for (; n != nullptr && !n->is_dirty; n = n->parent()) {
    n->is_dirty = true;
  }
}

void set_dirty(const BodyRow& row) {
  set_dirty(row.ends[0].node);
  set_dirty(row.ends[1].node);
}

void set_rate(BodyRow& row) {
  row.rate = 0.0;
  for (const BodyRow::End& end : row.ends) {
    if (end.node != nullptr) {
      row.rate += dot(end.jacobian, end.node->anchor_motion);
    }
  }
}

// By how much, for a row inside its bounds, in terms of the distance between them.
double excess(const Row& row) {
  if (row.state != State::Inside) {
    return 0.0;
  }
  const double width = row.high - row.low;
  return std::max(row.low - row.force, row.force - row.high) / (width < kInfinity ? width : 10.0);
}

}  // namespace

void set_axis_forces(TreeNode& n) {
  if (!n.rows.empty()) {
    distribute(part_along_axis(n, n.anchor_motion - parent_motion(n)), part_along_axis(n, n.force),
               n.rows);
  }
}

TreeSolver::Result TreeSolver::solve(std::span<TreeNode> tree) {
  return solve(Trees(&tree, 1), {});
}

TreeSolver::Result TreeSolver::solve(Trees trees, std::span<BodyRow> rows) {
  trees_ = trees;
  rows_ = rows;
  prepare();
  Result result;
  result.solved = solve_phase(0, result.rounds);
  if (std::any_of(rows.begin(), rows.end(), [](const BodyRow& row) { return row.normal >= 0; })) {
    bound_friction();
    result.solved = result.solved && solve_phase(1, result.rounds);
  }
  for (const std::span<TreeNode> tree : trees) {
    for (TreeNode& n : tree) {
      set_motion_of_center(n);
      result.solved = result.solved && is_finite(n.motion.linear) && is_finite(n.motion.angular);
    }
  }
  return result;
}

void TreeSolver::prepare() {
  bounded_.clear();
  for (const std::span<TreeNode> tree : trees_) {
    for (TreeNode& n : tree) {
      SERVOSIM_ASSERT(n.above >= 0 && n.above <= &n - tree.data(), "a parent {} before", n.above);
      set_own(n, n.own_inertia, n.own_load);
      n.first_row = nullptr;
      n.is_dirty = true;
      for (AxisRow& row : n.rows) {
        row.state = State::Inside;
        if (row.is_bounded()) {
          bounded_.push_back({&row, &n, nullptr, &n.along_axis});
        }
      }
      if (n.free != nullptr) {
        for (AxesRows::OfDirection& row : n.free->rows) {
          row.state = State::Inside;
          if (row.is_bounded()) {
            bounded_.push_back({&row, &n, nullptr, &n.free->inertia(row.direction)});
          }
        }
      }
    }
  }
  for (std::size_t i = rows_.size(); i-- > 0;) {  // so that each list has them in their order
    BodyRow& row = rows_[i];
    for (BodyRow::End& end : row.ends) {
      if (end.node != nullptr) {
        end.next = end.node->first_row;
        end.node->first_row = &row;
      }
    }
    row.is_bordered = is_bordered(row);
  }
  for (BodyRow& row : rows_) {
    row.state = row.normal >= 0 ? State::Idle : State::Inside;
    if (row.normal >= 0 || row.is_bounded()) {
      bounded_.push_back({&row, nullptr, &row, &row.inertia});
    }
  }
}

// With the forces that the first phase has found.
void TreeSolver::bound_friction() {
  for (BodyRow& row : rows_) {
    if (row.normal >= 0) {
      const BodyRow& of_normal = rows_[row.normal];
      const double normal = std::abs(of_normal.force);
      // Not infinite for a force that is 0 but for rounding.
      row.high =
          normal > kTolerance * std::min(1.0, of_normal.inertia) ? row.friction * normal : 0.0;
      row.low = -row.high;
    }
  }
}

void TreeSolver::set_state(const Bounded& b, State state) {
  if (b.row->state == state) {
    return;
  }
  b.row->state = state;
  if (b.body_row != nullptr) {
    set_dirty(*b.body_row);
  } else {
    if (b.node->free != nullptr) {
      b.node->free->note_change();
    }
    set_dirty(b.node->parent());
  }
}

bool TreeSolver::solve_phase(std::size_t phase, int& rounds) {
  bool is_cold = true;
  const auto takes_part = [phase](const Bounded& b) {
    return b.body_row == nullptr || b.body_row->normal < 0 || (phase > 0 && b.row->high > 0.0);
  };
  for (const Bounded& b : bounded_) {
    if (takes_part(b)) {
      set_state(b, first_state(*b.row, phase));
      is_cold = is_cold && b.row->state == State::Inside;
    }
  }
  bool solved = pivot(rounds);
  if (!is_cold && (!solved || has_degenerate_rows())) {
    // More than one set of rows at bounds may do: take the one that a cold start finds.
    for (const Bounded& b : bounded_) {
      if (takes_part(b)) {
        set_state(b, State::Inside);
      }
    }
    solved = pivot(rounds);
  }
  for (const Bounded& b : bounded_) {
    b.row->first_state[phase] = b.row->state;
  }
  return solved;
}

// Motions and forces with the rows in their states.
bool TreeSolver::find_forces() {
  border_.clear();
  for (BodyRow& row : rows_) {
    row.force = row.force_at_bound();
    if (row.is_bordered && row.state == State::Inside) {
      border_.add(row);
      set_dirty(row);
    }
  }
  find_motions();
  if (!border_.empty()) {
    for (BodyRow* const row : border_.rows()) {
      set_rate(*row);
    }
    if (!border_.solve()) {
      return false;
    }
    for (const BodyRow* const row : border_.rows()) {
      set_dirty(*row);
    }
    find_motions();
  }
  for (BodyRow& row : rows_) {
    set_rate(row);
    if (row.is_part_of_inertia()) {
      row.force = (row.target - row.rate) / row.softness;
    }
  }
  return true;
}

void TreeSolver::find_motions() {
  for (const std::span<TreeNode> tree : trees_) {
    eliminate_tree(tree);
    find_motions_of(tree);
  }
}

// Block principal pivoting. When the number of rows that break their bounds does not fall for some
// rounds, one row at a time, along a path that cannot return.
bool TreeSolver::pivot(int& rounds) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  int patience = kPatience;
  bool is_parametric = false;
  const std::size_t most = kMaxRounds + 4 * bounded_.size();
  for (std::size_t round = 0; round < most; ++round) {
    ++rounds;
    if (!find_forces()) {
      return false;
    }
    double largest = 0.0;
    std::size_t breaking = count_breaking(largest);
    if (breaking == 0 && has_rows_inside()) {
      refinement_.run(trees_, rows_, border_);
      breaking = count_breaking(largest);
    }
    if (breaking == 0) {
      return border_holds();
    }
    if (!is_parametric) {
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

// The rows that break their bounds; `largest`: the most by which they do.
std::size_t TreeSolver::count_breaking(double& largest) const {
  std::size_t breaking = 0;
  State to{};
  for (const Bounded& b : bounded_) {
    if (breaks_bounds(*b.row, *b.inertia, to)) {
      ++breaking;
      largest = std::max(largest, excess(*b.row));
    }
  }
  return breaking;
}

bool TreeSolver::has_rows_inside() const {
  return std::any_of(rows_.begin(), rows_.end(),
                     [](const BodyRow& row) { return row.state == State::Inside; });
}

// Rows that say the same without softness leave the border without a solution.
bool TreeSolver::border_holds() const {
  return std::all_of(border_.rows().begin(), border_.rows().end(), [](const BodyRow* row) {
    return std::abs(row->residual()) <=
           kMaxResidual * (1.0 + std::abs(row->target) + std::abs(row->rate));
  });
}

// All but those that break their bounds by little, compared with the worst.
void TreeSolver::flip_many(double largest) {
  for (const Bounded& b : bounded_) {
    State to{};
    if (breaks_bounds(*b.row, *b.inertia, to) &&
        (to == State::Inside || excess(*b.row) >= 0.2 * largest)) {
      set_state(b, to);
    }
  }
}

// A force and a residual for each row that would be a solution if its target and bounds were
// others: that of this round, moved within the bounds by different amounts.
void TreeSolver::begin_parametric() {
  std::uint32_t random = 12345;
  for (Bounded& b : bounded_) {
    random = random * 1664525u + 1013904223u;
    const double share = 0.3 + 0.7 * (random >> 8) * (1.0 / 16777216.0);
    const Row& row = *b.row;
    b.force = row.force;
    b.residual = 0.0;
    if (row.state == State::Inside) {
      const double half = 0.5 * (row.high - row.low);
      if (row.force > row.high) {
        b.force = row.high - share * std::min(row.force - row.high, half);
      } else if (row.force < row.low) {
        b.force = row.low + share * std::min(row.low - row.force, half);
      }
    } else if (row.state != State::Idle) {
      const double sign = row.state == State::AtLow ? 1.0 : -1.0;
      const double feasible = sign * row.residual();
      b.residual = sign * (feasible >= 0.0 ? feasible : -share * feasible);
    }
  }
}

// From that solution straight to the one of this round, up to the first row that reaches the end of
// its range, which is flipped. False: none does.
bool TreeSolver::flip_parametric() {
  double share = 1.0;
  Bounded* hit = nullptr;
  State to{};
  const auto reaches = [&](Bounded& b, double at, State then) {
    if (at < share) {
      share = at;
      hit = &b;
      to = then;
    }
  };
  for (Bounded& b : bounded_) {
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
  share = std::max(share, 0.0);
  for (Bounded& b : bounded_) {
    if (b.row->state == State::Inside) {
      b.force += share * (b.row->force - b.force);
    } else {
      b.residual += share * (b.row->residual() - b.residual);
    }
  }
  hit->residual = 0.0;
  hit->force = to == State::Inside  ? hit->row->force
               : to == State::AtLow ? hit->row->low
                                    : hit->row->high;
  set_state(*hit, to);
  return true;
}

// Whether a row could as well be on the other side of its bound.
bool TreeSolver::has_degenerate_rows() const {
  return std::any_of(bounded_.begin(), bounded_.end(),
                     [](const Bounded& b) { return is_degenerate(*b.row, *b.inertia); });
}

}  // namespace servosim
