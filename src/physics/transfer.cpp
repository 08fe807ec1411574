// SPDX-License-Identifier: Apache-2.0
// Transfers state: a world that was built from an edited tree continues where the world of the tree
// before the edit was. Each component takes over what changes while the world runs.
#include <algorithm>

#include "base/state_archive.h"
#include "physics/joints/ball.h"
#include "physics/joints/hinge2.h"
#include "physics/joints/joint.h"
#include "physics/joints/servo.h"
#include "physics/parts.h"
#include "physics/servo_state.h"
#include "scene/scene.h"
#include "scene/scene_match.h"

namespace servosim {

// The scene after the edit has other indices. For each part of it, `match` has the index in the
// scene before the edit, or -1.
void PhysicsWorld::restore_from(const PhysicsWorld& before, const SceneMatch& match) {
  // A Solid that the edit has moved starts at its former pose, so that Solids below it move along.
  std::vector<MovedSolid> moved = parts_->kinematic.places_after(before.parts_->kinematic, match);
  if (!moved.empty()) {
    rebuild(std::move(moved));
  }
  before.parts_->write_efforts();
  parts_->restore_from(*before.parts_, match);
  for (std::size_t s = 0; s < match.relocated.size(); ++s) {
    const int solid = static_cast<int>(s);
    if (match.relocated[s] && !parts_->bodies.is_part(solid)) {
      // The new pose follows from the current pose of the Solid above and the pose in the file.
      set_solid_pose(
          solid, parts_->poses.frame(scene_.solids[s].parent) * parts_->poses.planned_pose(solid));
    }
  }
}

// The order follows from what depends on what. Poses depend on positions of joints, joints measure
// bodies, and attachments and contacts refer to both. At the end geoms follow the poses.
void PhysicsWorld::Parts::restore_from(const Parts& before, const SceneMatch& match) {
  joints.restore_states_from(before.joints, match);
  kinematic.restore_from(before.kinematic, match);
  restore_bodies_from(before, match);
  joints.restore_from(before.joints, match);
  attachments.restore_from(before.attachments, match);
  contacts.restore_from(before.contacts, match);
  restore_counts_from(before);
  if (losses && before.losses) {
    losses->restore_from(*before.losses, match);
  }
  kinematic.place_all();
  ode.note_change();
  ode.set_contacts_stale(true);
  if (match.wakes_bodies) {
    wake_all(bodies);
  }
}

// Parents come first, because the pose of a new Solid follows from Solids that existed before. A
// body with the same owner and the same centre of mass keeps its state to the last bit. Otherwise,
// if its Solid existed, the body gets that Solid's pose and the velocity at the new centre. A new
// body gets its pose from the tree.
void PhysicsWorld::Parts::restore_bodies_from(const Parts& before, const SceneMatch& match) {
  for (int b = 0; b < bodies.count(); ++b) {
    const Body& body = bodies[b];
    const int old = match.solids[body.solid];
    const int old_body = old >= 0 ? before.bodies.body_of(old) : -1;
    if (old_body >= 0 && before.bodies[old_body].solid == old &&
        before.bodies[old_body].center == body.center) {
      bodies.set_state(b, state_of(before.bodies[old_body]));
      continue;
    }
    const int parent = scene.solids[body.solid].parent;
    if (old < 0 && bodies.carrying_body(parent) < 0 &&
        body_hold(scene, body.solid) != BodyHold::Nothing) {
      continue;  // the joint of this new body keeps it where it was built
    }
    const Pose pose =
        old >= 0 ? before.poses.pose(old) : poses.frame(parent) * poses.local_pose(body.solid);
    const Vec3 center = pose * body.center;
    // The axes of a body are those of its owner.
    put_at(body, Pose{pose.rotation, center});
    if (old >= 0) {
      set_motion(body, old_body >= 0 ? motion_at(before.bodies[old_body], center)
                                     : before.kinematic.velocity(old));
    }
  }
}

// A Solid needs a pose from outside in each of these cases: the edit or a user has moved it; a
// device no longer moves it; or its velocity cannot be kept, because it has got a body, or has got
// or lost a kinematic joint.
std::vector<MovedSolid> KinematicMotion::places_after(const KinematicMotion& before,
                                                      const SceneMatch& match) const {
  std::vector<MovedSolid> moved;
  for (std::size_t s = 0; s < match.solids.size(); ++s) {
    const int old = match.solids[s];
    const int solid = static_cast<int>(s);
    if (old < 0 || !keeps_place(solid)) {
      continue;
    }
    const bool loses_velocity =
        before.had_velocity(old) && (has_body(solid) || (before.poses_.kinematic_joint(old) < 0) !=
                                                            (poses_.kinematic_joint(solid) < 0));
    const bool was_moved = before.find_moved(old) != nullptr;
    const bool loses_drive = before.is_driven(old) && !is_driven(solid);
    if (match.relocated[s] || was_moved || loses_velocity || loses_drive) {
      MovedSolid place = before.poses_.as_moved(old);
      if (!loses_velocity && before.had_velocity(old)) {
        // The motion by the velocity is transferred separately, so it is removed from this pose.
        (before.poses_.kinematic_joint(old) >= 0 ? place.zero : place.local) =
            before.place_before_motion(old);
      }
      place.solid = solid;
      moved.push_back(place);
    }
  }
  return moved;
}

// A Solid that a device moves continues from where it was, unless the edit has moved it.
void KinematicMotion::restore_from(const KinematicMotion& before, const SceneMatch& match) {
  for (const int solid : driven_) {
    if (const int old = match.solids[solid]; old >= 0 && !match.relocated[solid]) {
      poses_.writable_place(solid) = before.poses_.place(old);
    }
  }
  if (!before.moving_.empty() || !moving_.empty()) {
    restore_velocities_from(before, match);
  }
}

// Solids keep their poses. A Solid whose velocity in the tree has changed starts with the new one.
void KinematicMotion::restore_velocities_from(const KinematicMotion& before,
                                              const SceneMatch& match) {
  for (std::size_t s = 0; s < match.solids.size(); ++s) {
    const int old = match.solids[s];
    const int solid = static_cast<int>(s);
    if (old < 0 || has_body(solid)) {
      continue;
    }
    if (before.had_velocity(old) && !had_velocity(solid)) {
      add({solid, {}});
    }
    if (before.had_velocity(old) &&
        (before.poses_.kinematic_joint(old) >= 0) == (poses_.kinematic_joint(solid) >= 0)) {
      poses_.writable_kinematic_place(solid) = before.poses_.kinematic_place(old);
    }
    const SolidSpec& was = before.scene_.solids[old];
    const SolidSpec& now = scene_.solids[s];
    if (was.linear_velocity == now.linear_velocity &&
        was.angular_velocity == now.angular_velocity) {
      assign_velocity(solid, before.velocity(old));
    }
  }
}

// Members that follow from the scene are those of the new world. If the parameters of an axis have
// changed, this includes position and backlash. A drive that only expresses static friction is no
// command, so it is also that of the new world.
void Joints::restore_states_from(const Joints& before, const SceneMatch& match) {
  for (std::size_t j = 0; j < states_.size(); ++j) {
    if (match.joints[j] < 0) {
      continue;
    }
    const JointState built = states_[j];
    const JointState& was = before.states_[match.joints[j]];
    JointState& now = states_[j] = was;
    now.dynamic = built.dynamic;
    now.has_feedback = built.has_feedback;
    now.static_friction = built.static_friction;
    if (scene_.joints[j].parameters != before.scene_.joints[match.joints[j]].parameters) {
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
  for (const int j : servo_joints_) {
    ServoState& now = servo_states_.by_joint[j];
    const ServoState* const was =
        match.joints[j] >= 0 ? before.servo_states_.find(match.joints[j]) : nullptr;
    if (was != nullptr &&
        scene_.joints[j].parameters == before.scene_.joints[match.joints[j]].parameters) {
      now.memory = was->memory;
    } else if (match.joints[j] >= 0) {  // the file's position is not that of the joint now
      now.put(states_[j].position, states_[j].velocity);
    }
  }
  for (std::size_t p = 0; p < propeller_states_.size(); ++p) {
    if (match.propellers[p] >= 0) {
      propeller_states_[p] = before.propeller_states_[match.propellers[p]];
    }
  }
}

// A joint takes over what its ODE joint remembers between steps if its kind and parameters are the
// same.
void Joints::restore_from(const Joints& before, const SceneMatch& match) {
  for (std::size_t j = 0; j < states_.size(); ++j) {
    const int old = match.joints[j];
    if (old < 0 || scene_.joints[j].axis_number > 0) {
      continue;
    }
    const Ref& from = before.refs_[old];
    const Ref& to = refs_[j];
    const bool other_parameters =
        !have_same_parameters(axes_of(before.scene_, old), axes_of(scene_, static_cast<int>(j)));
    if (from.type != to.type || other_parameters) {
      // The new joint does not have the brake's damping yet.
      states_[j].brake_changed = true;
      continue;
    }
    visit(to,
          [&](auto list) { (this->*list)[to.index].restore((before.*list)[from.index].memory()); });
    if (from.backlash >= 0 && to.backlash >= 0) {
      backlash_[to.backlash].backlash.restore(before.backlash_[from.backlash].backlash.memory());
    }
  }
  loads_.restore_from(before.loads_, match);
  steps_to_loop_check_ = before.steps_to_loop_check_;
  // Loops that were torn before have already been reported.
  std::erase_if(loops_, [&](int j) {
    const int old = match.joints[j];
    return old >= 0 && before.scene_.joints[old].reference &&
           std::find(before.loops_.begin(), before.loops_.end(), old) == before.loops_.end();
  });
}

// An attachment is kept if both of its bodies still exist and are not the same body. If a centre of
// mass has moved, the stored poses do not fit any more, and the current ones replace them.
void Attachments::restore_from(const Attachments& before, const SceneMatch& match) {
  std::vector<int> now_of_old(before.scene_.solids.size(), -1);
  for (std::size_t s = match.solids.size(); s-- > 0;) {
    if (match.solids[s] >= 0) {
      now_of_old[match.solids[s]] = static_cast<int>(s);
    }
  }
  const auto now_of = [&](int old) { return now_of_old[old]; };
  // Returns the body that replaces `old_body`, -1 for none. `coupled` is the Solid of a coupling,
  // or -1 if the attachment is one to the world.
  const auto body_now = [&](int old_body, int coupled) {
    const int solid = now_of(coupled >= 0 ? coupled : before.bodies_[old_body].solid);
    const int body = solid < 0 ? -1 : bodies_.carrying_body(solid);
    return body >= 0 && (coupled >= 0 || bodies_[body].solid == solid) ? body : -1;
  };
  for (const FixedAttachment& old : before.attachments_) {
    FixedAttachment now = old;
    now.solid = old.solid >= 0 ? now_of(old.solid) : -1;
    now.other_solid = old.other_solid >= 0 ? now_of(old.other_solid) : -1;
    now.body = body_now(old.body, old.solid);
    now.other_body = old.other_body >= 0 ? body_now(old.other_body, old.other_solid) : -1;
    const bool both_there = (old.solid < 0 || now.solid >= 0) &&
                            (old.other_solid < 0 || now.other_solid >= 0) &&
                            (old.other_body < 0 || now.other_body >= 0);
    if (now.body < 0 || now.body == now.other_body || !both_there) {
      continue;
    }
    const bool same_centers = bodies_[now.body].center == before.bodies_[old.body].center &&
                              (old.other_body < 0 || bodies_[now.other_body].center ==
                                                         before.bodies_[old.other_body].center);
    if (!same_centers) {
      now.place = place_of(bodies_[now.body]);
      now.other_place = old.other_body < 0 ? BodyPlace{} : place_of(bodies_[now.other_body]);
    }
    create_joint(now);
    attachments_.push_back(now);
  }
  assign_feedback();
}

}  // namespace servosim
