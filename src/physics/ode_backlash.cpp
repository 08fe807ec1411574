// SPDX-License-Identifier: Apache-2.0
// Joints with free play: what their motors want, as the flanks of the play pass it on.
#include <algorithm>

#include "physics/ode_library.h"
#include "physics/ode_world_impl.h"
#include "scene/scene.h"

namespace servosim {

void PhysicsWorld::Impl::find_loose_joints() {
  for (std::size_t j = 0; j < states.size(); ++j) {
    const JointSpec& spec = scene.joints[j];
    if (spec.backlash > 0.0 && states[j].dynamic && is_dynamic(spec.child)) {
      states[j].backlash = {spec.backlash, spec.position, 0.0, Backlash::Flank::None};
      loose_joints.push_back(static_cast<int>(j));
    }
  }
}

void PhysicsWorld::Impl::take_up_backlash(int joint) {
  JointState& state = states[joint];
  const JointSpec& spec = scene.joints[joint];
  measure(joint);
  const JointDrive wanted = state.drive;
  state.drive = take_up(state.backlash, wanted,
                        {state.position, state.velocity, state.constraint_effort,
                         state.static_friction, scene.world.cfm},
                        h);
  const bool asleep = !state.wake && !dBodyIsEnabled(bodies[motion[spec.child].body].id);
  if (!asleep || wanted.force != 0.0) {
    return;
  }
  // A sleeping body would gather the constant force. It sleeps on while the shaft crosses the play.
  const double creep = spec.type == JointType::Rotational ? scene.world.disable_angular_threshold
                                                          : scene.world.disable_linear_threshold;
  state.wake = flank_speed(state.backlash, state.position, h) > creep;
  if (!state.wake) {
    state.drive = {0.0, state.static_friction, 0.0};
    release(state.backlash);
  }
}

void PhysicsWorld::Impl::measure(int joint) {
  const int index = ode_joint_of[joint];
  if (index >= 0) {
    joints[index].measure();
    states[joint].constraint_effort += states[joint].backlash.push;
  }
}

}  // namespace servosim
