// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "physics/tree/motion_subspace.h"
#include "physics/tree/tree_solver.h"

// The problem of linear complementarity of a small tree, written again with one matrix for all
// rows, and solved by trying every set of rows at bounds.

namespace servosim::test {

using Real = long double;
using Column = std::vector<Real>;
using Matrix = std::vector<Column>;

/// Solves a·x = b, for a positive definite a.
inline Column solved(Matrix a, Column b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = i + 1; k < n; ++k) {
      const Real factor = a[k][i] / a[i][i];
      for (std::size_t j = i; factor != 0 && j < n; ++j) {
        a[k][j] -= factor * a[i][j];
      }
      b[k] -= factor * b[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) {
      b[i] -= a[i][j] * b[j];
    }
    b[i] /= a[i][i];
  }
  return b;
}

/// Rows J·u + softness·λ = target, one above the other, of which some have bounds. Each body has
/// six numbers in u.
class DenseProblem {
 public:
  explicit DenseProblem(std::span<const TreeNode> tree) : bodies_(tree.size()) {
    for (std::size_t i = 0; i < tree.size(); ++i) {
      add_rows(tree[i], i);
    }
    set_masses(tree);
    reduce();
  }

  /// The problem of the rows with bounds alone: residual = matrix·λ − target.
  const std::vector<const AxisRow*>& bounded() const { return bounded_; }
  Column residual(const Column& forces) const {
    Column r;
    for (std::size_t i = 0; i < bounded_.size(); ++i) {
      Real sum = -reduced_target_[i];
      for (std::size_t j = 0; j < bounded_.size(); ++j) {
        sum += reduced_[i][j] * forces[j];
      }
      r.push_back(sum);
    }
    return r;
  }
  /// The forces with some rows at their bounds.
  Column forces(const std::vector<AxisRow::State>& states) const {
    std::vector<std::size_t> inside;
    Column all(bounded_.size());
    for (std::size_t i = 0; i < bounded_.size(); ++i) {
      switch (states[i]) {
        case AxisRow::State::Inside:
          inside.push_back(i);
          break;
        case AxisRow::State::AtLow:
          all[i] = bounded_[i]->low;
          break;
        case AxisRow::State::AtHigh:
          all[i] = bounded_[i]->high;
          break;
        case AxisRow::State::Idle:
          break;
      }
    }
    const Column rest = residual(all);
    Matrix a;
    Column b;
    for (const std::size_t i : inside) {
      Column row;
      for (const std::size_t j : inside) {
        row.push_back(reduced_[i][j]);
      }
      a.push_back(row);
      b.push_back(-rest[i]);
    }
    const Column x = solved(a, b);
    for (std::size_t k = 0; k < inside.size(); ++k) {
      all[inside[k]] = x[k];
    }
    return all;
  }

  /// The forces of a set of rows at bounds that breaks none; empty if no set does.
  Column solution() const {
    std::vector<AxisRow::State> states(bounded_.size(), AxisRow::State::AtLow);
    do {
      if (!has_bounds(states)) {
        continue;
      }
      const Column at = forces(states);
      if (keeps_bounds(states, at, residual(at))) {
        return at;
      }
    } while (next(states));
    return {};
  }

  /// Whether these are the forces with these rows at their bounds, and none breaks its own.
  bool keeps_bounds(const std::vector<AxisRow::State>& states, const Column& forces,
                    const Column& residuals) const {
    for (std::size_t i = 0; i < states.size(); ++i) {
      const AxisRow& row = *bounded_[i];
      const Real slack = 1e-12L * (1 + std::abs(forces[i]));
      const Real sign = states[i] == AxisRow::State::AtLow ? 1 : -1;
      if (states[i] == AxisRow::State::Inside
              ? forces[i] < row.low - slack || forces[i] > row.high + slack
              : sign * residuals[i] < -1e-12L * (1 + std::abs(row.target))) {
        return false;
      }
    }
    return true;
  }

