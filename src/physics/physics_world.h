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
#include "physics/step_losses.h"
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

/// Holds what a user can choose for the physics of a world. The scene has everything else.
struct PhysicsOptions {
  /// Tells whether Webots' explicit gyroscopic torque, which adds energy, takes the place of ODE's
  /// implicit torque, which removes some: docs/explanation/deviations.md#gyroscopic-torque.
  /// Ignored with Integrator::Joint, whose steps have the torque themselves.
  bool explicit_gyroscopic = false;
  /// This is the memory limit of ODE's solver for one step [bytes]. The solver takes 16 to 20 bytes
  /// for each pair of rows of the largest island, and a contact has three rows. The value 0 means
  /// half of the memory of the machine, at most 16 GB.
  std::size_t step_memory = 0;
  Solver solver = Solver::Tree;
  std::optional<Integrator> integrator;  ///< in place of the scene's; Joint needs Solver::Tree
  std::optional<int> evaluations;        ///< in place of the scene's
  std::optional<double> accuracy;        ///< in place of the scene's [rad|m]
  Notices* notices = nullptr;   ///< receives warnings while the world runs; must outlive the world
  bool contact_forces = false;  ///< whether Contacts::forces() are computed; changes no state
  LaneSet lanes = widest_lanes();  ///< only for Solver::Tree
};

/// Moves a scene in one ODE world: it has the order of a step, operations on several components,
/// and the components. There are no motors here: devices write JointState::drive and read position
/// and effort.
///
/// A step of length h is semi-implicit Euler: M·(v⁺ − v)/h = f + w gives the velocities v⁺ with the
/// forces w of joints and contacts, and then x⁺ = x + h·v⁺. docs/explanation/solver.md has the
/// equations of w. With Integrator::Joint, trees of joints move in their own coordinates instead:
/// docs/explanation/integrators.md.
///
/// Invariants: states of joints and propellers keep their addresses as long as the world exists.
/// All components belong to one ODE world. set_solid_pose(), restore() and restore_from() may
/// replace all of them, so a reference to a component is valid until one of these is called.
///
/// Threads: one at a time for each object, also for functions that are const, since some of them
/// prepare results. Different worlds may be used at the same time.
class PhysicsWorld {
 public:
  /// Builds all components. Impossible masses and shapes are replaced with a warning, as in Webots.
  /// The scene must outlive the world. `like` is null or another world of the same scene with the
  /// same options; data that never change are shared with it, and its warnings are not repeated.
  /// @throws OdeFailed, std::bad_alloc
  PhysicsWorld(const Scene& scene, Diagnostics& diagnostics, const PhysicsOptions& options = {},
               const PhysicsWorld* like = nullptr);
  PhysicsWorld(const PhysicsWorld&) = delete;
  PhysicsWorld& operator=(const PhysicsWorld&) = delete;
  ~PhysicsWorld();

  /// Takes one step: applies the drives, advances by the basic time step, reads positions and finds
  /// the contacts of the next step. @throws Unstable if a body left the valid range, Overloaded if
  /// there is too much to solve; the world must then be restored or destroyed. @returns a joint
  /// that closes a loop but was found torn open, each once; -1 for none.
  int step();
  /// Holds the result of a step: what step() returns, or what it throws.
  struct StepOutcome {
    int torn_loop = -1;        ///< index of a joint; see step()
    std::exception_ptr error;  ///< null if the step was taken
    /// Trees that moved as with Integrator::Ode although Joint was chosen, each reason once.
    std::vector<NotInCoordinates> exceptions;
    std::vector<StepLoss> losses;  ///< joints that were found to lose something, each once
  };
  /// Takes a step of each of several worlds that were built from equal scenes with the same
  /// options. The results are those of step(). Trees of different worlds are solved together in
  /// lanes. There is one outcome per world, and an error in one world does not affect the others.
  static void step_together(std::span<PhysicsWorld* const> worlds, std::span<StepOutcome> outcomes);
  /// Returns whether a step threw Unstable or Overloaded or had no memory. Only restore() may
  /// follow.
  bool is_over() const;
  /// Returns a Solid whose pose or velocity the next step would not accept; -1 for none.
  int out_of_range() const;

