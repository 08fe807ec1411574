// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "physics/attachments.h"
#include "physics/bodies.h"
#include "physics/contacts/contacts.h"
#include "physics/coupled_bodies.h"
#include "physics/gyroscopic_torques.h"
#include "physics/joints/joints.h"
#include "physics/kinematic_motion.h"
#include "physics/ode/ode_rows.h"
#include "physics/ode_library.h"
#include "physics/physics_world.h"
#include "physics/solid_poses.h"
#include "physics/step_losses.h"
#include "physics/tree/trees.h"

namespace servosim {

/// Holds the components of a PhysicsWorld. Each component calls only those above it in the list at
/// the end; see the table in docs/architecture.md. ODE's objects are created in this order.
///
/// Threads: one at a time for each object.
struct PhysicsWorld::Parts {
  /// `like` is null or the components of another world of the same scene with the same options,
  /// with which data that never change are shared. `moved` are poses that were set from outside, in
  /// the order of the Solids. @throws OdeFailed, std::bad_alloc
  Parts(const Scene& scene, Diagnostics& diagnostics, std::span<JointState> states,
        std::span<PropellerState> propellers, ServoStates& servos, const PhysicsOptions& options,
        const Parts* like, std::vector<MovedSolid> moved = {});

  // A step has three phases. Trees::solve_in_lanes() comes between the first and the second one.

  /// Prepares the step: contacts, motion without bodies, drives of joints, and sleep.
  /// @throws Unstable, Overloaded
  void begin_step();
  /// Wakes bodies that a motor, a spring, a damper or a belt moves, and what is connected with
  /// them.
  void keep_awake_what_works();
  /// Finds the forces and moves the bodies. @throws Overloaded, OdeStopped
  void solve();
  /// Reads positions and efforts, finds the contacts of the next step, and reports what people
  /// should know. @throws Unstable, Overloaded
  void end_step(StepOutcome& outcome);
  /// Lets ODE take the step of all bodies that are not hidden from it. @throws Overloaded,
  /// OdeStopped
  void solve_by_ode();
  /// Writes the forces of the last step to the joints. This costs time, so only callers that need
  /// them call it.
  void write_efforts();
  /// Takes over the counts of the solvers of the components that these replace.
  void restore_counts_from(const Parts& before);
  /// Ends the world if a state is out of the range of ODE. @returns the square of the highest
  /// angular speed [rad²/s²]. @throws Unstable
  double check_in_range();
  /// Does what PhysicsWorld::out_of_range() does, and raises `fastest_squared` as
  /// out_of_range() of bodies does.
  int out_of_range(double& fastest_squared) const;
  /// Does what PhysicsWorld::restore_from() does for the components.
  void restore_from(const Parts& before, const SceneMatch& match);
  /// Takes over poses, velocities and sleep of the bodies of the world before an edit.
  void restore_bodies_from(const Parts& before, const SceneMatch& match);
  /// Saves, restores or hashes the state of all components.
  template <class Archive>
  void archive(Archive& archive);

  const Scene& scene;
  OdeWorld ode;
  Bodies bodies;
  std::optional<GyroscopicTorques> gyroscopic_torques;  // without it, ODE adds its own
  SolidPoses poses;
  KinematicMotion kinematic;
  Joints joints;
  Attachments attachments;
  CoupledBodies coupled;
  OdeRows ode_rows;
  std::optional<Trees> trees;  // without it, ODE solves all islands
  Contacts contacts;
  std::optional<StepLosses> losses;  // with Integrator::Ode
};

}  // namespace servosim
