// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "physics/attachments.h"
#include "physics/bodies.h"
#include "physics/contacts/contacts.h"
#include "physics/joints/joints.h"
#include "physics/kinematic_motion.h"
#include "physics/lane_set.h"
#include "physics/solver_counts.h"
#include "physics/state.h"
#include "servosim/diagnostics.h"
#include "servosim/math.h"
#include "servosim/solver.h"

namespace servosim {

class Fnv1a;
class Notices;
class StateReader;
class StateWriter;
struct MovedSolid;
struct Scene;
struct SceneMatch;
struct ServoState;
struct ServoStates;

struct PhysicsOptions {
  /// Adds Webots' explicit gyroscopic torque, which adds energy, instead of ODE's implicit torque,
  /// which removes some: docs/explanation/deviations.md#gyroscopic-torque.
  bool explicit_gyroscopic = false;
  /// The memory limit of ODE's solver for one step [bytes]. The solver takes 16 to 20 bytes for
  /// each pair of rows of the largest island, and a contact has three rows. 0 means half of the
  /// memory of the machine, at most 16 GB.
  std::size_t step_memory = 0;
  Solver solver = Solver::Tree;
  Notices* notices = nullptr;   ///< receives warnings while the world runs; must outlive the world
  bool contact_forces = false;  ///< whether Contacts::forces() are computed; changes no state
  LaneSet lanes = widest_lanes();  ///< only for Solver::Tree
};

/// The motion of a scene in one ODE world: the order of a step, operations on several components,
/// and the components. There are no motors here: devices write JointState::drive and read position
/// and effort.
///
/// A step of length h is semi-implicit Euler: M·(v⁺ − v)/h = f + w gives the velocities v⁺ with the
/// forces w of joints and contacts, and then x⁺ = x + h·v⁺. docs/explanation/solver.md has the
/// equations of w.
///
/// Invariants: states of joints and propellers keep their addresses as long as the world exists.
/// All components belong to one ODE world. set_solid_pose(), restore() and restore_from() may
/// replace all of them, so a reference to a component is valid until one of these is called.
class PhysicsWorld {
 public:
  /// Builds all components. Impossible masses and shapes are replaced with a warning, as in Webots.
  /// The scene must outlive the world. `like` is another world of the same scene with the same
  /// options; data that never change are shared with it, and its warnings are not repeated. It may
  /// be null.
  PhysicsWorld(const Scene& scene, Diagnostics& diagnostics, const PhysicsOptions& options = {},
               const PhysicsWorld* like = nullptr);
  PhysicsWorld(const PhysicsWorld&) = delete;
  PhysicsWorld& operator=(const PhysicsWorld&) = delete;
  ~PhysicsWorld();

  /// Takes one step: applies the drives, advances by the basic time step, reads positions and finds
  /// the contacts of the next step. @throws Unstable if a body left the valid range, Overloaded if
  /// there is too much to solve; the world must then be restored or destroyed.
  /// @returns a joint that closes a loop but was found torn open, each once; -1 for none.
  int step();
  /// The result of a step: what step() returns, or what it throws.
  struct StepOutcome {
    int torn_loop = -1;
    std::exception_ptr error;
  };
  /// Takes a step of each of several worlds that were built from equal scenes with the same
  /// options. The results are those of step(). Trees of different worlds are solved together in
  /// lanes. There is one outcome per world.
  static void step_together(std::span<PhysicsWorld* const> worlds, std::span<StepOutcome> outcomes);
  /// True if a step threw Unstable or Overloaded or had no memory. Only restore() may follow.
  bool is_over() const;
  /// Returns a Solid whose pose or velocity the next step would not accept; -1 for none.
  int out_of_range() const;

  /// Sets PhysicsOptions::contact_forces from the next step on.
  void keep_contact_forces();

  /// Counts how often each solver was used; nothing with Solver::Ode.
  std::optional<SolverCounts> solver_counts() const;
  /// Counts the islands of joints that each solver gets without contacts; nothing if ODE solves
  /// all.
  std::optional<SolverCounts> islands_of_joints() const;

  // ---- components

  /// These are valid until set_solid_pose(), restore() or restore_from() is called. joints() first
  /// writes the forces of the last step to the joints.
  Bodies& bodies() const;
  Joints& joints() const;
  Contacts& contacts() const;
  Attachments& attachments() const;
  KinematicMotion& kinematic_motion() const;

  // ---- joints; an index is that in the scene

  /// These do not prepare efforts, as joints() does.
  /// Returns the servo of a joint; null if its motor is none. It keeps its address for the life of
  /// the world.
  ServoState* servo(int joint) const;
  double joint_position(int joint) const;  ///< [rad|m]
  double joint_velocity(int joint) const;  ///< [rad/s|m/s], as from Joints::measure()

  // ---- Solids with or without a body; an index is that in the scene

  Pose solid_pose(int solid) const;  ///< in the world
  /// Returns the motion of the Solid's origin: by the body that carries the Solid, or without one
  /// by the velocities of the Solid and of Solids above it; nothing if it has neither.
  std::optional<PointMotion> solid_motion(int solid) const;
  /// Moves a Solid and everything below it to another pose; velocities do not change. The Solid
  /// must not be a part of the body of a Solid above. Positions of joints that move are read again.
  void set_solid_pose(int solid, const Pose& in_world);
  /// Sets the velocities and forces of a Solid and everything below it to 0; -1 means all Solids.
  void stop(int solid);
  /// Returns a Solid and everything below it; -1 means all Solids.
  SolidRange branch_of(int solid) const;

  // ---- state

  /// Saves everything that changes while the world runs. A restored world continues bit for bit.
  /// Both worlds must be built from the same scene.
  void save(StateWriter& out) const;
  /// Restores a saved state. A world that is over then runs again.
  void restore(StateReader& in);
  /// Adds to a hash: every body's pose and velocities, every joint's position and brake, and the
  /// poses and velocities of Solids that move without a body.
  void add_to_hash(Fnv1a& hash) const;
  /// Continues from the state of the world of an earlier scene, which must not be over.
  void restore_from(const PhysicsWorld& before, const SceneMatch& match);

 private:
  struct Parts;
  /// Steps at most kMostTogether worlds.
  static void step_few(std::span<PhysicsWorld* const> worlds, std::span<StepOutcome> outcomes);
  template <typename Action>
  /// Performs a phase of a step. An exception becomes the outcome's error; with such an error
  /// nothing is done.
  void do_part(StepOutcome& outcome, Action action);
  /// Replaces all components by new ones for these poses. States of joints and propellers do not
  /// change.
  void rebuild(std::vector<MovedSolid> moved);

  const Scene& scene_;
  PhysicsOptions options_;
  std::vector<JointState> joint_states_;          // sized once, since devices keep addresses
  std::vector<PropellerState> propeller_states_;  // sized once, since devices keep addresses
  std::unique_ptr<ServoStates> servo_states_;     // sized once, since devices keep addresses
  std::unique_ptr<Parts> parts_;
};

/// The solver cannot get the memory that it needs, or may not: what() names the place and the
/// amount.
class Overloaded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The body of `solid` has left the range in which ODE works.
class Unstable : public std::runtime_error {
 public:
  explicit Unstable(int which) : std::runtime_error("unstable"), solid(which) {}
  int solid;
};

}  // namespace servosim
