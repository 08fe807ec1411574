// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/lane_set.h"
#include "physics/tree/solver_rows.h"

namespace servosim {

class TreeLink;
struct TreeBody;
struct TreeNode;

/// The most lanes of any set.
inline constexpr std::size_t kMaxLanes = 8;

/// A tree of hinges, sliders and fixed joints: its nodes, and what belongs to each of them.
struct LaneTree {
  const TreeBody* bodies = nullptr;
  const TreeLink* links = nullptr;
  TreeNode* nodes = nullptr;
  std::size_t count = 0;  ///< of nodes
};

/// Whether a tree can be solved in a lane.
bool fits_lane(const LaneTree& tree);
/// What such trees must have in common to be solved side by side: joints of the same kinds at the
/// same places of the tree, as numbers. All others may differ.
using LaneForm = std::vector<std::uint64_t>;
LaneForm form_of(const LaneTree& tree);

/// The rows of the axis of one joint, and results of the solution; by lane.
struct LaneAxis {
  alignas(64) double softness[kMaxLanes]{};  ///< of FoldedRows
  double target[kMaxLanes]{};
  double force[kMaxLanes]{};
  double inside[kMaxLanes]{};  ///< 1: some row is inside its bounds; else 0
  double push[kMaxLanes]{};    ///< of OdeLink::axis_rows()
  double rate[kMaxLanes]{};    ///< result: of the rows
  double rest[kMaxLanes]{};    ///< result: w along the axis
};

/// What a set of lanes can do: solve so many trees that are alike.
struct LaneKernel {
  std::size_t lanes;
  std::size_t node_size;  ///< of the memory that solve() needs, for each node [bytes]
  /// From what the bodies are to the motions and forces of the nodes, with the rows in their
  /// states. `memory`: aligned to 64 bytes.
  void (*solve)(const LaneTree* trees, LaneAxis* axes, const StepSettings& settings, void* memory);
};
extern const LaneKernel kSse2Lanes;
extern const LaneKernel kAvx2Lanes;
extern const LaneKernel kAvx512Lanes;
/// Of one tree, three numbers of a vector at a time.
extern const LaneKernel kAvx2Single;
extern const LaneKernel kAvx512Single;
/// TreeBody::move() of bodies that are next to each other, likewise.
using MoveBodies = void (*)(const TreeBody* bodies, std::size_t count, double h);
extern const MoveBodies kAvx2Move;
extern const MoveBodies kAvx512Move;

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

  /// So many trees are solved at a time; 0: none.
  std::size_t lanes() const { return kernel_ != nullptr ? kernel_->lanes : 0; }
  /// Of up to lanes() trees that are alike; `solved` gets which of them are: their nodes and rows
  /// have results then. Up to half as many trees are solved one after the other, or, without AVX2,
  /// not at all. @returns whether they were solved side by side
  bool solve(const LaneTree* trees, std::size_t count, const StepSettings& settings, bool* solved);
  /// Moves so many bodies by the motions of their nodes, and clears their forces.
  void move(const TreeBody* bodies, std::size_t count, double h) const { move_(bodies, count, h); }

 private:
  const LaneKernel* kernel_ = nullptr;
  const LaneKernel* single_ = nullptr;
  MoveBodies move_;
};

}  // namespace servosim
