// SPDX-License-Identifier: Apache-2.0
// The passes of TreeSolver, see "Up", "Down" and "Rows on bodies" in docs/explanation/solver.md.
//
// Included by sources that are compiled for a set of instructions. All names that they add are
// their own: see one_round.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/coupling_limits.h"
#include "physics/tree/elimination.h"
#include "physics/tree/pass_memory.h"
#include "physics/tree/solver_kernel.h"
#include "physics/tree/subspace_law.h"

// With the rows that are inside their bounds and part of a body's inertia (J, c, e), and all others
// as forces λ, a body obeys
//
//     (M + Σ J·Jᵀ/c)·t = g + Σ e·J/c + Σ λ·J + w − Σ w of children
//
// elimination.h and subspace_law.h have the laws of the joints. A row of the border is a load that
// the trees follow to their roots. The refinement solves the same equations once more, with
// residuals in place of g, d and e. Signs: all forces act on the body at its anchor; w acts on the
// child.

namespace servosim {

/// The functions of a SolverKernel, for one type of vectors. `In` is that of PassMemory.
template <class In>
class Passes {
 public:
  using Memory = PassMemory<In>;
  using V = typename Memory::V;
  using Real = RealOf<V>;
  using Spatial = typename Memory::Spatial;
  using Node = typename Memory::Node;
  using Law = typename Memory::Law;
  using PassedRow = typename Memory::PassedRow;
  using Stage = typename Memory::Stage;

  // Implements SolverKernel::find_motions(): M·t = g + w from the leaves to the roots, t and w
  // back.
  static void find_motions(const SolverWork& w) {
    eliminate(w);
    Node* const nodes = Memory::nodes_of(w);
    for (std::size_t i = 0; i < w.count; ++i) {
      Node& n = nodes[i];
      if (n.kind == TreeNodeKind::Root) {
        n.anchor_motion = root_motion(n, n.bias);
      } else if (n.law != nullptr) {
        find_subspace_motion(n);
      } else {
        find_axis_motion(n, w.axes[i]);
      }
    }
  }

  // Implements SolverKernel::find_rates():
  //
  //     rate = Σ J_i·t_i,    λ = (target − rate)/softness of rows that are part of the inertia
  static void find_rates(const SolverWork& w) {
    const Node* const nodes = Memory::nodes_of(w);
    for (std::size_t i = 0; i < w.row_count; ++i) {
      BodyRow& row = w.rows[i];
      row.rate = rate(&Memory::rows_of(w)[i], row.more, nodes);
      if (is_part_of_inertia(row)) {
        row.force = (row.target - row.rate) / row.softness;
      }
    }
  }

  // Implements SolverKernel::couple_border(): the lower half of A + diag(softness), see Border.
  static void couple_border(const SolverWork& w) {
    Stage* const stages = static_cast<Stage*>(w.stage_memory);
    std::size_t end = 0;
    for (std::size_t i = 0; i < w.bordered_count; ++i) {
      const PassedRow& row = Memory::passed(w, i);
      const std::size_t more = w.bordered[i]->more;
      w.bordered[i]->rate = rate(&row, more, Memory::nodes_of(w));
      w.first_stages[i] = end;
      end = more == 0 ? follow(row, Memory::nodes_of(w), stages, end)
                      : follow_all(&row, more, Memory::nodes_of(w), stages, end);
    }
    w.first_stages[w.bordered_count] = end;
    for (std::size_t i = 0; i < w.bordered_count; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        w.matrix[i * w.skip + j] = coupling(w, stages, i, j);
      }
      w.matrix[i * w.skip + i] += w.bordered[i]->softness;
    }
  }

  // Implements SolverKernel::find_corrections(): residuals first, then the corrections for them.
  static void find_corrections(const SolverWork& w) {
    find_missing(w);
    add_rows(w);
    solve_missing(w);
    for (std::size_t i = 0; i < w.bordered_count; ++i) {
      w.changes[i] = rate_change(&Memory::passed(w, i), w.bordered[i]->more, Memory::nodes_of(w));
    }
  }

