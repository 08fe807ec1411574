// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/tree_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.h"

namespace servosim {

namespace {

using State = AxisRow::State;

constexpr std::size_t kMaxRounds = 200;  // and four for each row with bounds
constexpr int kPatience = 8;             // rounds without fewer rows that break their bounds
constexpr double kTolerance = 1e-10;     // of bounds, relative
constexpr double kDegenerate = 1e-7;     // likewise: nearer to both sides of a bound than this

double part_along_axis(const TreeNode& n, const SpatialVector& v) {
  return n.kind == TreeNode::Kind::Hinge    ? dot(n.axis, v.angular)
         : n.kind == TreeNode::Kind::Slider ? dot(n.axis, v.linear)
                                            : 0.0;
}

void add_along_axis(const TreeNode& n, double s, SpatialVector& v) {
  if (n.kind == TreeNode::Kind::Hinge) {
    v.angular = v.angular + s * n.axis;
  } else if (n.kind == TreeNode::Kind::Slider) {
    v.linear = v.linear + s * n.axis;
  }
}

SpatialVector weakened(const TreeNode& n, const SpatialVector& force) {  // C·w
  return {n.linear_softness * force.linear, n.angular_softness * force.angular};
}

// The body's own mass, seen from its anchor.
void set_own(TreeNode& n) {
  const Vec3& a = n.arm;
  const double m = n.mass;
  const Vec3 ma = m * a;
  n.own_inertia.a = {m, 0.0, 0.0, m, 0.0, m};
  n.own_inertia.b = {{0.0, -ma.z, ma.y, ma.z, 0.0, -ma.x, -ma.y, ma.x, 0.0}};
  const double xx = ma.x * a.x;
  const double yy = ma.y * a.y;
  const double zz = ma.z * a.z;
  n.own_inertia.d = {n.inertia.xx + yy + zz, n.inertia.xy - ma.x * a.y, n.inertia.xz - ma.x * a.z,
                     n.inertia.yy + xx + zz, n.inertia.yz - ma.y * a.z, n.inertia.zz + xx + yy};
  n.own_load = {n.load.linear, n.load.angular - cross(a, n.load.linear)};
}

// N₀ and x from M and g, n and α from N₀. Two inversions of 3×3 matrices; nothing cancels as the
// softness goes to 0.
void eliminate(TreeNode& n) {
  const double cl = n.linear_softness;
  const double ca = n.angular_softness;
  const SpatialMatrix& m = n.articulated;
  const SymMat3 p = inverse(one_plus(cl, m.a));
  const SymMat3 a1 = symmetric_product(p, m.a);
  const Mat3 b1 = p * m.b;
  const SymMat3 d1 = m.d - cl * symmetric_product_of_transposed(m.b, b1);
  const SymMat3 q = inverse(one_plus(ca, d1));
  n.through.d = symmetric_product(q, d1);
  n.through.b = b1 * q;
  n.through.a = a1 - ca * symmetric_product_with_transposed(n.through.b, b1);
  const Vec3 angular = n.bias.angular - cl * transposed_times(b1, n.bias.linear);
  n.through_bias = {p * n.bias.linear - ca * (n.through.b * angular), q * angular};
  if (n.kind == TreeNode::Kind::Hinge) {
    n.on_axis = {n.through.b * n.axis, n.through.d * n.axis};
  } else if (n.kind == TreeNode::Kind::Slider) {
    n.on_axis = {n.through.a * n.axis, transposed_times(n.through.b, n.axis)};
  }
  n.along_axis = part_along_axis(n, n.on_axis);
}

// A body without a joint: t = M⁻¹·g.
void solve_free(TreeNode& n) {
  const SpatialMatrix& m = n.articulated;
  const SymMat3 inverse_a = inverse(m.a);
  const Mat3 b1 = inverse_a * m.b;
  const SymMat3 rest = inverse(m.d - symmetric_product_of_transposed(m.b, b1));
  const Vec3 angular = rest * (n.bias.angular - transposed_times(b1, n.bias.linear));
  n.anchor_motion = {inverse_a * n.bias.linear - b1 * angular, angular};
}

// Folds the rows of the axis: those inside their bounds into one of softness c_e and target d_e,
// those at a bound into a force φ. Then η and κ, with γ = c_e − c.
void fold_rows(TreeNode& n) {
  if (n.kind == TreeNode::Kind::Rigid) {
    n.gain = n.push = n.axis_drift = 0.0;
    return;
  }
  double stiffness = 0.0;
  double pull = 0.0;
  double force = 0.0;
  int inside = 0;
  const AxisRow* stiffest = nullptr;
  for (const AxisRow& row : n.rows) {
    if (row.state == State::Inside) {
      ++inside;
      stiffest = stiffest == nullptr || row.softness < stiffest->softness ? &row : stiffest;
      stiffness += 1.0 / row.softness;
      pull += row.target / row.softness;
    } else {
      force += row.state == State::AtLow ? row.low : row.high;
    }
  }
  if (inside == 0) {
    n.gain = 1.0 / n.along_axis;
    n.push = force / n.along_axis;
    n.axis_drift = 0.0;
    return;
  }
  const bool one = inside == 1 || stiffest->softness <= 0.0;
  const double softness = one ? stiffest->softness : 1.0 / stiffness;
  n.axis_drift = one ? stiffest->target : pull / stiffness;
  const double c = n.kind == TreeNode::Kind::Slider ? n.linear_softness : n.angular_softness;
  const double share = 1.0 / (1.0 + (softness - c) * n.along_axis);
  n.gain = (softness - c) * share;
  n.push = force * softness * share;
}

// What a node and all that hangs on it are to its parent.
void add_to_parent(const TreeNode& n, TreeNode& parent) {
  SpatialVector drift = n.drift;
  add_along_axis(n, n.axis_drift, drift);
  const SpatialVector held = n.through * drift - n.through_bias;
  const SpatialVector force =
      held + (n.push - n.gain * part_along_axis(n, held)) * n.on_axis;  // parent at rest
  const Vec3 arm = n.parent_arm - parent.arm;
  add(parent.articulated,
      seen_from(n.gain == 0.0 ? n.through : minus_outer(n.through, n.gain, n.on_axis), arm));
  parent.bias = parent.bias - force_from(force, arm);
}

// From the leaves to the roots: M and g of the nodes that are dirty.
void eliminate_tree(std::span<TreeNode> tree) {
  for (TreeNode& n : tree) {
    if (n.is_dirty) {
      n.articulated = n.own_inertia;
      n.bias = n.own_load;
    }
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    TreeNode& n = tree[i];
    if (n.kind == TreeNode::Kind::Free) {
      if (n.is_dirty) {
        solve_free(n);
      }
      continue;
    }
    if (n.is_dirty) {
      eliminate(n);
    }
    TreeNode* const parent = n.parent >= 0 ? &tree[n.parent] : nullptr;
    if (parent == nullptr || parent->is_dirty) {
      fold_rows(n);
      if (parent != nullptr) {
        add_to_parent(n, *parent);
      }
    }
  }
}

// The force of each row; `force`: of the joint along the axis.
void set_row_forces(TreeNode& n, double force, double rate) {
  AxisRow* stiffest = nullptr;
  for (AxisRow& row : n.rows) {
    row.rate = rate;
    if (row.state == State::Inside && (stiffest == nullptr || row.softness < stiffest->softness)) {
      stiffest = &row;
    }
  }
  double rest = force;
  for (AxisRow& row : n.rows) {
    if (&row != stiffest) {
      row.force = row.state == State::Inside  ? (row.target - rate) / row.softness
                  : row.state == State::AtLow ? row.low
                                              : row.high;
      rest -= row.force;
    }
  }
  if (stiffest != nullptr) {
    stiffest->force = rest;
  }
}

// From the roots to the leaves: motions, and the forces of joints and rows.
void find_motions(std::span<TreeNode> tree) {
  for (TreeNode& n : tree) {
    if (n.kind == TreeNode::Kind::Free) {
      continue;
    }
    SpatialVector parent_motion;
    if (n.parent >= 0) {
      const TreeNode& parent = tree[n.parent];
      parent_motion = motion_at(parent.anchor_motion, n.parent_arm - parent.arm);
    }
    SpatialVector wanted = parent_motion + n.drift;
    add_along_axis(n, n.axis_drift, wanted);
    const SpatialVector held = n.through * wanted - n.through_bias;
    const double slip = n.push - n.gain * part_along_axis(n, held);
    n.force = held + slip * n.on_axis;
    n.anchor_motion = wanted - weakened(n, n.force);
    add_along_axis(n, slip, n.anchor_motion);
    if (!n.rows.empty()) {
      set_row_forces(n, part_along_axis(n, n.force),
                     part_along_axis(n, n.anchor_motion - parent_motion));
    }
  }
}

// Marks what a change of the rows between a node and its parent changes.
void set_dirty(std::span<TreeNode> tree, const TreeNode& n) {
  for (int i = n.parent; i >= 0 && !tree[i].is_dirty; i = tree[i].parent) {
    tree[i].is_dirty = true;
  }
}

double residual(const AxisRow& row) { return row.rate + row.softness * row.force - row.target; }

// Where the row has to go, if it breaks its bounds. `inertia`: what it moves, since little forces
// matter to little bodies.
bool breaks_bounds(const AxisRow& row, double inertia, State& to) {
  if (row.state == State::Inside) {
    const double tolerance = kTolerance * (std::min(1.0, inertia) + std::abs(row.force));
    to = row.force < row.low - tolerance ? State::AtLow : State::AtHigh;
    return to == State::AtLow || row.force > row.high + tolerance;
  }
  to = State::Inside;
  const double tolerance = kTolerance * (1.0 + std::abs(row.target) + std::abs(row.rate));
  return row.state == State::AtLow ? residual(row) < -tolerance : residual(row) > tolerance;
}

// By how much, for a row inside its bounds, in terms of the distance between them.
double excess(const AxisRow& row) {
  if (row.state != State::Inside) {
    return 0.0;
  }
  const double width = row.high - row.low;
  return std::max(row.low - row.force, row.force - row.high) / (width < kInfinity ? width : 10.0);
}

}  // namespace

TreeSolver::Result TreeSolver::solve(std::span<TreeNode> tree) {
  tree_ = tree;
  bounded_.clear();
  bool is_cold = true;
  for (TreeNode& n : tree) {
    SERVOSIM_ASSERT(n.parent < &n - tree.data(), "node {} below {}", &n - tree.data(), n.parent);
    set_own(n);
    for (AxisRow& row : n.rows) {
      const bool has_bound = row.state == State::AtLow    ? row.low > -kInfinity
                             : row.state == State::AtHigh ? row.high < kInfinity
                                                          : true;
      row.state = has_bound ? row.state : State::Inside;
      if (row.is_bounded()) {
        bounded_.push_back({&row, &n});
        is_cold = is_cold && row.state == State::Inside;
      }
    }
  }
  Result result;
  result.solved = pivot(tree, result.rounds);
  if (!is_cold && (!result.solved || is_degenerate())) {
    // More than one set of rows at bounds may do: take the one that a cold start finds.
    for (const Bounded& b : bounded_) {
      b.row->state = State::Inside;
    }
    result.solved = pivot(tree, result.rounds);
  }
  for (TreeNode& n : tree) {
    const SpatialVector& t = n.anchor_motion;
    n.motion = {t.linear - cross(t.angular, n.arm), t.angular};
    result.solved = result.solved && is_finite(n.motion.linear) && is_finite(n.motion.angular);
  }
  return result;
}

// Block principal pivoting. When the number of rows that break their bounds does not fall for some
// rounds, one row at a time, along a path that cannot return.
bool TreeSolver::pivot(std::span<TreeNode> tree, int& rounds) {
  for (TreeNode& n : tree) {
    n.is_dirty = true;
  }
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  int patience = kPatience;
  bool is_parametric = false;
  const std::size_t most = kMaxRounds + 4 * bounded_.size();
  for (std::size_t round = 0; round < most; ++round, ++rounds) {
    eliminate_tree(tree);
    find_motions(tree);
    std::size_t breaking = 0;
    double largest = 0.0;
    State to{};
    for (const Bounded& b : bounded_) {
      if (breaks_bounds(*b.row, b.node->along_axis, to)) {
        ++breaking;
        largest = std::max(largest, excess(*b.row));
      }
    }
    if (breaking == 0) {
      ++rounds;
      return true;
    }
    for (TreeNode& n : tree) {
      n.is_dirty = false;
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
      ++rounds;
      return true;
    }
  }
  return false;
}

// All but those that break their bounds by little, compared with the worst.
void TreeSolver::flip_many(double largest) {
  for (const Bounded& b : bounded_) {
    State to{};
    if (breaks_bounds(*b.row, b.node->along_axis, to) &&
        (to == State::Inside || excess(*b.row) >= 0.2 * largest)) {
      b.row->state = to;
      set_dirty(tree_, *b.node);
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
    const AxisRow& row = *b.row;
    b.force = row.force;
    b.residual = 0.0;
    if (row.state == State::Inside) {
      const double half = 0.5 * (row.high - row.low);
      if (row.force > row.high) {
        b.force = row.high - share * std::min(row.force - row.high, half);
      } else if (row.force < row.low) {
        b.force = row.low + share * std::min(row.low - row.force, half);
      }
    } else {
      const double sign = row.state == State::AtLow ? 1.0 : -1.0;
      const double feasible = sign * residual(row);
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
    const AxisRow& row = *b.row;
    if (row.state != State::Inside) {
      const double end = residual(row);
      if (row.state == State::AtLow ? end < 0.0 : end > 0.0) {
        reaches(b, b.residual / (b.residual - end), State::Inside);
      }
    } else if (row.force > row.high) {
      reaches(b, (row.high - b.force) / (row.force - b.force), State::AtHigh);
    } else if (row.force < row.low) {
      reaches(b, (row.low - b.force) / (row.force - b.force), State::AtLow);
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
      b.residual += share * (residual(*b.row) - b.residual);
    }
  }
  hit->residual = 0.0;
  hit->force = to == State::Inside  ? hit->row->force
               : to == State::AtLow ? hit->row->low
                                    : hit->row->high;
  hit->row->state = to;
  set_dirty(tree_, *hit->node);
  return true;
}

// Whether a row could as well be on the other side of its bound.
bool TreeSolver::is_degenerate() const {
  return std::any_of(bounded_.begin(), bounded_.end(), [](const Bounded& b) {
    const AxisRow& row = *b.row;
    if (row.state == State::Inside) {
      return std::min(row.force - row.low, row.high - row.force) <
             kDegenerate * (std::min(1.0, b.node->along_axis) + std::abs(row.force));
    }
    return std::abs(residual(row)) <
           kDegenerate * (1.0 + std::abs(row.target) + std::abs(row.rate));
  });
}

}  // namespace servosim
