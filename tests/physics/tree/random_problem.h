// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "physics/tree/motion_subspace.h"
#include "physics/tree/tree_solver.h"

namespace servosim::test {

/// A tree of 1 to 7 bodies in any motion and with any forces, with at most eight rows with bounds,
/// of which many are at one.
class RandomProblem {
 public:
  explicit RandomProblem(std::uint32_t seed) : random_(seed) {}
  /// A tree of this many bodies, with the largest possible number of rows with bounds.
  RandomProblem(std::uint32_t seed, int bodies)
      : random_(seed), bodies_(bodies), most_bounded_(3 * bodies) {}

  /// Half of the joints become balls and Hinge2s, whose free directions go there.
  RandomProblem& with(std::deque<MotionSubspace>& free) {
    free_ = &free;
    return *this;
  }

  std::vector<TreeNode> tree() {
    const int count = bodies_ > 0 ? bodies_ : 1 + static_cast<int>(random_() % 7);
    std::vector<TreeNode> tree;
    for (int i = 0; i < count; ++i) {
      tree.push_back(node(i));
    }
    return tree;
  }

 private:
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_()) / 4294967295.0;
  }
  bool chance(std::uint32_t one_in) { return random_() % one_in == 0; }
  Vec3 vector(double size) {
    const double x = between(-size, size);
    const double y = between(-size, size);
    return {x, y, between(-size, size)};
  }

  TreeNode node(int index) {
    TreeNode n;
    n.above = index == 0 ? 0 : chance(3) ? index - static_cast<int>(random_() % index) : 1;
    n.mass = std::pow(10.0, between(-1.0, 1.0));
    const Vec3 v = vector(0.1);
    n.inertia = n.mass * (SymMat3{0.01, 0.0, 0.0, 0.02, 0.0, 0.025} + outer(v));
    n.load = {vector(100.0), vector(10.0)};
    n.kind = index == 0 && chance(2) ? TreeNode::Kind::Root
             : chance(6)             ? TreeNode::Kind::Rigid
             : chance(4)             ? TreeNode::Kind::Slider
                                     : TreeNode::Kind::Hinge;
    if (n.kind == TreeNode::Kind::Root) {
      return n;
    }
    n.arm = vector(0.3);
    n.parent_arm = n.above > 0 ? vector(0.3) : Vec3{};
    n.axis = unit_or(vector(1.0), {1.0, 0.0, 0.0});
    n.linear_softness = n.angular_softness = chance(4) ? 1e-2 : 1e-3;
    n.drift = {vector(10.0), vector(10.0)};
    if (free_ != nullptr && chance(2)) {
      make_free(n);
      return n;
    }
    if (n.kind != TreeNode::Kind::Rigid) {
      add_rows(n);
    }
    return n;
  }

  // A ball, or a Hinge2 with or without a suspension.
  void make_free(TreeNode& n) {
    MotionSubspace& free = free_->emplace_back();
    n.subspace = &free;
    n.kind = chance(2) ? TreeNode::Kind::Ball : TreeNode::Kind::Hinge2;
    if (n.kind == TreeNode::Kind::Ball) {
      free.count = 3;
      free.directions = {{{{1.0, 0.0, 0.0}}, {{0.0, 1.0, 0.0}}, {{0.0, 0.0, 1.0}}}};
      n.drift.angular = {};
      Vec3 last = n.axis;
      for (std::uint32_t left = random_() % 4; left > 0; --left) {
        // At times next to the one before.
        last = unit_or((chance(3) ? 0.05 : 1.0) * vector(1.0) + (chance(3) ? 1.0 : 0.0) * last,
                       {0.0, 0.0, 1.0});
        add_rows(free, free.rows.add(Direction{last, true}));
      }
      return;
    }
    const Vec3 third = unit_or(cross(n.axis, vector(1.0)), {0.0, 1.0, 0.0});
    const bool is_suspended = chance(2);
    free.count = is_suspended ? 3 : 2;
    free.directions = {{{n.axis, true}, {third, true}, {}}};
    const Vec3 across = cross(n.axis, third);
    n.drift.angular = dot(n.drift.angular, across) * across;
    if (is_suspended) {
      free.directions[2] = {n.axis, false};
      n.drift.linear = n.drift.linear - dot(n.drift.linear, n.axis) * n.axis;
      const double softness = std::pow(10.0, between(-4.0, 1.0));
      const double target = between(-100.0, 100.0);
      free.rows.add(free.rows.add(Direction{n.axis, false}), AxisRow::Owner::Joint,
                    {softness, target, -kInfinity, kInfinity});
    }
    const double angle = between(0.1, 3.0);
    add_rows(free, free.rows.add(Direction{n.axis, true}));
    add_rows(free,
             free.rows.add(Direction{std::cos(angle) * n.axis + std::sin(angle) * third, true}));
  }

  void add_rows(MotionSubspace& free, std::size_t direction) {
    TreeNode of_rows;
    of_rows.kind = TreeNode::Kind::Rigid;
    add_rows(of_rows, random_() % 3);
    for (const AxisRow& row : of_rows.rows) {
      free.rows.add(direction, row.owner, {row.softness, row.target, row.low, row.high});
    }
  }

  // Motors, stops and springs.
  void add_rows(TreeNode& n) {
    Vec3& along = n.kind == TreeNode::Kind::Hinge ? n.drift.angular : n.drift.linear;
    along = along - dot(along, n.axis) * n.axis;  // which a joint never asks for
    add_rows(n, 1 + random_() % 3);
  }

  void add_rows(TreeNode& n, std::uint32_t count) {
    for (std::uint32_t left = count; left > 0; --left) {
      const double softness = chance(3) ? std::pow(10.0, between(-4.0, 1.0)) : 1e-3;
      const double target = between(-1.0, 1.0) * std::pow(10.0, between(0.0, 4.0));
      const bool is_spring = bounded_ == most_bounded_ || chance(6);
      const double force = std::pow(10.0, between(-1.0, 3.0));
      double low = chance(3) ? 0.0 : -force;
      double high = chance(3) ? kInfinity : force;
      if (chance(2)) {
        std::swap(low, high);
        low = -low;
        high = -high;
      }
      is_spring ? n.rows.add(AxisRow::Owner::Soft, {softness, target, -kInfinity, kInfinity})
                : n.rows.add(AxisRow::Owner::Joint, {softness, target, low, high});
      bounded_ += is_spring ? 0 : 1;
    }
  }

  std::mt19937 random_;
  std::deque<MotionSubspace>* free_ = nullptr;
  int bodies_ = 0;  // 0: a random number
  int most_bounded_ = 8;
  int bounded_ = 0;
};

}  // namespace servosim::test
