// SPDX-License-Identifier: Apache-2.0
#include "sim/node_states.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "sim/simulation_impl.h"

namespace servosim {

NodeState Simulation::Impl::node_state() const {
  NodeState state;
  for (std::size_t s = 0; s < scene.solids.size(); ++s) {
    const int solid = static_cast<int>(s);
    const PointMotion motion = physics.body_motion(solid).value_or(physics.drift(solid));
    state.solids.push_back(
        {scene.solids[s].node, physics.solid_pose(solid), {motion.velocity, motion.spin}});
  }
  std::map<std::uint32_t, std::size_t> known;  // a USE has axes of its own, after those of its DEF
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const auto [at, is_new] = known.try_emplace(scene.joints[j].node, state.joints.size());
    if (is_new) {
      state.joints.push_back({scene.joints[j].node, {}});
    }
    state.joints[at->second].positions.push_back(physics.joints()[j].position);
  }
  return state;
}

// Of nodes that are not known yet.
void Simulation::Impl::note_newcomers() {
  NodeState& known = node_states->initial;
  const auto add = [](auto& list, auto&& now) {
    std::set<std::uint32_t> nodes;
    for (const auto& part : list) {
      nodes.insert(part.node);
    }
    std::copy_if(now.begin(), now.end(), std::back_inserter(list),
                 [&nodes](const auto& part) { return !nodes.contains(part.node); });
  };
  const NodeState now = node_state();
  add(known.solids, now.solids);
  add(known.joints, now.joints);
}

NodeState Simulation::node_state() const { return impl_->node_state(); }

NodeStates& Simulation::node_states() { return *impl_->node_states; }

}  // namespace servosim
