// SPDX-License-Identifier: Apache-2.0
// Attachments and mountings are fixed joints of ODE. dJointSetFixed() stores the relative pose that
// the two bodies have at that moment, so the bodies are always at the poses of the attachment when
// it is called. A restored or edited world therefore has the same joints, bit for bit.
#include "physics/attachments.h"

#include <algorithm>
#include <utility>

#include "base/state_archive.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

// body_hold() tells what fixes a body that no moving joint holds: the world, the body of the Solid
// above, or nothing.
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

// A sensor measures the force of the joint that fixes it, so that joint has a feedback.
void Attachments::create_mounting(const Body& body, dBodyID other) {
  const dJointID joint = fix(body.id, other);
  mountings_.push_back({joint, body.id, other});
  if (scene_.solids[body.solid].own_body) {
    touched_feedback_of_.resize(scene_.solids.size(), -1);
    touched_feedback_of_[body.solid] = static_cast<int>(touched_feedback_.size());
    touched_feedback_.push_back(std::make_unique<dJointFeedback>());
    dJointSetFeedback(joint, touched_feedback_.back().get());
  }
}

// The present poses are stored before the joint is created, because they define it.
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
  // Contacts must remain the newest joints, and the body may now touch other bodies.
  ode_.set_contacts_stale(true);
  feedback_.resize(attachments_.size());
  assign_feedback(attachments_.size() - 1);
}

// ODE stores the relative pose of the bodies at the time of the call, so the bodies are moved to
// the stored poses for that time.
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
  // The bodies return to their current poses, which may differ by what the joint has yielded.
  put_at(body, now);
  if (other != nullptr) {
    put_at(*other, other_now);
  }
  bodies_.update_anchored(attachment.body);
}

// The indices of later attachments change, so all feedback is assigned again.
void Attachments::remove(const FixedAttachment* removed) {
  const FixedAttachment attachment = *removed;
  dJointDestroy(attachment.joint);
  attachments_.erase(attachments_.begin() + (removed - attachments_.data()));
  wake_bodies(attachment);
  ode_.set_contacts_stale(true);
  bodies_.update_anchored(attachment.body);
  assign_feedback();
}

// What holds a body has changed, so a body at rest may have to move.
void Attachments::wake_bodies(const FixedAttachment& attachment) {
  wake(bodies_[attachment.body].id);
  if (attachment.other_body >= 0) {
    wake(bodies_[attachment.other_body].id);
  }
}

// The feedback of an attachment has the same index as the attachment. ODE overwrites its values in
// the next step.
void Attachments::assign_feedback() {
  for (std::vector<int>& couplings : couplings_of_) {
    couplings.clear();
  }
  feedback_.resize(attachments_.size());
  for (std::size_t i = 0; i < attachments_.size(); ++i) {
    assign_feedback(i);
  }
}

// Only couplings have feedback, since nobody asks for the force of a joint to the world.
void Attachments::assign_feedback(std::size_t index) {
  if (feedback_[index] == nullptr) {
    feedback_[index] = std::make_unique<dJointFeedback>();
  }
  const FixedAttachment& attachment = attachments_[index];
  if (attachment.solid >= 0) {
    dJointSetFeedback(attachment.joint, feedback_[index].get());
    couplings_of_.resize(scene_.solids.size());
    couplings_of_[attachment.solid].push_back(static_cast<int>(index));
    couplings_of_[attachment.other_solid].push_back(static_cast<int>(index));
  }
}

// An attachment to the world has no Solid, in contrast to a coupling.
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

std::span<const int> Attachments::couplings_of(int solid) const {
  return couplings_of_.empty() ? std::span<const int>() : couplings_of_[solid];
}

const Attachments::FixedAttachment* Attachments::find_coupling(int solid, int other) const {
  for (const int index : couplings_of(solid)) {
    const FixedAttachment& a = attachments_[index];
    if ((a.solid == solid && a.other_solid == other) ||
        (a.solid == other && a.other_solid == solid)) {
      return &a;
    }
  }
  return nullptr;
}

// The first body of a joint must not be the world. If only `held` has a body, the two are
// exchanged, and other_holds tells who holds whom.
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

// A Solid may hold several others. The oldest coupling comes first.
int Attachments::held_by(int holder) const {
  for (const int index : couplings_of(holder)) {
    const FixedAttachment& a = attachments_[index];
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
  // ODE's f1 is the force on the first body of the joint.
  const Vec3 on_first = to_vec3(feedback_[attachment - attachments_.data()]->f1);
  return attachment->solid == solid ? on_first : -on_first;
}

Wrench Attachments::mounting_load(int solid) const {
  const int mounting = touched_feedback_of_.empty() ? -1 : touched_feedback_of_[solid];
  if (mounting < 0) {
    return {};
  }
  // The first body of the joint is that of the sensor, so the force on its carrier is −f1.
  const dJointFeedback& on_sensor = *touched_feedback_[mounting];
  return {-to_vec3(on_sensor.f1), -to_vec3(on_sensor.t1)};
}

// All joints are recreated and not only those of moved bodies, since the order of ODE's joints must
// be that of the attachments.
void Attachments::rebuild(const SolidRange& moved) {
  if (std::none_of(attachments_.begin(), attachments_.end(), [&](const FixedAttachment& a) {
        return moved.contains(bodies_[a.body].solid);
      })) {
    return;
  }
  for (const FixedAttachment& attachment : attachments_) {
    dJointDestroy(attachment.joint);
  }
  for (FixedAttachment& attachment : attachments_) {
    // A body that is fixed to the world was moved on purpose, so it is held where it is now.
    if (attachment.other_body < 0) {
      attachment.place = place_of(bodies_[attachment.body]);
    }
    create_joint(attachment);
  }
  assign_feedback();
}

// A mounting to the world keeps the pose at which it was built. The caller then rebuilds
// everything.
bool Attachments::hold_to_place(const SolidRange& solids) const {
  bool holds = false;
  for (int s = solids.begin; s < solids.end && !holds; ++s) {
    holds = bodies_.owns_body(s) && body_hold(scene_, s) == BodyHold::World;
  }
  return holds;
}

// A body that loses its joint to the world is no longer anchored.
void Attachments::destroy_joints() {
  for (const FixedAttachment& attachment : attachments_) {
    dJointDestroy(attachment.joint);
    bodies_.update_anchored(attachment.body);
  }
}

// A joint is not data. It is destroyed before the attachments are restored, and created from their
// poses afterwards.
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
  for (const std::unique_ptr<dJointFeedback>& feedback : touched_feedback_) {
    archive.unhashed(*feedback);
  }
}

template void Attachments::archive(SavingArchive&);
template void Attachments::archive(RestoringArchive&);
template void Attachments::archive(HashingArchive&);

}  // namespace servosim
