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

struct dxGeom;  // ODE's dGeomID is a pointer to this

namespace servosim {

struct Belt;
struct ContactJoint;
class ContactSearch;
class Notices;
class OdeWorld;
class SceneGeoms;
class VisibleShapes;
struct SceneMatch;

/// Knows the shapes of a scene: which of them touch and where, which TouchSensors are touched, the
/// running surfaces of Tracks, and rays.
///
/// A contact becomes an ODE contact joint: a row along the normal, which only pushes, and rows for
/// friction. surface.h has their equations. Contacts that are found at the end of a step act in the
/// next one.
///
/// Invariants: contact joints are those of the poses at the end of the last step, or newer. They
/// are the newest joints of ODE's world.
///
/// Threads: one at a time for each object. Different worlds may be stepped at the same time.
class Contacts {
 public:
  /// Creates all geoms, and warns about those that are impossible. All references must outlive this
  /// object. `notices` may be null. `like` is null or belongs to another world of the same scene,
  /// with which data that never change are shared. @throws OdeFailed, std::bad_alloc
  Contacts(const Scene& scene, OdeWorld& ode, const Bodies& bodies, const SolidPoses& poses,
           KinematicMotion& kinematic, std::span<const JointState> states, Diagnostics& diagnostics,
           Notices* notices, const Contacts* like);
  Contacts(const Contacts&) = delete;
  Contacts& operator=(const Contacts&) = delete;
  ~Contacts();

  // ---- what touches

  /// Notes which TouchSensors are touched in the current poses, as at the end of a step.
  void find_touched() {
    if (!touched_.empty()) {
      points();
      read_touched();
    }
  }
  /// Returns the contacts of Solids in the current poses. There are none if a step would throw
  /// Overloaded because of them. The result is valid until something moves.
  const std::vector<SolidContact>& points();
  /// Returns whether something touches a Solid with a TouchSensor: at the end of the last step, or
  /// at the last call of find_touched() if that was later.
  bool is_touched(int solid) const { return !touched_.empty() && touched_[solid] != 0; }
  /// Returns the depth of the shapes of a Solid's robot in shapes without a body, from the side
  /// [m]; 0 if there is none.
  double side_penetration(int solid);
  /// Returns the number of shapes in the largest group of shapes of bodies that overlap now,
  /// directly or through others, and the Solid of one of them, -1 if there is no group. If there
  /// are too many pairs for a step, some shapes may be missing. @throws std::bad_alloc
  std::pair<int, int> largest_overlap();

  // ---- rays

  /// Returns the nearest shape on a ray from `from` along the unit vector `direction`, both in the
  /// world, within `range` [m]; nothing if there is none. The ray belongs to `solid`. It passes
  /// through shapes that move with `solid`, and through those of its robot unless selfCollision is
  /// TRUE.
  std::optional<RayHit> cast_ray(const Vec3& from, const Vec3& direction, double range, int solid);
  /// Moves Scene::visible_shapes to the current poses of their Solids. This must be called before
  /// cast_sight().
  void place_visible_shapes();
  /// Returns the nearest visible shape on a ray; parameters are those of cast_ray(). The ray passes
  /// through shapes of `solid` itself, and through the inner side of shapes in which it starts.
  /// place_visible_shapes() must have been called before.
  std::optional<SeenPoint> cast_sight(const Vec3& from, const Vec3& direction, double range,
                                      int solid);

  // ---- a step

