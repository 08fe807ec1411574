// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "physics/bodies.h"
#include "physics/contacts/contacts.h"
#include "physics/contacts/geometry.h"
#include "physics/joints/backlash.h"
#include "physics/joints/ball.h"
#include "physics/joints/hinge2.h"
#include "physics/joints/joint.h"
#include "physics/joints/propeller.h"
#include "physics/physics_world.h"
#include "physics/sleep.h"
#include "physics/state.h"
#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "servosim/math.h"

namespace servosim {

class StateReader;
class StateWriter;
struct Scene;
struct SceneMatch;

/// A RigidBody in ODE.
struct Body {
  dBodyID id = nullptr;
  int solid = -1;  ///< the Solid that owns it and gives its axes
  Vec3 center;     ///< centre of mass in the owner's frame [m]
  // Where ODE keeps its state; valid as long as the body.
  const dReal* position = nullptr;
  const dReal* rotation = nullptr;
  const dReal* quaternion = nullptr;
  const dReal* velocity = nullptr;
  const dReal* spin = nullptr;
  SleepClock sleep;
};

/// Where a body is, to the last bit.
struct BodyPlace {
  std::array<dReal, 3> position;
  std::array<dReal, 12> rotation;
  std::array<dReal, 4> quaternion;
};

BodyPlace place_of(const Body& body);
void put_at(const Body& body, const BodyPlace& place);

/// A body fixed to the world or to another one, where they were then.
struct FixedAttachment {
  int body = -1;
  int other_body = -1;  ///< -1: the world
  int solid = -1;       ///< the Solids that were coupled; -1: the robot of `body` was pinned
  int other_solid = -1;
  bool other_holds = false;  ///< `solid`; else it is the other way round
  dJointID joint = nullptr;
  BodyPlace place{};
  BodyPlace other_place{};
};

/// A TouchSensor's body, fixed to what carries it.
struct Mounting {
  int solid;
  dJointFeedback feedback;
};

/// How a Solid moves.
struct SolidMotion {
  int body = -1;        ///< index of its body, -1 for none
  Pose in_body;         ///< its pose in the body's frame (origin at the centre of mass)
  int joint = -1;       ///< the kinematic joint it is the endpoint of (its first axis)
  bool rolls = false;   ///< its own wheels move it
  bool drifts = false;  ///< a KinematicSolid
};

/// Which ODE joint an axis of the scene has; several axes may share one.
struct OdeJointRef {
  enum class Type : std::uint8_t { None, Plain, Hinge2, Ball } type = Type::None;
  int index = -1;  ///< in Impl::joints, hinge2s or balls
  int loose = -1;  ///< in Impl::loose_joints, if it has free play
};

/// A geom without a body, which must follow its Solid.
struct Follower {
  dGeomID geom;
  int solid;
  Pose in_solid;
  Pose placed;  ///< where it was put last
};

/// A Solid that was put elsewhere and has no body that remembers it.
struct MovedSolid {
  int solid;
  Pose local;  ///< in the frame of the Solid above, when the joint it is the endpoint of is as at
               ///< the start
  Pose zero;   ///< of the endpoint of a kinematic joint: the same at position 0
  friend bool operator==(const MovedSolid&, const MovedSolid&) = default;
};

/// A Solid without a body that moves by a velocity of its own, or did.
struct KinematicSolid {
  int solid;
  PointMotion motion;
};

/// A Solid at the top of the tree with all below it, as far as collisions are concerned.
struct Branch {
  int shapes = 0;
  int robot = -1;                ///< outermost Robot of the last Solid with shapes
  bool may_meet_itself = false;  ///< its shapes are not all of one Robot without selfCollision
  dSpaceID space = nullptr;
};

/// A joint with free play.
struct BacklashJoint {
  double creep;  ///< [rad/s|m/s] below this a sleeping endpoint is left alone
  OdeBacklash backlash;
};

class OdeVisibleShapes;

struct PhysicsWorld::Impl {
  Impl(const Scene& scene, Diagnostics& diagnostics, std::span<JointState> states,
       std::span<PropellerState> the_propeller_states, const PhysicsOptions& options,
       std::vector<MovedSolid> places = {});
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  int step();
  void solve();
  void collide();
  void find_touches();  ///< @throws TooManyContacts
  /// For a step whose contacts cannot be solved: around which body, and how that is.
  [[noreturn]] void overloaded(int body, const std::string& how);
  void fall_asleep();
  void drop_forces_of_sleepers();
  /// Fails if a state is beyond what ODE can take. @returns the square of the fastest spin.
  double check_sane();
  /// The Solid whose state that is, or -1.
  int out_of_range(double& fastest_squared) const;
  [[noreturn]] void fail(int solid);
  Pose solid_pose(int solid) const;
  void find_contacts();
  bool all_asleep() const;
  void set_joint_state(int joint, double position, double velocity);
  bool place_followers();
  std::optional<RayHit> cast_ray(const Vec3& from, const Vec3& direction, double range, int solid);
  bool set_solid_pose(int solid, const Pose& in_world);
  void stop(const std::vector<bool>& solids);
  std::vector<bool> branch_of(int solid) const;
  const std::vector<Touch>& touches();
  void take_over(const Impl& before, const SceneMatch& match);
  void pin(int solid, bool pinned);
  void couple(int holder, int held);
  void uncouple(int solid, int other);
  const FixedAttachment* find_coupling(int solid, int other) const;
  void add_pin(FixedAttachment pin);
  void join(FixedAttachment& pin);
  void remove_pin(std::size_t index);
  void listen_to_couplings();
  void restore_pins(StateReader& in);
  dJointID fix(dBodyID body, dBodyID other) const;
  void save(StateWriter& out) const;
  void restore(StateReader& in);
  /// What was said once by a world whose place this one takes is not said again.
  void keep_said(const Impl& before);

