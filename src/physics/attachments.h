// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "physics/bodies.h"
#include "physics/rows/joint_rows.h"
#include "servosim/math.h"

struct dxJoint;  // ODE's dJointID is a pointer to this
struct dJointFeedback;

namespace servosim {

class OdeWorld;
struct SceneMatch;

/// Holds the fixed joints of a world. Attachments are made and removed while the world runs; each
/// stores the poses that its two bodies had when it was made. Mountings belong to the scene; they
/// hold Solids with bodies of their own, such as TouchSensors, to the bodies that carry them.
///
/// A fixed joint makes its two bodies keep their relative pose: C = (pose of one in the frame of
/// the other) − (the same when the joint was made) = 0, which are six rows without bounds. A force
/// is that of the joint on the named Solid: a positive component points along that axis of the
/// world.
///
/// Invariants: an attachment connects two different bodies, or one body with the world. Between two
/// Solids there is at most one, and a body is fixed to the world at most once. Attachments are kept
/// in the order in which they were made, which is the order of their ODE joints.
///
/// Threads: one at a time for each object.
class Attachments {
 public:
  /// Creates the mountings of the scene. All references must outlive this object.
  /// @throws OdeFailed, std::bad_alloc
  Attachments(const Scene& scene, OdeWorld& ode, Bodies& bodies);
  Attachments(const Attachments&) = delete;
  Attachments& operator=(const Attachments&) = delete;
  ~Attachments();

  /// Fixes the body of a Solid to the world at its present pose if `fixed`, else releases it. Does
  /// nothing if the Solid has no body, or if the body is already fixed or released.
  void fix_to_world(int solid, bool fixed);
  /// Fixes the bodies that carry two Solids to each other at their present poses; `holder` is the
  /// Solid that holds the other one. Does nothing if one body carries both, if no body carries
  /// either, or if the two are already coupled.
  void couple(int holder, int held);
  /// Releases two Solids that couple() has fixed to each other, in any order. Does nothing for
  /// other Solids.
  void uncouple(int solid, int other);
  /// Returns the Solid that this one holds, the oldest if it holds several; -1 for none.
  int held_by(int holder) const;
  /// Returns the force of couple() on `solid` in the last step, in the world's axes [N]; 0 if the
  /// two are not coupled.
  Vec3 coupling_force(int solid, int other) const;
  /// Returns what the body of a sensor has put on its carrier in the last step, about the body's
  /// centre of mass and in the world's axes; 0 if it is not fixed.
  Wrench mounting_load(int solid) const;

  /// Recreates all attachments after bodies of these Solids were moved between steps. A body that
  /// is fixed to the world stays fixed, at its present pose.
  void rebuild(const SolidRange& moved);
  /// Describes a fixed joint of the scene.
  struct Mounting {
    dxJoint* joint;
    dxBody* body;
    dxBody* carrier;  ///< null is the world
  };
  /// Returns the fixed joints of the scene, in the order of the bodies.
  const std::vector<Mounting>& mountings() const { return mountings_; }
  /// Describes a body that is fixed to the world or to another body, with the poses at which it was
  /// fixed.
  struct FixedAttachment {
    int body = -1;             ///< index of the first body
    int other_body = -1;       // index of the second body; -1 is the world
    int solid = -1;            // the coupled Solid of `body`; -1 if `body` was fixed to the world
    int other_solid = -1;      ///< the coupled Solid of `other_body`
    bool other_holds = false;  // whether `other_solid` holds `solid`, and not the reverse
    dxJoint* joint = nullptr;
    BodyPlace place{};        ///< pose of `body` when it was fixed
    BodyPlace other_place{};  ///< pose of `other_body` at that time
  };
  /// Returns the attachments, in the order in which they were made.
  const std::vector<FixedAttachment>& attachments() const { return attachments_; }
  /// Returns whether a fixed joint of the scene holds one of these Solids to the world.
  bool hold_to_place(const SolidRange& solids) const;

  /// Takes over the attachments of the world before an edit if both of their bodies still exist.
  void restore_from(const Attachments& before, const SceneMatch& match);
  /// Saves or restores the attachments and the forces of the mountings. A hash does not contain
  /// them.
  template <class Archive>
  void archive(Archive& archive);

 private:
  /// Fixes two bodies to each other at their current poses; a null `other` is the world.
  /// @throws OdeFailed
  dxJoint* fix(dxBody* body, dxBody* other) const;
  /// Creates the mounting of a body; a null `other` is the world. @throws OdeFailed, std::bad_alloc
  void create_mounting(const Body& body, dxBody* other);
  /// Returns the indices in attachments_ of the couplings of a Solid, in increasing order.
  std::span<const int> couplings_of(int solid) const;
  /// Returns the coupling of two Solids in either order, null if there is none.
  const FixedAttachment* find_coupling(int solid, int other) const;
  /// Adds an attachment at the current poses of its bodies, and wakes them.
  void add(FixedAttachment attachment);
  /// Removes an attachment, which must be one of attachments_, and wakes its bodies.
  void remove(const FixedAttachment* attachment);
  /// Creates the joint for the poses that the attachment stores. The bodies keep their current
  /// poses.
  void create_joint(FixedAttachment& attachment);
  /// Destroys the joints of all attachments, which remain in the list.
  void destroy_joints();
  /// Gives all attachments their feedback again, after some were removed.
  void assign_feedback();
  /// Gives one attachment its feedback and lists it as a coupling of its Solids.
  void assign_feedback(std::size_t index);
  void wake_bodies(const FixedAttachment& attachment);

  const Scene& scene_;
  OdeWorld& ode_;
  Bodies& bodies_;
  std::vector<FixedAttachment> attachments_;
  // The index is that of the attachment. ODE stores the addresses.
  std::vector<std::unique_ptr<dJointFeedback>> feedback_;
  // The index is the Solid. The list is empty until the first two Solids are coupled.
  std::vector<std::vector<int>> couplings_of_;
  // This is the feedback of the mountings of TouchSensors. ODE stores the addresses.
  std::vector<std::unique_ptr<dJointFeedback>> touched_feedback_;
  // The index is the Solid, the value an index in that list or -1. The list is empty without
  // TouchSensors that have mountings.
  std::vector<int> touched_feedback_of_;
  std::vector<Mounting> mountings_;
};

}  // namespace servosim