  // Implements SolverKernel::correct_with_border(): the changes of the border's forces are loads.
  static void correct_with_border(const SolverWork& w) {
    for (std::size_t i = 0; i < w.bordered_count; ++i) {
      for (std::size_t k = 0; k <= w.bordered[i]->more; ++k) {
        const PassedRow& row = (&Memory::passed(w, i))[k];
        for (int end = 0; end < 2; ++end) {
          if (row.nodes[end] >= 0) {
            Spatial& missing = Memory::nodes_of(w)[row.nodes[end]].missing;
            // A change of the force is a load that was not there.
            missing = missing + w.changes[i] * row.jacobians[end];
          }
        }
      }
    }
    solve_missing(w);
  }

  // Implements SolverKernel::add_corrections(). A row that is part of the inertia gets the force
  // for which its equation holds:
  //
  //     λ − (residual + change of the rate)/softness
  static void add_corrections(const SolverWork& w) {
    Node* const nodes = Memory::nodes_of(w);
    for (std::size_t i = 0; i < w.row_count; ++i) {
      BodyRow& row = w.rows[i];
      const double change = rate_change(&Memory::rows_of(w)[i], row.more, nodes);
      if (is_part_of_inertia(row)) {
        row.force -= (residual(row) + change) / row.softness;
      }
      row.rate += change;
    }
    for (std::size_t i = 0; i < w.count; ++i) {
      Node& n = nodes[i];
      n.anchor_motion = n.anchor_motion + n.motion_change;
      if (n.kind == TreeNodeKind::Root) {
        continue;
      }
      n.force = n.force + n.force_change;
      const Spatial relative = n.anchor_motion - parent_motion(n);
      if (n.law != nullptr) {
        const FoldedDirections::Forcing& forcing = n.directions->correction;
        Memory::store(forces_along(*n.law, n.locked_force_change, Memory::vector(forcing.force),
                                   Memory::vector(forcing.targets)),
                      n.directions->along);
        Memory::store(relative, n.directions->relative);
      } else {
        set_rates(n, relative, w.axes[i]);
      }
    }
  }

  // Returns the functions and the sizes of their memory.
  static constexpr SolverKernel kernel() {
    return {sizeof(Node),     sizeof(Law),         sizeof(PassedRow), sizeof(Stage),
            Memory::read,     find_motions,        find_rates,        couple_border,
            find_corrections, correct_with_border, add_corrections,   Memory::write};
  }

 private:
  // Row and BodyRow have the same functions, but the linker might take those that were compiled
  // for other instructions.
  static bool is_part_of_inertia(const BodyRow& row) {
    return row.state == Row::State::Inside && !row.is_bordered;
  }
  static double residual(const Row& row) {
    return row.rate + row.softness * row.force - row.target;
  }

  // ---- up

  // Adds the rows at a body to its M and g:
  //
  //     a soft row within its bounds:  M + J·Jᵀ/c,  g + e·J/c        any other row:  g + λ·J
  static void add_rows_of(const SolverWork& w, std::size_t i, Node& n) {
    if (n.first_row < 0) {
      return copy(n.own_inertia, n.articulated);
    }
    SpatialMatrixOf<V> articulated;
    copy(n.own_inertia, articulated);
    for (std::int32_t r = n.first_row; r >= 0;) {
      const BodyRow& row = w.rows[r];
      const PassedRow& passed = Memory::rows_of(w)[r];
      const int end = passed.nodes[0] == static_cast<std::int32_t>(i) ? 0 : 1;
      const Spatial& jacobian = passed.jacobians[end];
      double force = row.force;
      if (is_part_of_inertia(row)) {
        const double stiffness = 1.0 / row.softness;
        subtract_outer(articulated, -stiffness, jacobian);
        force = stiffness * row.target;
      }
      if (force != 0.0) {
        n.bias = n.bias + force * jacobian;
      }
      r = passed.next[end];
    }
    copy(articulated, n.articulated);
  }

  // A fixed joint has no axis, so its η and κ are 0.
  static void set_axis_law(Node& n, const AxisWork& axis) {
    if (n.kind == TreeNodeKind::Rigid) {
      n.gain = n.slip_at_rest = n.axis_drift = 0.0;
    } else {
      set_law(n, axis.folded, axis.is_inside);
    }
  }

