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

struct dxGeom;  // ODE's dGeomID points to it

namespace servosim {

class OdeWorld;
struct SceneMatch;

/// Solids without bodies: places and velocities that are set from outside, and the geoms that
/// follow them.
///
/// Invariants: what has a velocity, or had one, has no body and is listed once, by rising number of
/// the Solid, parents before what is below them; none ever leaves the list. Every geom without a
/// body is either a follower, whose Solid may move in a step, or a fixture, which stands still
/// until its place is set from outside.
class KinematicMotion {
 public:
  /// `moved`: places set from outside before, by rising number of the Solid; SolidPoses has them.
  KinematicMotion(const Scene& scene, OdeWorld& ode, const Bodies& bodies, SolidPoses& poses,
                  std::span<const JointState> states, std::vector<MovedSolid> moved);
  KinematicMotion(const KinematicMotion&) = delete;
  KinematicMotion& operator=(const KinematicMotion&) = delete;

  // ---- velocities

  /// The velocity by which a Solid moves at each step, with what is below; about its origin, in the
  /// world's axes. 0 for one with a body.
  PointMotion velocity(int solid) const;
  void set_velocity(int solid, const PointMotion& velocity);  ///< does nothing for one with a body
  /// The motion of a Solid's origin by its velocity and those of Solids above; nothing if none ever
  /// had one.
  std::optional<PointMotion> motion_of_origin(int solid) const;
  /// Sets the velocities of these Solids to 0.
  void stop(const SolidRange& solids);
  /// Moves all that have a velocity by a step.
  void advance() {
    if (!moving_.empty()) {
      advance_moving();
    }
  }

  // ---- DifferentialWheels, and robots with two wheels, without Physics

  /// Its pose in the frame of the Solid above.
  Pose pose(int solid) const { return poses_.place(solid); }
  void set_pose(int solid, const Pose& in_parent);

  // ---- places set from outside

  const std::vector<MovedSolid>& moved() const { return moved_; }
  /// Whether the Solid is moved by no body, or by one that is fixed to the world.
  bool keeps_place(int solid) const;
  /// Puts a Solid that keeps its place to a pose in the world.
  void put(int solid, const Pose& in_world);
  /// The pose of the Solid without the motion by its velocity: ODE's joints hold its children
  /// there, and a velocity does not change it.
  Pose pose_of_joints(int solid) const;

  // ---- geoms

  /// A geom without a body that stands at a pose in the frame of a Solid; puts it there.
  void add_geom(dxGeom* geom, int solid, const Pose& in_solid);
  /// Puts followers to where their Solids are. @returns whether one was elsewhere.
  bool place_followers();
  void place_all();  ///< fixtures, too
  /// Those of these Solids alone, fixtures too.
  void place_geoms_of(const SolidRange& solids);

  /// A Solid that is beyond what ODE can take, -1 for none; kinematic joints and belts count.
  int out_of_range() const {
    return kinematic_axes_.empty() && wheel_driven_.empty() && moving_.empty()
               ? -1
               : find_out_of_range();
  }

  // ---- state

  /// The places that it must be built with, so that restore_from() continues from another one, and
  /// joints at these places move along.
  std::vector<MovedSolid> places_after(const KinematicMotion& before,
                                       const SceneMatch& match) const;
  /// Takes over places and velocities of that of the world before an edit. A Solid that has another
  /// velocity in the tree begins with that.
  void restore_from(const KinematicMotion& before, const SceneMatch& match);
  template <class Archive>
  void archive(Archive& archive);

 private:
  // A Solid that moves by a velocity of its own, or did.
  struct KinematicSolid {
    int solid;
    PointMotion velocity;
  };
  // The same as a saved state has it.
  struct State {
    KinematicSolid moving;
    Pose place;
  };
  // A geom without a body, which must follow its Solid.
  struct Follower {
    dxGeom* geom;
    int solid;
    Pose in_solid;
    Pose placed;  // where it was put last
  };

  using Followers = std::vector<Follower>;

  static bool place(Follower& follower, const Pose& solid);
  std::pair<Followers::iterator, Followers::iterator> fixtures_of(const SolidRange& solids);
  bool has_body(int solid) const { return bodies_.body_of(solid) >= 0; }
  bool is_driven_by_wheels(int solid) const;
  bool had_velocity(int solid) const { return had_velocity_[solid] != 0; }
  bool may_move(int solid) const;
  void advance_moving();
  int find_out_of_range() const;
  std::size_t index_of(int solid) const;
  void add(const KinematicSolid& moving);
  void assign_velocity(int solid, const PointMotion& velocity);
  const MovedSolid* find_moved(int solid) const;  // null: it is where the scene has it
  Pose place_before_motion(int solid) const;
  void keep(const MovedSolid& place);
  void restore_velocities_from(const KinematicMotion& before, const SceneMatch& match);
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
  std::vector<std::uint8_t> had_velocity_;  // by Solid: it is in moving_
  std::vector<int> kinematic_axes_;         // axes of joints that move a Solid or a belt
  std::vector<int> wheel_driven_;           // robots that their wheels move, by Solid
  Followers followers_;
  Followers fixtures_;  // by rising number of the Solid
};

}  // namespace servosim
