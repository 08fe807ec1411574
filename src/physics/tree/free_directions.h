// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "physics/tree/axes_rows.h"
#include "physics/tree/solver_rows.h"
#include "physics/tree/spatial.h"
#include "physics/tree/tree_node.h"

namespace servosim {

/// How a joint gives way that leaves its body up to three free directions, with rows of motors,
/// stops and springs among them: a ball, or a Hinge2 with or without a suspension. The law of one
/// axis in fold_rows(), with matrices of three by three in place of numbers. Symbols are those of
/// docs/explanation/solver.md; where there are fewer directions, the rest of the numbers do
/// nothing.
class FreeDirections {
 public:
  // ---- to be set before each step

  std::array<Direction, 3> directions;  ///< E: square to each other; without length beyond `count`
  std::size_t count = 0;
  AxesRows rows;  ///< within the span of the directions

  // ---- of the solver

  /// n = N₀·E and α = Eᵀ·n of the node, for any states of the rows. The directions of a Ball must
  /// be the world's axes.
  void eliminate(const TreeNode& n);
  /// The law with the rows in their states.
  void fold();
  /// A row has another state.
  void note_change() { is_folded_ = false; }
  /// What the node is to its parent: N₀ − n·η·nᵀ.
  SpatialMatrix as_seen_by_parent(const TreeNode& n) const;

  /// What the targets of rows and the forces of those at bounds do.
  struct Push {
    Vec3 slip;     // κ
    Vec3 force;    // φ
    Vec3 targets;  // of the directions with rows inside their bounds, as those in V
    std::array<double, kMaxRowDirections> rows{};  // by inside_: of those that others span
  };
  const Push& push() const { return push_; }
  /// For other targets of the directions with rows inside their bounds, and another φ.
  Push push_for(const std::array<double, kMaxRowDirections>& targets, const Vec3& force) const;

  /// What the joint transmits, and how it gives way: E·σ. `held`: the force without the directions;
  /// `slip`: κ.
  struct Transmitted {
    SpatialVector force;
    SpatialVector slip;
  };
  Transmitted transmitted(const SpatialVector& held, const Vec3& slip) const;

  /// Sets rates and forces of the rows. `held`: as above; `relative`: the motion of the child
  /// against the parent.
  void set_forces(const SpatialVector& held, const SpatialVector& relative);
  /// Adds what a correction of the motions makes of them.
  void correct_forces(const SpatialVector& held, const Push& push, const SpatialVector& relative);
  /// What the equations of the rows lack, for push_for(). `force`: w.
  Push missing(const SpatialVector& force) const;
  /// A part of a step's refinement.
  Push correction;

  /// About that which the rows in a direction move.
  const double& inertia(std::size_t direction) const { return inertia_[direction]; }
  /// The part of a vector in the free directions.
  Vec3 parts(const SpatialVector& v) const {
    return {part_along(directions[0], v), part_along(directions[1], v),
            part_along(directions[2], v)};
  }
  SpatialVector sum(const Vec3& s) const {
    return s.x * directions[0] + s.y * directions[1] + s.z * directions[2];
  }

 private:
  // A direction with rows inside their bounds, which are folded into one of softness c_e and target
  // d_e.
  struct Inside {
    std::size_t direction;
    AxesRows::OfDirection* stiffest;  // of its rows
    double softness;
    double target;
    // Of a direction that those before it span: as a sum of those in V; Γ times that, before it was
    // added; and 1/(c_e + the work of both).
    bool is_spanned;
    Vec3 in_stiff;
    Vec3 gives;
    double share;
    double force;  // result: of all rows inside
  };

  void set_inertias();
  void fold_direction(std::size_t direction);
  void span_stiff();
  void complete_basis();
  void eliminate_rest();
  void set_compliance();
  void add_to_forces(const SpatialVector& held, const Push& push);
  void distribute(const SpatialVector& relative);

  std::array<SpatialVector, 3> through_;             // n
  SymMat3 inertia_matrix_;                           // α
  Vec3 softness_;                                    // c in the free directions
  std::array<Vec3, kMaxRowDirections> in_free_;      // by direction of rows: as a sum of those in E
  std::array<double, kMaxRowDirections> inertia_{};  // likewise
  std::array<Inside, kMaxRowDirections> inside_;
  std::size_t inside_count_ = 0;
  bool is_folded_ = false;

  // The directions of rows inside their bounds span V, the rest of E is U. Vectors and matrices of
  // V have zeros beyond its dimension.
  std::array<Vec3, 3> basis_;  // V, then U
  std::size_t stiff_count_ = 0;
  Mat3 to_rows_;           // Q⁻¹: of forces along V to those of rows that span it
  SymMat3 mobility_;       // F: of U
  Mat3 stiff_;             // L: its columns are V, less what U follows
  SymMat3 stiff_inertia_;  // W: of V, U following
  SymMat3 compliance_;     // γ = Γ − c: of the rows in V
  Mat3 share_;             // H = (1 + γ·W)⁻¹
  SymMat3 gain_;           // η
  Push push_;
};

/// What a joint of any kind transmits, and the motion t of its child.
struct Response {
  SpatialVector force;
  SpatialVector motion;
};

/// `held`: the force without the axis or the free directions; `wanted`: t_p + d; `push` and `slip`:
/// κ of a joint with an axis, or with free directions.
inline Response response(const TreeNode& n, const SpatialVector& held, const SpatialVector& wanted,
                         double push, const Vec3& slip) {
  if (n.free != nullptr) {
    const FreeDirections::Transmitted by_joint = n.free->transmitted(held, slip);
    return {by_joint.force, wanted - softened(n, by_joint.force) + by_joint.slip};
  }
  const TransmittedOf<Vec3> by_joint = transmitted(n, held, push);
  return {by_joint.force, motion_of_child(n, wanted, by_joint)};
}

}  // namespace servosim
