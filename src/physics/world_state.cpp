// SPDX-License-Identifier: Apache-2.0
// Saving and restoring a built world, bit for bit.
#include "physics/world_state.h"

#include <algorithm>
#include <array>

#include "base/state_archive.h"
#include "physics/world.h"

namespace servosim {

namespace {

template <std::size_t N>
void copy(const dReal* from, std::array<dReal, N>& to) {
  std::copy_n(from, N, to.begin());
}

}  // namespace

BodyState state_of(const Body& body) {
  BodyState s;
  s.place = place_of(body);
  copy(body.velocity, s.velocity);
  copy(body.spin, s.spin);
  copy(dBodyGetForce(body.id), s.force);
  copy(dBodyGetTorque(body.id), s.torque);
  s.sleep_left = body.sleep.left;
  s.enabled = dBodyIsEnabled(body.id) != 0;
  return s;
}

void set_state(Body& body, const BodyState& s) {
  put_at(body, s.place);
  dBodySetLinearVel(body.id, s.velocity[0], s.velocity[1], s.velocity[2]);
  dBodySetAngularVel(body.id, s.spin[0], s.spin[1], s.spin[2]);
  dBodySetForce(body.id, s.force[0], s.force[1], s.force[2]);
  dBodySetTorque(body.id, s.torque[0], s.torque[1], s.torque[2]);
  s.enabled ? dBodyEnable(body.id) : dBodyDisable(body.id);
  body.sleep.left = s.sleep_left;
}

BodyPlace place_of(const Body& body) {
  BodyPlace place;
  copy(body.position, place.position);
  copy(body.rotation, place.rotation);
  copy(body.quaternion, place.quaternion);
  return place;
}

// ODE's setters of orientation normalise what they get and so change its last bits. They would
// write to where its getters point, so we do.
void put_at(const Body& body, const BodyPlace& place) {
  std::copy(place.rotation.begin(), place.rotation.end(), const_cast<dReal*>(body.rotation));
  std::copy(place.quaternion.begin(), place.quaternion.end(), const_cast<dReal*>(body.quaternion));
  const auto& p = place.position;
  dBodySetPosition(body.id, p[0], p[1], p[2]);  // tells the geoms
}

void PhysicsWorld::Impl::save(StateWriter& out) const {
  out.put(moved_solids.size());
  out.put_array(moved_solids.data(), moved_solids.size());
  out.put(pins.size());
  out.put_array(pins.data(), pins.size());
  for (const Body& body : bodies) {
    out.put(state_of(body));
  }
  for (const Mounting& mounting : mountings) {
    out.put(mounting.feedback);
  }
  save_drifters(out);
  for (const Belt& belt : belts) {
    out.put(belt.speed);
  }
  for (const int solid : rollers) {
    out.put(local_poses[solid]);
  }
  out.put_array(states.data(), states.size());
  out.put_array(propeller_states.data(), propeller_states.size());
  for_each_joint(*this, [&out](const auto& joint) { out.put(joint.memory()); });
  for (const BacklashJoint& loose : loose_joints) {
    out.put(loose.backlash.memory());
  }
}

void PhysicsWorld::Impl::keep_said(const Impl& before) {
  loops = before.loops;
  contacts->keep_said(*before.contacts);
}

// After the places of moved Solids, which PhysicsWorld has taken out.
void PhysicsWorld::Impl::restore(StateReader& in) {
  restore_pins(in);
  for (Body& body : bodies) {
    set_state(body, in.take<BodyState>());
  }
  for (Mounting& mounting : mountings) {
    in.get(mounting.feedback);
  }
  restore_drifters(in);
  for (Belt& belt : belts) {
    in.get(belt.speed);
  }
  for (const int solid : rollers) {
    in.get(local_poses[solid]);
  }
  in.get_array(states.data(), states.size());
  in.get_array(propeller_states.data(), propeller_states.size());
  for_each_joint(*this, [&in](auto& joint) { joint.restore(in.take<decltype(joint.memory())>()); });
  for (BacklashJoint& loose : loose_joints) {
    loose.backlash.restore(in.take<OdeBacklash::Memory>());
  }
  unstable = -1;
  poses_changed = true;  // the contacts of the next step follow from the poses
}

}  // namespace servosim
