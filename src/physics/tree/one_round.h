// SPDX-License-Identifier: Apache-2.0
// One round of the solver over trees side by side, or over one, for the numbers of a set of
// instructions. `In` has what depends on these: how to read them from the trees, and to write them.
//
// Included by sources that are compiled for such a set. All names that they add are their own: the
// linker must not take a function of one set for that of another. So nothing here may call
// functions of single numbers that are not always inlined.
#pragma once

#include <cstddef>

#include "physics/bodies.h"
#include "physics/rows/axis_laws.h"
#include "physics/tree/body_step.h"
#include "physics/tree/elimination.h"
#include "physics/tree/joint_place.h"
#include "physics/tree/lanes.h"
#include "physics/tree/row_states.h"
#include "physics/tree/tree_body.h"
#include "physics/tree/tree_joint.h"

// A round is
//
//     read bodies and joints → set_own, eliminate_joint, set_law, add_to_parent (up)
//     → root_motion, find_motion (down) → check bounds
//
// with the functions of body_step.h, joint_place.h and elimination.h, which have the equations and
// signs. For a row of a motor with the bound F, the state `side` (−1, 0 or 1), and r, the residual
// of row.h, the bounds hold if
//
//     side = 0:  |λ| ≤ F,        side = ±1:  λ = side·F and side·r ≤ 0

namespace servosim {

/// A node in the memory of a round.
template <class V>
struct RoundNode : ArticulatedNode<V> {
  TreeNodeKind kind = TreeNodeKind::Root;
  std::ptrdiff_t above = 0;  ///< as TreeNode::above
  BodyFrameOf<V> frame;

  RoundNode* parent() { return above > 0 ? this - above : nullptr; }
  const RoundNode* parent() const { return above > 0 ? this - above : nullptr; }
  /// Returns the way from the parent's anchor to the joint's anchor on the parent.
  V from_parent() const { return this->parent_arm - parent()->arm; }
};

/// One round with In::kTrees trees. `In` is LaneInput or WideInput, and has
///
/// * Vector, kTrees and kMoves: the type of vectors, the number of trees, and whether the kernel
///   moves bodies itself;
/// * vector(), three(), rotation(), turn(): these read from an address for each tree;
/// * inertial_parameters(), read_motors(), read_hinge(): these read objects with adjacent numbers;
/// * sum_of_sizes(), set(), at(): these look at numbers of single trees;
/// * write_results(): it writes the nodes back.
template <class In>
class OneRound {
 public:
  using V = typename In::Vector;
  using Real = RealOf<V>;
  using Node = RoundNode<V>;

  /// Reads a number of each tree, which LaneAxis keeps by lane.
  static Real load(const double* of_lanes) {
    Real numbers;
    __builtin_memcpy(&numbers, of_lanes, sizeof numbers);
    return numbers;
  }
  /// Writes a number of each tree.
  static void store(const Real& numbers, double* of_lanes) {
    __builtin_memcpy(of_lanes, &numbers, sizeof numbers);
  }

  /// Implements LaneKernel::solve().
  static void solve(const LaneTree* trees, LaneAxis* axes, const StepSettings& settings,
                    void* memory, LaneResults& results) {
    Node* const nodes = static_cast<Node*>(memory);
    read(trees, axes, settings, nodes);
    solve_nodes(axes, nodes, trees[0].count);
    check(axes, nodes, trees[0].count, results);
    In::write_results(trees, nodes);
  }

 private:
  // Makes the rows of an axis. Lanes with several rows have them folded already, and have no bound
  // here.
  static void take_rows(const StepSettings& settings, LaneAxis& axis) {
    Real velocity;
    Real max_force;
    Real softness;
    In::read_motors(axis.motor, velocity, max_force, softness);
    const MotorTermsOf<Real> row = motor_terms(velocity, max_force, softness, settings);
    const Real side = load(axis.side);
    const Real zero{};
    store(row.softness, axis.softness);
    store(row.target, axis.target);
    store(side * row.bound, axis.force);
    // A motor without a force has no row, and so is not inside.
    store(choose((side == 0.0) & (row.bound > 0.0), zero + 1.0, zero), axis.inside);
    store(row.bound, axis.bound);
    if (!axis.any_has_several) {
      return;
    }
    for (std::size_t l = 0; l < In::kTrees; ++l) {
      if (axis.has_several[l]) {
        axis.softness[l] = axis.folded[l].softness;
        axis.target[l] = axis.folded[l].target;
        axis.force[l] = axis.folded[l].force;
        axis.inside[l] = axis.is_inside[l] ? 1.0 : 0.0;
        // LaneSolver checks these rows one by one afterwards.
        axis.bound[l] = kInfinity;
      }
    }
  }

