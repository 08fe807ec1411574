// SPDX-License-Identifier: Apache-2.0
// What somebody from outside does to the Solids of a built world: puts them elsewhere, stops them.
#include <algorithm>

#include "base/state_archive.h"
#include "physics/ode_library.h"
#include "physics/world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

Pose pose_of(const Body& body) { return {to_mat3(body.rotation), to_vec3(body.position)}; }

void put(const Body& body, const Pose& pose) {
  dMatrix3 r;
  to_ode(pose.rotation, r);
  dBodySetRotation(body.id, r);
  dBodySetPosition(body.id, pose.translation.x, pose.translation.y, pose.translation.z);
}

}  // namespace

// Moves the bodies of a branch, and what stands still for itself. True if ODE's joints to the world
// must be made anew, as they keep the places at which they were made.
bool PhysicsWorld::Impl::set_solid_pose(int solid, const Pose& in_world) {
  const std::vector<bool> branch = branch_of(solid);
  const Pose back = inverse(place_of_joints(solid));
  wake_neighbours(branch);
  forget_efforts(-1, branch);
  for (const Body& body : bodies) {
    if (branch[body.solid]) {
      put(body, in_world * (back * pose_of(body)));
      wake(body.id);
    }
  }
  if (remembers_its_place(solid)) {
    note_place(solid, in_world);
  }
  if (std::any_of(pins.begin(), pins.end(),
                  [&](const FixedAttachment& pin) { return branch[bodies[pin.body].solid]; })) {
    fix_pins_anew();
  }
  place_fixtures();
  poses_changed = true;
  wake_neighbours(branch);
  return holds_to_world(branch);
}

// Whoever touches one of these Solids. Looks only if somebody sleeps.
void PhysicsWorld::Impl::wake_neighbours(const std::vector<bool>& solids) {
  const auto sleeps = [](const Body& body) { return dBodyIsEnabled(body.id) == 0; };
  if (std::none_of(bodies.begin(), bodies.end(), sleeps)) {
    return;
  }
  for (const Touch& touch : touches()) {
    for (const auto& [one, other] :
         {std::pair(touch.solid, touch.other), std::pair(touch.other, touch.solid)}) {
      if (const int body = carrying_body(other); solids[one] && body >= 0) {
        wake(bodies[body].id);
      }
    }
  }
}

// In the present poses. The next step finds them once more, if something moved.
const std::vector<Touch>& PhysicsWorld::Impl::touches() {
  if (poses_changed && can_collide) {
    place_fixtures();
    find_touches();
  }
  return contacts->touches();
}

// It has no body that knows where it is, or one that is fixed to the world.
bool PhysicsWorld::Impl::remembers_its_place(int solid) const {
  return motion[solid].body < 0 ||
         (bodies[motion[solid].body].solid == solid && body_hold(scene, solid) == BodyHold::World);
}

void PhysicsWorld::Impl::note_place(int solid, const Pose& in_world) {
  const int parent = scene.solids[solid].parent;
  MovedSolid place{solid, parent >= 0 ? inverse(solid_pose(parent)) * in_world : in_world, {}};
  if (const int joint = motion[solid].joint; joint >= 0) {
    const int axes = axis_count(scene.joints[joint].kind);
    place.zero = inverse(joint_motion(joint, axes)) * place.local;
    Pose at_start;
    for (int j = joint; j < joint + axes; ++j) {
      at_start = at_start * motion_of(scene.joints[j], scene.joints[j].position);
    }
    place.local = at_start * place.zero;
  }
  note_place(place);
}

void PhysicsWorld::Impl::note_place(const MovedSolid& place) {
  const auto at =
      std::lower_bound(moved_solids.begin(), moved_solids.end(), place.solid,
                       [](const MovedSolid& known, int solid) { return known.solid < solid; });
  if (at != moved_solids.end() && at->solid == place.solid) {
    *at = place;
  } else {
    moved_solids.insert(at, place);
  }
  use_place(place);
}

void PhysicsWorld::Impl::use_place(const MovedSolid& place) {
  local_poses[place.solid] = place.local;
  if (const int joint = scene.solids[place.solid].joint; joint >= 0) {
    zero_poses[scene.joints[joint].leader] = place.zero;
  }
}

// Whether one of these Solids, without a body that moves, is what an ODE joint holds on to.
bool PhysicsWorld::Impl::holds_to_world(const std::vector<bool>& solids) const {
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const int parent = scene.joints[j].parent;
    if (ode_joint_of[j].type != OdeJointRef::Type::None && parent >= 0 && solids[parent] &&
        !is_dynamic(parent)) {
      return true;
    }
  }
  return std::any_of(bodies.begin(), bodies.end(), [&](const Body& body) {
    return solids[body.solid] && body_hold(scene, body.solid) == BodyHold::World;
  });
}

void PhysicsWorld::Impl::fix_pins_anew() {
  for (const FixedAttachment& pin : pins) {
    dJointDestroy(pin.joint);
  }
  for (FixedAttachment& pin : pins) {
    if (pin.other_body < 0) {
      pin.place = place_of(bodies[pin.body]);
    }
    join(pin);
  }
  listen_to_couplings();
}