  /// Wakes what lies on a belt that has started, stopped or changed its speed, and the belt's
  /// carrier. @throws Overloaded
  void wake_at_belts() {
    if (has_belts_) {
      wake_at_changed_belts();
    }
  }
  /// Adds the bodies that lie on running belts and the bodies that carry these belts. A body may be
  /// added several times. @throws Overloaded
  void add_bodies_on_belts(std::vector<dxBody*>& bodies);
  /// Gives the contacts of the next step the current speeds of the belts.
  void update_belts() {
    if (has_belts_) {
      set_belt_speeds();
    }
  }
  /// Returns whether contacts are possible at all. The answer never changes.
  bool can_collide() const { return can_collide_; }
  /// Finds the contacts of the next step, unless nothing has moved. @throws Overloaded
  void update();
  /// Returns the joints of these contacts. The list is empty until the first update() after
  /// keep_joints().
  std::span<const ContactJoint> joints() const;
  /// Keeps joints() from the next update() on. This changes no state.
  void keep_joints();
  /// Reads the forces of contacts from the next update() on. This changes no state.
  void keep_forces() {
    search_keeps_forces();
    keeps_forces_ = true;
  }
  /// Reads the forces of the contacts of a step. This must be called before update() replaces the
  /// contacts.
  void update_forces() {
    if (keeps_forces_) {
      read_forces();
    }
  }
  /// Returns the forces of the last step, or of the last step in which a body was awake. Requires
  /// keep_forces().
  const std::vector<ContactForce>& forces() const { return forces_; }
  /// Clears the forces, since the current state does not follow from the last step any more.
  void forget_forces() { forces_.clear(); }
  /// Notes at the end of a step which TouchSensors are touched.
  void update_touched() {
    if (!touched_.empty()) {
      read_touched();
    }
  }
  /// Reports that ODE did not get `asked` bytes to solve the contacts; 0 means that a small
  /// allocation failed. @throws Overloaded, whose text names the body with the most contacts unless
  /// `asked` is 0
  [[noreturn]] void end_unsolved(std::size_t asked);
  /// Wakes the bodies that touch one of these Solids in the current poses. Does nothing if no body
  /// sleeps. @throws std::bad_alloc
  void wake_neighbours(const SolidRange& solids);

  // ---- state

  /// Takes over the speeds of belts and the reports of the world before an edit.
  void restore_from(const Contacts& before, const SceneMatch& match);
  /// Takes over which reports the world that this one replaces has made, so that none is repeated.
  void restore_reports_from(const Contacts& before);
  /// Saves or restores the speeds of belts. A hash does not contain them.
  template <class Archive>
  void archive(Archive& archive);

 private:
  /// Returns the contacts in the current poses. @throws TooManyContacts
  const std::vector<SolidContact>& find_points();
  /// Performs `action`, which may call ODE, between two steps. An error that a step would throw,
  /// too, is left to that step. @throws std::bad_alloc
  template <typename Action>
  void between_steps(Action action);
  /// Finds the contacts in the current poses. @throws TooManyContacts
  void search();
  void wake_at_changed_belts();
  /// Adds the bodies that touch the belt, and the body that carries it. @throws Overloaded
  void add_bodies_at(const Belt& belt, std::vector<dxBody*>& bodies);
  void set_belt_speeds();
  void read_touched();
  void search_keeps_forces();
  void read_forces();
  /// Finds the contacts in the current poses. @throws Overloaded
  void search_or_end();
  /// Ends the world. @throws Overloaded, whose text names the body's Solid and its position, and
  /// says `how` there is too much
  [[noreturn]] void end_overloaded(int body, const std::string& how);

  const Scene& scene_;
  OdeWorld& ode_;
  const Bodies& bodies_;
  const SolidPoses& poses_;
  KinematicMotion& kinematic_;
  std::span<const JointState> states_;
  std::unique_ptr<ContactSearch> search_;
  std::unique_ptr<SceneGeoms> geoms_;
  dxGeom* ray_ = nullptr;                   // created for the first ray
  std::unique_ptr<VisibleShapes> visible_;  // created at the first use
  /// Tells for each Solid whether it was touched after the last step. The list is empty without
  /// TouchSensors.
  std::vector<std::uint8_t> touched_;
  bool keeps_forces_ = false;
  std::vector<ContactForce> forces_;
  bool has_belts_;
  bool can_collide_;
  bool were_asleep_ = false;  // whether all bodies slept when the contacts were found last
};

}  // namespace servosim