  // Sets n and α, and the inertia r·α·r that the rows in each direction r move.
  static void eliminate_directions(Node& n) {
    eliminate_subspace(n, n.kind, *n.law);
    for (std::size_t k = 0; k < n.directions->row_directions; ++k) {
      const V direction = Memory::vector(n.directions->in_free[k]);
      n.directions->inertia[k] = dot(direction, n.law->inertia * direction);
    }
  }

  // Sets η and κ if the rows or α have changed.
  static void fold_directions(Node& n) {
    FoldedDirections& rows = *n.directions;
    Law& law = *n.law;
    // The states of rows have changed since the last round.
    if (rows.is_new) {
      rows.is_new = false;
      law.stiff_count = rows.stiff_count;
      for (int i = 0; i < 3; ++i) {
        law.basis[i] = Memory::vector(rows.basis[i]);
      }
      law.compliance = In::symmetric(rows.compliance);
    } else if (law.is_folded) {
      return;
    }
    fold_subspace(law);
    law.slip_at_rest =
        slip_for(law, Memory::vector(rows.forcing.force), Memory::vector(rows.forcing.targets));
  }

  // Does what add_to_parent() does, for a joint with free directions.
  static void add_subspace_to_parent(Node& n) {
    Node& parent = *n.parent();
    const Spatial locked_force = n.apparent_inertia * n.drift - n.apparent_bias;
    const Spatial force =
        subspace_response(n, *n.law, locked_force, n.drift, n.law->slip_at_rest).force;
    add(parent.articulated, seen_from(seen_with_directions(n, *n.law), n.from_parent()));
    parent.bias = parent.bias - force_from(force, n.from_parent());
  }

  // A node passes on anew what it is to its parent if the parent is dirty. n and α change only if
  // the node itself is dirty.
  static void add_to_parent_of(const SolverWork& w, std::size_t i) {
    Node& n = Memory::nodes_of(w)[i];
    if (n.kind == TreeNodeKind::Root) {
      return;
    }
    if (w.is_dirty[i] != 0) {
      w.nodes[i]->along_axis = n.along_axis;
      if (n.law != nullptr) {
        eliminate_directions(n);
      }
    }
    // A parent that is not dirty has what this node passes on.
    if (n.parent() == nullptr || w.is_dirty[w.order[i].parent] != 0) {
      n.law != nullptr ? fold_directions(n) : set_axis_law(n, w.axes[i]);
      if (n.parent() != nullptr) {
        n.law != nullptr ? add_subspace_to_parent(n) : add_to_parent(n);
      }
    }
  }

  // The pass from the leaves to the roots computes M and g of the nodes that are dirty. Since
  // nodes are ordered by depth, the neighbour of a node is mostly on another branch, and both
  // joints are eliminated in turns.
  static void eliminate(const SolverWork& w) {
    Node* const nodes = Memory::nodes_of(w);
    for (std::size_t i = 0; i < w.count; ++i) {
      Node& n = nodes[i];
      if (w.is_dirty[i] != 0) {
        n.bias = n.own_load;
        add_rows_of(w, i, n);
      }
    }
    for (std::size_t i = w.count; i-- > 0;) {
      if (w.is_dirty[i] != 0) {
        if (nodes[i].kind == TreeNodeKind::Root) {
          factor_root(nodes[i]);
        } else if (i > 0 && w.is_dirty[i - 1] != 0 && nodes[i - 1].kind != TreeNodeKind::Root &&
                   nodes[i].parent() != &nodes[i - 1]) {
          eliminate_joints(nodes[i], nodes[i - 1]);
          add_to_parent_of(w, i);
          --i;
        } else {
          eliminate_joint(nodes[i]);
        }
      }
      add_to_parent_of(w, i);
    }
    for (std::size_t i = 0; i < w.count; ++i) {
      w.is_dirty[i] = 0;
    }
  }

  // ---- down