  // Quaternions are needed to move bodies, and for the orientation error of a slider or fixed
  // joint.
  static bool turns_are_read(TreeNodeKind kind) {
    return In::kMoves || kind == TreeNodeKind::Rigid || kind == TreeNodeKind::Slider;
  }

  // Does what TreeBody::read() does.
  static void read_body(const LaneTree* trees, std::size_t i, const StepSettings& settings,
                        Node& n) {
    const TreeBody* bodies[In::kTrees];
    const Body* ode[In::kTrees];
    for (std::size_t l = 0; l < In::kTrees; ++l) {
      bodies[l] = &trees[l].bodies[i];
      ode[l] = bodies[l]->body;
    }
    n.frame.rotation = In::rotation([&](std::size_t l) { return ode[l]->rotation; });
    n.frame.center = In::three([&](std::size_t l) { return ode[l]->position; });
    const BodyForcesOf<V> forces{In::three([&](std::size_t l) { return ode[l]->velocity; }),
                                 In::three([&](std::size_t l) { return ode[l]->spin; }),
                                 In::three([&](std::size_t l) { return bodies[l]->force; }),
                                 In::three([&](std::size_t l) { return bodies[l]->torque; })};
    const Real zero{};
    const V gravity{zero + settings.gravity.x, zero + settings.gravity.y,
                    zero + settings.gravity.z};
    set_load(In::inertial_parameters(bodies), bodies[0]->is_gyroscopic, n.frame.rotation, forces,
             settings.h, gravity, n);
  }

  // Reads the orientation of a body as a quaternion.
  static void read_turn(const LaneTree* trees, std::size_t i, Node& n) {
    n.frame.turn = In::turn([&](std::size_t l) { return trees[l].bodies[i].body->quaternion; });
  }

  // Does what SolvedJoint::place() does, and reads only what a joint of this kind needs.
  static void place(const LaneTree* trees, std::size_t i, const StepSettings& settings, Node& n) {
    // All trees have the same order of bodies, which is part of their TopologyKey.
    const JointGeometry& first = trees[0].joints[i].solved().geometry;
    const JointFrames* of[In::kTrees];
    for (std::size_t l = 0; l < In::kTrees; ++l) {
      of[l] = &trees[l].joints[i].solved().geometry.frames();
    }
    JointFramesOf<V> joint;
    if (n.kind == TreeNodeKind::Hinge) {
      In::read_hinge(of, joint);
    } else {
      joint.offset = In::vector([&](std::size_t l) { return &of[l]->offset; });
      joint.relative = In::turn([&](std::size_t l) { return &of[l]->relative.w; });
      if (n.kind == TreeNodeKind::Slider) {
        joint.child_axis = In::vector([&](std::size_t l) { return &of[l]->child_axis; });
        joint.parent_axis = In::vector([&](std::size_t l) { return &of[l]->parent_axis; });
      }
    }
    place_joint(n.kind, first.child_is_first(), joint, n.frame,
                n.parent() != nullptr ? &n.parent()->frame : nullptr, settings.position_gain, n);
  }

