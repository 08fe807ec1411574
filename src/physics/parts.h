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

/// The parts of a PhysicsWorld. A part calls those above it in this list, never those below;
/// docs/architecture.md has the table. ODE's objects are made in this order.
struct PhysicsWorld::Parts {
  /// `like`: of another world of the scene with the same options, with which these share what never
  /// changes; may be null.
  Parts(const Scene& scene, Diagnostics& diagnostics, std::span<JointState> states,
        std::span<PropellerState> propellers, const PhysicsOptions& options, const Parts* like,
        std::vector<MovedSolid> moved = {});

  // A step in three parts; Trees::solve_in_lanes() comes after the first.
  void begin_step();
  void keep_awake_what_works();
  void solve();
  int end_step();
  void solve_by_ode();
  /// What joints read of the last step's forces; costs only where somebody asks.
  void write_efforts();
  void restore_counts_from(const Parts& before);
  /// Ends the world if a state is beyond what ODE can take. @returns the square of the fastest spin
  double check_in_range();
  int out_of_range(double& fastest_squared) const;
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
  std::optional<Trees> trees;  // without, ODE solves all
  Contacts contacts;
};

}  // namespace servosim
