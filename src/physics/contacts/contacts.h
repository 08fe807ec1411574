// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "physics/bodies.h"
#include "physics/kinematic_motion.h"
#include "physics/solid_poses.h"
#include "physics/state.h"
#include "servosim/math.h"

struct dxGeom;  // ODE's dGeomID and dSpaceID point to them
struct dxSpace;

namespace servosim {

struct Belt;
struct ContactJoint;
class ContactSearch;
class Notices;
class OdeWorld;
class VisibleShapes;
struct SceneMatch;

/// The shapes of a scene: which of them meet and where, who was touched, surfaces of Tracks that
/// run, and rays.
///
/// Invariants: contact joints are those of the poses at the end of the last step, or newer; they
/// are the newest joints of ODE's world. A geom belongs to the body of its Solid, or follows its
/// Solid by KinematicMotion. The space of a branch of the tree holds all its geoms.
class Contacts {
 public:
  /// Creates all geoms, with the warnings about those that cannot be. `notices` may be null; `like`
  /// too: of another world of the scene, with which this one shares what never changes.
  Contacts(const Scene& scene, OdeWorld& ode, const Bodies& bodies, const SolidPoses& poses,
           KinematicMotion& kinematic, std::span<const JointState> states, Diagnostics& diagnostics,
           Notices* notices, const Contacts* like);
  Contacts(const Contacts&) = delete;
  Contacts& operator=(const Contacts&) = delete;
  ~Contacts();

  // ---- what touches

  /// Notes who is touched in the present poses, as at the end of a step.
  void find_touched() {
    if (!touched_.empty()) {
      points();
      read_touched();
    }
  }
  /// The contacts of Solids in the present poses; nothing if a step would throw Overloaded for it.
  /// Valid until something moves.
  const std::vector<SolidContact>& points();
  /// Whether something touches a Solid with a TouchSensor, at the end of the last step or, since
  /// then, at find_touched().
  bool is_touched(int solid) const { return !touched_.empty() && touched_[solid] != 0; }
  /// The depth of the shapes of a Solid's robot in shapes without a body, from the side [m].
  double side_penetration(int solid);
  /// The most shapes of bodies that overlap each other now, the one the next and so on, and the
  /// Solid of one of them, -1 for none. Where there are too many for a step it may miss some.
  std::pair<int, int> largest_overlap();

  // ---- rays

  /// The nearest shape on a ray from `from` along `direction`, of length one, within `range` [m];
  /// it passes what moves along with `solid`, whose ray it is, and the robot of that, unless
  /// selfCollision is TRUE.
  std::optional<RayHit> cast_ray(const Vec3& from, const Vec3& direction, double range, int solid);
  /// Puts Scene::visible_shapes where their Solids are now; to be called before cast_sight().
  void place_visible_shapes();
  /// The nearest of them on a ray, as for cast_ray(); it passes those of `solid` itself, and the
  /// inner side of those that it starts in.
  std::optional<SeenPoint> cast_sight(const Vec3& from, const Vec3& direction, double range,
                                      int solid);

  // ---- a step

  /// A belt that starts, stops or changes its speed wakes what lies on it, and what it carries.
  void wake_at_belts() {
    if (has_belts_) {
      wake_at_changed_belts();
    }
  }
  /// Adds the bodies that lie on belts which run, and those that carry these.
  void add_bodies_on_belts(std::vector<dxBody*>& bodies);
  /// The contacts of the next step run as fast as the belts do now.
  void update_belts() {
    if (has_belts_) {
      set_belt_speeds();
    }
  }
  /// Whether contacts are possible at all.
  bool can_collide() const { return can_collide_; }
  /// Finds the contacts of the next step. @throws Overloaded
  void update();
  /// Those, from the first update() after keep_joints() on.
  std::span<const ContactJoint> joints() const;
  void keep_joints();
  /// From the next update() on the contacts' forces are known. They change no state.
  void keep_forces() {
    search_keeps_forces();
    keeps_forces_ = true;
  }
  /// Notes what the contacts of a step have put on Solids, before update() replaces them.
  void update_forces() {
    if (keeps_forces_) {
      read_forces();
    }
  }
  /// In the last step, or the last one in which a body was awake; after keep_forces().
  const std::vector<ContactForce>& forces() const { return forces_; }
  /// The last step is not one of the present state any more.
  void forget_forces() { forces_.clear(); }
  /// Notes who is touched at the end of a step.
  void update_touched() {
    if (!touched_.empty()) {
      read_touched();
    }
  }
  /// ODE did not get the memory to solve the contacts: `asked` bytes; 0: a small amount. @throws
  /// Overloaded, which names the body with most contacts unless it was a small amount
  [[noreturn]] void end_unsolved(std::size_t asked);
  /// Wakes the bodies that touch one of these Solids in the present poses. Does nothing if no body
  /// sleeps.
  void wake_neighbours(const SolidRange& solids);

  // ---- state

  void restore_from(const Contacts& before, const SceneMatch& match);
  /// Does not repeat reports of the world that this one replaces.
  void restore_reports_from(const Contacts& before);
  template <class Archive>
  void archive(Archive& archive);

 private:
  struct Branch;
  struct Geoms;
  struct Table;

  std::shared_ptr<const Table> make_table() const;
  void destroy_geoms();
  void create_belts();
  void create_geoms(Diagnostics& diagnostics);
  dxSpace* create_space(dxSpace* parent, std::size_t members) const;
  dxSpace* create_space_of(const Branch& branch);
  void create_geoms_of(int solid, dxSpace* space, Diagnostics& diagnostics);
  void exclude_overlaid();
  const std::vector<SolidContact>& find_points();
  template <typename Action>
  void between_steps(Action action);
  void search();
  void wake_at_changed_belts();
  void add_bodies_at(const Belt& belt, std::vector<dxBody*>& bodies);
  void set_belt_speeds();
  void read_touched();
  void search_keeps_forces();
  void read_forces();
  void search_or_end();
  [[noreturn]] void end_overloaded(int body, const std::string& how);

  const Scene& scene_;
  OdeWorld& ode_;
  const Bodies& bodies_;
  const SolidPoses& poses_;
  KinematicMotion& kinematic_;
  std::span<const JointState> states_;
  std::unique_ptr<Geoms> geoms_;
  std::unique_ptr<ContactSearch> search_;
  std::shared_ptr<const Table> table_;  // not null
  dxSpace* space_ = nullptr;
  std::vector<dxSpace*> inner_spaces_;      // those whose own members may collide
  dxGeom* ray_ = nullptr;                   // made for the first ray
  std::unique_ptr<VisibleShapes> visible_;  // created at the first use
  std::vector<std::uint8_t> touched_;  // by Solid, after the last step; empty without TouchSensors
  bool keeps_forces_ = false;
  std::vector<ContactForce> forces_;
  bool has_belts_ = false;
  bool can_collide_ = false;
  bool were_asleep_ = false;   // all bodies when the contacts were found last
  bool space_locked_ = false;  // by a ray that an exception has ended
};

}  // namespace servosim
