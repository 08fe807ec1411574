// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "physics/bodies.h"
#include "physics/solid_poses.h"
#include "servosim/math.h"

struct dxGeom;  // ODE's dGeomID is a pointer to this

namespace servosim {

class OdeWorld;
struct SceneMatch;

/// Moves Solids without bodies: it keeps the poses and velocities that are set from outside, and
/// the geoms that follow these Solids.
///
/// In a step of length h a Solid with the velocity v and the angular velocity ω moves by
///
///     p⁺ = p + h·v,   R⁺ = exp(h·ω)·R,
///
/// with p, R, v and ω in the world's axes. This is exact for velocities that are constant during
/// the step. All signs are those of the world's axes.
///
/// Invariants: a Solid that has or had a velocity has no body. It is listed once; the list is in
/// the order of the scene, so parents come before the Solids below them, and no Solid leaves the
/// list. Every geom without a body is either a follower, whose Solid may move in a step, or a
/// fixture, which does not move until its pose is set from outside.
///
/// Threads: one at a time for each object.
class KinematicMotion {
 public:
  /// `moved` are the poses that were set from outside, in the order of the Solids; SolidPoses was
  /// built with them, too. `states` are those of the scene's joints. The references must outlive
  /// this object.
  KinematicMotion(const Scene& scene, OdeWorld& ode, const Bodies& bodies, SolidPoses& poses,
                  std::span<const JointState> states, std::vector<MovedSolid> moved);
  KinematicMotion(const KinematicMotion&) = delete;
  KinematicMotion& operator=(const KinematicMotion&) = delete;

  // ---- velocities

  /// Returns the velocity with which a Solid and everything below it move in each step: that of its
  /// origin and its angular velocity, in the world's axes [m/s, rad/s]. It is 0 for a Solid with a
  /// body.
  PointMotion velocity(int solid) const;
  /// Sets this velocity from the next step on. Does nothing for a Solid with a body.
  void set_velocity(int solid, const PointMotion& velocity);
  /// Returns the motion of a Solid's origin that follows from its velocity and those of Solids
  /// above, in the world's axes [m/s, rad/s]; nothing if none of them ever had one.
  std::optional<PointMotion> motion_of_origin(int solid) const;
  /// Sets the velocities of these Solids to 0.
  void stop(const SolidRange& solids);
  /// Returns whether no Solid has a velocity, and no device moves one.
  bool is_still() const { return moving_.empty() && driven_.empty(); }
  /// Moves all Solids that have a velocity by one step.
  void advance() {
    if (!moving_.empty()) {
      advance_moving();
    }
  }

  // ---- DifferentialWheels and robots with two wheels, without Physics, and heads of Lidars

  /// Returns the pose of the Solid in the frame of the Solid above.
  Pose pose(int solid) const { return poses_.place(solid); }
  /// Sets this pose after the wheels of a robot have moved it, or a Lidar has turned its head.
  void set_pose(int solid, const Pose& in_parent);

  // ---- poses that are set from outside

  /// Returns the poses that were set from outside, in the order of the Solids. A saved state
  /// contains them.
  const std::vector<MovedSolid>& moved() const { return moved_; }
  /// Returns whether the Solid has no body, or owns a body that the scene fixes to the world.
  bool keeps_place(int solid) const;
  /// Moves a Solid for which keeps_place() is true to a pose in the world.
  void put(int solid, const Pose& in_world);
  /// Returns the pose in the world that the Solid has without the motion by its velocity. ODE's
  /// joints hold its children there, and a velocity does not change that.
  Pose pose_of_joints(int solid) const;

  // ---- geoms

  /// Adds a geom without a body at a pose in the frame of a Solid, and moves it there.
  void add_geom(dxGeom* geom, int solid, const Pose& in_solid);
  /// Moves followers to their Solids. Returns whether one was at another pose.
  bool place_followers();
  /// Moves followers and fixtures to their Solids.
  void place_all();
  /// Moves the followers and fixtures of these Solids only.
  void place_geoms_of(const SolidRange& solids);

