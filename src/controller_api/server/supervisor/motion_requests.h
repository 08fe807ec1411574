// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/report_once.h"
#include "controller_api/server/supervisor/field_values.h"
#include "controller_api/server/supervisor/live_fields.h"
#include "controller_api/server/supervisor/tree_editor.h"
#include "servosim/simulation.h"
#include "sim/node_states.h"

namespace servosim {

/// The requests of a supervisor about motion: poses, velocities, forces and contacts of Solids,
/// positions of joints, states that are saved under names, and what sensors of pictures see. Units
/// are SI, and the frame is the world.
///
/// Invariant: when a request is answered, no edit of the tree is pending, so node numbers of the
/// tree are those of the simulation.
class MotionRequests {
 public:
  /// All arguments must outlive the object.
  MotionRequests(Simulation& simulation, TreeEditor& editor, LiveFields& live);

  /// Answers a request of the kinds SaveState to Balance, except for RestartController, and
  /// SetVisibility. Pending
  /// edits are settled first.
  /// @throws SupervisorRequestError
  void answer(const SupervisorRequest& request, OwnedResponse& response);

 private:
  using Id = std::uint32_t;

  int solid(const SupervisorRequest& request);
  void pose(const SupervisorRequest& request, OwnedResponse& response);
  void velocity(const SupervisorRequest& request, OwnedResponse& response);
  void set_velocity(const SupervisorRequest& request);
  void reset_physics(const SupervisorRequest& request);
  void add_force(const SupervisorRequest& request);
  void set_visibility(const SupervisorRequest& request);
  void contacts(const SupervisorRequest& request, OwnedResponse& response);
  void set_joint_position(const SupervisorRequest& request, OwnedResponse& response);
  double within_stops(int joint, double position, OwnedResponse& response);
  void hold_joint(int joint, double position);

  void save_state(const SupervisorRequest& request);
  void load_state(const SupervisorRequest& request, OwnedResponse& response);
  bool is_below(Id node, Id ancestor) const;
  NodeState state_below(const NodeState& all, Id node) const;
  NodeState initial_state_below(Id node);
  void restore(const NodeState& state, Id node, OwnedResponse& response);
  void restore_poses(const NodeState& state, OwnedResponse& response);
  void restore_devices(const NodeState& state, Id node);

  Simulation& simulation_;
  TreeEditor& editor_;
  LiveFields& live_;
  ReportOnce<Id> forces_refused_;  // the nodes for which it was reported that no force moves them
};

}  // namespace servosim
