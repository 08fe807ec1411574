// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/report_once.h"
#include "physics/contacts/colliders.h"
#include "physics/contacts/geoms.h"
#include "physics/contacts/surface.h"
#include "physics/solid_range.h"
#include "physics/state.h"

namespace servosim {

struct Scene;

/// ContactSearch::find() throws this if there are more contacts than can be solved.
struct TooManyContacts {
  /// Tells that the system gave no memory for the contacts. Otherwise there are more than the
  /// limit.
  bool no_memory = false;
  /// If there are already too many pairs of shapes that are near each other, this is their number,
  /// and contacts_of() returns the number of pairs of a body. Otherwise it is 0.
  std::size_t pairs = 0;
};

/// Describes a contact joint by the data from which ODE has made it.
struct ContactJoint {
  dContact contact;
  int body = -1;             ///< index of the first geom's body; -1 is the world
  int other_body = -1;       ///< index of the second geom's body; -1 is the world
  std::uint64_t shapes = 0;  ///< key of the two shapes; increases along joints()
  /// Receives the force on the first body that is not the world. It is null if nobody asks for it.
  dJointFeedback* feedback = nullptr;
};

/// Describes a group of shapes of bodies that overlap directly or through others of the group.
/// Static shapes belong to no group.
struct OverlapGroup {
  int shapes = 0;  ///< number of shapes
  int body = -1;   ///< index of one of its bodies; -1 if there is no group
};

/// Finds the contacts of a scene and makes contact joints of them. Which contacts there are and
/// their order depend only on the poses and the other joints, not on earlier steps: pairs are
/// visited in the order in which their geoms were created.
///
/// Threads: one at a time for each object. The searches of different worlds may run at the same
/// time.
class ContactSearch {
 public:
  /// `anchored` tells for each body whether it has a joint to the world; such a body passes through
  /// static shapes. The list must outlive this object. `notices` may be null. `like` is null or
  /// belongs to another world of the same scene, whose surfaces are then shared.
  ContactSearch(dWorldID world, const Scene& scene, const std::vector<bool>& anchored,
                Notices* notices, const ContactSearch* like = nullptr);
  ContactSearch(const ContactSearch&) = delete;
  ContactSearch& operator=(const ContactSearch&) = delete;
  ~ContactSearch();

  /// Returns the index of a contact material in the surface table. @throws std::out_of_range if no
  /// Solid has this material
  int material(const std::string& name) const { return surfaces_->material(name); }
  /// Adds a geom that may touch others. Its GeomInfo must be set; the call sets the index in it.
  /// Geoms must be added in the order of their Solids, on which bodies_at() relies.
  void add(dGeomID geom);
  /// Excludes contacts between two bodies that hinges with a common anchor connect. The order of
  /// the two does not matter.
  void exclude(int body_a, int body_b);
  /// Ends the setup. This must be called once, after the last exclude() and before the first
  /// find().
  void finish();

  /// Sets the solver's memory limit for a step [bytes]. find() throws when the contacts at one body
  /// cannot be solved with this memory, when all contacts do not fit into it, or when the list of
  /// pairs whose boxes overlap does not.
  void limit_memory(std::size_t bytes);

  /// Replaces the contact joints by those of the current poses. `inner` are the spaces within `top`
  /// whose members may collide with each other. @throws TooManyContacts; some of the contacts exist
  /// then
  void find(dSpaceID top, const std::vector<dSpaceID>& inner);

  /// Returns the bodies that carry shapes that touch shapes of these Solids in the current poses. A
  /// body may occur several times. If there are more pairs than find() accepts, it returns every
  /// body that carries a shape. The results of find() do not change.
  std::vector<int> bodies_at(dSpaceID top, const SolidRange& solids);

  /// Tells by Solid whether something touched it in the last find(). Only Solids with a TouchSensor
  /// count; the list is empty if there are none.
  const std::vector<std::uint8_t>& touched() const { return touched_; }
  /// Sets the entries of `touched` for Solids with a TouchSensor that side_penetration() found
  /// touched since the last call. `touched` is a list like touched().
  void add_side_contacts(std::vector<std::uint8_t>& touched);

  /// Returns the depth of a robot's shapes in shapes of others without a body, from the side: only
  /// along normals that are closer to horizontal than to `up`, a unit vector [m]. It is 0 if there
  /// is no such contact.
  double side_penetration(int robot, const Vec3& up);

