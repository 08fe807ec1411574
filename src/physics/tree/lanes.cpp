// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/assert.h"
#include "base/per_thread.h"
#include "physics/rows/joint_rows.h"
#include "physics/tree/row_states.h"
#include "physics/tree/tree_body.h"
#include "physics/tree/tree_joint.h"
#include "physics/tree/tree_node.h"

// LaneSolver prepares the rows of trees, calls the kernel of an instruction set, and checks what
// the kernel cannot check. A tree is solved if TreeSolver would accept the same round:
//
//     motions are finite, rows keep their bounds, and all rows are inside or none is degenerate
//
// The last condition is that of TreeSolver::solve_phase(), which starts again from the inside where
// other states are possible.

namespace servosim {

namespace {

// These are for processors without AVX2.
void read_one_by_one(TreeBody* bodies, std::size_t count, const StepSettings& settings) {
  for (std::size_t i = 0; i < count; ++i) {
    bodies[i].read(settings.h, settings.gravity);
  }
}

void move_one_by_one(const TreeBody* bodies, std::size_t count, double h) {
  for (std::size_t i = 0; i < count; ++i) {
    bodies[i].move(h);
  }
}

// What is compiled for one set of instructions.
struct Kernels {
  const LaneKernel* lanes = nullptr;
  const LaneKernel* single = nullptr;
  ReadBodies read = read_one_by_one;
  MoveBodies move = move_one_by_one;
};

// Processors other than x86 have lanes of two numbers only.
Kernels kernels_of(LaneSet set) {
  switch (set) {
    case LaneSet::None:
      return {};
    case LaneSet::Sse2:
      return {&kSse2Lanes};
#if defined(__x86_64__)
    case LaneSet::Avx2:
      return {&kAvx2Lanes, &kAvx2Single, kAvx2Read, kAvx2Move};
    case LaneSet::Avx512:
      return {&kAvx512Lanes, &kAvx512Single, kAvx512Read, kAvx512Move};
#else
    default:
      return {&kSse2Lanes};
#endif
  }
  return {};
}

// The memory of one thread. Nothing in it is kept from one group of trees to the next. It stays as
// large as the largest tree needed, some hundred bytes per node and lane, until the thread ends.
struct LaneMemory {
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<LaneAxis> axes;  // by node
  std::vector<Line> lines;     // memory of the kernel
};
PerThread<LaneMemory> lane_memory;

}  // namespace

// The sources for AVX-512 also use the instructions of DQ and VL.
bool has_lanes(LaneSet set) {
#if defined(__x86_64__)
  return set == LaneSet::Avx2 ? __builtin_cpu_supports("avx2") != 0
         : set == LaneSet::Avx512
             ? __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                   __builtin_cpu_supports("avx512vl") != 0
             : true;
#else
  return set == LaneSet::None || set == LaneSet::Sse2;
#endif
}

// Asked once per process.
LaneSet widest_lanes() {
  static const LaneSet widest = has_lanes(LaneSet::Avx512) ? LaneSet::Avx512
                                : has_lanes(LaneSet::Avx2) ? LaneSet::Avx2
                                                           : LaneSet::Sse2;
  return widest;
}

// Lanes have the law of one axis only.
bool fits_lane(const LaneTree& tree) {
  for (std::size_t i = 0; i < tree.count; ++i) {
    if (tree.nodes[i].subspace != nullptr) {
      return false;
    }
  }
  return true;
}

// The softness is compared by its bits, since lanes read it from the first tree.
TopologyKey topology_key(const LaneTree& tree) {
  TopologyKey form;
  for (std::size_t i = 0; i < tree.count; ++i) {
    const TreeNode& n = tree.nodes[i];
    const std::uint64_t is_gyroscopic = tree.bodies[i].is_gyroscopic ? 1 : 0;
    const std::uint64_t child_is_first = tree.joints[i].solved().geometry.child_is_first() ? 2 : 0;
    form.push_back(static_cast<std::uint64_t>(n.above));
    form.push_back(static_cast<std::uint64_t>(n.kind) << 2 | child_is_first | is_gyroscopic);
    form.push_back(std::bit_cast<std::uint64_t>(n.linear_softness));
    form.push_back(std::bit_cast<std::uint64_t>(n.angular_softness));
  }
  return form;
}

namespace {

// Folds all rows of an axis, so that the kernel finds the motions. LaneSolver checks afterwards
// whether the rows keep their bounds.
void fold_rows(const LaneTree& tree, std::size_t i, std::size_t lane, const StepSettings& settings,
               LaneAxis& axis) {
  AxisRows& rows = tree.nodes[i].rows;
  tree.joints[i].solved().set_axis_rows(settings, rows);
  for (AxisRow& row : rows) {
    // A row without bounds is always inside.
    row.state = row.is_bounded() ? first_state(row, 0) : Row::State::Inside;
    row.first_state[0] = row.state;
  }
  axis.is_inside[lane] = fold(rows, axis.folded[lane]);
  axis.has_several[lane] = axis.any_has_several = true;
}

// Sets the rows of a tree in its lane. Most joints have the motor's row alone, which the kernel
// makes from the motor of the joint.
// @returns whether some axis has other rows
bool read_rows(const LaneTree& tree, std::size_t lane, const StepSettings& settings,
               LaneAxis* axes) {
  bool has_others = false;
  for (std::size_t i = 0; i < tree.count; ++i) {
    TreeNode& n = tree.nodes[i];
    if (!has_axis(n.kind)) {
      continue;
    }
    const SolvedJoint& joint = tree.joints[i].solved();
    LaneAxis& axis = axes[i];
    if (lane == 0) {
      axis.any_has_several = false;
    }
    axis.motor[lane] = &joint.axis->axis.motor;
    axis.side[lane] = 0.0;
    axis.has_several[lane] = false;
    if (!joint.axis->has_motor_row_alone) {
      fold_rows(tree, i, lane, settings, axis);
      has_others = true;
    } else if (axis.motor[lane]->max_force > 0.0) {
      // The row starts in the state that it had in the last step.
      axis.side[lane] = static_cast<double>(n.rows.of_joint().first_state[0]);
    } else {
      n.rows.clear();
    }
  }
  return has_others;
}

// Sets rates and forces of the rows of axes with several rows.
// @returns whether they keep their bounds
bool distribute_rows(const LaneTree& tree, std::size_t lane, const LaneAxis* axes,
                     bool& all_inside_bounds, bool& any_degenerate) {
  for (std::size_t i = 0; i < tree.count; ++i) {
    TreeNode& n = tree.nodes[i];
    if (!has_axis(n.kind) || !axes[i].has_several[lane]) {
      continue;
    }
    const double along = n.along_axis = axes[i].along[lane];
    distribute(axes[i].rate[lane], axes[i].axis_force[lane], n.rows);
    for (const AxisRow& row : n.rows) {
      Row::State to{};
      if (!row.is_bounded()) {
        continue;
      }
      if (breaks_bounds(row, along, to)) {
        return false;
      }
      all_inside_bounds = all_inside_bounds && row.state == Row::State::Inside;
      any_degenerate = any_degenerate || is_degenerate(row, along);
    }
  }
  return true;
}

// The joints need not read their positions from the bodies again.
void set_positions(const LaneTree& tree, std::size_t lane, const LaneAxis* axes) {
  for (std::size_t i = 0; i < tree.count; ++i) {
    const TreeNode& n = tree.nodes[i];
    if (has_axis(n.kind)) {
      tree.joints[i].solved().axis->set_moved(axes[i].position[lane], axes[i].rate[lane]);
    }
  }
}

// Memory of one call.
struct Scratch {
  LaneAxis* axes;
  void* of_kernel;
};

// The two vectors are tested one by one: if there was memory for one of them only, the next call
// gets the other.
Scratch scratch_for(const LaneKernel& kernel, std::size_t nodes) {
  const std::size_t lines =
      (nodes * kernel.node_size + sizeof(LaneMemory::Line) - 1) / sizeof(LaneMemory::Line);
  LaneMemory& memory = lane_memory.get();  // only once, since it is a function call
  if (memory.lines.size() < lines) {
    memory.lines.resize(lines);
  }
  if (memory.axes.size() < nodes) {
    memory.axes.resize(nodes);
  }
  return {memory.axes.data(), memory.lines.data()};
}

// Solves `count` trees in the lanes of a kernel. A tree counts as solved if
// TreeSolver::solve_phase() would end with the same states: its rows keep their bounds, and no
// other states are possible.
void solve_by(const LaneKernel& kernel, const LaneTree* trees, std::size_t count,
              const StepSettings& settings, LaneOutcome* outcomes) {
  std::array<LaneTree, kMaxLanes> all;
  for (std::size_t l = 0; l < kernel.lanes; ++l) {
    all[l] = trees[std::min(l, count - 1)];  // unused lanes repeat the last tree
  }
  const auto [axes, memory] = scratch_for(kernel, all[0].count);
  std::array<bool, kMaxLanes> has_others{};
  for (std::size_t l = 0; l < kernel.lanes; ++l) {
    has_others[l] = read_rows(all[l], l, settings, axes);
  }
  SERVOSIM_ASSERT(std::all_of(all.begin(), all.begin() + kernel.lanes,
                              [&](const LaneTree& t) { return t.count == all[0].count; }),
                  "one of {} trees has not {} nodes", count, all[0].count);
  LaneResults results;  // not cleared, since the kernel sets what is read
  kernel.solve(all.data(), axes, settings, memory, results);
  std::array<bool, kMaxLanes> moves{};
  for (std::size_t l = 0; l < count; ++l) {
    bool all_inside_bounds = results.all_inside_bounds[l];
    bool any_degenerate = results.any_degenerate[l];
    const bool solved =
        results.holds[l] &&
        (!has_others[l] || distribute_rows(all[l], l, axes, all_inside_bounds, any_degenerate)) &&
        (all_inside_bounds || !any_degenerate);
    outcomes[l].is_solved = solved;
    // A tree that is not solved here must keep its state for TreeSolver.
    moves[l] = solved && trees[l].may_move;
  }
  if (kernel.move == nullptr) {
    return;
  }
  kernel.move(all.data(), axes, settings, memory, moves.data(), results);
  for (std::size_t l = 0; l < count; ++l) {
    if (moves[l]) {
      outcomes[l] = {true, true, results.is_in_range[l], results.fastest[l]};
      set_positions(all[l], l, axes);
    }
  }
}

}  // namespace

LaneSolver::LaneSolver(LaneSet set)
    : kernel_(kernels_of(set).lanes),
      single_(kernels_of(set).single),
      read_(kernels_of(set).read),
      move_(kernels_of(set).move) {
  SERVOSIM_ASSERT(has_lanes(set), "set {}", static_cast<int>(set));
}

// More than half of the lanes must be used, otherwise single trees are faster.
bool LaneSolver::solve(const LaneTree* trees, std::size_t count, const StepSettings& settings,
                       LaneOutcome* outcomes) {
  SERVOSIM_ASSERT(count > 0 && count <= lanes(), "{} trees in {} lanes", count, lanes());
  if (2 * count > kernel_->lanes) {  // fewer trees are faster one by one
    solve_by(*kernel_, trees, count, settings, outcomes);
    return true;
  }
  for (std::size_t t = 0; t < count; ++t) {
    if (single_ != nullptr) {
      solve_by(*single_, trees + t, 1, settings, outcomes + t);
    }
  }
  return false;
}

}  // namespace servosim