  // Sets the rate of the rows on the axis, and the part of w along it.
  static void set_rates(const Node& n, const Spatial& relative, AxisWork& axis) {
    axis.rate = part_along_axis(n, relative);
    axis.axis_force = part_along_axis(n, n.force);
  }

  // Computes t and w of a joint with one axis or none.
  static void find_axis_motion(Node& n, AxisWork& axis) {
    find_motion(n);
    n.relative = n.anchor_motion - parent_motion(n);
    set_rates(n, n.relative, axis);
  }

  // Computes t and w of a joint with free directions, and the forces of its rows along V.
  static void find_subspace_motion(Node& n) {
    const Spatial on_parent = parent_motion(n);
    const Spatial wanted = on_parent + n.drift;
    const Spatial locked_force = n.apparent_inertia * wanted - n.apparent_bias;
    const ResponseOf<V> by_joint =
        subspace_response(n, *n.law, locked_force, wanted, n.law->slip_at_rest);
    n.force = by_joint.force;
    n.anchor_motion = by_joint.motion;
    n.relative = n.anchor_motion - on_parent;
    FoldedDirections& rows = *n.directions;
    Memory::store(forces_along(*n.law, locked_force, Memory::vector(rows.forcing.force),
                               Memory::vector(rows.forcing.targets)),
                  rows.along);
    Memory::store(n.relative, rows.relative);
    Memory::store(parts(n.law->e, n.force), rows.force_part);
  }

  // Returns Σ J_i·t_i over the ends of a row and of the `more` rows after it.
  static Real rate(const PassedRow* row, std::size_t more, const Node* nodes) {
    Real rate{};
    for (std::size_t k = 0; k <= more; ++k) {
      for (int end = 0; end < 2; ++end) {
        if (row[k].nodes[end] >= 0) {
          rate += dot(row[k].jacobians[end], nodes[row[k].nodes[end]].anchor_motion);
        }
      }
    }
    return rate;
  }

  // ---- the border

  // Stores the stage of a load at a node. Returns the parent, to which the load is then passed on;
  // null if there is none.
  [[gnu::always_inline]] static inline const Node* pass_on(const Node& n, Spatial& load,
                                                           Stage& stage) {
    stage.rank = n.rank;
    stage.load = load;
    if (n.kind == TreeNodeKind::Root) {
      stage.motion = root_motion(n, load);
      return nullptr;
    }
    // The locked force is −x with g = load, and x = (1 + M·C)⁻¹·g = g − N₀·C·g.
    const Spatial locked_force = n.apparent_inertia * softened(n, load) - load;
    const ResponseOf<V> by_joint = response(n, locked_force, Spatial{}, Real{}, V{});
    stage.motion = by_joint.motion;
    const Node* const parent = n.parent();
    if (parent != nullptr) {
      // The parent gets the opposite of the joint's force.
      load = -1.0 * force_from(by_joint.force, n.from_parent());
    }
    return parent;
  }

  // Does what follow() does, for a row with further ends.
  static std::size_t follow_all(const PassedRow* row, std::size_t more, const Node* nodes,
                                Stage* stages, std::size_t end) {
    struct Way {
      const Node* node;
      Spatial load;
    };
    Way ways[2 * kMaxCoupledJoints];
    std::size_t count = 0;
    for (std::size_t k = 0; k <= more; ++k) {
      for (int of = 0; of < 2; ++of) {
        if (row[k].nodes[of] >= 0) {
          ways[count++] = {&nodes[row[k].nodes[of]], row[k].jacobians[of]};
        }
      }
    }
    while (count > 0) {
      std::size_t lowest = 0;
      for (std::size_t i = 1; i < count; ++i) {
        lowest = ways[i].node->rank > ways[lowest].node->rank ? i : lowest;
      }
      Way way = ways[lowest];
      ways[lowest] = ways[--count];
      // Ways that have met go on as one.
      for (std::size_t i = count; i-- > 0;) {
        if (ways[i].node == way.node) {
          way.load = way.load + ways[i].load;
          ways[i] = ways[--count];
        }
      }
      way.node = pass_on(*way.node, way.load, stages[end++]);
      if (way.node != nullptr) {
        ways[count++] = way;
      }
    }
    return end;
  }

