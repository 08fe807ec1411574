// SPDX-License-Identifier: Apache-2.0
#include "physics/world_in_lanes.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "physics/parts.h"
#include "physics/physics_world.h"
#include "physics/tree/trees_for_lanes.h"
#include "scene/scene.h"

namespace servosim {

const char* WorldInLanes::describe(JointLaneModel& model) const {
  PhysicsWorld::Parts& parts = *world_.parts_;
  if (!parts.trees) {
    return "lanes need the integrator joint without an accuracy";
  }
  if (const char* const why = TreesForLanes(*parts.trees).describe(model); why != nullptr) {
    return why;
  }
  if (parts.contacts.can_collide()) {
    return "shapes can touch";
  }
  if (world_.scene_.world.disable_time > 0.0) {
    return "bodies fall asleep: set physicsDisableTime 0";
  }
  if (!world_.propeller_states_.empty()) {
    return "there are propellers";
  }
  model.moved = std::make_shared<const std::vector<MovedSolid>>(parts.kinematic.moved());
  return nullptr;
}

bool WorldInLanes::read(const JointLaneModel& model, const JointLaneState& state,
                        bool& begins) const {
  PhysicsWorld::Parts& parts = *world_.parts_;
  if (parts.ode.is_over() || !parts.kinematic.is_still() || parts.bodies.sleep().may_sleep() ||
      !parts.attachments.attachments().empty() || parts.kinematic.moved() != *model.moved) {
    return false;
  }
  std::size_t axis = 0;
  for (const JointLaneTree& tree : model.trees) {
    for (const JointLaneAxis& of : tree.axes) {
      state.positions[axis++] = parts.joints[of.joint].position;
    }
  }
  return TreesForLanes(*parts.trees).read(model, state, begins) &&
         std::all_of(state.positions, state.positions + axis,
                     [&model](double p) { return std::abs(p) <= model.most; }) &&
         std::all_of(state.rates, state.rates + axis,
                     [&model](double v) { return std::abs(v) <= model.most; });
}

void WorldInLanes::write(const JointLaneModel& model, const JointLaneState& state) {
  PhysicsWorld::Parts& parts = *world_.parts_;
  std::vector<double> of_model(state.positions, state.positions + model.axes());
  std::size_t axis = 0;
  for (const JointLaneTree& tree : model.trees) {
    for (const JointLaneAxis& of : tree.axes) {
      parts.joints[of.joint].position = state.positions[axis];
      of_model[axis++] -= of.offset;
    }
  }
  parts.ode.note_change();
  TreesForLanes(*parts.trees).put({of_model.data(), state.rates, state.last, state.before});
}

}  // namespace servosim