  /// Sets PhysicsOptions::contact_forces from the next step on. This changes no state.
  void keep_contact_forces();

  /// Returns how often each solver was used; nothing with Solver::Ode.
  std::optional<SolverCounts> solver_counts() const;
  /// Returns how many islands of joints each solver gets without contacts; nothing if ODE solves
  /// all.
  std::optional<SolverCounts> islands_of_joints() const;

  // ---- components

  // References are valid until set_solid_pose(), restore() or restore_from() is called.

  Bodies& bodies() const;
  /// Writes the forces of the last step to the joints, and returns them.
  Joints& joints() const;
  Contacts& contacts() const;
  Attachments& attachments() const;
  KinematicMotion& kinematic_motion() const;

  // ---- joints; an index is that in the scene

  // In contrast to joints(), these functions do not write forces to the joints, so they cost
  // little.

  /// Returns the servo of a joint; null if its motor is not a servo. It keeps its address as long
  /// as the world exists.
  ServoState* servo(int joint) const;
  double joint_position(int joint) const;  ///< position of the endpoint [rad|m]
  double joint_velocity(int joint) const;  ///< [rad/s|m/s], as from Joints::measure()

  // ---- Solids with or without a body; an index is that in the scene

  Pose solid_pose(int solid) const;  ///< current pose in the world
  /// Returns the motion of the Solid's origin in the world's axes. It follows from the body that
  /// carries the Solid, or without one from the velocities of the Solid and of Solids above it.
  /// There is none if the Solid has neither.
  std::optional<PointMotion> solid_motion(int solid) const;
  /// Moves a Solid and everything below it to another pose in the world. Velocities do not change.
  /// The Solid must not be a part of the body of a Solid above. Positions of joints that move are
  /// read again.
  void set_solid_pose(int solid, const Pose& in_world);
  /// Sets the velocities and forces of a Solid and everything below it to 0; -1 means all Solids.
  void stop(int solid);
  /// Must be called after the motion of a Solid or of those below it was set, but by the functions
  /// above.
  void forget_steps(int solid);
  /// Returns a Solid and everything below it; -1 means all Solids.
  SolidRange branch_of(int solid) const;

  // ---- state

  /// Saves everything that changes while the world runs. A world into which restore() reads this
  /// continues bit for bit. Both worlds must be built from the same scene.
  void save(StateWriter& out) const;
  /// Restores a saved state. A world that is over then runs again.
  void restore(StateReader& in);
  /// Adds to a hash every body's pose and velocities, every joint's position and brake, and the
  /// poses and velocities of Solids that move without a body.
  void add_to_hash(Fnv1a& hash) const;
  /// Continues from the state of the world of an earlier scene, which must not be over. `match`
  /// relates the parts of both scenes.
  void restore_from(const PhysicsWorld& before, const SceneMatch& match);

 private:
  friend class WorldInLanes;
  struct Parts;
  /// Steps at most kMostTogether worlds.
  static void step_few(std::span<PhysicsWorld* const> worlds, std::span<StepOutcome> outcomes);
  /// Performs a phase of a step. An exception becomes the outcome's error. If the outcome has an
  /// error already, nothing is done.
  template <typename Action>
  void do_part(StepOutcome& outcome, Action action);
  /// Replaces all components by new ones for these poses. States of joints and propellers do not
  /// change. @throws OdeFailed, std::bad_alloc; the components are then the old ones
  void rebuild(std::vector<MovedSolid> moved);

  const Scene& scene_;
  PhysicsOptions options_;
  std::vector<JointState> joint_states_;          // sized once, since devices keep addresses
  std::vector<PropellerState> propeller_states_;  // sized once, since devices keep addresses
  std::unique_ptr<ServoStates> servo_states_;     // sized once, since devices keep addresses
  std::unique_ptr<Parts> parts_;
};

/// An Overloaded is thrown when the solver cannot or may not get the memory that it needs. what()
/// names the place and the amount.
class Overloaded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An Unstable is thrown when the body of `solid` has left the range in which ODE works.
class Unstable : public std::runtime_error {
 public:
  explicit Unstable(int which) : std::runtime_error("unstable"), solid(which) {}
  int solid;
};

}  // namespace servosim
