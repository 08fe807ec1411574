// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "physics/bodies.h"
#include "physics/state.h"
#include "servosim/diagnostics.h"
#include "servosim/math.h"

namespace servosim {

class Fnv1a;
class Notices;
class StateReader;
class StateWriter;
struct MovedSolid;
struct Scene;
struct SceneMatch;

struct PhysicsOptions {
  /// Webots' explicit gyroscopic torque, which gains energy, instead of ODE's implicit one, which
  /// loses some: docs/explanation/deviations.md#gyroscopic-torque.
  bool explicit_gyroscopic = false;
  /// What the solver may have for one step [bytes]; it takes 16 to 20 for each pair of rows of the
  /// largest island, and a contact is three rows. 0: half of the memory there is, at most 16 GB.
  std::size_t step_memory = 0;
  Notices* notices = nullptr;  ///< what a person should know; must outlive the world
};

/// The bodies, joints and contacts of a scene in one ODE world. Knows nothing of motors: devices
/// write JointState::drive, and read position and effort.
class PhysicsWorld {
 public:
  /// Builds everything. Impossible masses and shapes are replaced
  /// with a warning, as Webots does. The scene must outlive this.
  PhysicsWorld(const Scene& scene, Diagnostics& diagnostics, const PhysicsOptions& options = {});
  PhysicsWorld(const PhysicsWorld&) = delete;
  PhysicsWorld& operator=(const PhysicsWorld&) = delete;
  ~PhysicsWorld();

  /// One step: applies the drives, advances by the basic time step, reads positions, finds the
  /// contacts of the next step. @throws Unstable when a body left the sane range, Overloaded when
  /// there is too much to solve; the world must then be restored or destroyed.
  /// @returns a joint that closes a loop but was found torn open, each once; -1 for none.
  int step();

  std::span<JointState> joints() { return joints_; }
  std::span<const JointState> joints() const { return joints_; }
  /// How far the ends of a joint that closes a loop are apart [m].
  double loop_gap(int joint) const;

  /// What moves as one piece, weighed.
  const std::vector<RigidBody>& bodies() const;

  std::span<PropellerState> propellers() { return propellers_; }

  /// Puts a joint to a position and speed; what hangs on it moves along.
  void set_joint_state(int joint, double position, double velocity);
  /// World pose of a Solid of the scene.
  Pose solid_pose(int solid) const;
  /// How the body that carries a Solid, its own or one above, or what drifts above it without one,
  /// moves at the Solid's origin; nothing where there is none.
  std::optional<PointMotion> solid_motion(int solid) const;
  // ---- what somebody from outside does

  /// Puts a Solid elsewhere, and what hangs below it along with it; velocities stay. Not for a part
  /// of the body of the Solid above. Positions of joints that it moves are read anew.
  void set_solid_pose(int solid, const Pose& in_world);
  bool is_part(int solid) const;
  /// How the body that a Solid is, or is part of, moves at its centre of mass; nothing without one.
  std::optional<PointMotion> body_motion(int solid) const;
  void set_body_motion(int solid, const PointMotion& motion);  ///< does nothing without a body
  /// The velocity by which it moves at each step, with what is below; about its origin.
  PointMotion drift(int solid) const;
  void set_drift(int solid, const PointMotion& motion);  ///< does nothing for one with a body
  /// Whether a body carries the Solid: its own, or that of a Solid above.
  bool is_carried_by_body(int solid) const;
  /// Adds to what pushes a Solid's body in the next step, in the world's axes [N, N·m]; without
  /// `point`, a place in the world, at the body's centre of mass or, where the Solid is a rigid
  /// part of a body that another one owns, at that of the part. Does nothing without a body.
  void push(int solid, const Vec3& force, const Vec3& torque, const std::optional<Vec3>& point);
  /// Takes all speed and force from a Solid and what is below it; -1: from all.
  void stop(int solid);
  /// By Solid: whether it is that one, or one below; all for -1.
  std::vector<bool> branch_of(int solid) const;
  /// Where Solids touch in the present poses; nothing where step() would throw Overloaded for it.
  /// Valid until something moves.
  const std::vector<Touch>& touches() const;
  /// Of a Solid and what is below it, in the world; nothing without a mass.
  std::optional<Vec3> center_of_mass(int solid) const;

  /// A Solid that the next step would not accept where it is, or as fast as it is; -1: none.
  int out_of_range() const;
  /// The most shapes of bodies that overlap each other now, the one the next and so on, and the
  /// Solid of one of them, -1 for none. Where there are too many for a step it may miss some.
  std::pair<int, int> largest_heap();

  /// It threw Unstable or Overloaded: nothing but restore() helps.
  bool is_over() const;
  /// Goes on where the world of an earlier scene was, which is not over.
  void take_over(const PhysicsWorld& before, const SceneMatch& match);

  /// Fixes the body of a Solid to the world where it is, or lets it go; nothing without a body.
  void pin(int solid, bool pinned);
  /// Moves a DifferentialWheels without Physics: its pose in the frame of the Solid above.
  void set_kinematic_pose(int solid, const Pose& in_parent);
  Pose kinematic_pose(int solid) const;
  /// How deep its shapes are in what has no body, from the side [m].
  double depth_from_the_side(int solid);

  /// Whether something touches a Solid that feels, where the last step has left it.
  bool touched(int solid) const;
  /// What the body of a TouchSensor put on what it is fixed to in the last step, in the world's
  /// axes [N]; nothing where it is not fixed.
  Vec3 mounting_force(int solid) const;
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

  /// Fixes what carries two Solids to each other where they are; nothing if that is one body, or
  /// none, or if one of them holds the other already.
  void couple(int holder, int held);
  void uncouple(int solid, int other);
  /// A Solid that this one holds, -1 for none.
  int held_by(int holder) const;
  /// What couple() put on `solid` in the last step, in the world's axes [N].
  Vec3 coupling_force(int solid, int other) const;
  /// Whether a body carries the Solid that no joint holds to the world.
  bool is_free(int solid) const;
  /// Moves the body that carries a Solid, and only that, by `shift` in the world.
  void shift_body(int solid, const Pose& shift);

  /// Brings velocity and efforts of a joint's state up to date; on demand, as it costs.
  void measure(int joint);
  /// Adds every body's pose and velocities, and every joint's position and brake, to a hash.
  void add_state(Fnv1a& hash) const;

  /// Everything that changes while the world runs; restored, it runs on bit for bit. Only for
  /// worlds built from the same scene.
  void save(StateWriter& out) const;
  /// Also revives a world that is over.
  void restore(StateReader& in);

 private:
  struct Parts;
  void rebuild(std::vector<MovedSolid> moved);
  void restore_from(const PhysicsWorld& before, const SceneMatch& match);

  const Scene& scene_;
  PhysicsOptions options_;
  std::vector<JointState> joints_;          // addresses are kept by devices: sized once
  std::vector<PropellerState> propellers_;  // likewise
  std::unique_ptr<Parts> parts_;
};

/// ODE cannot get the memory to solve what touches, or may not: what() says where, and how much.
class Overloaded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A body left the range in which ODE works: `solid` says which.
class Unstable : public std::runtime_error {
 public:
  explicit Unstable(int which) : std::runtime_error("unstable"), solid(which) {}
  int solid;
};

}  // namespace servosim
