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

// Adds nodes that are not known yet. Forgets those that have left, unless they were loaded with the
// world: those come back with a reset.
void Simulation::Impl::note_newcomers() {
  const NodeState now = node_state();
  std::set<std::uint32_t> there;
  const auto collect = [&there](const auto& part) { there.insert(part.node); };
  std::for_each(now.solids.begin(), now.solids.end(), collect);
  std::for_each(now.joints.begin(), now.joints.end(), collect);
  const auto has_left = [&](const auto& part) {
    return part.node > node_states->last_loaded && !there.contains(part.node);
  };
  const auto follow = [&](auto& known, const auto& present) {
    std::erase_if(known, has_left);
    std::set<std::uint32_t> nodes;
    for (const auto& part : known) {
      nodes.insert(part.node);
    }
    std::copy_if(present.begin(), present.end(), std::back_inserter(known),
                 [&nodes](const auto& part) { return !nodes.contains(part.node); });
  };
  follow(node_states->initial.solids, now.solids);
  follow(node_states->initial.joints, now.joints);
  std::erase_if(node_states->named, [&](const auto& named) {
    const auto& [solids, joints] = named.second;
    return !(solids.empty() && joints.empty()) &&
           std::all_of(solids.begin(), solids.end(), has_left) &&
           std::all_of(joints.begin(), joints.end(), has_left);
  });
}

NodeState Simulation::node_state() const { return impl_->node_state(); }

NodeStates& Simulation::node_states() { return *impl_->node_states; }

}  // namespace servosim
