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

/// Thrown by ContactSearch::find() for more contacts than can be solved.
struct TooManyContacts {
  bool no_memory = false;  ///< for the contacts themselves; else there are more than the limit
  /// Shapes that are near each other, where these are too many already: contacts_of() has how many
  /// of them are of a body.
  std::size_t pairs = 0;
};

/// A contact joint: the data with which ODE has made it.
struct ContactJoint {
  dContact contact;
  int body = -1;  ///< of the first geom; -1: the world
  int other_body = -1;
  std::uint64_t shapes = 0;  ///< both; rising
  /// Gets what the contact puts on its first body that is not the world; null: nobody asks.
  dJointFeedback* feedback = nullptr;
};

/// A connected group of overlapping shapes of bodies, without fixed shapes.
struct OverlapGroup {
  int shapes = 0;
  int body = -1;  ///< one of them
};

/// Finds the contacts of a scene and turns them into contact joints. Which ones and in which order
/// depends on the poses and the other joints only, not on what was before: pairs are visited in the
/// order in which their geoms were created.
class ContactSearch {
 public:
  /// `anchored`: by body, whether it has a joint to the world: it then passes what is static; must
  /// outlive this. `notices` may be null; `like` too: of another world of the scene, whose surfaces
  /// this one shares.
  ContactSearch(dWorldID world, const Scene& scene, const std::vector<bool>& anchored,
                Notices* notices, const ContactSearch* like = nullptr);
  ContactSearch(const ContactSearch&) = delete;
  ContactSearch& operator=(const ContactSearch&) = delete;
  ~ContactSearch();

  /// Index of a contact material in the surface table.
  int material(const std::string& name) const { return surfaces_->material(name); }
  /// A geom that may touch others; its GeomInfo must be set and gets its place in the order.
  void add(dGeomID geom);
  /// Two bodies that never collide, because overlaid hinges link them.
  void exclude(int body_a, int body_b);
  /// Call once when all exclusions are known.
  void finish();

  /// The solver's memory limit in a step [bytes]: find() continues only while the contacts at one
  /// body can be solved with that, and all fit in it, as does the list of pairs of shapes whose
  /// boxes meet.
  void limit_memory(std::size_t bytes);

  /// Replaces the contact joints by those of the present poses. `spaces` with collisions inside
  /// are walked on their own. @throws TooManyContacts; there are some then, but not all.
  void find(dSpaceID top, const std::vector<dSpaceID>& inner);

  /// The bodies that carry what touches shapes of these Solids in the present poses; they may
  /// repeat. What find() has found stays.
  std::vector<int> bodies_at(dSpaceID top, const SolidRange& solids);

  /// By Solid, whether something touches it in the poses of the last find(); only of Solids that
  /// feel, and empty if none does.
  const std::vector<std::uint8_t>& touched() const { return touched_; }
  /// Adds the Solids that side_penetration() has found touched since the last call.
  void add_side_contacts(std::vector<std::uint8_t>& touched);

  /// The depth of a robot's shapes in those of others that have no body, from the side: along
  /// normals that are nearer to the level than to `up` [m].
  double side_penetration(int robot, const Vec3& up);

  /// The body with most contacts after find(), and their number.
  int most_touched() const;
  int contacts_of(int body) const { return contacts_of_[body]; }
  /// The group with most shapes, in the present poses; of more pairs of shapes than find() takes,
  /// only some count. @throws std::bad_alloc
  OverlapGroup largest_overlap(dSpaceID top, const std::vector<dSpaceID>& inner);

  /// Whether an exception has left find() or largest_overlap() inside ODE, which cannot destroy the
  /// spaces then.
  bool spaces_locked() const { return spaces_locked_; }

  /// The results of the last find(), in its order.
  const std::vector<SolidContact>& points() const { return contact_points_; }
  /// Likewise, from the first find() after keep_joints() on.
  const std::vector<ContactJoint>& joints() const { return joints_; }
  void keep_joints() { keeps_joints_ = true; }
  /// From the next find() on the joints have a feedback.
  void keep_forces() { keeps_joints_ = keeps_forces_ = true; }

  /// Does not repeat reports of another ContactSearch with the same contact materials.
  void restore_reports_from(const ContactSearch& before);

 private:
  void find_pairs(dSpaceID top, const std::vector<dSpaceID>& inner);
  void count_pairs();
  void count_contacts(const GeomInfo& info, int number);
  static void near(void* self, dGeomID a, dGeomID b);
  bool may_touch(const GeomInfo& a, const GeomInfo& b) const;
  void add_contacts(dGeomID a, dGeomID b);
  dJointFeedback* next_feedback();
  int keep_deepest(int found, int material_a, int material_b);
  void report_truncated(int found, int material_a, int material_b);

  static constexpr int kMaxPoints = 100;
  /// Where two shapes meet, while they are looked at: 10 kB, made when two are near each other. Not
  /// shared between worlds: ODE's colliders of meshes read what the last search has left there.
  std::vector<dContactGeom>& found_points();

  dWorldID world_;
  const std::vector<bool>& anchored_;  // by body
  Notices* notices_;
  dJointGroupID group_;
  Colliders colliders_;
  std::shared_ptr<const SurfaceTable> surfaces_;   // not null
  ReportOnce<std::uint64_t> truncation_reported_;  // of two materials, the lower one in front
  std::vector<std::uint64_t> excluded_;
  std::vector<dGeomID> geoms_;        // in the order of creation
  std::vector<std::uint64_t> pairs_;  // candidates: places in geoms_, the lower one in front
  bool no_room_for_pairs_ = false;
  bool spaces_locked_ = false;
  std::vector<dContactGeom> points_;
  std::vector<int> contacts_of_;  // by body
  std::size_t max_contacts_ = ~std::size_t{0};
  std::size_t max_pairs_ = ~std::size_t{0};
  int max_contacts_of_a_body_ = std::numeric_limits<int>::max();
  std::vector<std::uint8_t> touched_;
  std::vector<std::uint8_t> side_contacts_;  // likewise; not part of a state: read in the same step
  std::vector<SolidContact> contact_points_;
  bool keeps_joints_ = false;
  std::vector<ContactJoint> joints_;
  bool keeps_forces_ = false;
  // Of the first joints; ODE keeps their addresses.
  std::vector<std::unique_ptr<dJointFeedback>> feedbacks_;
};

}  // namespace servosim
