// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/refinement.h"

#include <algorithm>

#include "physics/tree/free_directions.h"

namespace servosim {

namespace {

using State = Row::State;

// Of the rows within their bounds, as fold_rows() weighs them.
double axis_residual(const AxisRows& rows) {
  double stiffness = 0.0;
  double sum = 0.0;
  for (const AxisRow& row : rows) {
    if (row.state != State::Inside) {
      continue;
    }
    if (row.softness <= 0.0) {
      return -row.residual();
    }
    stiffness += 1.0 / row.softness;
    sum -= row.residual() / row.softness;
  }
  return stiffness > 0.0 ? sum / stiffness : 0.0;
}

Vec3 slip_of(const TreeNode& n) { return n.free != nullptr ? n.free->correction.slip : Vec3{}; }

}  // namespace

void Refinement::run(std::span<const std::span<TreeNode>> trees, std::span<BodyRow> rows,
                     Border& border) {
  first_ = trees.front().data();
  std::size_t end = 0;
  for (const std::span<TreeNode> tree : trees) {
    first_ = std::min<const TreeNode*>(first_, tree.data());
  }
  for (const std::span<TreeNode> tree : trees) {
    end = std::max<std::size_t>(end, tree.data() + tree.size() - first_);
  }
  corrections_.resize(std::max(corrections_.size(), end));
  for (const std::span<TreeNode> tree : trees) {
    find_missing(tree);
  }
  add_rows(rows);
  solve(trees);
  if (!border.empty()) {
    border.correct([this](const BodyRow& row) { return -row.residual() - rate_of(row); });
    for (std::size_t i = 0; i < border.rows().size(); ++i) {
      for (const BodyRow::End& e : border.rows()[i]->ends) {
        if (e.node != nullptr) {
          of(*e.node).missing = of(*e.node).missing + border.corrections()[i] * e.jacobian;
        }
      }
    }
    solve(trees);
    for (std::size_t i = 0; i < border.rows().size(); ++i) {
      border.rows()[i]->force += border.corrections()[i];
    }
  }
  for (BodyRow& row : rows) {
    const double change = rate_of(row);
    if (row.is_part_of_inertia()) {
      row.force -= (row.residual() + change) / row.softness;
    }
    row.rate += change;
  }
  for (const std::span<TreeNode> tree : trees) {
    for (TreeNode& n : tree) {
      n.anchor_motion = n.anchor_motion + of(n).motion;
      if (n.kind != TreeNode::Kind::Free) {
        n.force = n.force + of(n).force;
        n.free != nullptr ? add_to_free_forces(n) : set_axis_forces(n);
      }
    }
  }
}

// After the motions, in the order of the tree.
void Refinement::add_to_free_forces(TreeNode& n) {
  n.free->correct_forces(of(n).held, n.free->correction, n.anchor_motion - parent_motion(n));
}

void Refinement::find_missing(std::span<TreeNode> tree) {
  for (const TreeNode& n : tree) {
    of(n).missing = n.own_load - n.own_inertia * n.anchor_motion;
  }
  for (const TreeNode& n : tree) {
    if (n.kind == TreeNode::Kind::Free) {
      continue;
    }
    find_missing_of_joint(n);
    of(n).missing = of(n).missing + n.force;
    if (n.parent() != nullptr) {
      SpatialVector& parent = of(*n.parent()).missing;
      parent = parent - force_from(n.force, n.parent_arm - n.parent()->arm);
    }
  }
}

void Refinement::find_missing_of_joint(const TreeNode& n) {
  Correction& c = of(n);
  const SpatialVector relative = n.anchor_motion - parent_motion(n);
  c.drift = n.drift - relative - softened(n, n.force);
  c.push = 0.0;
  if (n.free != nullptr) {
    c.drift = c.drift - n.free->sum(n.free->parts(c.drift));
    n.free->correction = n.free->missing(n.force);
    return;
  }
  double along = axis_residual(n.rows);
  if (n.kind != TreeNode::Kind::Rigid &&
      std::none_of(n.rows.begin(), n.rows.end(),
                   [](const AxisRow& row) { return row.state == State::Inside; })) {
    c.push = -part_along_axis(n, n.force);
    for (const AxisRow& row : n.rows) {
      c.push += row.force;
    }
    c.push *= n.gain;  // 1 / α
    along = 0.0;
  }
  add_along_axis(n, along - part_along_axis(n, c.drift), c.drift);
}

void Refinement::add_rows(std::span<const BodyRow> rows) {
  for (const BodyRow& row : rows) {
    const double force =
        row.force + (row.is_part_of_inertia() ? -row.residual() / row.softness : 0.0);
    for (const BodyRow::End& end : row.ends) {
      if (end.node != nullptr && force != 0.0) {
        of(*end.node).missing = of(*end.node).missing + force * end.jacobian;
      }
    }
  }
}

void Refinement::solve(std::span<const std::span<TreeNode>> trees) {
  for (const std::span<TreeNode> tree : trees) {
    go_up(tree);
    go_down(tree);
  }
}

void Refinement::go_up(std::span<const TreeNode> tree) {
  for (const TreeNode& n : tree) {
    of(n).load = of(n).missing;
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeNode& n = tree[i];
    Correction& c = of(n);
    if (n.kind == TreeNode::Kind::Free) {
      c.motion = free_motion(n, c.load);
      continue;
    }
    c.bias = c.load - n.through * softened(n, c.load);
    if (n.parent() != nullptr) {
      const SpatialVector held = n.through * c.drift - c.bias;
      const SpatialVector force = response(n, held, c.drift, c.push, slip_of(n)).force;
      SpatialVector& parent = of(*n.parent()).load;
      parent = parent - force_from(force, n.parent_arm - n.parent()->arm);
    }
  }
}

void Refinement::go_down(std::span<const TreeNode> tree) {
  for (const TreeNode& n : tree) {
    if (n.kind == TreeNode::Kind::Free) {
      continue;
    }
    Correction& c = of(n);
    SpatialVector wanted = c.drift;
    if (n.parent() != nullptr) {
      wanted = wanted + motion_at(of(*n.parent()).motion, n.parent_arm - n.parent()->arm);
    }
    const SpatialVector held = n.through * wanted - c.bias;
    const Response by_joint = response(n, held, wanted, c.push, slip_of(n));
    c.force = by_joint.force;
    c.motion = by_joint.motion;
    c.held = held;
  }
}

double Refinement::rate_of(const BodyRow& row) {
  double rate = 0.0;
  for (const BodyRow::End& end : row.ends) {
    if (end.node != nullptr) {
      rate += dot(end.jacobian, of(*end.node).motion);
    }
  }
  return rate;
}

}  // namespace servosim
