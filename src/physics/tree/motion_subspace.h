// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "physics/rows/axes_rows.h"
#include "physics/rows/row.h"
#include "physics/rows/spatial.h"
#include "physics/tree/tree_node.h"

namespace servosim {

/// A joint that leaves its body up to three free directions: a ball, or a Hinge2 with or without a
/// suspension. Rows of motors, stops and springs are among them.
struct MotionSubspace {
  // ---- to be set before each step

  std::array<Direction, 3> directions;  ///< E: square to each other; without length beyond `count`
  std::size_t count = 0;
  AxesRows rows;  ///< within the span of the directions; with results

  // ---- results

  std::array<double, kMaxRowDirections> inertia{};  ///< about that which the rows in each move
};

/// What the rows of such a joint are together in their states, as the passes of the solver take
/// it, and what these have found. The law of one axis in FoldedRows, with vectors and
/// matrices of the free directions in place of numbers. Symbols are those of
/// docs/explanation/solver.md; where there are fewer directions, the rest of the numbers do
/// nothing.
struct FoldedDirections {
  const Direction* directions = nullptr;  ///< E
  std::size_t count = 0;                  ///< of these
  std::size_t row_directions = 0;
  Vec3 in_free[kMaxRowDirections];  ///< directions of rows as sums of those in E
  bool is_new = false;              ///< other rows are at bounds than the passes know of

  // The directions of rows inside their bounds span V, the rest of E is U. Vectors and matrices of
  // V have zeros beyond its dimension.
  Vec3 basis[3];  ///< V, then U
  std::size_t stiff_count = 0;
  SymMat3 compliance;  ///< γ = Γ − c: of the rows in V

  /// What targets of rows and forces of those at bounds ask for.
  struct Forcing {
    Vec3 force;    ///< φ
    Vec3 targets;  ///< of the directions with rows inside their bounds, as those in V
  };
  Forcing forcing;
  Forcing correction;  ///< in a step's refinement: what the equations of the rows lack

  // ---- results

  double* inertia = nullptr;  ///< of MotionSubspace
  Vec3 along;                 ///< the forces of the rows along V
  Vec3 force_part;            ///< the part of w in the free directions
  SpatialVector relative;     ///< the motion of the child against the parent
};

/// The rows of such a joint, one by one.
class DirectionRows : public FoldedDirections {
 public:
  /// At the start of a step.
  void begin(const TreeNode& n);
  /// A row has another state.
  void note_change() { is_folded_ = false; }
  void fold();
  /// Sets rates and forces of the rows from the results.
  void set_forces();
  /// Adds what a correction makes of them.
  void correct_forces();
  /// Sets what the equations of the rows lack.
  void find_missing();

 private:
  using OfRows = std::array<double, kMaxRowDirections>;

  // A direction with rows inside their bounds, which are folded into one of softness c_e and target
  // d_e.
  struct Inside {
    std::size_t direction;
    AxesRows::OfDirection* stiffest;  // of its rows
    double softness;
    double target;
    double missing;  // of a step's refinement: what a change of the rate has to be
    // A direction that those before it span is a sum of those in V, `in_stiff`. Then `gives` is
    // Γ·in_stiff, with Γ before this direction was added, and `share` is 1/(c_e + in_stiff·gives).
    bool is_spanned;
    Vec3 in_stiff;
    Vec3 gives;
    double share;
    double force;  // result: of all rows inside
  };

  void fold_directions();
  void span_stiff();
  void complete_basis();
  void set_compliance();
  Vec3 wanted_of_all(double Inside::*asked, OfRows& of_spanned) const;
  // For what is asked of the directions with rows inside their bounds. `of_spanned`: gets what
  // those that others span ask for.
  void set_forcing(double Inside::*asked, const Vec3& force, Forcing& to, OfRows& of_spanned) const;
  void add_to_forces(const OfRows& of_spanned);
  void distribute();

  MotionSubspace* subspace_ = nullptr;
  Vec3 softness_;  // c in the free directions
  std::array<Inside, kMaxRowDirections> inside_;
  std::size_t inside_count_ = 0;
  std::array<std::size_t, kMaxRowDirections> inside_of_{};  // index, of directions that have one
  bool is_folded_ = false;
  Mat3 to_rows_;         // Q⁻¹: of forces along V to those of rows that span it
  OfRows of_spanned_{};  // by inside_: of the forcing
  OfRows correcting_{};  // by inside_: of the correction
};

}  // namespace servosim