  void destroy_world();

  // Building, in this order.
  void create_world();
  void create_bodies(Diagnostics& diagnostics);
  void place_bodies();
  void set_damping();
  void create_joints();
  void create_joint(int leader, dBodyID parent, dBodyID child);
  void create_axes_of(int leader);
  void create_backlash();
  int find_torn_loop();
  Vec3 anchor_gap(int joint) const;
  Vec3 suspension_travel(int joint) const;
  double loop_gap(int joint) const;
  void create_propellers();
  void create_fixed_joints();
  void create_drifters();
  void create_belts();
  void listen_to(int solid, dJointID joint);
  void create_geoms(Diagnostics& diagnostics, Notices* notices);
  dSpaceID create_space(dSpaceID parent, std::size_t members) const;
  dSpaceID branch_space(Branch& branch);
  void create_solid_geoms(int solid, dSpaceID where, Diagnostics& diagnostics);
  void exclude_overlaid();
  void note_anchored(int body);
  void use_explicit_gyroscopic();
  void add_gyroscopic_torques();

  bool is_dynamic(int solid) const { return servosim::is_dynamic(scene, solid); }
  Pose joint_pose(int joint) const;
  Pose joint_motion(int joint, int axes) const;
  Vec3 axis_in_world(int joint, const Mat3& frame) const;
  void measure(int joint) const;
  void measure_rows(int joint) const;
  void forget_efforts(int moved_leader, const std::vector<bool>& behind);
  void place_fixtures();
  void fix_pins_anew();
  void read_positions_around(int solid);
  void note_place(int solid, const Pose& in_world);
  void note_place(const MovedSolid& place);
  void use_place(const MovedSolid& place);
  bool was_moved(int solid) const;
  MovedSolid place_of_solid(int solid) const;
  Pose place_before_drift(int solid) const;
  void undo_drift(MovedSolid& place) const;
  Pose place_of_joints(int solid) const;
  Pose planned_pose(int solid) const;
  PointMotion motion_at(int body, const Vec3& point) const;
  void wake_neighbours(const std::vector<bool>& solids);
  bool holds_to_world(const std::vector<bool>& solids) const;
  bool remembers_its_place(int solid) const;
  Pose local_pose(int solid) const;
  void take_over_bodies(const Impl& before, const SceneMatch& match);
  void take_over_states(const Impl& before, const SceneMatch& match);
  void take_over_joints(const Impl& before, const SceneMatch& match);
  void take_over_pins(const Impl& before, const SceneMatch& match);
  void take_over_drifters(const Impl& before, const SceneMatch& match);
  bool can_drift(int solid) const;
  const Pose& drift_place(int solid) const;
  Pose& drift_place(int solid);
  void set_drift(int solid, const PointMotion& how);
  PointMotion drift_of(int solid) const;
  std::optional<PointMotion> drift_above(int solid) const;
  bool has_drifted(int solid) const;
  std::vector<KinematicSolid>::iterator drifter_at(int solid);
  void let_follow(int solid);
  void drift();
  void wake_at_belts();
  void run_belts();
  void save_drifters(StateWriter& out) const;
  void restore_drifters(StateReader& in);
  bool is_sane(const KinematicSolid& drifter, double farthest) const;
  void add_drifters(Fnv1a& hash) const;
  int carrying_body(int solid) const;
  Vec3 part_center(int solid) const;
  bool moves(int solid) const;
  void shift_branch(int joint, const std::vector<bool>& behind, const Pose& shift,
                    const Vec3& joint_velocity, const Vec3& joint_spin, const Vec3& center);
  Vec3 point_velocity(int solid, const Vec3& point) const;

