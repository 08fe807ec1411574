// SPDX-License-Identifier: Apache-2.0
#include "physics/attachments.h"

#include <algorithm>
#include <utility>

#include "base/state_archive.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

Attachments::Attachments(const Scene& scene, OdeWorld& ode, Bodies& bodies)
    : scene_(scene), ode_(ode), bodies_(bodies) {
  for (const Body& body : bodies_) {
    const BodyHold hold = body_hold(scene, body.solid);
    if (hold == BodyHold::World) {
      create_mounting(body, nullptr);
    } else if (hold == BodyHold::Parent) {
      create_mounting(body, bodies_.id_of(scene.solids[body.solid].parent));
    }
  }
  for (int b = 0; b < bodies_.count(); ++b) {
    bodies_.update_anchored(b);
  }
}

Attachments::~Attachments() = default;

dJointID Attachments::fix(dBodyID body, dBodyID other) const {
  const dJointID joint = made(dJointCreateFixed(ode_.id(), nullptr), "a fixed joint");
  dJointAttach(joint, body, other);
  dJointSetFixed(joint);
  return joint;
}

// A TouchSensor measures the force in the joint that holds it.
void Attachments::create_mounting(const Body& body, dBodyID other) {
  const dJointID joint = fix(body.id, other);
  if (scene_.solids[body.solid].senses_touch) {
    mountings_.push_back({body.solid, std::make_unique<dJointFeedback>()});
    dJointSetFeedback(joint, mountings_.back().feedback.get());
  }
}

void Attachments::add(FixedAttachment attachment) {
  SERVOSIM_ASSERT(attachment.body >= 0 && attachment.body != attachment.other_body,
                  "bodies {} and {}", attachment.body, attachment.other_body);
  wake_bodies(attachment);
  attachment.place = place_of(bodies_[attachment.body]);
  if (attachment.other_body >= 0) {
    attachment.other_place = place_of(bodies_[attachment.other_body]);
  }
  create_joint(attachment);
  attachments_.push_back(attachment);
  // Contacts stay the newest joints, and what the body may touch has changed.
  ode_.set_contacts_stale(true);
  assign_feedback();
}

// As when both bodies were at the places that the attachment remembers.
void Attachments::create_joint(FixedAttachment& attachment) {
  const Body& body = bodies_[attachment.body];
  const Body* other = attachment.other_body >= 0 ? &bodies_[attachment.other_body] : nullptr;
  const BodyPlace now = place_of(body);
  const BodyPlace other_now = other != nullptr ? place_of(*other) : BodyPlace{};
  put_at(body, attachment.place);
  if (other != nullptr) {
    put_at(*other, attachment.other_place);
  }
  attachment.joint = fix(body.id, other != nullptr ? other->id : nullptr);
  put_at(body, now);
  if (other != nullptr) {
    put_at(*other, other_now);
  }
  bodies_.update_anchored(attachment.body);
}

void Attachments::remove(const FixedAttachment* removed) {
  const FixedAttachment attachment = *removed;
  dJointDestroy(attachment.joint);
  attachments_.erase(attachments_.begin() + (removed - attachments_.data()));
  wake_bodies(attachment);
  ode_.set_contacts_stale(true);
  bodies_.update_anchored(attachment.body);
  assign_feedback();
}

void Attachments::wake_bodies(const FixedAttachment& attachment) {
  wake(bodies_[attachment.body].id);
  if (attachment.other_body >= 0) {
    wake(bodies_[attachment.other_body].id);
  }
}

// Each coupling measures its force at the place of its number.
void Attachments::assign_feedback() {
  feedback_.resize(attachments_.size());
  for (std::size_t i = 0; i < attachments_.size(); ++i) {
    if (feedback_[i] == nullptr) {
      feedback_[i] = std::make_unique<dJointFeedback>();
    }
    if (attachments_[i].solid >= 0) {
      dJointSetFeedback(attachments_[i].joint, feedback_[i].get());
    }
  }
}