  /// Returns a Solid that is out of the range of ODE, also because of a kinematic joint, a belt or
  /// a NaN; -1 for none.
  int out_of_range() const {
    return kinematic_axes_.empty() && driven_.empty() && moving_.empty() ? -1 : find_out_of_range();
  }

  // ---- state

  /// Returns the poses with which the components must be built so that restore_from() can continue
  /// from `before` and joints at these poses move along.
  std::vector<MovedSolid> places_after(const KinematicMotion& before,
                                       const SceneMatch& match) const;
  /// Takes over the poses and velocities of the world before an edit. A Solid whose velocity in the
  /// tree has changed begins with the new one.
  void restore_from(const KinematicMotion& before, const SceneMatch& match);
  /// Saves, restores or hashes velocities and the poses that they and wheels have changed.
  template <class Archive>
  void archive(Archive& archive);

 private:
  // Describes a Solid that has or had a velocity of its own.
  struct KinematicSolid {
    int solid;
    PointMotion velocity;
  };
  // Describes the same in a saved state.
  struct State {
    KinematicSolid moving;
    Pose place;
  };
  // Describes a geom without a body that must follow its Solid.
  struct Follower {
    dxGeom* geom;
    int solid;
    Pose in_solid;
    Pose placed;  // the pose in the world at which it was put last
  };

  using Followers = std::vector<Follower>;

  /// Moves a follower's geom to the pose of its Solid in the world. Returns whether it was at
  /// another pose.
  static bool place(Follower& follower, const Pose& solid);
  /// Returns the range of the fixtures of these Solids.
  std::pair<Followers::iterator, Followers::iterator> fixtures_of(const SolidRange& solids);
  bool has_body(int solid) const { return bodies_.body_of(solid) >= 0; }
  bool is_driven(int solid) const;
  bool had_velocity(int solid) const { return had_velocity_[solid] != 0; }
  /// Returns whether the pose of a Solid without a body can change in a step.
  bool may_move(int solid) const;
  void advance_moving();
  int find_out_of_range() const;
  /// Returns the index of a Solid in moving_, or the index at which it would be inserted.
  std::size_t index_of(int solid) const;
  /// Adds a Solid to moving_. It must have no body and must not be in the list.
  void add(const KinematicSolid& moving);
  void assign_velocity(int solid, const PointMotion& velocity);
  /// Returns the pose that was set from outside; null if the Solid is where the scene places it.
  const MovedSolid* find_moved(int solid) const;
  /// Returns the kinematic pose before the Solid's velocity moved it.
  Pose place_before_motion(int solid) const;
  /// Stores a pose in moved_ and gives it to SolidPoses.
  void keep(const MovedSolid& place);
  void restore_velocities_from(const KinematicMotion& before, const SceneMatch& match);
  /// Undoes all motion by velocities, and sets the velocities to 0.
  void forget_velocities();
  void restore(const State& state);
  bool is_in_range(const KinematicSolid& moving) const;
  bool is_as_in_scene(const State& state) const;
  friend void add_to_hash(Fnv1a& hash, const State& state);

  const Scene& scene_;
  OdeWorld& ode_;
  const Bodies& bodies_;
  SolidPoses& poses_;
  std::span<const JointState> states_;
  std::vector<MovedSolid> moved_;
  std::vector<KinematicSolid> moving_;
  std::vector<std::uint8_t> had_velocity_;  // the index is the Solid; 1 if it is in moving_
  std::vector<int> kinematic_axes_;  // axes of joints that move a Solid without a body or a belt
  std::vector<int> driven_;          // Solids that devices move: by wheels, and heads of Lidars
  Followers followers_;
  Followers fixtures_;  // sorted by Solid
};

}  // namespace servosim
