// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "physics/bodies.h"
#include "servosim/math.h"

struct dxJoint;  // ODE's dJointID points to it
struct dJointFeedback;

namespace servosim {

class OdeWorld;
struct SceneMatch;

/// Fixed joints: those that are made and removed while the world runs, with the places of both
/// bodies at which they were made, and those that hold Solids with bodies of their own, such as
/// TouchSensors, to what carries them.
///
/// Invariants: an attachment connects two different bodies, or one with the world; between two
/// Solids there is at most one, and a body is fixed to the world at most once. Attachments are kept
/// in the order of their making, which is that of their ODE joints.
class Attachments {
 public:
  /// Creates the joints that the scene has.
  Attachments(const Scene& scene, OdeWorld& ode, Bodies& bodies);
  Attachments(const Attachments&) = delete;
  Attachments& operator=(const Attachments&) = delete;
  ~Attachments();

  /// Fixes the body of a Solid to the world where it is, or releases it; nothing without a body.
  void fix_to_world(int solid, bool fixed);
  /// Fixes the bodies that carry two Solids to each other where they are; does nothing for one
  /// body, for none, or if one Solid holds the other already.
  void couple(int holder, int held);
  void uncouple(int solid, int other);
  /// A Solid that this one holds, -1 for none.
  int held_by(int holder) const;
  /// The force of couple() on `solid` in the last step, in the world's axes [N].
  Vec3 coupling_force(int solid, int other) const;
  /// The force of a TouchSensor's body on what it is fixed to in the last step, in the world's axes
  /// [N]; nothing if it is not fixed.
  Vec3 mounting_force(int solid) const;

  /// Recreates all attachments after bodies of these Solids were moved between steps; a body that
  /// is fixed to the world is fixed at its present place.
  void rebuild(const SolidRange& moved);
  /// A fixed joint of the scene.
  struct Mounting {
    dxJoint* joint;
    dxBody* body;
    dxBody* carrier;  ///< null: the world
  };
  const std::vector<Mounting>& mountings() const { return mountings_; }
  /// A body fixed to the world or to another one, where they were then.
  struct FixedAttachment {
    int body = -1;
    int other_body = -1;  // -1: the world
    int solid = -1;       // the Solids that were coupled; -1: `body` was fixed to the world
    int other_solid = -1;
    bool other_holds = false;  // `solid`; else it is the other way round
    dxJoint* joint = nullptr;
    BodyPlace place{};
    BodyPlace other_place{};
  };
  /// Those that are made and removed while the world runs.
  const std::vector<FixedAttachment>& attachments() const { return attachments_; }
  /// Whether a fixed joint of the scene holds one of these Solids to the world.
  bool hold_to_place(const SolidRange& solids) const;

  /// Takes over the attachments of the world before an edit whose bodies both remain.
  void restore_from(const Attachments& before, const SceneMatch& match);
  template <class Archive>
  void archive(Archive& archive);

 private:
  dxJoint* fix(dxBody* body, dxBody* other) const;
  void create_mounting(const Body& body, dxBody* other);
  std::span<const int> couplings_of(int solid) const;  // rising indices in attachments_
  const FixedAttachment* find_coupling(int solid, int other) const;
  void add(FixedAttachment attachment);
  void remove(const FixedAttachment* attachment);
  void create_joint(FixedAttachment& attachment);
  void destroy_joints();
  void assign_feedback();  // of all, after some were removed
  void assign_feedback(std::size_t index);
  void wake_bodies(const FixedAttachment& attachment);

  const Scene& scene_;
  OdeWorld& ode_;
  Bodies& bodies_;
  std::vector<FixedAttachment> attachments_;
  std::vector<std::unique_ptr<dJointFeedback>> feedback_;  // by attachment; ODE keeps addresses
  // By Solid; empty until the first two are coupled.
  std::vector<std::vector<int>> couplings_of_;
  // Of TouchSensors with bodies, which are fixed to what carries them; ODE keeps addresses.
  std::vector<std::unique_ptr<dJointFeedback>> touched_feedback_;
  std::vector<int> touched_feedback_of_;  // by Solid: index in that list, -1 for none; or empty
  std::vector<Mounting> mountings_;
};

}  // namespace servosim