  // Fills the nodes. All bodies are read before the first joint is placed, since a joint needs both
  // of its bodies.
  static void read(const LaneTree* trees, LaneAxis* axes, const StepSettings& settings,
                   Node* nodes) {
    const std::size_t count = trees[0].count;
    bool reads_turns = false;
    for (std::size_t i = 0; i < count; ++i) {
      Node& n = nodes[i];
      // What is equal in all trees is read from the first one.
      const TreeNode& like = trees[0].nodes[i];
      n.kind = like.kind;
      n.above = like.above;
      n.linear_softness = like.linear_softness;
      n.angular_softness = like.angular_softness;
      reads_turns = reads_turns || turns_are_read(n.kind);
      read_body(trees, i, settings, n);
    }
    if (reads_turns) {
      for (std::size_t i = 0; i < count; ++i) {
        read_turn(trees, i, nodes[i]);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      Node& n = nodes[i];
      if (n.kind == TreeNodeKind::Root) {
        // A Root has its anchor at its centre of mass.
        n.arm = n.parent_arm = V{};
        n.force = SpatialVectorOf<V>{};
        continue;
      }
      place(trees, i, settings, n);
      if (n.kind == TreeNodeKind::Rigid) {
        n.axis = V{};  // the memory may have that of another tree
        n.on_axis = SpatialVectorOf<V>{};
      } else {
        take_rows(settings, axes[i]);
      }
    }
  }

  // Sets η and κ of a node.
  static void set_law_of(Node& n, const LaneAxis& axis) {
    if (n.kind == TreeNodeKind::Rigid) {
      // A fixed joint does not yield along any axis.
      n.gain = n.slip_at_rest = n.axis_drift = Real{};
      return;
    }
    const FoldedRows<Real> rows{load(axis.softness), load(axis.target), load(axis.force)};
    const auto inside = load(axis.inside) != 0.0;
    set_law(n, rows, inside);
  }

  // Does what TreeSolver's passes do for a tree without further rows.
  static void solve_nodes(const LaneAxis* axes, Node* nodes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Node& n = nodes[i];
      // Nothing hangs on a node before its children add to it.
      set_own(n, n.articulated, n.bias);
    }
    for (std::size_t i = count; i-- > 0;) {
      Node& n = nodes[i];
      if (n.kind == TreeNodeKind::Root) {
        factor_root(n);
        continue;
      }
      eliminate_joint(n);
      set_law_of(n, axes[i]);
      if (n.parent() != nullptr) {
        add_to_parent(n);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      Node& n = nodes[i];
      if (n.kind == TreeNodeKind::Root) {
        n.anchor_motion = root_motion(n, n.bias);
      } else {
        find_motion(n);
      }
      set_motion_of_center(n);
    }
  }

  // Does what breaks_bounds() and is_degenerate() do, for axes with one row.
  static void check(LaneAxis* axes, const Node* nodes, std::size_t count, LaneResults& results) {
    Real sides{};
    // This is false in each lane.
    auto breaks = sides != sides;
    auto any_degenerate = breaks;
    for (std::size_t i = 0; i < count; ++i) {
      const Node& n = nodes[i];
      breaks |= !(In::sum_of_sizes(n.motion) < kInfinity);  // also true for NaN
      if (!has_axis(n.kind)) {
        continue;
      }
      LaneAxis& axis = axes[i];
      const Real rate = part_along_axis(n, n.anchor_motion - parent_motion(n));
      const Real force = part_along_axis(n, n.force);
      store(rate, axis.rate);
      store(force, axis.axis_force);
      store(n.along_axis, axis.along);
      const Real bound = load(axis.bound);
      const Real side = load(axis.side);
      const Real target = load(axis.target);
      const auto inside = load(axis.inside) != 0.0;
      const Real force_size = size_of_force(force, n.along_axis);
      // side·r is positive if the row breaks its bound. Inside the bounds, side is 0.
      const Real residual = side * (rate + load(axis.softness) * load(axis.force) - target);
      const Real rate_size = size_of_rate(target, rate);
      // The room is the distance of the force from its nearer bound.
      const Real room = bound - absolute(force);
      const Real force_tolerance = kTolerance * force_size;
      breaks |= (inside & (absolute(force) > bound + force_tolerance)) |
                (residual > kTolerance * rate_size);
      any_degenerate |= (inside & (room < kDegenerate * force_size)) |
                        ((side != 0.0) & (absolute(residual) < kDegenerate * rate_size));
      // The sum is 0 if all rows are inside.
      sides = sides + absolute(side);
    }
    for (std::size_t l = 0; l < In::kTrees; ++l) {
      results.holds[l] = !In::at(breaks, l);
      results.all_inside_bounds[l] = In::at(sides, l) == 0.0;
      results.any_degenerate[l] = In::at(any_degenerate, l);
    }
  }
};

}  // namespace servosim
