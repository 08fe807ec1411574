// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "physics/rows/coupling_rows.h"
#include "physics/tree/body_row.h"
#include "physics/tree/forest.h"
#include "physics/tree/islands.h"
#include "physics/tree/tree_solver.h"

// A coupling of joints as rows on bodies. With r_k, the ratio of joint k, a_k, its axis, and e, the
// error before the step,
//
//     rate = Σ r_k·a_k·(t_child − t_parent) = Σ r_k·(p'_k⁺/h + a_k·d_k)      d_k: the joint's drift
//
//     rigid:         rate + c·λ = −ERP/h²·e                         c: only rounding
//     compliant:     rate + compliance/h²·λ = −e/h²                 (1)
//     in the middle: rate + 4·compliance/h²·λ = −4/h²·e − v/h       (2), v = Σ r_k·p'_k
//
// (1) is the spring λ = −e⁺/compliance with e⁺ = e + h²·rate. (2) is the same spring in the middle
// of a step of the midpoint rule, where e is e + h/4·(v + v⁺). Free play has a row for each end of
// the range, whose force has one sign. Its target lets the joints reach the end, but not pass it.
// a_k·d_k, which belongs to the targets, is 0 but for sliders that turn, in coordinates. λ is
// positive where it moves the children along +axis of joints with positive ratios.

namespace servosim {

/// Says how positions follow from rates in the step that a coupling's rows are for.
enum class CoupledStep : std::uint8_t {
  OfBodies,  ///< bodies turn by their own rates after the step, as in ODE
  AtItsEnd,  ///< joints move by their rates after the step
  AtMiddle,  ///< joints move by the means of their rates before and after the step
};

/// A coupling between joints of the trees of a forest. All its joints are solved together.
///
/// Threads: one at a time.
class TreeCoupling {
 public:
  /// Where the joints with an axis are that a forest has.
  struct Places {
    explicit Places(const Forest& forest);
    struct Place {
      const SolvedJoint* joint = nullptr;
      const PlacedJoint* placed = nullptr;
      std::size_t node = 0;  ///< of its child
    };
    std::unordered_map<const HingeRows*, Place> of;
  };
  /// The joints in `coupling` must be in the forest, whose objects must outlive this one.
  TreeCoupling(const CouplingRows& coupling, const Places& places);

  /// Calls an action with the index of a node of each joint.
  template <typename Action>
  void for_each_node(Action action) const {
    for (const Term& term : terms_) {
      action(term.node);
    }
  }
  /// Appends the rows for the next step. The joints must have been placed.
  void add_rows(const StepSettings& settings, CoupledStep step, std::vector<BodyRow>& rows);
  /// Must be called after a solution for CoupledStep::OfBodies, with the rows of the step. Bodies
  /// turn by less than their rates say, so the coupling would miss its positions. Corrects the
  /// targets for that. Returns whether another solution is worth its time.
  bool correct_targets(const StepSettings& settings, std::span<BodyRow> rows);

 private:
  struct Term : Places::Place {
    double ratio = 1.0;
  };

  // Returns e before the step.
  double error_before() const;
  // Returns e when the bodies have moved with their motions before the step, or with those that
  // were found.
  double error_after(const StepSettings& settings, bool is_found) const;
  // Appends one row that acts on the bodies of all terms.
  void add_row(const RowTerms& terms, Row::State first_state, std::vector<BodyRow>& rows) const;
  // Makes the rows ask for positions that differ by `missed` from what the rates say.
  void correct_by(double missed, const StepSettings& settings, std::span<BodyRow> rows);

  std::vector<Term> terms_;
  CouplingRows of_;
  // These are those of this step.
  std::size_t first_row_ = 0;
  std::array<double, 2> targets_{};  // of its one or two rows, without missed_
  double missed_ = 0.0;
  // Those of the solution before, in this step; nothing after the first one.
  struct Trial {
    double missed;
    double off;  // by how much more the bodies missed
  };
  std::optional<Trial> last_;
};

/// All couplings of a forest, by tree.
///
/// Threads: one at a time.
class TreeCouplings {
 public:
  /// Makes coupled trees one island. `ends` has the index after the last node of each tree.
  void add(std::span<const CouplingRows> couplings, const Forest& forest,
           std::span<const std::size_t> ends, Islands& islands);
  bool empty() const { return couplings_.empty(); }
  /// Appends the rows of an island, of which these are the trees.
  void add_rows(std::span<const int> trees, const StepSettings& settings, CoupledStep step,
                std::vector<BodyRow>& rows);
  /// Solves an island with rows for CoupledStep::OfBodies, as often as its couplings need it.
  /// @returns whether there is a solution
  bool solve(TreeSolver& solver, TreeSolver::Trees nodes, std::span<const int> trees,
             const StepSettings& settings, std::span<BodyRow> rows);

 private:
  template <typename Action>
  void for_each_of(std::span<const int> trees, Action action) {
    for (std::size_t i = 0; i < trees.size() && !couplings_.empty(); ++i) {
      for (const std::size_t c : by_tree_[trees[i]]) {
        action(couplings_[c]);
      }
    }
  }

  std::vector<TreeCoupling> couplings_;
  std::vector<std::vector<std::size_t>> by_tree_;  // by the tree of the first joint
};

}  // namespace servosim
