// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/joint_lanes.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace servosim {

namespace {

const JointLaneKernel& joint_kernel_of(LaneSet set) {
#if defined(__x86_64__)
  return set == LaneSet::Avx512 ? kAvx512JointLanes
         : set == LaneSet::Avx2 ? kAvx2JointLanes
                                : kSse2JointLanes;
#else
  static_cast<void>(set);
  return kSse2JointLanes;
#endif
}

}  // namespace

std::size_t JointLaneModel::axes() const {
  std::size_t sum = 0;
  for (const JointLaneTree& tree : trees) {
    sum += tree.axes.size();
  }
  return sum;
}

JointLaneSolver::JointLaneSolver(LaneSet set, const JointLaneModel& model)
    : kernel_(joint_kernel_of(set)), demands_(model.axes()) {
  SERVOSIM_ASSERT(set != LaneSet::None && has_lanes(set), "set {}", static_cast<int>(set));
  axes_.reserve(model.trees.size());
  made_.reserve(model.trees.size());
  for (const JointLaneTree& tree : model.trees) {
    axes_.push_back(tree.axes.size());
    made_.push_back(kernel_.make(tree, model));
  }
}

JointLaneSolver::~JointLaneSolver() {
  for (void* const made : made_) {
    kernel_.destroy(made);
  }
}

std::size_t JointLaneSolver::lanes(LaneSet set) {
  return set == LaneSet::None ? 0 : joint_kernel_of(set).lanes;
}

bool JointLaneSolver::step(const JointLaneState& state, bool* settled) {
  std::array<bool, kMaxLanes> of_tree{};
  std::fill_n(settled, kernel_.lanes, true);
  bool all = true;
  std::size_t axis = 0;
  for (std::size_t t = 0; t < made_.size(); ++t) {
    const std::size_t at = axis * kernel_.lanes;
    const bool has_history = state.last != nullptr;
    if (!kernel_.step(
            made_[t], &demands_[axis],
            {state.positions + at, state.rates + at, has_history ? state.last + at : nullptr,
             has_history ? state.before + at : nullptr},
            of_tree.data())) {
      all = false;
      for (std::size_t l = 0; l < kernel_.lanes; ++l) {
        settled[l] = settled[l] && of_tree[l];
      }
    }
    axis += axes_[t];
  }
  return all;
}

}  // namespace servosim