  /// By body: the motion for these forces of the rows with bounds.
  Matrix motions(const Column& forces) const {
    Column all(rows_.size());
    Column rest = target_;
    for (std::size_t k = 0; k < bounded_.size(); ++k) {
      all[at_bounds_[k]] = forces[k];
      for (const std::size_t i : free_) {
        rest[i] -= full_[i][at_bounds_[k]] * forces[k];
      }
    }
    const Column x = solved(part(free_, free_), part(rest, free_));
    for (std::size_t k = 0; k < free_.size(); ++k) {
      all[free_[k]] = x[k];
    }
    Matrix motions(bodies_, Column(6));
    for (std::size_t b = 0; b < bodies_; ++b) {
      Column load = loads_[b];
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        for (int k = 0; k < 6; ++k) {
          load[k] += rows_[i].jacobian[6 * b + k] * all[i];
        }
      }
      motions[b] = solved(masses_[b], load);
    }
    return motions;
  }

 private:
  struct Row {
    Column jacobian;
    Real softness;
    Real target;
    const AxisRow* of_axis;
  };

  static void put(Column& jacobian, std::size_t body, double sign, const Vec3& linear,
                  const Vec3& angular) {
    const Real six[] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < 6; ++k) {
      jacobian[6 * body + k] += static_cast<Real>(sign) * six[k];
    }
  }

  // The part along `direction` of the child's motion against the parent's, at the anchor.
  void add_row(const TreeNode& node, std::size_t body, const Vec3& direction, bool turns,
               double softness, double target, const AxisRow* of_axis) {
    Row row{Column(6 * bodies_), softness, target, of_axis};
    const auto add = [&](std::size_t b, double sign, const Vec3& arm) {
      turns ? put(row.jacobian, b, sign, {}, direction)
            : put(row.jacobian, b, sign, direction, cross(arm, direction));
    };
    add(body, 1.0, node.arm);
    if (node.above > 0) {
      add(body - static_cast<std::size_t>(node.above), -1.0, node.parent_arm);
    }
    rows_.push_back(row);
  }

  void add_rows(const TreeNode& node, std::size_t body) {
    if (node.kind == TreeNode::Kind::Root) {
      return;
    }
    if (node.subspace != nullptr) {
      return add_free_rows(node, body);
    }
    const Vec3 across = unit_or(std::abs(node.axis.x) < 0.6 ? cross(node.axis, {1.0, 0.0, 0.0})
                                                            : cross(node.axis, {0.0, 1.0, 0.0}),
                                {0.0, 1.0, 0.0});
    const Vec3 directions[] = {across, unit_or(cross(node.axis, across), {0.0, 0.0, 1.0}),
                               unit_or(node.axis, {1.0, 0.0, 0.0})};
    for (const bool turns : {false, true}) {
      const bool is_free = node.kind == (turns ? TreeNode::Kind::Hinge : TreeNode::Kind::Slider);
      for (int k = 0; k < (is_free ? 2 : 3); ++k) {
        add_row(node, body, directions[k], turns,
                turns ? node.angular_softness : node.linear_softness,
                dot(directions[k], turns ? node.drift.angular : node.drift.linear), nullptr);
      }
    }
    for (const AxisRow& row : node.rows) {
      add_row(node, body, node.axis, node.kind == TreeNode::Kind::Hinge, row.softness, row.target,
              &row);
    }
  }

  // What is square to all free directions, and the rows among those.
  void add_free_rows(const TreeNode& node, std::size_t body) {
    const MotionSubspace& free = *node.subspace;
    const Vec3& one = free.directions[0].axis;
    const Vec3& other = free.directions[1].axis;
    const Vec3 all[] = {one, other, cross(one, other)};
    for (int k = free.directions[2].turns ? 0 : 1; k < 3; ++k) {
      add_row(node, body, all[k], false, node.linear_softness, dot(all[k], node.drift.linear),
              nullptr);
    }
    if (node.kind == TreeNode::Kind::Hinge2) {
      add_row(node, body, all[2], true, node.angular_softness, dot(all[2], node.drift.angular),
              nullptr);
    }
    for (const AxesRows::OfDirection& row : free.rows) {
      const Direction& d = free.rows.direction_of(row);
      add_row(node, body, d.axis, d.turns, row.softness, row.target, &row);
    }
  }

  void set_masses(std::span<const TreeNode> tree) {
    for (const TreeNode& node : tree) {
      const SymMat3& i = node.inertia;
      Matrix mass(6, Column(6));
      for (int k = 0; k < 3; ++k) {
        mass[k][k] = node.mass;
      }
      const Real inertia[3][3] = {{i.xx, i.xy, i.xz}, {i.xy, i.yy, i.yz}, {i.xz, i.yz, i.zz}};
      for (int k = 0; k < 3; ++k) {
        std::copy(inertia[k], inertia[k] + 3, mass[3 + k].begin() + 3);
      }
      masses_.push_back(mass);
      loads_.push_back({node.load.linear.x, node.load.linear.y, node.load.linear.z,
                        node.load.angular.x, node.load.angular.y, node.load.angular.z});
    }
  }

  Column part(const Column& of, const std::vector<std::size_t>& rows) const {
    Column some;
    for (const std::size_t i : rows) {
      some.push_back(of[i]);
    }
    return some;
  }
  Matrix part(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns) const {
    Matrix some;
    for (const std::size_t i : rows) {
      some.push_back(part(full_[i], columns));
    }
    return some;
  }

  // J·M⁻¹·Jᵀ + softness and target − J·M⁻¹·g.
  void set_full() {
    full_.assign(rows_.size(), Column(rows_.size()));
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      target_.push_back(rows_[j].target);
      for (std::size_t b = 0; b < bodies_; ++b) {
        const auto begin = rows_[j].jacobian.begin() + 6 * b;
        if (std::all_of(begin, begin + 6, [](Real x) { return x == 0; })) {
          continue;
        }
        const Column moved = solved(masses_[b], Column(begin, begin + 6));
        for (int k = 0; k < 6; ++k) {
          target_[j] -= moved[k] * loads_[b][k];
          for (std::size_t i = 0; i < rows_.size(); ++i) {
            full_[i][j] += rows_[i].jacobian[6 * b + k] * moved[k];
          }
        }
      }
      full_[j][j] += rows_[j].softness;
    }
  }

  // Eliminates the rows without bounds.
  void reduce() {
    set_full();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const AxisRow* row = rows_[i].of_axis;
      if (row != nullptr && row->is_bounded()) {
        at_bounds_.push_back(i);
        bounded_.push_back(row);
      } else {
        free_.push_back(i);
      }
    }
    const Matrix a = part(free_, free_);
    const Column x = solved(a, part(target_, free_));
    reduced_ = part(at_bounds_, at_bounds_);
    reduced_target_ = part(target_, at_bounds_);
    for (std::size_t k = 0; k < at_bounds_.size(); ++k) {
      const Column across = part(full_[at_bounds_[k]], free_);
      const Column y = solved(a, across);
      for (std::size_t i = 0; i < at_bounds_.size(); ++i) {
        for (std::size_t f = 0; f < free_.size(); ++f) {
          reduced_[i][k] -= full_[at_bounds_[i]][free_[f]] * y[f];
        }
      }
      for (std::size_t f = 0; f < free_.size(); ++f) {
        reduced_target_[k] -= across[f] * x[f];
      }
    }
  }

  bool has_bounds(const std::vector<AxisRow::State>& states) const {
    for (std::size_t i = 0; i < states.size(); ++i) {
      if ((states[i] == AxisRow::State::AtLow && bounded_[i]->low == -kInfinity) ||
          (states[i] == AxisRow::State::AtHigh && bounded_[i]->high == kInfinity)) {
        return false;
      }
    }
    return true;
  }

  // Counts on; false after the last.
  static bool next(std::vector<AxisRow::State>& states) {
    for (AxisRow::State& state : states) {
      if (state != AxisRow::State::AtHigh) {
        state = static_cast<AxisRow::State>(static_cast<int>(state) + 1);
        return true;
      }
      state = AxisRow::State::AtLow;
    }
    return false;
  }

  std::size_t bodies_;
  std::vector<Row> rows_;
  std::vector<Matrix> masses_;  // by body
  std::vector<Column> loads_;
  Matrix full_;
  Column target_;
  std::vector<std::size_t> free_;  // rows without bounds
  std::vector<std::size_t> at_bounds_;
  std::vector<const AxisRow*> bounded_;
  Matrix reduced_;
  Column reduced_target_;
};

}  // namespace servosim::test
