// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/bodies.h"
#include "physics/joints/transmitted_loads.h"
#include "physics/rows/coupling_rows.h"
#include "physics/solid_poses.h"
#include "physics/state.h"
#include "servosim/math.h"

// What the joints of a scene do in a step:
//
//     before_step()        drives of motors → rows, forces of force control → bodies
//     the solver           rows → velocities and poses of bodies, forces of rows
//     after_step()         poses → positions
//     measure(), on demand forces of rows → efforts, velocities of bodies → velocities
//
// Signs: position, velocity and effort of an axis are positive where they move the endpoint along
// +axis. OdeJoint, OdeHinge2 and OdeBall have the equations of their kinds.

namespace servosim {

class OdeBacklash;
class OdeBall;
class OdeHinge2;
class OdeJoint;
class OdePropeller;
class OdeServo;
class OdeWorld;
struct BacklashJoint;
struct JointRows;
struct SceneMatch;
struct ServoStates;

/// The joints and propellers of a scene. They read drives, and write positions and efforts.
///
/// Invariants: all axes of a joint of the scene belong to one object, whose class follows from the
/// kind of its ODE joint. The axes of a joint whose endpoint has no body belong to no object, and
/// move the endpoint by their JointState alone (SolidPoses). Objects are kept by class, in the
/// order of the scene, with those that close a loop last. ODE's joints are made in that order.
class Joints {
 public:
  /// Creates all ODE joints. `states` and `propellers` have an element for each joint and propeller
  /// of the scene, and get the positions at the start. `servos` has the
  /// servos of these joints.
  Joints(const Scene& scene, OdeWorld& ode, Bodies& bodies, SolidPoses& poses,
         std::span<JointState> states, std::span<PropellerState> propellers, ServoStates& servos);
  Joints(const Joints&) = delete;
  Joints& operator=(const Joints&) = delete;
  ~Joints();

  std::size_t count() const { return states_.size(); }
  /// Returns the state of a joint. The address is valid as long as the PhysicsWorld.
  JointState& operator[](int joint) const {
    SERVOSIM_ASSERT(joint >= 0 && joint < static_cast<int>(count()), "joint {} of {}", joint,
                    count());
    return states_[joint];
  }
  /// Returns the states of the propellers of the scene. Their addresses are valid as long, too.
  std::span<PropellerState> propellers() const { return propeller_states_; }

  /// Updates velocity and efforts of a joint's state. This is done on demand only, since it costs
  /// time.
  void measure(int joint);
  /// Returns the velocity alone [rad/s|m/s], which costs much less.
  double velocity(int joint);
  /// Moves a joint to a position and speed. All bodies behind the joint move along. The other axes
  /// of the joint keep their positions and speeds.
  void set_state(int joint, double position, double velocity);
  /// Returns what each joint with bodies asks of the solver, in the order of the scene. The
  /// addresses are valid as long as this object.
  std::vector<JointRows*> rows();
  /// Returns what the couplings of the scene ask of the joints.
  std::vector<CouplingRows> couplings();
  /// Returns those of the joint that an axis belongs to; null for a joint without bodies.
  JointRows* rows_of(int joint);
  /// Returns what force-torque sensors measure.
  TransmittedLoads& loads() { return loads_; }
  /// Returns the distance between the ends of a joint that closes a loop [m]. The travel of a
  /// suspension does not count.
  double loop_gap(int joint) const;

  // ---- a step

  /// Must be called before a step. The efforts of the step will be valid for all joints.
  void clear_moved_between_steps();
  /// Sets the rows of all joints for the step.
  void before_step();
  /// Must be called after before_step(). Adds a body of each joint that a motor, a spring or a
  /// damper moves; if there is any, also one of each coupled joint.
  void add_bodies_at_work(std::vector<dxBody*>& bodies) const;
  /// Reads positions. `some_turn_fast` says that some body may turn so far in a step that angles
  /// are ambiguous.
  void after_step(bool some_turn_fast);
  /// Returns a joint that closes a loop and whose ends have come apart; -1 for none. Each is
  /// returned once.
  int find_torn_loop() { return loops_.empty() ? -1 : check_loops(); }

  // ---- Solids that are moved between steps

  /// Clears the efforts of joints at these Solids, since the efforts of the last step belong to
  /// other poses.
  void forget_efforts(const SolidRange& solids);
  /// Reads the positions of the joints between a Solid that was moved, with all Solids below it,
  /// and the rest.
  void read_positions_around(int solid);
  /// Returns whether an ODE joint holds something to the place of one of these Solids, which no
  /// body moves.
  bool hold_to_place(const SolidRange& solids) const;
  /// Sets the velocities of the joints to 0 whose endpoints are among these Solids.
  void stop(const SolidRange& solids);