  /// Returns the index of the body with the most contacts in the last find(). There must be a body.
  int most_touched() const;
  /// Returns the number of contacts of a body in the last find().
  int contacts_of(int body) const { return contacts_of_[body]; }
  /// Returns the group with the most shapes in the current poses. If there are more pairs than
  /// find() accepts, only some of them are used. @throws std::bad_alloc
  OverlapGroup largest_overlap(dSpaceID top, const std::vector<dSpaceID>& inner);

  /// Returns whether an exception has left find() or largest_overlap() inside ODE, which then
  /// cannot destroy the spaces.
  bool spaces_locked() const { return spaces_locked_; }

  /// Returns the contacts of the last find(), in its order.
  const std::vector<SolidContact>& points() const { return contact_points_; }
  /// Returns the joints of these contacts, one for each. The list is empty until the first find()
  /// after keep_joints().
  const std::vector<ContactJoint>& joints() const { return joints_; }
  /// Keeps the joints from the next find() on.
  void keep_joints() { keeps_joints_ = true; }
  /// Keeps the joints from the next find() on, and gives each one a feedback for its force.
  void keep_forces() { keeps_joints_ = keeps_forces_ = true; }

  /// Takes over which reports another ContactSearch has made, so that none is repeated. Does
  /// nothing if its materials are others.
  void restore_reports_from(const ContactSearch& before);

 private:
  /// Writes the candidates to pairs_, sorted by the order of creation of their geoms.
  void find_pairs(dSpaceID top, const std::vector<dSpaceID>& inner);
  /// Counts the pairs of each body for TooManyContacts::pairs.
  void count_pairs();
  /// Returns the bodies that carry shapes. A body may occur several times.
  std::vector<int> carriers() const;
  /// Adds `number` contacts to the body of a geom. @throws TooManyContacts if a limit is exceeded
  void count_contacts(const GeomInfo& info, int number);
  /// ODE's spaces call this for two geoms or spaces whose boxes overlap. It adds the pair if the
  /// geoms may touch. It must not throw.
  static void near(void* self, dGeomID a, dGeomID b);
  /// Returns whether two geoms may touch; see the definition for the rules.
  bool may_touch(const GeomInfo& a, const GeomInfo& b) const;
  /// Makes the contacts of a pair. @throws TooManyContacts, std::bad_alloc
  void add_contacts(dGeomID a, dGeomID b);
  /// Returns the feedback of the next contact joint. Its address stays the same as long as this
  /// object exists. @throws std::bad_alloc
  dJointFeedback* next_feedback();
  /// Moves the deepest of `found` points, at most max_joints of the surface, to the front of
  /// found_points(). Returns their number.
  int keep_deepest(int found, int material_a, int material_b);
  /// Reports that not all of `found` points are used.
  void report_truncated(int found, int material_a, int material_b);

  /// At most this many contacts of two shapes are found.
  static constexpr int kMaxPoints = 100;
  /// Returns the buffer for the contacts of two shapes, 10 kB, which is made when two shapes are
  /// near each other for the first time. Worlds must not share it, since ODE's colliders of meshes
  /// read what the last search has left in it.
  std::vector<dContactGeom>& found_points();

  dWorldID world_;
  const std::vector<bool>& anchored_;  // the index is the body
  Notices* notices_;
  dJointGroupID group_;
  Colliders colliders_;
  std::shared_ptr<const SurfaceTable> surfaces_;   // never null
  ReportOnce<std::uint64_t> truncation_reported_;  // keys of two materials
  std::vector<std::uint64_t> excluded_;            ///< keys of two bodies; sorted after finish()
  std::vector<dGeomID> geoms_;                     // the order is that of creation
  std::vector<std::uint64_t> pairs_;               // candidates: keys of two indices in geoms_
  bool no_room_for_pairs_ = false;
  bool spaces_locked_ = false;
  std::vector<dContactGeom> points_;
  std::vector<int> contacts_of_;                // the index is the body
  std::size_t max_contacts_ = ~std::size_t{0};  ///< largest number in a step
  std::size_t max_pairs_ = ~std::size_t{0};     ///< largest number in a step
  int max_contacts_of_a_body_ = std::numeric_limits<int>::max();
  std::vector<std::uint8_t> touched_;
  // This is the same for side_penetration(). It is not a part of the state, since it is read in the
  // same step.
  std::vector<std::uint8_t> side_contacts_;
  std::vector<SolidContact> contact_points_;
  bool keeps_joints_ = false;
  std::vector<ContactJoint> joints_;
  bool keeps_forces_ = false;
  // The index is that of the joint in joints_. The list never shrinks. ODE stores the addresses.
  std::vector<std::unique_ptr<dJointFeedback>> feedbacks_;
};

}  // namespace servosim
