// SPDX-License-Identifier: Apache-2.0
// Bodies that are fixed, to the world or to each other, and let go while the world runs.
#include <algorithm>
#include <utility>

#include "base/state_archive.h"
#include "physics/ode_library.h"
#include "physics/world.h"
#include "scene/scene.h"

namespace servosim {

dJointID PhysicsWorld::Impl::fix(dBodyID body, dBodyID other) const {
  const dJointID joint = made(dJointCreateFixed(world, nullptr), "a fixed joint");
  dJointAttach(joint, body, other);
  dJointSetFixed(joint);
  return joint;
}

void PhysicsWorld::Impl::add_pin(FixedAttachment pin) {
  wake(bodies[pin.body].id);
  pin.place = place_of(bodies[pin.body]);
  if (pin.other_body >= 0) {
    wake(bodies[pin.other_body].id);
    pin.other_place = place_of(bodies[pin.other_body]);
  }
  join(pin);
  pins.push_back(pin);
  poses_changed = true;  // contacts stay the newest joints, and what the body may touch has changed
  listen_to_couplings();
}

// Makes the joint of a pin as it was when both bodies were at the places that it remembers.
void PhysicsWorld::Impl::join(FixedAttachment& pin) {
  const Body& body = bodies[pin.body];
  const Body* other = pin.other_body >= 0 ? &bodies[pin.other_body] : nullptr;
  const BodyPlace now = place_of(body);
  const BodyPlace other_now = other != nullptr ? place_of(*other) : BodyPlace{};
  put_at(body, pin.place);
  if (other != nullptr) {
    put_at(*other, pin.other_place);
  }
  pin.joint = fix(body.id, other != nullptr ? other->id : nullptr);
  put_at(body, now);
  if (other != nullptr) {
    put_at(*other, other_now);
  }
  note_anchored(pin.body);
}

void PhysicsWorld::Impl::remove_pin(std::size_t index) {
  const FixedAttachment pin = pins[index];
  dJointDestroy(pin.joint);
  pins.erase(pins.begin() + static_cast<std::ptrdiff_t>(index));
  wake(bodies[pin.body].id);
  if (pin.other_body >= 0) {
    wake(bodies[pin.other_body].id);
  }
  poses_changed = true;
  note_anchored(pin.body);
  listen_to_couplings();
}

// Each coupling measures its force at the place of its number.
void PhysicsWorld::Impl::listen_to_couplings() {
  pin_feedback.resize(pins.size());
  for (std::size_t i = 0; i < pins.size(); ++i) {
    if (pins[i].solid >= 0) {
      dJointSetFeedback(pins[i].joint, &pin_feedback[i]);
    }
  }
}

void PhysicsWorld::Impl::restore_pins(StateReader& in) {
  for (const FixedAttachment& pin : pins) {
    dJointDestroy(pin.joint);
    note_anchored(pin.body);
  }
  pins.resize(in.take<std::size_t>());
  in.get_array(pins.data(), pins.size());
  for (FixedAttachment& pin : pins) {
    join(pin);
  }
  listen_to_couplings();
}

void PhysicsWorld::Impl::pin(int solid, bool pinned) {
  const int body = motion[solid].body;
  const auto known = std::find_if(pins.begin(), pins.end(), [&](const FixedAttachment& pin) {
    return pin.solid < 0 && pin.body == body;
  });
  if (body < 0 || pinned == (known != pins.end())) {
    return;
  }
  if (pinned) {
    FixedAttachment pin;
    pin.body = body;
    add_pin(pin);
  } else {
    remove_pin(static_cast<std::size_t>(known - pins.begin()));
  }
}

const FixedAttachment* PhysicsWorld::Impl::find_coupling(int solid, int other) const {
  const auto found = std::find_if(pins.begin(), pins.end(), [&](const FixedAttachment& pin) {
    return (pin.solid == solid && pin.other_solid == other) ||
           (pin.solid == other && pin.other_solid == solid);
  });
  return found == pins.end() ? nullptr : &*found;
}

void PhysicsWorld::Impl::couple(int holder, int held) {
  FixedAttachment pin;
  pin.solid = holder;
  pin.other_solid = held;
  pin.body = carrying_body(holder);
  pin.other_body = carrying_body(held);
  if (pin.body == pin.other_body || find_coupling(holder, held) != nullptr) {
    return;
  }
  if (pin.body < 0) {
    std::swap(pin.body, pin.other_body);
    std::swap(pin.solid, pin.other_solid);
    pin.other_holds = true;
  }
  add_pin(pin);
}

void PhysicsWorld::Impl::uncouple(int solid, int other) {
  if (const FixedAttachment* pin = find_coupling(solid, other)) {
    remove_pin(static_cast<std::size_t>(pin - pins.data()));
  }
}

void PhysicsWorld::pin(int solid, bool pinned) {
  ++moment_;
  impl_->pin(solid, pinned);
}

void PhysicsWorld::couple(int holder, int held) {
  ++moment_;
  impl_->couple(holder, held);
}

void PhysicsWorld::uncouple(int solid, int other) {
  ++moment_;
  impl_->uncouple(solid, other);
}

int PhysicsWorld::held_by(int holder) const {
  for (const FixedAttachment& pin : impl_->pins) {
    if (holder == (pin.other_holds ? pin.other_solid : pin.solid)) {
      return pin.other_holds ? pin.solid : pin.other_solid;
    }
  }
  return -1;
}

Vec3 PhysicsWorld::coupling_force(int solid, int other) const {
  const FixedAttachment* pin = impl_->find_coupling(solid, other);
  if (pin == nullptr) {
    return {};
  }
  const Vec3 on_first = to_vec3(impl_->pin_feedback[pin - impl_->pins.data()].f1);
  return pin->solid == solid ? on_first : -on_first;
}

bool PhysicsWorld::is_free(int solid) const {
  const int body = impl_->carrying_body(solid);
  return body >= 0 && !impl_->contacts->is_anchored(body);
}

void PhysicsWorld::shift_body(int solid, const Pose& shift) {
  const int index = impl_->carrying_body(solid);
  if (index < 0) {
    return;
  }
  ++moment_;
  const dBodyID body = impl_->bodies[index].id;
  const Vec3 at = shift * to_vec3(dBodyGetPosition(body));
  dMatrix3 r;
  to_ode(shift.rotation * to_mat3(dBodyGetRotation(body)), r);
  dBodySetRotation(body, r);
  dBodySetPosition(body, at.x, at.y, at.z);
  wake(body);
  impl_->poses_changed = true;
}

void PhysicsWorld::set_kinematic_pose(int solid, const Pose& in_parent) {
  ++moment_;
  impl_->local_poses[solid] = in_parent;
}

Pose PhysicsWorld::kinematic_pose(int solid) const { return impl_->local_poses[solid]; }

}  // namespace servosim
