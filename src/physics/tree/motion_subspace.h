// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "physics/rows/axes_rows.h"
#include "physics/rows/row.h"
#include "physics/rows/spatial.h"
#include "physics/tree/tree_node.h"

// A ball or a Hinge2 leaves its child up to three free directions E. Its rows act along directions
// r within the span of E, which may be parallel to each other. With t_c and t_p, the motions of the
// anchor on child and parent, ρ, the coordinates of E's part of t_c − t_p, and λ, the force of the
// rows in direction r,
//
//     t_c − t_p = d + E·σ − C·w,        r·ρ + c_e·λ = e
//
// The directions with rows inside their bounds span V, the stiffest first: r = V·Q with a
// triangular Q. The rows are then one law in V,
//
//     Γ = Q⁻ᵀ·diag(c_e)·Q⁻¹,    γ = Γ − c,    target Q⁻ᵀ·e
//
// A direction that earlier ones already span makes the law stiffer:
//
//     r = V·q,    g = Γ·q,    Γ becomes Γ − g·gᵀ/(c_e + q·g)
//
// Forces and rates are positive where the child moves along, or turns about, +r. Source:
// docs/explanation/solver.md, "More than one free direction"; the update is the Sherman–Morrison
// formula.

namespace servosim {

/// The free directions of a joint, up to three. The rows of its motors, stops and springs act
/// within them:
///
///     ball:    about the three axes of the world
///     Hinge2:  about axis 1, about the direction perpendicular to it in the plane of both axes,
///              and, with a suspension, along axis 1
struct MotionSubspace {
  // ---- to be set before each step

  /// E: perpendicular to each other; with length 0 beyond `count`.
  std::array<Direction, 3> directions;
  std::size_t count = 0;
  AxesRows rows;  ///< within the span of the directions, with results

  // ---- results

  /// The inertia that the rows in each direction move.
  std::array<double, kMaxRowDirections> inertia{};
};

/// Holds what the rows of such a joint are together in their states, as the passes of the solver
/// read it, and what the passes have found. It is the law of FoldedRows, with vectors and matrices
/// of the free directions in place of numbers. With fewer than three directions, the other numbers
/// have no effect.
struct FoldedDirections {
  const Direction* directions = nullptr;  ///< E
  std::size_t count = 0;                  ///< number of directions in E
  std::size_t row_directions = 0;
  Vec3 in_free[kMaxRowDirections];  ///< r of each row direction in terms of E
  bool is_new = false;              ///< the passes have not read the present law

  /// V, then U, the rest of E. Vectors and matrices of V have zeros beyond its dimension
  /// stiff_count.
  Vec3 basis[3];  ///< V, then U
  std::size_t stiff_count = 0;
  SymMat3 compliance;  ///< γ = Γ − c: of the rows in V

  /// Holds what the targets of rows and the forces of rows at a bound ask for.
  struct Forcing {
    Vec3 force;    ///< φ
    Vec3 targets;  ///< Q⁻ᵀ·e + c·Vᵀ·φ
  };
  Forcing forcing;
  Forcing correction;  ///< in the refinement: the residuals of the rows

  // ---- results

  double* inertia = nullptr;  ///< that of MotionSubspace
  Vec3 along;                 ///< forces of the rows along V
  Vec3 force_part;            ///< the part of w in the free directions
  SpatialVector relative;     ///< t_c − t_p
};

/// Folds the rows of such a joint into one law, and gets the force of each row from the results.
class DirectionRows : public FoldedDirections {
 public:
  /// Must be called at the start of a step. The node must outlive the step.
  void begin(const TreeNode& n);
  /// Must be called when a row has another state.
  void note_change() { is_folded_ = false; }
  /// Makes the law of the rows in their states, if it has changed.
  void fold();
  /// Sets rates and forces of the rows from the results.
  void set_forces();
  /// Adds the forces of a correction, and sets rates and forces anew.
  void correct_forces();
  /// Sets `correction` to the residuals of the rows.
  void find_missing();

 private:
  using OfRows = std::array<double, kMaxRowDirections>;

  // A direction with rows inside their bounds, folded into one row of softness c_e and target d_e.
  struct Inside {
    std::size_t direction;
    AxesRows::OfDirection* stiffest;  // the stiffest of its rows
    double softness;
    double target;
    double missing;  // in the refinement: the change of the rate that is needed
    // Whether earlier directions span this one, as V·in_stiff. Then `gives` is g = Γ·in_stiff,
    // with Γ before this direction was added, and `share` is 1/(c_e + in_stiff·g).
    bool is_spanned;
    Vec3 in_stiff;
    Vec3 gives;
    double share;
    double force;  // result: of all its rows inside
  };

  // These make the law, in this order.
  void fold_directions();
  void span_stiff();
  void complete_basis();
  void set_compliance();
  // Returns Q⁻ᵀ·e if some directions are spanned by others. `asked` names e: the targets, or what
  // is missing. `of_spanned` gets what the spanned directions ask for.
  Vec3 wanted_of_all(double Inside::*asked, OfRows& of_spanned) const;
  // Sets a forcing. `asked` and `of_spanned` are those of wanted_of_all(), `force` is φ.
  void set_forcing(double Inside::*asked, const Vec3& force, Forcing& to, OfRows& of_spanned) const;
  // Adds the forces along V to those of the directions.
  void add_to_forces(const OfRows& of_spanned);
  // Sets the rates of all rows, and shares the force of a direction among its rows.
  void distribute();

  MotionSubspace* subspace_ = nullptr;
  Vec3 softness_;  // c in the free directions
  std::array<Inside, kMaxRowDirections> inside_;
  std::size_t inside_count_ = 0;
  std::array<std::size_t, kMaxRowDirections> inside_of_{};  // index, of directions that have one
  bool is_folded_ = false;
  // Q⁻¹: from forces along V to those of the rows that span it.
  Mat3 to_rows_;
  OfRows of_spanned_{};  // by inside_: of the forcing
  OfRows correcting_{};  // by inside_: of the correction
};

}  // namespace servosim
