// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/lane_set.h"
#include "physics/rows/row.h"
#include "physics/tree/elimination.h"

// Equal trees side by side: each number of a node is a vector with one lane for each tree. The
// operations, and their order, are those of TreeSolver, so each tree gets the same bits as alone:
//
//     read → N₀, x, η, κ from the leaves to the roots → t, w back → check the bounds → move
//
// elimination.h, joint_place.h and body_step.h have the equations, which are templates over the
// type of numbers. The page docs/explanation/solver.md, "Equal robots side by side", explains why
// and when lanes are used. Signs are those of row.h.

namespace servosim {

class TreeJoint;
struct JointDrive;
struct TreeBody;
struct TreeNode;

/// Limits the lanes of any set.
inline constexpr std::size_t kMaxLanes = 8;

/// A tree of hinges, sliders and fixed joints: its nodes, and what belongs to each of them.
struct LaneTree {
  const TreeBody* bodies;
  const TreeJoint* joints;
  TreeNode* nodes;
  std::size_t count;  ///< number of nodes
  bool may_move;      ///< its bodies may move as soon as it is solved
};

/// Returns whether a tree can be solved in a lane: it has no ball and no Hinge2.
bool fits_lane(const LaneTree& tree);
/// What trees must have in common to be solved side by side, as numbers: joints of the same kinds
/// and softness in the same positions of the tree. Masses, lengths and states may differ.
using TopologyKey = std::vector<std::uint64_t>;
TopologyKey topology_key(const LaneTree& tree);

/// Holds the rows of the axis of one joint in their states, and results of the solution, by lane.
/// The kernel checks whether the only row of an axis keeps its bounds. LaneSolver checks axes with
/// several rows.
struct LaneAxis {
  /// The only row. Without a force of the motor there is no row.
  const JointDrive* motor[kMaxLanes]{};
  /// The state of this row: -1 at its low bound, 1 at the high one, else 0.
  alignas(64) double side[kMaxLanes]{};
  /// The axis has several rows, folded into one; `side` is then 0.
  bool has_several[kMaxLanes]{};
  bool any_has_several = false;
  FoldedRows<double> folded[kMaxLanes]{};
  bool is_inside[kMaxLanes]{};  ///< some row is inside its bounds

  // The kernel's own.
  alignas(64) double softness[kMaxLanes]{};
  double target[kMaxLanes]{};
  double force[kMaxLanes]{};
  double inside[kMaxLanes]{};  // 1 or 0
  double bound[kMaxLanes]{};   // infinite if there are several rows
  double cosine[kMaxLanes]{};

  double rate[kMaxLanes]{};        ///< result: the rate of the rows; a move sets it to the joint's
  double axis_force[kMaxLanes]{};  ///< result: w along the axis
  double along[kMaxLanes]{};       ///< result: α
  double position[kMaxLanes]{};    ///< result of a move; see JointCoordinate::position()
  // A move sets `rate` to that of the joint [rad/s|m/s].
};

/// Results of trees side by side, by lane. The rows are those that the kernel checks.
struct LaneResults {
  /// Motions are finite, and no row breaks its bounds.
  bool holds[kMaxLanes];
  bool all_inside_bounds[kMaxLanes];  ///< all rows are inside their bounds
  /// Some row could as well be on the other side of its bound.
  bool any_degenerate[kMaxLanes];
  /// Results of a move: the square of the fastest spin [rad²/s²], and whether ODE can take the
  /// bodies.
  double fastest[kMaxLanes];
  bool is_in_range[kMaxLanes];
};

/// What a set of lanes can do: solve `lanes` trees that have the same TopologyKey.
struct LaneKernel {
  std::size_t lanes;
  std::size_t node_size;  ///< memory of solve() for each node [bytes]
  /// Does one round, from the state of the bodies to the forces of the nodes, with the rows in
  /// their states. `memory` is aligned to 64 bytes.
  void (*solve)(const LaneTree* trees, LaneAxis* axes, const StepSettings& settings, void* memory,
                LaneResults& results);
  /// Moves the bodies of the chosen lanes, and clears their forces. Must be called directly after
  /// solve(). If it is null, LaneSolver::move() moves the bodies by the motions of the nodes.
  void (*move)(const LaneTree* trees, LaneAxis* axes, const StepSettings& settings, void* memory,
               const bool* chosen, LaneResults& results);
};
extern const LaneKernel kSse2Lanes;
extern const LaneKernel kAvx2Lanes;
extern const LaneKernel kAvx512Lanes;
/// These kernels solve one tree, and keep the three numbers of a vector in one register.
extern const LaneKernel kAvx2Single;
extern const LaneKernel kAvx512Single;
/// TreeBody::read() for adjacent bodies, with the three numbers of a vector in one register.
using ReadBodies = void (*)(TreeBody* bodies, std::size_t count, const StepSettings& settings);
extern const ReadBodies kAvx2Read;
extern const ReadBodies kAvx512Read;
/// TreeBody::move() for adjacent bodies, in the same way.
using MoveBodies = void (*)(const TreeBody* bodies, std::size_t count, double h);
extern const MoveBodies kAvx2Move;
extern const MoveBodies kAvx512Move;

/// Says what became of a tree.
struct LaneOutcome {
  bool is_solved = false;  ///< its nodes and rows have results
  bool is_moved = false;   ///< its bodies have moved, and its joints have positions
  /// These are valid only if `is_moved`.
  bool is_in_range = false;
  double fastest_squared = 0.0;  ///< of the spins of its bodies [rad²/s²]
};

/// Solves equal trees, several at a time. Each tree gets the bits that TreeSolver gives: the lanes
/// do the same operations in the same order.
///
/// A lane has one round, with rows in the states that they had in the last step. If rows then break
/// their bounds, or could be in other states, the tree is left to TreeSolver. Trees may be of
/// several worlds with the same StepSettings.
///
/// Threads: one at a time. Its memory belongs to the thread.
class LaneSolver {
 public:
  /// `set` must be a set that the processor has.
  explicit LaneSolver(LaneSet set);

  /// Returns the number of trees that are solved at a time; 0 if lanes are not used.
  std::size_t lanes() const { return kernel_ != nullptr ? kernel_->lanes : 0; }
  /// Solves up to lanes() trees that have the same TopologyKey, and moves those that are solved
  /// side by side and have `may_move`. If the trees fill at most half of the lanes, they are solved
  /// one after the other, or, without AVX2, not at all.
  /// @returns whether they were solved side by side
  bool solve(const LaneTree* trees, std::size_t count, const StepSettings& settings,
             LaneOutcome* outcomes);
  /// Sets the inertias and loads of the nodes of `count` bodies.
  void read(TreeBody* bodies, std::size_t count, const StepSettings& settings) const {
    read_(bodies, count, settings);
  }
  /// Moves `count` bodies by the motions of their nodes, and clears their forces.
  void move(const TreeBody* bodies, std::size_t count, double h) const { move_(bodies, count, h); }

 private:
  const LaneKernel* kernel_ = nullptr;
  const LaneKernel* single_ = nullptr;
  ReadBodies read_;
  MoveBodies move_;
};

}  // namespace servosim