  const Scene& scene;
  std::span<JointState> states;
  std::span<PropellerState> propeller_states;
  double h = 0.0;  // [s]
  SleepRule sleep;
  dThreadingImplementationID threading = nullptr;
  dWorldID world = nullptr;
  dSpaceID space = nullptr;
  std::vector<RigidBody> rigid_bodies;
  std::vector<Body> bodies;          // one for each of them
  std::vector<dBodyID> fell_asleep;  // in this step
  std::vector<SolidMotion> motion;   // by Solid
  std::vector<OdeJoint> joints;      // hinges without suspension, and sliders
  std::vector<OdeHinge2> hinge2s;
  std::vector<OdeBall> balls;
  std::vector<BacklashJoint> loose_joints;
  std::vector<OdePropeller> propellers;
  std::vector<int> loops;  // joints that close one and are not known to be torn
  int steps_to_loop_check = 0;
  std::vector<OdeJointRef> ode_joint_of;    // by axis of the scene, None for kinematic ones
  std::vector<int> kinematic_joints;        // axes that move a Solid
  std::vector<FixedAttachment> pins;        // in the order of their making
  std::deque<dJointFeedback> pin_feedback;  // by pin; addresses are kept by ODE
  std::deque<Mounting> mountings;           // likewise
  std::vector<int> rollers;                 // robots that their wheels move, by Solid
  std::vector<std::uint8_t> touched;        // by Solid, after the last step; empty if none feels
  dGeomID ray = nullptr;
  std::unique_ptr<OdeVisibleShapes> visible;  // made when somebody looks for the first time
  std::deque<Belt> belts;                     // addresses are kept by geoms
  std::deque<GeomInfo> geom_infos;            // addresses are kept by ODE
  std::deque<GeomData> geom_data;
  std::vector<Follower> followers;
  std::vector<Follower> fixtures;  // the same, of Solids that stand still until they are moved
  std::vector<MovedSolid> moved_solids;
  std::vector<KinematicSolid> drifters;  // by rising number of the Solid; none ever leaves
  std::vector<Pose> local_poses;         // by Solid: SolidSpec::pose, or where it was moved
  std::vector<Pose> zero_poses;          // by joint: JointSpec::zero_pose, or where it was moved
  std::vector<dSpaceID> inner_spaces;    // those whose own members may collide
  std::unique_ptr<Contacts> contacts;
  std::vector<Mat3> inertias;  // by body, in its frame; empty with ODE's gyroscopic torque
  bool can_collide = false;
  bool were_asleep = false;  // all of them when the contacts were found last
  bool poses_changed = true;
  std::size_t step_memory;  // the solver may have [bytes]
  std::string overload;     // why ODE could not take the step: this world is over
  int unstable = -1;        // the Solid that left the sane range: this world is over
  bool world_left =
      false;               // by one inside ODE's step, which may have freed what it still refers to
  bool step_left = false;  // by an exception
  bool space_locked = false;  // a ray was left by one
};

/// Calls an action with every ODE joint. No virtual call: plain joints are what most worlds are
/// made of.
template <typename World, typename Action>
void for_each_joint(World& world, Action action) {
  for (auto& joint : world.joints) {
    action(joint);
  }
  for (auto& joint : world.hinge2s) {
    action(joint);
  }
  for (auto& joint : world.balls) {
    action(joint);
  }
}

}  // namespace servosim
