// SPDX-License-Identifier: Apache-2.0
// The numbers of the passes in solver_passes.h, and how they are read and written.
//
// Included by sources that are compiled for a set of instructions. All names that they add are
// their own: see one_round.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "physics/tree/elimination.h"
#include "physics/tree/solver_kernel.h"
#include "physics/tree/subspace_law.h"

namespace servosim {

/// A node in the memory of the passes. The refinement has a second set of numbers, for the
/// residuals ("missing") and the corrections ("change") of the same equations.
template <class V>
struct PassNode : ArticulatedNode<V> {
  TreeNodeKind kind = TreeNodeKind::Root;
  PassNode* up = nullptr;                  // the parent, or null
  std::int32_t rank = 0;                   // of NodeOrder
  SubspaceLawOf<V>* law = nullptr;         // of a Ball or Hinge2
  FoldedDirections* directions = nullptr;  // of a Ball or Hinge2
  std::int32_t first_row = -1;             // head of the list of rows at this body

  SpatialMatrixOf<V> own_inertia;  // M of the body alone, seen from its anchor
  SpatialVectorOf<V> own_load;     // g of the body alone, at its anchor
  V way_from_parent;               // from the parent's anchor to the joint's anchor on the parent
  SpatialVectorOf<V> relative;     // t − t_p

  // Numbers of the refinement.
  SpatialVectorOf<V> missing;        // residual of the body's equation, at the anchor
  SpatialVectorOf<V> missing_load;   // that, plus what comes from the children
  SpatialVectorOf<V> missing_bias;   // x
  SpatialVectorOf<V> missing_drift;  // residual of the joint's law, with its axis
  RealOf<V> missing_slip_at_rest{};  // κ
  V missing_slips_at_rest;           // κ of free directions
  SpatialVectorOf<V> motion_change;
  SpatialVectorOf<V> force_change;
  SpatialVectorOf<V> locked_force_change;  // without the free directions of the joint

  PassNode* parent() { return up; }
  const PassNode* parent() const { return up; }
  const V& from_parent() const { return way_from_parent; }
};

/// A BodyRow in the memory of the passes. Rows at one body are a linked list.
template <class V>
struct PassRow {
  SpatialVectorOf<V> jacobians[2];
  std::int32_t nodes[2];  // -1 for the world
  std::int32_t next[2];   // next row at the same node
};

/// A node on the way of a force to the root.
template <class V>
struct PassStage {
  std::int32_t rank;          // of the node
  SpatialVectorOf<V> load;    // of the force, at the node's anchor
  SpatialVectorOf<V> motion;  // of the anchor by the load, with the parent at rest
};

/// The memory of the passes, for one type of vectors. `In` is PlainInput or WideInput, and has
///
/// * Vector: the type of vectors;
/// * vector(), symmetric(): these convert from single numbers;
/// * write(): it converts to single numbers.
template <class In>
class PassMemory {
 public:
  using V = typename In::Vector;
  using Spatial = SpatialVectorOf<V>;
  using Node = PassNode<V>;
  using Law = SubspaceLawOf<V>;
  using PassedRow = PassRow<V>;
  using Stage = PassStage<V>;

  // Implements SolverKernel::read().
  static void read(const SolverWork& w) {
    Node* const nodes = nodes_of(w);
    std::size_t laws = 0;
    for (std::size_t i = 0; i < w.count; ++i) {
      const NodeOrder& order = w.order[i];
      // Parents come first, so their memory is filled already.
      nodes[i].up = order.parent >= 0 ? &nodes[order.parent] : nullptr;
      nodes[i].rank = order.rank;
      read_node(*w.nodes[i], nodes[i]);
      if (w.axes[i].directions != nullptr) {
        FoldedDirections& directions = *w.axes[i].directions;
        Law& law = static_cast<Law*>(w.law_memory)[laws++];
        nodes[i].law = &law;
        nodes[i].directions = &directions;
        set_axes(directions.directions, law.e);
        law.count = directions.count;
      }
    }
    for (std::size_t i = w.row_count; i-- > 0;) {  // from the last: each list is then in order
      read_row(w, i);
    }
  }

  // Implements SolverKernel::write().
  static void write(const SolverWork& w) {
    Node* const nodes = nodes_of(w);
    for (std::size_t i = 0; i < w.count; ++i) {
      set_motion_of_center(nodes[i]);
      store(nodes[i].motion, w.nodes[i]->motion);
      store(nodes[i].force, w.nodes[i]->force);
    }
  }

  static Node* nodes_of(const SolverWork& w) { return static_cast<Node*>(w.node_memory); }
  static PassedRow* rows_of(const SolverWork& w) { return static_cast<PassedRow*>(w.row_memory); }
  // Returns a row of the border in the memory of the passes.
  static const PassedRow& passed(const SolverWork& w, std::size_t bordered) {
    return rows_of(w)[w.bordered[bordered] - w.rows];
  }

  // These convert between single numbers and the type of the passes.
  static V vector(const Vec3& from) {
    return In::vector([&from](std::size_t) { return &from; });
  }
  static Spatial spatial(const SpatialVector& from) {
    return {vector(from.linear), vector(from.angular)};
  }
  static void store(const V& from, Vec3& to) { In::write(from, to); }
  static void store(const Spatial& from, SpatialVector& to) {
    store(from.linear, to.linear);
    store(from.angular, to.angular);
  }

 private:
  // A node is read once per call; rounds change only what rows do to it.
  static void read_node(const TreeNode& from, Node& n) {
    n.arm = vector(from.arm);
    n.parent_arm = vector(from.parent_arm);
    n.axis = vector(from.axis);
    n.drift = spatial(from.drift);
    n.mass = from.mass;
    n.inertia = In::symmetric(from.inertia);
    n.load = spatial(from.load);
    n.linear_softness = from.linear_softness;
    n.angular_softness = from.angular_softness;
    n.kind = from.kind;
    n.law = nullptr;
    n.directions = nullptr;
    n.first_row = -1;
    // A Root has no force, and a fixed joint has no axis.
    n.on_axis = n.force = Spatial{};
    n.way_from_parent = n.up != nullptr ? n.parent_arm - n.up->arm : n.parent_arm;
    set_own(n, n.own_inertia, n.own_load);
  }

  // Puts the row in front of the list of each of its bodies.
  static void read_row(const SolverWork& w, std::size_t index) {
    const BodyRow& from = w.rows[index];
    PassedRow& row = rows_of(w)[index];
    for (int end = 0; end < 2; ++end) {
      const TreeNode* const node = from.ends[end].node;
      row.nodes[end] = -1;
      if (node == nullptr) {
        continue;
      }
      row.nodes[end] = static_cast<std::int32_t>(node->index);
      row.jacobians[end] = spatial(from.ends[end].jacobian);
      std::int32_t& first = nodes_of(w)[node->index].first_row;
      row.next[end] = first;
      first = static_cast<std::int32_t>(index);
    }
  }
};

}  // namespace servosim
