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
  /// No memory for the contacts themselves; else there are more than the limit.
  bool no_memory = false;
  /// The number of pairs of shapes that are near each other, if these alone are too many.
  /// contacts_of() then returns the number of pairs of a body.
  std::size_t pairs = 0;
};

/// A contact joint: the data from which ODE has made it.
struct ContactJoint {
  dContact contact;
  int body = -1;  ///< body of the first geom; -1 is the world
  int other_body = -1;
  std::uint64_t shapes = 0;  ///< key of both shapes; increases along joints()
  /// Receives the force on the first body that is not the world. Null if nobody asks for it.
  dJointFeedback* feedback = nullptr;
};

/// A connected group of overlapping shapes of bodies. Fixed shapes do not belong to it.
struct OverlapGroup {
  int shapes = 0;
  int body = -1;  ///< one of its bodies
};

/// Finds the contacts of a scene and makes contact joints of them. Which contacts there are and
/// their order depend only on the poses and the other joints, not on earlier steps: pairs are
/// visited in the order in which their geoms were created.
class ContactSearch {
 public:
  /// `anchored` tells by body whether it has a joint to the world; such a body passes through
  /// static shapes. It must outlive this. `notices` may be null. `like` is from another world of
  /// the scene, whose surfaces are shared; may be null.
  ContactSearch(dWorldID world, const Scene& scene, const std::vector<bool>& anchored,
                Notices* notices, const ContactSearch* like = nullptr);
  ContactSearch(const ContactSearch&) = delete;
  ContactSearch& operator=(const ContactSearch&) = delete;
  ~ContactSearch();

  /// Returns the index of a contact material in the surface table.
  int material(const std::string& name) const { return surfaces_->material(name); }
  /// Adds a geom that may touch others. Its GeomInfo must be set; the call sets the index in it.
  void add(dGeomID geom);
  /// Excludes contacts between two bodies that hinges with a common anchor connect.
  void exclude(int body_a, int body_b);
  /// Must be called once when all exclusions are known.
  void finish();

  /// Sets the solver's memory limit for a step [bytes]. find() stops when the contacts at one body
  /// cannot be solved with this memory, when all contacts do not fit into it, or when the list of
  /// pairs whose boxes overlap does not.
  void limit_memory(std::size_t bytes);

  /// Replaces the contact joints by those of the current poses. `inner` are spaces with collisions
  /// between their own members. @throws TooManyContacts; some of the contacts exist then
  void find(dSpaceID top, const std::vector<dSpaceID>& inner);

  /// Returns the bodies that carry shapes that touch shapes of these Solids in the current poses. A
  /// body may occur several times. If there are more pairs than find() accepts, it returns every
  /// body that carries a shape. The results of find() do not change.
  std::vector<int> bodies_at(dSpaceID top, const SolidRange& solids);

  /// Tells by Solid whether something touched it in the last find(). Only Solids with a TouchSensor
  /// count; the list is empty if there are none.
  const std::vector<std::uint8_t>& touched() const { return touched_; }
  /// Adds the Solids with a TouchSensor that side_penetration() found touched since the last call.
  void add_side_contacts(std::vector<std::uint8_t>& touched);

  /// Returns the depth of a robot's shapes in shapes of others without a body, from the side: only
  /// along normals that are closer to horizontal than to `up` [m].
  double side_penetration(int robot, const Vec3& up);

  /// Returns the body with the most contacts after find().
  int most_touched() const;
  int contacts_of(int body) const { return contacts_of_[body]; }
  /// Returns the group with the most shapes in the current poses. If there are more pairs than
  /// find() accepts, only some of them are used. @throws std::bad_alloc
  OverlapGroup largest_overlap(dSpaceID top, const std::vector<dSpaceID>& inner);

  /// Whether an exception has left find() or largest_overlap() inside ODE, which then cannot
  /// destroy the spaces.
  bool spaces_locked() const { return spaces_locked_; }

  /// The contacts of the last find(), in its order.
  const std::vector<SolidContact>& points() const { return contact_points_; }
  /// The joints of these contacts, from the first find() after keep_joints() on.
  const std::vector<ContactJoint>& joints() const { return joints_; }
  void keep_joints() { keeps_joints_ = true; }
  /// From the next find() on, the joints have a feedback.
  void keep_forces() { keeps_joints_ = keeps_forces_ = true; }

  /// Takes over which reports another ContactSearch with the same materials has made.
  void restore_reports_from(const ContactSearch& before);

 private:
  /// Writes the candidates to pairs_, sorted by the order of creation of their geoms.
  void find_pairs(dSpaceID top, const std::vector<dSpaceID>& inner);
  void count_pairs();
  /// Returns the bodies that carry shapes; a body may occur several times.
  std::vector<int> carriers() const;
  void count_contacts(const GeomInfo& info, int number);
  /// The callback for ODE's spaces. It adds a pair of geoms that may touch. Must not throw.
  static void near(void* self, dGeomID a, dGeomID b);
  bool may_touch(const GeomInfo& a, const GeomInfo& b) const;
  /// Makes the contacts of a pair. @throws TooManyContacts, std::bad_alloc
  void add_contacts(dGeomID a, dGeomID b);
  dJointFeedback* next_feedback();
  /// Moves the deepest points, at most max_joints of the surface, to the front. Returns their
  /// number.
  int keep_deepest(int found, int material_a, int material_b);
  void report_truncated(int found, int material_a, int material_b);

  static constexpr int kMaxPoints = 100;
  /// The buffer for the contacts of two shapes, 10 kB, which is made when two shapes are near each
  /// other. Worlds must not share it, since ODE's colliders of meshes read what the last search has
  /// left in it.
  std::vector<dContactGeom>& found_points();

  dWorldID world_;
  const std::vector<bool>& anchored_;  // the index is the body
  Notices* notices_;
  dJointGroupID group_;
  Colliders colliders_;
  std::shared_ptr<const SurfaceTable> surfaces_;   // never null
  ReportOnce<std::uint64_t> truncation_reported_;  // keys of two materials, the lower one first
  std::vector<std::uint64_t> excluded_;
  std::vector<dGeomID> geoms_;        // in the order of creation
  std::vector<std::uint64_t> pairs_;  // candidates: indices in geoms_, the lower one first
  bool no_room_for_pairs_ = false;
  bool spaces_locked_ = false;
  std::vector<dContactGeom> points_;
  std::vector<int> contacts_of_;  // the index is the body
  std::size_t max_contacts_ = ~std::size_t{0};
  std::size_t max_pairs_ = ~std::size_t{0};
  int max_contacts_of_a_body_ = std::numeric_limits<int>::max();
  std::vector<std::uint8_t> touched_;
  std::vector<std::uint8_t> side_contacts_;  // the same for side_penetration(); not a part of the
                                             // state, since it is read in the same step
  std::vector<SolidContact> contact_points_;
  bool keeps_joints_ = false;
  std::vector<ContactJoint> joints_;
  bool keeps_forces_ = false;
  // Feedback of the first joints. ODE stores the addresses.
  std::vector<std::unique_ptr<dJointFeedback>> feedbacks_;
};

}  // namespace servosim