  // Follows a force of the row from its bodies to the root, and stores a stage for each node. On
  // its way up, the load moves each anchor against that of the parent, and goes on as what the
  // joint transmits. Two ways that meet go on as one. Stages are in descending rank, since the
  // lower of two nodes is always taken first.
  static std::size_t follow(const PassedRow& row, const Node* nodes, Stage* stages,
                            std::size_t end) {
    const auto at = [nodes](std::int32_t place) { return place >= 0 ? &nodes[place] : nullptr; };
    const Node* node = at(row.nodes[0]);
    const Node* other = at(row.nodes[1]);
    // The load is a unit force of the row.
    Spatial load = row.jacobians[0];
    Spatial other_load = other != nullptr ? row.jacobians[1] : Spatial{};
    while (node != nullptr) {
      // The ways have met.
      if (node == other) {
        load = load + other_load;
        other = nullptr;
      } else if (other != nullptr && node->rank < other->rank) {  // parents come first
        const Node* const lower = node;
        node = other;
        other = lower;
        const Spatial its_load = load;
        load = other_load;
        other_load = its_load;
      }
      node = pass_on(*node, load, stages[end++]);
      if (node == nullptr) {
        // The way ends here, and the other one goes on.
        node = other;
        load = other_load;
        other = nullptr;
      }
    }
    return end;
  }

  // Returns how the force of one row changes the rate of another: the sum of load·motion over the
  // nodes that both ways have. Both lists are in descending rank, so this is a merge.
  static double coupling(const SolverWork& w, const Stage* stages, std::size_t one,
                         std::size_t other) {
    double sum = 0.0;
    std::size_t i = w.first_stages[one];
    std::size_t j = w.first_stages[other];
    const std::size_t end = w.first_stages[one + 1];
    const std::size_t other_end = w.first_stages[other + 1];
    while (i < end && j < other_end) {
      // Equal ranks are the same node.
      const Stage& a = stages[i];
      const Stage& b = stages[j];
      if (a.rank == b.rank) {
        sum += dot(a.load, b.motion);
      }
      i += a.rank >= b.rank ? 1 : 0;
      j += b.rank >= a.rank ? 1 : 0;
    }
    return sum;
  }

  // ---- refinement

  // Returns w and t of a joint of any kind. `locked_force` is N₀·(t_p + d) − x, and the slips at
  // rest are κ. `wanted` is t_p + d.
  static ResponseOf<V> response(const Node& n, const Spatial& locked_force, const Spatial& wanted,
                                const Real& slip_at_rest, const V& slips_at_rest) {
    if (n.law != nullptr) {
      return subspace_response(n, *n.law, locked_force, wanted, slips_at_rest);
    }
    const TransmittedOf<V> by_joint = transmitted(n, locked_force, slip_at_rest);
    return {by_joint.force, motion_of_child(n, wanted, by_joint)};
  }

  // Computes the residuals of the bodies, and those of the joints:
  //
  //     g + w − Σ w of children − M·t
  static void find_missing(const SolverWork& w) {
    Node* const nodes = Memory::nodes_of(w);
    for (std::size_t i = 0; i < w.count; ++i) {
      Node& n = nodes[i];
      // This is the body alone: what hangs on it comes from the forces of joints below.
      n.missing = n.own_load - n.own_inertia * n.anchor_motion;
    }
    for (std::size_t i = 0; i < w.count; ++i) {
      Node& n = nodes[i];
      if (n.kind == TreeNodeKind::Root) {
        continue;
      }
      find_missing_of_joint(n, w.axes[i]);
      n.missing = n.missing + n.force;
      if (Node* const parent = n.parent(); parent != nullptr) {
        parent->missing = parent->missing - force_from(n.force, n.from_parent());
      }
    }
  }