// Of the joints between what was moved and what was not: as after a step.
void PhysicsWorld::Impl::read_positions_around(int solid) {
  const std::vector<bool> branch = branch_of(solid);
  const auto moved = [&branch](int s) { return s >= 0 && branch[s]; };
  for (std::size_t j = 0; j < states.size(); ++j) {
    const JointSpec& spec = scene.joints[j];
    if (spec.axis_number > 0 || moved(spec.parent) == moved(spec.child)) {
      continue;
    }
    const OdeJointRef& ref = ode_joint_of[j];
    switch (ref.type) {
      case OdeJointRef::Type::None:
        continue;
      case OdeJointRef::Type::Plain:
        joints[ref.index].after_step(false);
        break;
      case OdeJointRef::Type::Hinge2:
        hinge2s[ref.index].after_step(false);
        break;
      case OdeJointRef::Type::Ball:
        balls[ref.index].after_step(false);
        break;
    }
    if (ref.loose >= 0) {
      loose_joints[ref.loose].backlash.after_step();
    }
  }
}

// All bodies that have a part among these Solids.
void PhysicsWorld::Impl::stop(const std::vector<bool>& solids) {
  for (std::size_t s = 0; s < solids.size(); ++s) {
    if (!solids[s] || motion[s].body < 0) {
      continue;
    }
    const dBodyID body = bodies[motion[s].body].id;
    dBodySetLinearVel(body, 0.0, 0.0, 0.0);
    dBodySetAngularVel(body, 0.0, 0.0, 0.0);
    dBodySetForce(body, 0.0, 0.0, 0.0);
    dBodySetTorque(body, 0.0, 0.0, 0.0);
  }
  for (KinematicSolid& drifter : drifters) {
    if (solids[drifter.solid]) {
      drifter.motion = {};
    }
  }
  for (std::size_t j = 0; j < states.size(); ++j) {
    if (const int child = scene.joints[j].child; child >= 0 && solids[child]) {
      states[j].velocity = 0.0;
    }
  }
}

// The centre of mass, in the world, of a Solid that is a part of a body.
Vec3 PhysicsWorld::Impl::part_center(int solid) const {
  const auto& parts = rigid_bodies[motion[solid].body].parts;
  const auto part = std::find_if(parts.begin(), parts.end(),
                                 [solid](const RigidBody::Part& p) { return p.solid == solid; });
  return solid_pose(solid) * part->center;
}

void PhysicsWorld::set_solid_pose(int solid, const Pose& in_world) {
  ++moment_;
  if (impl_->set_solid_pose(solid, in_world)) {
    StateBlock block;
    {
      StateWriter out(block);
      impl_->save(out);
    }
    build_anew(impl_->moved_solids);
    StateReader in(block);
    in.get_array(impl_->moved_solids.data(), in.take<std::size_t>());
    impl_->restore(in);
  }
  impl_->read_positions_around(solid);
}

bool PhysicsWorld::is_part(int solid) const {
  const int body = impl_->motion[solid].body;
  return body >= 0 && impl_->bodies[body].solid != solid;
}

std::optional<PointMotion> PhysicsWorld::body_motion(int solid) const {
  const int body = impl_->motion[solid].body;
  if (body < 0) {
    return std::nullopt;
  }
  const Body& b = impl_->bodies[body];
  return PointMotion{to_vec3(b.velocity), to_vec3(b.spin)};
}

void PhysicsWorld::set_body_motion(int solid, const PointMotion& motion) {
  if (const int body = impl_->motion[solid].body; body >= 0) {
    ++moment_;
    const dBodyID id = impl_->bodies[body].id;
    wake(id);
    dBodySetLinearVel(id, motion.velocity.x, motion.velocity.y, motion.velocity.z);
    dBodySetAngularVel(id, motion.spin.x, motion.spin.y, motion.spin.z);
  }
}

bool PhysicsWorld::is_carried_by_body(int solid) const { return impl_->carrying_body(solid) >= 0; }

void PhysicsWorld::push(int solid, const Vec3& force, const Vec3& torque,
                        const std::optional<Vec3>& point) {
  if (const int body = impl_->motion[solid].body; body >= 0) {
    const Body& b = impl_->bodies[body];
    const Vec3 arm = point              ? *point - to_vec3(b.position)
                     : b.solid != solid ? impl_->part_center(solid) - to_vec3(b.position)
                                        : Vec3{};
    const Vec3 turning = torque + cross(arm, force);
    wake(b.id);
    dBodyAddForce(b.id, force.x, force.y, force.z);
    dBodyAddTorque(b.id, turning.x, turning.y, turning.z);
  }
}

void PhysicsWorld::stop(int solid) {
  ++moment_;
  impl_->stop(branch_of(solid));
}

std::vector<bool> PhysicsWorld::branch_of(int solid) const {
  return solid >= 0 ? impl_->branch_of(solid) : std::vector<bool>(scene_.solids.size(), true);
}

const std::vector<Touch>& PhysicsWorld::touches() const {
  static const std::vector<Touch> none;
  const OdeErrorsThrow guard;
  try {
    return is_over() ? none : impl_->touches();
  } catch (const OdeStopped&) {
    impl_->step_left = true;
    impl_->unstable = impl_->bodies.front().solid;
    return none;
  } catch (const TooManyContacts&) {
    // step() finds them too, unless they move apart before it.
    impl_->step_left = impl_->contacts->spaces_locked();
    return none;
  } catch (...) {  // no memory
    impl_->step_left = true;
    throw;
  }
}

std::optional<Vec3> PhysicsWorld::center_of_mass(int solid) const {
  const std::vector<bool> branch = impl_->branch_of(solid);
  double mass = 0.0;
  Vec3 moment;
  for (const RigidBody& body : impl_->rigid_bodies) {
    for (const RigidBody::Part& part : body.parts) {
      if (branch[part.solid]) {
        mass += part.mass;
        moment = moment + part.mass * (impl_->solid_pose(part.solid) * part.center);
      }
    }
  }
  return mass > 0.0 ? std::optional((1.0 / mass) * moment) : std::nullopt;
}

}  // namespace servosim
