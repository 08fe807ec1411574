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

struct PhysicsOptions {
  /// Webots' explicit gyroscopic torque, which gains energy, instead of ODE's implicit one, which
  /// loses some: docs/explanation/deviations.md#gyroscopic-torque.
  bool explicit_gyroscopic = false;
  /// The solver's memory limit for one step [bytes]; it takes 16 to 20 for each pair of rows of the
  /// largest island, and a contact is three rows. 0: half of the memory there is, at most 16 GB.
  std::size_t step_memory = 0;
  Solver solver = Solver::Tree;
  Notices* notices = nullptr;   ///< receives warnings while the world runs; must outlive the world
  bool contact_forces = false;  ///< Contacts::forces() are known; changes no state
  LaneSet lanes = widest_lanes();  ///< of Solver::Tree
};

/// The motion of a scene in one ODE world: the order of a step, what concerns several parts at
/// once, and the parts. Contains no motors: devices write JointState::drive, and read position and
/// effort.
///
/// Invariants: states of joints and propellers keep their addresses for the life of the world. All
/// parts belong to one ODE world; they are replaced together, by set_solid_pose(), restore() and
/// restore_from(), so a reference to a part is good until one of these.
class PhysicsWorld {
 public:
  /// Builds everything. Impossible masses and shapes are replaced with a warning, as Webots does.
  /// The scene must outlive this. `like`: another world of the same scene and with the same
  /// options, with which this one shares what never changes, and whose warnings are not repeated;
  /// may be null.
  PhysicsWorld(const Scene& scene, Diagnostics& diagnostics, const PhysicsOptions& options = {},
               const PhysicsWorld* like = nullptr);
  PhysicsWorld(const PhysicsWorld&) = delete;
  PhysicsWorld& operator=(const PhysicsWorld&) = delete;
  ~PhysicsWorld();

  /// One step: applies the drives, advances by the basic time step, reads positions, finds the
  /// contacts of the next step. @throws Unstable when a body left the valid range, Overloaded when
  /// there is too much to solve; the world must then be restored or destroyed.
  /// @returns a joint that closes a loop but was found torn open, each once; -1 for none.
  int step();
  /// What a step came to: what step() returns, or has thrown.
  struct StepOutcome {
    int torn_loop = -1;
    std::exception_ptr error;
  };
  /// Takes a step of each of several worlds that were built from equal scenes with the same
  /// options, with the results of step(). Trees of different worlds are solved side by side.
  /// `outcomes`: of each.
  static void step_together(std::span<PhysicsWorld* const> worlds, std::span<StepOutcome> outcomes);
  /// It threw Unstable or Overloaded, or ran out of memory: only restore() may follow.
  bool is_over() const;
  /// A Solid that the next step would not accept where it is, or as fast as it is; -1: none.
  int out_of_range() const;

  /// From the next step on, as PhysicsOptions::contact_forces.
  void keep_contact_forces();

  /// How often each solver was asked; nothing with Solver::Ode.
  std::optional<SolverCounts> solver_counts() const;
  /// How many islands of joints each solver gets while nothing touches; nothing if ODE solves all.
  std::optional<SolverCounts> islands_of_joints() const;

  // ---- the parts

  Bodies& bodies() const;
  Joints& joints() const;
  Contacts& contacts() const;
  Attachments& attachments() const;
  KinematicMotion& kinematic_motion() const;

  // ---- joints; indices are those of the scene

  /// Without what joints() prepares for those who ask for efforts.
  double joint_position(int joint) const;  ///< [rad|m]
  double joint_velocity(int joint) const;  ///< as Joints::measure() gives it [rad/s|m/s]

  // ---- Solids, with a body or without; indices are those of the scene

  Pose solid_pose(int solid) const;  ///< in the world
  /// How the body that carries a Solid, its own or one above, or the velocities at and above it
  /// without one, move the Solid's origin; nothing where there are none.
  std::optional<PointMotion> solid_motion(int solid) const;
  /// Puts a Solid elsewhere, and what hangs below it along with it; velocities stay. Not for a part
  /// of the body of the Solid above. Positions of joints that it moves are read again.
  void set_solid_pose(int solid, const Pose& in_world);
  /// Sets the speeds and forces of a Solid and of all below it to 0; -1: of all.
  void stop(int solid);
  /// A Solid and all below it; all for -1.
  SolidRange branch_of(int solid) const;

  // ---- state

  /// Everything that changes while the world runs; restored, it runs on bit for bit. Only for
  /// worlds built from the same scene.
  void save(StateWriter& out) const;
  /// Also revives a world that is over.
  void restore(StateReader& in);
  /// Adds every body's pose and velocities, every joint's position and brake, and the places and
  /// velocities of what moves without a body to a hash.
  void add_to_hash(Fnv1a& hash) const;
  /// Continues where the world of an earlier scene was, which is not over.
  void restore_from(const PhysicsWorld& before, const SceneMatch& match);

 private:
  struct Parts;
  static void step_few(std::span<PhysicsWorld* const> worlds, std::span<StepOutcome> outcomes);
  template <typename Action>
  void do_part(StepOutcome& outcome, Action action);
  void rebuild(std::vector<MovedSolid> moved);

  const Scene& scene_;
  PhysicsOptions options_;
  std::vector<JointState> joint_states_;          // devices keep addresses: sized once
  std::vector<PropellerState> propeller_states_;  // likewise
  std::unique_ptr<Parts> parts_;
};

/// ODE cannot get the memory to solve the contacts, or may not: what() names place and amount.
class Overloaded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A body left the range in which ODE works: that of `solid`.
class Unstable : public std::runtime_error {
 public:
  explicit Unstable(int which) : std::runtime_error("unstable"), solid(which) {}
  int solid;
};

}  // namespace servosim