  // Computes the residual of the joint's law:
  //
  //     d + a·σ − C·w − (t − t_p)
  //
  // Along the axis, or the free directions, the rows' residual takes its place.
  static void find_missing_of_joint(Node& n, const AxisWork& axis) {
    n.missing_drift = n.drift - n.relative - softened(n, n.force);
    n.missing_slip_at_rest = 0.0;
    if (n.law != nullptr) {
      const FoldedDirections::Forcing& lacking = n.directions->correction;
      n.missing_drift = n.missing_drift - sum(n.law->e, parts(n.law->e, n.missing_drift));
      n.missing_slips_at_rest =
          slip_for(*n.law, Memory::vector(lacking.force), Memory::vector(lacking.targets));
      return;
    }
    if (n.kind != TreeNodeKind::Rigid && !axis.is_inside) {
      n.missing_slip_at_rest = axis.missing_force * n.gain;  // the gain is 1/α here
    }
    add_along_axis(n, axis.missing - part_along_axis(n, n.missing_drift), n.missing_drift);
  }

  // Adds the forces of rows to the residuals of bodies. For a row that is part of the inertia, the
  // force that its own residual asks for comes on top.
  static void add_rows(const SolverWork& w) {
    for (std::size_t i = 0; i < w.row_count; ++i) {
      const BodyRow& row = w.rows[i];
      const PassedRow& passed = Memory::rows_of(w)[i];
      const double force =
          row.force + (is_part_of_inertia(row) ? -residual(row) / row.softness : 0.0);
      for (int end = 0; end < 2; ++end) {
        if (passed.nodes[end] >= 0 && force != 0.0) {
          Spatial& missing = Memory::nodes_of(w)[passed.nodes[end]].missing;
          missing = missing + force * passed.jacobians[end];
        }
      }
    }
  }

  // Solves for the corrections with the factors that exist: up, then down.
  static void solve_missing(const SolverWork& w) {
    Node* const nodes = Memory::nodes_of(w);
    for (std::size_t i = 0; i < w.count; ++i) {
      nodes[i].missing_load = nodes[i].missing;
    }
    for (std::size_t i = w.count; i-- > 0;) {
      go_up(nodes[i]);
    }
    for (std::size_t i = 0; i < w.count; ++i) {
      if (nodes[i].kind != TreeNodeKind::Root) {
        go_down(nodes[i]);
      }
    }
  }

  // Does what add_to_parent() does, with residuals in place of loads. M is not needed again.
  static void go_up(Node& n) {
    if (n.kind == TreeNodeKind::Root) {
      n.motion_change = root_motion(n, n.missing_load);
      return;
    }
    // x = (1 + M·C)⁻¹·g = g − N₀·C·g, so the factors need not be kept.
    n.missing_bias = n.missing_load - n.apparent_inertia * softened(n, n.missing_load);
    if (Node* const parent = n.parent(); parent != nullptr) {
      const Spatial locked_force = n.apparent_inertia * n.missing_drift - n.missing_bias;
      const Spatial force = response(n, locked_force, n.missing_drift, n.missing_slip_at_rest,
                                     n.missing_slips_at_rest)
                                .force;
      parent->missing_load = parent->missing_load - force_from(force, n.from_parent());
    }
  }

  // Does what find_motion() does, with residuals in place of loads.
  static void go_down(Node& n) {
    Spatial wanted = n.missing_drift;
    if (const Node* const parent = n.parent(); parent != nullptr) {
      wanted = wanted + motion_at(parent->motion_change, n.from_parent());
    }
    const Spatial locked_force = n.apparent_inertia * wanted - n.missing_bias;
    const ResponseOf<V> by_joint =
        response(n, locked_force, wanted, n.missing_slip_at_rest, n.missing_slips_at_rest);
    n.force_change = by_joint.force;
    n.motion_change = by_joint.motion;
    n.locked_force_change = locked_force;
  }

  // Returns Σ J_i·(change of t_i) over the same ends as rate().
  static double rate_change(const PassedRow* row, std::size_t more, const Node* nodes) {
    double change = 0.0;
    for (std::size_t k = 0; k <= more; ++k) {
      for (int end = 0; end < 2; ++end) {
        if (row[k].nodes[end] >= 0) {
          change += dot(row[k].jacobians[end], nodes[row[k].nodes[end]].motion_change);
        }
      }
    }
    return change;
  }
};

}  // namespace servosim