  // ---- state

  /// Takes over the states of the world before an edit. SolidPoses follow them.
  void restore_states_from(const Joints& before, const SceneMatch& match);
  /// Restores the state of ODE's joints. The bodies must be in their poses.
  void restore_from(const Joints& before, const SceneMatch& match);
  /// Suppresses the reports that the world before an edit has made already.
  void restore_reports_from(const Joints& before) { loops_ = before.loops_; }
  /// Reads, writes or hashes the JointStates.
  template <class Archive>
  void archive_states(Archive& archive);
  /// Does the same with propellers and the memories of joints. Must be called after
  /// archive_states().
  template <class Archive>
  void archive_mechanisms(Archive& archive);

 private:
  // Says which object an axis of the scene belongs to.
  struct Ref {
    enum class Type : std::uint8_t { None, Plain, Hinge2, Ball } type = Type::None;
    int index = -1;     // in plain_, hinge2s_ or balls_
    int backlash = -1;  // in backlash_; -1 without free play
    int servo = -1;     // in servos_, if its motor is one
  };

  // Calls an action with each object.
  template <typename Action>
  void for_each(Action action);
  // Calls an action with the list, a member of Joints, that contains the object of an axis. Does
  // nothing for kinematic joints.
  template <typename Action>
  static void visit(const Ref& ref, Action action) {
    switch (ref.type) {
      case Ref::Type::None:
        return;
      case Ref::Type::Plain:
        return action(&Joints::plain_);
      case Ref::Type::Hinge2:
        return action(&Joints::hinge2s_);
      case Ref::Type::Ball:
        return action(&Joints::balls_);
    }
  }
  // Does find_torn_loop(), but only every kStepsPerLoopCheck calls.
  int check_loops();
  // Makes the joint whose first axis this is, if it has bodies.
  void create_axes_of(int first_axis);
  // Makes the object of a joint with bodies; null is the world.
  void create_joint(int first_axis, const Body* parent, const Body* child);
  // These make the gaps and the propellers of the scene.
  void create_backlash();
  void create_servos();
  void step_servos();
  // What an axis moves [kg·m²|kg], and what gravity does to it at rest [N·m|N].
  struct AxisLoad {
    double inertia = 0.0;
    double weight = 0.0;
  };
  AxisLoad load_behind(int joint) const;
  void create_propellers();
  // Measures the joint even if its state is up to date.
  void read(int joint) const;
  // Sets the efforts of a joint to 0 until the next step.
  void forget_effort(int joint);
  // Returns the joints with an end among these Solids. A joint with both ends among them is there
  // twice.
  std::span<const int> joints_at(const SolidRange& solids) const;
  // Moves every body behind a joint by `shift` and sets its motion: that of the parent, plus
  // `joint_velocity` [m/s] and `joint_spin` [rad/s] about `center`. All are in the world.
  void shift_branch(int joint, const SolidRange& behind, const Pose& shift,
                    const Vec3& joint_velocity, const Vec3& joint_spin, const Vec3& center);
  // Returns, in the parent Solid's frame, the distance from the anchor, moved by the joint's
  // positions, to the anchor on the child [m].
  Vec3 anchor_gap(int joint) const;
  // Returns the part of anchor_gap() that a suspension allows.
  Vec3 suspension_travel(int joint) const;

  const Scene& scene_;
  OdeWorld& ode_;
  Bodies& bodies_;
  SolidPoses& poses_;
  std::span<JointState> states_;
  std::span<PropellerState> propeller_states_;
  ServoStates& servo_states_;
  std::vector<OdeJoint> plain_;  // hinges without suspension, and sliders
  std::vector<OdeHinge2> hinge2s_;
  std::vector<OdeBall> balls_;
  std::vector<BacklashJoint> backlash_;
  std::vector<OdeServo> servos_;
  std::vector<int> servo_joints_;  // by servo: the joint
  std::vector<OdePropeller> propellers_;
  TransmittedLoads loads_;
  std::vector<Ref> refs_;                   // by axis of the scene; None for kinematic joints
  std::vector<std::uint64_t> measured_at_;  // by axis: the revision; 0 means never
  // An index of joints by Solid: joints_at_[first_at_[s]] is the first joint with an end at Solid
  // s. first_at_ has one element more than there are Solids. Both are empty until they are needed.
  mutable std::vector<int> first_at_;
  mutable std::vector<int> joints_at_;
  std::vector<int> loops_;        // joints that close a loop and were not reported
  std::uint64_t stepped_at_ = 0;  // the revision after the last step
  int steps_to_loop_check_ = 0;
};

}  // namespace servosim
