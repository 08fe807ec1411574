// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/bodies.h"
#include "physics/solid_poses.h"
#include "physics/state.h"
#include "servosim/math.h"

namespace servosim {

class OdeBacklash;
class OdeBall;
class OdeHinge2;
class OdeJoint;
class OdePropeller;
class OdeWorld;
struct BacklashJoint;
struct JointRows;
struct SceneMatch;

/// The joints and propellers of a scene: they read drives, and write positions and efforts.
///
/// Invariants: all axes of a joint of the scene belong to one object, whose type is that of its ODE
/// joint; the axes of a joint whose endpoint has no body belong to none, and move it by their
/// JointState alone (SolidPoses). Objects are kept by type, in the order in which the scene has
/// them, those that close a loop last; ODE's joints are made in that order.
class Joints {
 public:
  /// Creates all ODE joints. `states` and `propellers`: by joint and propeller of the scene; they
  /// get their positions at the start.
  Joints(const Scene& scene, OdeWorld& ode, Bodies& bodies, SolidPoses& poses,
         std::span<JointState> states, std::span<PropellerState> propellers);
  Joints(const Joints&) = delete;
  Joints& operator=(const Joints&) = delete;
  ~Joints();

  std::size_t count() const { return states_.size(); }
  /// The state of a joint; keeps its address for the life of the PhysicsWorld.
  JointState& operator[](int joint) const {
    SERVOSIM_ASSERT(joint >= 0 && joint < static_cast<int>(count()), "joint {} of {}", joint,
                    count());
    return states_[joint];
  }
  /// The states of propellers, by Propeller of the scene; they keep their addresses, too.
  std::span<PropellerState> propellers() const { return propeller_states_; }

  /// Brings velocity and efforts of a joint's state up to date; on demand, as it costs.
  void measure(int joint);
  /// The velocity alone [rad/s|m/s], which costs much less.
  double velocity(int joint);
  /// Puts a joint to a position and speed; what hangs on it moves along. The other axes of the
  /// joint keep their positions and speeds.
  void set_state(int joint, double position, double velocity);
  /// What each joint that has bodies asks of the solver, in the order of the scene; they keep their
  /// addresses.
  std::vector<JointRows*> rows();
  /// The distance between the ends of a joint that closes a loop [m].
  double loop_gap(int joint) const;

  // ---- a step

  /// Before a step: its efforts will be valid for all joints.
  void clear_moved_between_steps();
  /// Sets the rows of all joints.
  void before_step();
  /// Then: adds a body of each joint that a motor, a spring or a damper moves.
  void add_bodies_at_work(std::vector<dxBody*>& bodies) const;
  /// Reads positions. `some_turn_fast`: bodies may turn so far in a step that angles are ambiguous.
  void after_step(bool some_turn_fast);
  /// A joint that closes a loop and was found torn open, each once; -1 for none.
  int find_torn_loop() { return loops_.empty() ? -1 : check_loops(); }

  // ---- Solids that are moved between steps

  /// Clears the efforts of joints at these Solids: those of the last step belong to other poses.
  void forget_efforts(const SolidRange& solids);
  /// Reads positions of joints between a Solid that was moved, with all below it, and the rest.
  void read_positions_around(int solid);
  /// Whether an ODE joint keeps the place of one of these Solids, since no body moves it.
  bool hold_to_place(const SolidRange& solids) const;
  /// Sets the velocities of joints to 0 whose endpoints are among these Solids.
  void stop(const SolidRange& solids);

  // ---- state

  /// Takes over states from those of the world before an edit; SolidPoses follow them.
  void restore_states_from(const Joints& before, const SceneMatch& match);
  /// Restores the state of ODE's joints; the bodies must be in their places.
  void restore_from(const Joints& before, const SceneMatch& match);
  /// Does not repeat reports of the world that this one replaces.
  void restore_reports_from(const Joints& before) { loops_ = before.loops_; }
  template <class Archive>
  void archive_states(Archive& archive);
  /// After the states.
  template <class Archive>
  void archive_mechanisms(Archive& archive);

 private:
  // Which object an axis of the scene belongs to.
  struct Ref {
    enum class Type : std::uint8_t { None, Plain, Hinge2, Ball } type = Type::None;
    int index = -1;     // in plain_, hinge2s_ or balls_
    int backlash = -1;  // in backlash_, if it has free play
  };

  template <typename Action>
  void for_each(Action action);
  // Calls an action with the list of the object that an axis belongs to, a member of Joints; not
  // for kinematic ones.
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
  int check_loops();
  void create_axes_of(int first_axis);
  void create_joint(int first_axis, const Body* parent, const Body* child);
  void create_backlash();
  void create_propellers();
  void read(int joint) const;
  void forget_effort(int joint);
  std::span<const int> joints_at(const SolidRange& solids) const;
  void shift_branch(int joint, const SolidRange& behind, const Pose& shift,
                    const Vec3& joint_velocity, const Vec3& joint_spin, const Vec3& center);
  Vec3 anchor_gap(int joint) const;
  Vec3 suspension_travel(int joint) const;

  const Scene& scene_;
  OdeWorld& ode_;
  Bodies& bodies_;
  SolidPoses& poses_;
  std::span<JointState> states_;
  std::span<PropellerState> propeller_states_;
  std::vector<OdeJoint> plain_;  // hinges without suspension, and sliders
  std::vector<OdeHinge2> hinge2s_;
  std::vector<OdeBall> balls_;
  std::vector<BacklashJoint> backlash_;
  std::vector<OdePropeller> propellers_;
  std::vector<Ref> refs_;                   // by axis of the scene, None for kinematic ones
  std::vector<std::uint64_t> measured_at_;  // by axis: the revision; 0: never
  // By Solid, with one end more: where the axes begin in joints_at_ that have it as an end. Empty
  // until somebody asks.
  mutable std::vector<int> first_at_;
  mutable std::vector<int> joints_at_;
  std::vector<int> loops_;        // joints that close one and are not known to be torn
  std::uint64_t stepped_at_ = 0;  // the revision after the last step
  int steps_to_loop_check_ = 0;
};

}  // namespace servosim
