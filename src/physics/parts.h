// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "physics/attachments.h"
#include "physics/bodies.h"
#include "physics/contacts/contacts.h"
#include "physics/joints/joints.h"
#include "physics/kinematic_motion.h"
#include "physics/ode/ode_rows.h"
#include "physics/ode_library.h"
#include "physics/physics_world.h"
#include "physics/solid_poses.h"
#include "physics/tree/trees.h"

namespace servosim {

/// The components of a PhysicsWorld. Each calls only those above it in this list; see the table in
/// docs/architecture.md. ODE's objects are created in this order.
struct PhysicsWorld::Parts {
  /// `like` are the components of another world of the scene with the same options. Data that never
  /// change are shared with them. May be null.
  Parts(const Scene& scene, Diagnostics& diagnostics, std::span<JointState> states,
        std::span<PropellerState> propellers, ServoStates& servos, const PhysicsOptions& options,
        const Parts* like, std::vector<MovedSolid> moved = {});

  // The three phases of a step. Trees::solve_in_lanes() comes between the first and the second.
  void begin_step();
  void keep_awake_what_works();
  void solve();
  int end_step();
  void solve_by_ode();
  /// Writes the forces of the last step to the joints. This costs time only if somebody asks for
  /// them.
  void write_efforts();
  void restore_counts_from(const Parts& before);
  /// Ends the world if a state is out of the range of ODE.
  /// @returns the square of the highest angular speed [rad²/s²]
  double check_in_range();
  /// See PhysicsWorld::out_of_range(). Raises `fastest_squared` as Bodies::out_of_range() does.
  int out_of_range(double& fastest_squared) const;
  /// See PhysicsWorld::restore_from().
  void restore_from(const Parts& before, const SceneMatch& match);
  void restore_bodies_from(const Parts& before, const SceneMatch& match);
  template <class Archive>
  void archive(Archive& archive);

  const Scene& scene;
  OdeWorld ode;
  Bodies bodies;
  SolidPoses poses;
  KinematicMotion kinematic;
  Joints joints;
  Attachments attachments;
  OdeRows ode_rows;
  std::optional<Trees> trees;  // without it, ODE solves all islands
  Contacts contacts;
};

}  // namespace servosim
