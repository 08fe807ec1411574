// SPDX-License-Identifier: Apache-2.0
// A world built of a changed tree goes on where that of the tree before was.
#include <algorithm>

#include "base/state_archive.h"
#include "physics/ode_library.h"
#include "physics/world.h"
#include "physics/world_state.h"
#include "scene/scene.h"
#include "scene/scene_match.h"

namespace servosim {

void PhysicsWorld::take_over(const PhysicsWorld& before, const SceneMatch& match) {
  ++moment_;
  // What the tree has moved begins where it was, so that it takes along what hangs on it.
  std::vector<MovedSolid> moved;
  for (std::size_t s = 0; s < match.solids.size(); ++s) {
    const int old = match.solids[s];
    const int solid = static_cast<int>(s);
    if (old < 0 || !impl_->remembers_its_place(solid)) {
      continue;
    }
    const bool stops_drifting =
        before.impl_->has_drifted(old) &&
        (!impl_->can_drift(solid) ||
         (before.impl_->motion[old].joint < 0) != (impl_->motion[solid].joint < 0));
    if (match.relocated[s] || before.impl_->was_moved(old) || stops_drifting) {
      MovedSolid place = before.impl_->place_of_solid(old);
      if (!stops_drifting) {
        before.impl_->undo_drift(place);
      }
      place.solid = solid;
      moved.push_back(place);
    }
  }
  if (!moved.empty()) {
    build_anew(std::move(moved));
  }
  impl_->take_over(*before.impl_, match);
  for (std::size_t s = 0; s < match.relocated.size(); ++s) {
    const int solid = static_cast<int>(s);
    if (match.relocated[s] && !is_part(solid)) {
      const int parent = scene_.solids[s].parent;
      set_solid_pose(solid,
                     (parent >= 0 ? solid_pose(parent) : Pose{}) * impl_->planned_pose(solid));
    }
  }
}

bool PhysicsWorld::is_over() const {
  return impl_->unstable >= 0 || impl_->step_left || !impl_->overload.empty();
}

bool PhysicsWorld::Impl::was_moved(int solid) const {
  return std::any_of(moved_solids.begin(), moved_solids.end(),
                     [solid](const MovedSolid& place) { return place.solid == solid; });
}

MovedSolid PhysicsWorld::Impl::place_of_solid(int solid) const {
  const int joint = scene.solids[solid].joint;
  return {solid, local_poses[solid],
          joint >= 0 ? zero_poses[scene.joints[joint].leader] : local_poses[solid]};
}

// Where the tree wants a Solid in the frame of the one above, its joint being where it is.
Pose PhysicsWorld::Impl::planned_pose(int solid) const {
  const SolidSpec& spec = scene.solids[solid];
  if (spec.joint < 0) {
    return spec.pose;
  }
  const JointSpec& joint = scene.joints[spec.joint];
  return joint_motion(joint.leader, axis_count(joint.kind)) * joint.zero_pose;
}

void PhysicsWorld::Impl::take_over(const Impl& before, const SceneMatch& match) {
  take_over_states(before, match);
  take_over_drifters(before, match);
  take_over_bodies(before, match);
  take_over_joints(before, match);
  take_over_pins(before, match);
  contacts->keep_said(*before.contacts);
  place_fixtures();
  poses_changed = true;
  if (match.stirred) {
    for (const Body& body : bodies) {
      wake(body.id);
    }
  }
}

void PhysicsWorld::Impl::take_over_states(const Impl& before, const SceneMatch& match) {
  for (std::size_t j = 0; j < states.size(); ++j) {
    if (match.joints[j] < 0) {
      continue;
    }
    const JointState built = states[j];
    const JointState& was = before.states[match.joints[j]];
    JointState& now = states[j] = was;
    now.dynamic = built.dynamic;
    now.has_feedback = built.has_feedback;
    now.static_friction = built.static_friction;
    if (scene.joints[j].parameters != before.scene.joints[match.joints[j]].parameters) {
      now.position = built.position;
      now.backlash = built.backlash;
    }
    if (built.dynamic != was.dynamic || was.drive == JointDrive{0.0, was.static_friction}) {
      now.drive = built.drive;
    }
    if (built.backlash.width != was.backlash.width) {
      now.backlash = {built.backlash.width, now.position};
    }
  }
  for (Belt& belt : belts) {
    for (const Belt& was : before.belts) {
      if (was.joint == match.joints[belt.joint]) {
        belt.speed = was.speed;
      }
    }
  }
  for (const int solid : rollers) {
    if (const int old = match.solids[solid]; old >= 0 && !match.relocated[solid]) {
      local_poses[solid] = before.local_poses[old];
    }
  }
  for (std::size_t p = 0; p < propeller_states.size(); ++p) {
    if (match.propellers[p] >= 0) {
      propeller_states[p] = before.propeller_states[match.propellers[p]];
    }
  }
}

// Parents come first: what is new stands on what was there.
void PhysicsWorld::Impl::take_over_bodies(const Impl& before, const SceneMatch& match) {
  for (Body& body : bodies) {
    const int old = match.solids[body.solid];
    const int old_body = old >= 0 ? before.motion[old].body : -1;
    if (old_body >= 0 && before.bodies[old_body].solid == old &&
        before.bodies[old_body].center == body.center) {
      set_state(body, state_of(before.bodies[old_body]));
      continue;
    }
    const int parent = scene.solids[body.solid].parent;
    if (old < 0 && carrying_body(parent) < 0 && body_hold(scene, body.solid) != BodyHold::Nothing) {
      continue;  // it hangs where its joint was made
    }
    const Pose pose = old >= 0
                          ? before.solid_pose(old)
                          : (parent >= 0 ? solid_pose(parent) : Pose{}) * local_pose(body.solid);
    const Vec3 center = pose * body.center;
    dMatrix3 r;
    to_ode(pose.rotation, r);
    dBodySetRotation(body.id, r);
    dBodySetPosition(body.id, center.x, center.y, center.z);
    if (old >= 0) {
      const PointMotion how =
          old_body >= 0 ? before.motion_at(old_body, center) : before.drift_of(old);
      dBodySetLinearVel(body.id, how.velocity.x, how.velocity.y, how.velocity.z);
      dBodySetAngularVel(body.id, how.spin.x, how.spin.y, how.spin.z);
    }
  }
}

Pose PhysicsWorld::Impl::local_pose(int solid) const {
  const int joint = scene.solids[solid].joint;
  return joint >= 0 ? joint_pose(joint) : local_poses[solid];
}

PointMotion PhysicsWorld::Impl::motion_at(int body, const Vec3& point) const {
  const Body& b = bodies[body];
  const Vec3 spin = to_vec3(b.spin);
  return {to_vec3(b.velocity) + cross(spin, point - to_vec3(b.position)), spin};
}

void PhysicsWorld::Impl::take_over_joints(const Impl& before, const SceneMatch& match) {
  for (std::size_t j = 0; j < states.size(); ++j) {
    const int old = match.joints[j];
    if (old < 0 || scene.joints[j].axis_number > 0) {
      continue;
    }
    const OdeJointRef& from = before.ode_joint_of[old];
    const OdeJointRef& to = ode_joint_of[j];
    const bool other_parameters =
        !have_same_parameters(axes_of(before.scene, old), axes_of(scene, static_cast<int>(j)));
    if (from.type != to.type || other_parameters) {
      states[j].brake_changed = true;  // nobody has told the new joint
      continue;
    }
    switch (to.type) {
      case OdeJointRef::Type::None:
        break;
      case OdeJointRef::Type::Plain:
        joints[to.index].restore(before.joints[from.index].memory());
        break;
      case OdeJointRef::Type::Hinge2:
        hinge2s[to.index].restore(before.hinge2s[from.index].memory());
        break;
      case OdeJointRef::Type::Ball:
        balls[to.index].restore(before.balls[from.index].memory());
        break;
    }
    if (from.loose >= 0 && to.loose >= 0) {
      loose_joints[to.loose].backlash.restore(before.loose_joints[from.loose].backlash.memory());
    }
  }
  steps_to_loop_check = before.steps_to_loop_check;
  // Those that are known to be torn were said.
  std::erase_if(loops, [&](int j) {
    const int old = match.joints[j];
    return old >= 0 && before.scene.joints[old].reference &&
           std::find(before.loops.begin(), before.loops.end(), old) == before.loops.end();
  });
}

// What was fixed stays so, as long as both are there.
void PhysicsWorld::Impl::take_over_pins(const Impl& before, const SceneMatch& match) {
  const auto now_of = [&match](int old) {
    const auto found = std::find(match.solids.begin(), match.solids.end(), old);
    return found == match.solids.end() ? -1 : static_cast<int>(found - match.solids.begin());
  };
  // The body that goes on in place of that one.
  const auto body_now = [&](int old_body, int coupled) {
    const int solid = now_of(coupled >= 0 ? coupled : before.bodies[old_body].solid);
    const int body = solid < 0 ? -1 : carrying_body(solid);
    return body >= 0 && (coupled >= 0 || bodies[body].solid == solid) ? body : -1;
  };
  for (const FixedAttachment& old : before.pins) {
    FixedAttachment pin = old;
    pin.solid = old.solid >= 0 ? now_of(old.solid) : -1;
    pin.other_solid = old.other_solid >= 0 ? now_of(old.other_solid) : -1;
    pin.body = body_now(old.body, old.solid);
    pin.other_body = old.other_body >= 0 ? body_now(old.other_body, old.other_solid) : -1;
    const bool both_there = (old.solid < 0 || pin.solid >= 0) &&
                            (old.other_solid < 0 || pin.other_solid >= 0) &&
                            (old.other_body < 0 || pin.other_body >= 0);
    if (pin.body < 0 || pin.body == pin.other_body || !both_there) {
      continue;
    }
    const bool same_centers = bodies[pin.body].center == before.bodies[old.body].center &&
                              (old.other_body < 0 || bodies[pin.other_body].center ==
                                                         before.bodies[old.other_body].center);
    if (!same_centers) {
      pin.place = place_of(bodies[pin.body]);
      pin.other_place = old.other_body < 0 ? BodyPlace{} : place_of(bodies[pin.other_body]);
    }
    join(pin);
    pins.push_back(pin);
  }
  listen_to_couplings();
}

}  // namespace servosim
