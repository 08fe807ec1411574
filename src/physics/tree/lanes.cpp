// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/assert.h"
#include "physics/tree/row_states.h"
#include "physics/tree/tree_body.h"
#include "physics/tree/tree_link.h"
#include "physics/tree/tree_node.h"

namespace servosim {

namespace {

void move_one_by_one(const TreeBody* bodies, std::size_t count, double h) {
  for (std::size_t i = 0; i < count; ++i) {
    bodies[i].move(h);
  }
}

struct Kernels {
  const LaneKernel* lanes = nullptr;
  const LaneKernel* single = nullptr;
  MoveBodies move = move_one_by_one;
};

Kernels kernels_of(LaneSet set) {
  switch (set) {
    case LaneSet::None:
      return {};
    case LaneSet::Sse2:
      return {&kSse2Lanes};
#if defined(__x86_64__)
    case LaneSet::Avx2:
      return {&kAvx2Lanes, &kAvx2Single, kAvx2Move};
    case LaneSet::Avx512:
      return {&kAvx512Lanes, &kAvx512Single, kAvx512Move};
#else
    default:
      return {&kSse2Lanes};
#endif
  }
  return {};
}

// Of a thread: nothing in it is kept from one group of trees to the next. It stays as large as the
// largest tree needed, some hundred bytes per node and lane, until the thread ends.
struct LaneMemory {
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<LaneAxis> axes;  // by node
  std::vector<Line> lines;     // of the kernel
};
thread_local LaneMemory lane_memory;

double sum_of_sizes(const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

bool has_axis(const TreeNode& n) { return n.kind == NodeKind::Hinge || n.kind == NodeKind::Slider; }

}  // namespace

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

LaneSet widest_lanes() {
  static const LaneSet widest = has_lanes(LaneSet::Avx512) ? LaneSet::Avx512
                                : has_lanes(LaneSet::Avx2) ? LaneSet::Avx2
                                                           : LaneSet::Sse2;
  return widest;
}

bool fits_lane(const LaneTree& tree) {
  for (std::size_t i = 0; i < tree.count; ++i) {
    if (tree.nodes[i].free != nullptr || tree.links[i].has_world_rows()) {
      return false;
    }
  }
  return true;
}

LaneForm form_of(const LaneTree& tree) {
  LaneForm form;
  for (std::size_t i = 0; i < tree.count; ++i) {
    const TreeNode& n = tree.nodes[i];
    const std::uint64_t is_gyroscopic = tree.bodies[i].is_gyroscopic ? 1 : 0;
    const std::uint64_t child_is_first = tree.links[i].ode().joint.child_is_first() ? 2 : 0;
    form.push_back(static_cast<std::uint64_t>(n.above));
    form.push_back(static_cast<std::uint64_t>(n.kind) << 2 | child_is_first | is_gyroscopic);
    form.push_back(std::bit_cast<std::uint64_t>(n.linear_softness));
    form.push_back(std::bit_cast<std::uint64_t>(n.angular_softness));
  }
  return form;
}

namespace {

void read_rows(const LaneTree& tree, std::size_t lane, const StepSettings& settings,
               LaneAxis* axes) {
  for (std::size_t i = 0; i < tree.count; ++i) {
    TreeNode& n = tree.nodes[i];
    if (!has_axis(n)) {
      continue;
    }
    LaneAxis& axis = axes[i];
    axis.push[lane] = tree.links[i].ode().axis_rows(settings, n.rows);
    for (AxisRow& row : n.rows) {
      row.state = row.is_bounded() ? first_state(row, 0) : Row::State::Inside;
    }
    FoldedRows<double> folded;
    axis.inside[lane] = fold(n.rows, folded) ? 1.0 : 0.0;
    axis.softness[lane] = folded.softness;
    axis.target[lane] = folded.target;
    axis.force[lane] = folded.force;
  }
}

// Whether TreeSolver would end with the same: TreeSolver::solve_phase().
bool take_results(const LaneTree& tree, std::size_t lane, const LaneAxis* axes) {
  bool is_cold = true;
  bool is_either = false;
  for (std::size_t i = 0; i < tree.count; ++i) {
    TreeNode& n = tree.nodes[i];
    if (!(sum_of_sizes(n.motion.linear) + sum_of_sizes(n.motion.angular) < kInfinity)) {  // or NaN
      return false;
    }
    if (!has_axis(n)) {
      continue;
    }
    distribute(axes[i].rate[lane], axes[i].rest[lane], n.rows);
    for (const AxisRow& row : n.rows) {
      Row::State to{};
      if (!row.is_bounded()) {
        continue;
      }
      if (breaks_bounds(row, n.along_axis, to)) {
        return false;
      }
      is_cold = is_cold && row.state == Row::State::Inside;
      is_either = is_either || is_degenerate(row, n.along_axis);
    }
  }
  if (!is_cold && is_either) {
    return false;
  }
  for (std::size_t i = 0; i < tree.count; ++i) {
    for (AxisRow& row : tree.nodes[i].rows) {
      if (row.is_bounded()) {
        row.first_state[0] = row.state;
      }
    }
  }
  return true;
}

void solve_by(const LaneKernel& kernel, const LaneTree* trees, std::size_t count,
              const StepSettings& settings, bool* solved) {
  std::array<LaneTree, kMaxLanes> all;
  for (std::size_t l = 0; l < kernel.lanes; ++l) {
    all[l] = trees[std::min(l, count - 1)];  // the others do what the last one does
  }
  const std::size_t nodes = all[0].count;
  // Each has a test of its own: if there is memory for one of them only, the next call comes here.
  const std::size_t lines =
      (nodes * kernel.node_size + sizeof(LaneMemory::Line) - 1) / sizeof(LaneMemory::Line);
  LaneMemory& memory = lane_memory;  // looked up once: it is a function call in a shared library
  if (memory.lines.size() < lines) {
    memory.lines.resize(lines);
  }
  if (memory.axes.size() < nodes) {
    memory.axes.resize(nodes);
  }
  LaneAxis* const axes = memory.axes.data();
  for (std::size_t l = 0; l < kernel.lanes; ++l) {
    read_rows(all[l], l, settings, axes);
  }
  kernel.solve(all.data(), axes, settings, memory.lines.data());
  for (std::size_t l = 0; l < count; ++l) {
    solved[l] = take_results(trees[l], l, axes);
  }
}

}  // namespace

LaneSolver::LaneSolver(LaneSet set)
    : kernel_(kernels_of(set).lanes), single_(kernels_of(set).single), move_(kernels_of(set).move) {
  SERVOSIM_ASSERT(has_lanes(set), "set {}", static_cast<int>(set));
}

bool LaneSolver::solve(const LaneTree* trees, std::size_t count, const StepSettings& settings,
                       bool* solved) {
  SERVOSIM_ASSERT(count > 0 && count <= lanes(), "{} trees in {} lanes", count, lanes());
  if (2 * count > kernel_->lanes) {  // fewer are faster one by one
    solve_by(*kernel_, trees, count, settings, solved);
    return true;
  }
  for (std::size_t t = 0; t < count; ++t) {
    if (single_ != nullptr) {
      solve_by(*single_, trees + t, 1, settings, solved + t);
    } else {
      solved[t] = false;
    }
  }
  return false;
}

}  // namespace servosim
