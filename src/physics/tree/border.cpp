// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/border.h"

#include <ode/ode.h>

#include <algorithm>
#include <cmath>

#include "physics/tree/free_directions.h"

namespace servosim {

namespace {

// Of a row in terms of the inertia that it moves.
constexpr double kMinSoftness = 1e-6;

// Rows of a matrix for ODE start at multiples of four numbers.
std::size_t padded(std::size_t n) { return n > 1 ? (n + 3) / 4 * 4 : n; }

}  // namespace

bool is_bordered(const BodyRow& row) {
  return row.ends[1].node != nullptr || row.softness * row.inertia < kMinSoftness;
}

// On its way up, a load moves each anchor against the parent's, and passes on what the joint
// transmits. Ways that meet go on as one.
void Border::follow(const BodyRow& row) {
  const TreeNode* node = row.ends[0].node;
  const TreeNode* other = row.ends[1].node;
  SpatialVector load = row.ends[0].jacobian;
  SpatialVector other_load = row.ends[1].jacobian;
  while (node != nullptr || other != nullptr) {
    if (node < other) {  // parents come first; null is before all
      std::swap(node, other);
      std::swap(load, other_load);
    } else if (node == other) {
      load = load + other_load;
      other = nullptr;
    }
    const TreeNode& n = *node;
    if (n.kind == TreeNode::Kind::Free) {
      stages_.push_back({node, load, free_motion(n, load)});
      node = nullptr;
      continue;
    }
    const SpatialVector held = n.through * softened(n, load) - load;
    const Response by_joint = response(n, held, {}, 0.0, {});
    stages_.push_back({node, load, by_joint.motion});
    node = n.parent();
    if (node != nullptr) {
      load = -1.0 * force_from(by_joint.force, n.parent_arm - node->arm);
    }
  }
}

// What the force of one row does to the rate of another: the work along their common way.
double Border::coupling(std::size_t one, std::size_t other) const {
  double sum = 0.0;
  std::size_t i = begin_[one];
  std::size_t j = begin_[other];
  while (i < begin_[one + 1] && j < begin_[other + 1]) {
    const Stage& a = stages_[i];
    const Stage& b = stages_[j];
    if (a.node == b.node) {
      sum += dot(a.load, b.motion);
    }
    i += a.node >= b.node ? 1 : 0;
    j += b.node >= a.node ? 1 : 0;
  }
  return sum;
}

bool Border::solve() {
  const std::size_t count = rows_.size();
  stages_.clear();
  begin_.clear();
  for (const BodyRow* row : rows_) {
    begin_.push_back(stages_.size());
    follow(*row);
  }
  begin_.push_back(stages_.size());
  const std::size_t skip = padded(count);
  matrix_.assign(count * skip, 0.0);
  diagonal_.resize(count);
  forces_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      matrix_[i * skip + j] = coupling(i, j);
    }
    matrix_[i * skip + i] += rows_[i]->softness;
    forces_[i] = rows_[i]->target - rows_[i]->rate;
  }
  dFactorLDLT(matrix_.data(), diagonal_.data(), static_cast<int>(count), static_cast<int>(skip));
  solve_factored();
  for (std::size_t i = 0; i < count; ++i) {
    rows_[i]->force = forces_[i];
  }
  return std::all_of(forces_.begin(), forces_.end(), [](double f) { return std::isfinite(f); });
}

void Border::solve_factored() {
  const int count = static_cast<int>(rows_.size());
  dSolveLDLT(matrix_.data(), diagonal_.data(), forces_.data(), count,
             static_cast<int>(padded(rows_.size())));
}

}  // namespace servosim