void Attachments::fix_to_world(int solid, bool fixed) {
  ode_.note_change();
  const int body = bodies_.body_of(solid);
  const auto known =
      std::find_if(attachments_.begin(), attachments_.end(),
                   [&](const FixedAttachment& a) { return a.solid < 0 && a.body == body; });
  if (body < 0 || fixed == (known != attachments_.end())) {
    return;
  }
  if (fixed) {
    FixedAttachment attachment;
    attachment.body = body;
    add(attachment);
  } else {
    remove(&*known);
  }
}

const Attachments::FixedAttachment* Attachments::find_coupling(int solid, int other) const {
  const auto found =
      std::find_if(attachments_.begin(), attachments_.end(), [&](const FixedAttachment& a) {
        return (a.solid == solid && a.other_solid == other) ||
               (a.solid == other && a.other_solid == solid);
      });
  return found == attachments_.end() ? nullptr : &*found;
}

void Attachments::couple(int holder, int held) {
  ode_.note_change();
  FixedAttachment attachment;
  attachment.solid = holder;
  attachment.other_solid = held;
  attachment.body = bodies_.carrying_body(holder);
  attachment.other_body = bodies_.carrying_body(held);
  if (attachment.body == attachment.other_body || find_coupling(holder, held) != nullptr) {
    return;
  }
  if (attachment.body < 0) {
    std::swap(attachment.body, attachment.other_body);
    std::swap(attachment.solid, attachment.other_solid);
    attachment.other_holds = true;
  }
  add(attachment);
}

void Attachments::uncouple(int solid, int other) {
  ode_.note_change();
  if (const FixedAttachment* attachment = find_coupling(solid, other)) {
    remove(attachment);
  }
}

int Attachments::held_by(int holder) const {
  for (const FixedAttachment& a : attachments_) {
    if (holder == (a.other_holds ? a.other_solid : a.solid)) {
      return a.other_holds ? a.solid : a.other_solid;
    }
  }
  return -1;
}

Vec3 Attachments::coupling_force(int solid, int other) const {
  const FixedAttachment* attachment = find_coupling(solid, other);
  if (attachment == nullptr) {
    return {};
  }
  const Vec3 on_first = to_vec3(feedback_[attachment - attachments_.data()]->f1);
  return attachment->solid == solid ? on_first : -on_first;
}

Vec3 Attachments::mounting_force(int solid) const {
  for (const Mounting& mounting : mountings_) {
    if (mounting.solid == solid) {
      return -to_vec3(mounting.feedback->f1);
    }
  }
  return {};
}

void Attachments::rebuild(const std::vector<bool>& moved_solids) {
  if (std::none_of(attachments_.begin(), attachments_.end(),
                   [&](const FixedAttachment& a) { return moved_solids[bodies_[a.body].solid]; })) {
    return;
  }
  for (const FixedAttachment& attachment : attachments_) {
    dJointDestroy(attachment.joint);
  }
  for (FixedAttachment& attachment : attachments_) {
    if (attachment.other_body < 0) {
      attachment.place = place_of(bodies_[attachment.body]);
    }
    create_joint(attachment);
  }
  assign_feedback();
}

bool Attachments::hold_to_place(const std::vector<bool>& solids) const {
  return std::any_of(bodies_.begin(), bodies_.end(), [&](const Body& body) {
    return solids[body.solid] && body_hold(scene_, body.solid) == BodyHold::World;
  });
}

void Attachments::destroy_joints() {
  for (const FixedAttachment& attachment : attachments_) {
    dJointDestroy(attachment.joint);
    bodies_.update_anchored(attachment.body);
  }
}

template <class Archive>
void Attachments::archive(Archive& archive) {
  if constexpr (Archive::kRestores) {
    destroy_joints();
  }
  archive.unhashed(attachments_);
  if constexpr (Archive::kRestores) {
    for (FixedAttachment& attachment : attachments_) {
      create_joint(attachment);
    }
    assign_feedback();
  }
  for (Mounting& mounting : mountings_) {
    archive.unhashed(*mounting.feedback);
  }
}

template void Attachments::archive(SavingArchive&);
template void Attachments::archive(RestoringArchive&);
template void Attachments::archive(HashingArchive&);

}  // namespace servosim
