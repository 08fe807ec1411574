// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/lane_set.h"
#include "physics/rows/row.h"
#include "physics/tree/elimination.h"

namespace servosim {

class TreeJoint;
struct MotorRow;
struct TreeBody;
struct TreeNode;

/// The most lanes of any set.
inline constexpr std::size_t kMaxLanes = 8;

/// A tree of hinges, sliders and fixed joints: its nodes, and what belongs to each of them.
struct LaneTree {
  const TreeBody* bodies;
  const TreeJoint* joints;
  TreeNode* nodes;
  std::size_t count;  ///< of nodes
  bool may_move;      ///< side by side, as soon as it is solved
};

/// Whether a tree can be solved in a lane.
bool fits_lane(const LaneTree& tree);
/// What such trees must have in common to be solved side by side: joints of the same kinds at the
/// same places of the tree, as numbers. All others may differ.
using TopologyKey = std::vector<std::uint64_t>;
TopologyKey topology_key(const LaneTree& tree);

/// The rows of the axis of one joint in their states, and results of the solution; by lane. The
/// kernel looks whether the only row of an axis keeps its bounds; of more it cannot.
struct LaneAxis {
  const MotorRow* motor[kMaxLanes]{};  ///< the only row; or none, if it has no force
  /// On which side that is: -1 at its low bound, 1 at the high one, else 0.
  alignas(64) double side[kMaxLanes]{};
  /// Instead, of several rows; `side` is 0.
  bool has_several[kMaxLanes]{};
  bool any_has_several = false;
  FoldedRows<double> folded[kMaxLanes]{};
  bool is_inside[kMaxLanes]{};  ///< some row is inside its bounds

  // The kernel's own.
  alignas(64) double softness[kMaxLanes]{};
  double target[kMaxLanes]{};
  double force[kMaxLanes]{};
  double inside[kMaxLanes]{};  // 1 or 0
  double bound[kMaxLanes]{};   // infinite of several rows
  double cosine[kMaxLanes]{};

  double rate[kMaxLanes]{};        ///< result: of the rows
  double axis_force[kMaxLanes]{};  ///< result: w along the axis
  double along[kMaxLanes]{};       ///< result: α
  double position[kMaxLanes]{};    ///< result of a move: JointCoordinate::position()
  // A move sets `rate` to that of the joint [rad/s|m/s].
};

/// Results of trees side by side, by lane.
struct LaneResults {
  /// Whether motions are finite, and no row that the kernel looks at breaks its bounds.
  bool holds[kMaxLanes];
  bool all_inside_bounds[kMaxLanes];  ///< all those are inside their bounds
  bool any_degenerate[kMaxLanes];  ///< one of those could as well be on the other side of its bound
  // Results of a move.
  double fastest[kMaxLanes];  ///< square of the fastest spin [rad²/s²]
  bool is_in_range[kMaxLanes];
};

/// What a set of lanes can do: solve this many trees that have the same TopologyKey.
struct LaneKernel {
  std::size_t lanes;
  std::size_t node_size;  ///< of the memory that solve() needs, for each node [bytes]
  /// From what the bodies are to the forces of the nodes, with the rows in their states. `memory`:
  /// aligned to 64 bytes.
  void (*solve)(const LaneTree* trees, LaneAxis* axes, const StepSettings& settings, void* memory,
                LaneResults& results);
  /// Then: moves the bodies of the chosen lanes, and clears their forces. Null: the nodes have got
  /// their motions, by which LaneSolver::move() moves the bodies.
  void (*move)(const LaneTree* trees, LaneAxis* axes, const StepSettings& settings, void* memory,
               const bool* chosen, LaneResults& results);
};
extern const LaneKernel kSse2Lanes;
extern const LaneKernel kAvx2Lanes;
extern const LaneKernel kAvx512Lanes;
/// Kernels for one tree, which work on three numbers of a vector at a time.
extern const LaneKernel kAvx2Single;
extern const LaneKernel kAvx512Single;
/// TreeBody::read() for bodies that are next to each other, also three numbers at a time.
using ReadBodies = void (*)(TreeBody* bodies, std::size_t count, const StepSettings& settings);
extern const ReadBodies kAvx2Read;
extern const ReadBodies kAvx512Read;
/// And TreeBody::move().
using MoveBodies = void (*)(const TreeBody* bodies, std::size_t count, double h);
extern const MoveBodies kAvx2Move;
extern const MoveBodies kAvx512Move;

/// What became of a tree.
struct LaneOutcome {
  bool is_solved = false;  ///< its nodes and rows have results
  bool is_moved = false;   ///< its bodies have moved, and its joints know their positions
  // Valid only if `is_moved`.
  bool is_in_range = false;
  double fastest_squared = 0.0;  ///< spin [rad²/s²]
};

/// Solves trees that are alike several at a time, each bit for bit as TreeSolver does: the lanes do
/// the same operations in the same order.
///
/// A lane has one round, with rows in the states that they had in the last step. A tree whose rows
/// then break their bounds, or could be in other states, is left to TreeSolver.
///
/// Trees may be of several worlds with the same StepSettings.
///
/// Threads: one at a time.
class LaneSolver {
 public:
  explicit LaneSolver(LaneSet set);

  /// The number of trees that are solved at a time; 0: none.
  std::size_t lanes() const { return kernel_ != nullptr ? kernel_->lanes : 0; }
  /// Solves up to lanes() trees that have the same TopologyKey, and moves those that are solved
  /// side by side and have `may_move`. Up to half as many trees are solved one after the other, or,
  /// without AVX2, not at all.
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
