// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "controller_api/server/supervisor/field_values.h"
#include "controller_api/server/supervisor/live_fields.h"
#include "controller_api/server/supervisor/tree_editor.h"
#include "servosim/simulation.h"
#include "wbt/world_file.h"

namespace servosim {

/// The requests of a supervisor that read the node tree: which nodes and fields there are, their
/// values, the parameters of PROTOs, and the tree as text.
///
/// Invariant: no query changes a node. A query for a value that the simulation has, and an export,
/// settle the pending edits.
class NodeQueries {
 public:
  /// All arguments must outlive the object. `self` is the supervisor.
  NodeQueries(Simulation& simulation, const Robot& self, TreeEditor& editor, LiveFields& live);

  /// Answers a request of the kinds Self to Get, Export or SaveWorld. @throws
  /// SupervisorRequestError
  void answer(const SupervisorRequest& request, OwnedResponse& response);

 private:
  std::int32_t find(const SupervisorRequest& request) const;
  void describe(const SupervisorRequest& request, OwnedResponse& response) const;
  void describe_proto(const SupervisorRequest& request, OwnedResponse& response) const;
  void find_field(const SupervisorRequest& request, OwnedResponse& response) const;
  void find_actual_field(const SupervisorRequest& request, OwnedResponse& response) const;
  std::int32_t count_items(const SupervisorRequest& request) const;
  void get(const SupervisorRequest& request, OwnedResponse& response);
  void export_node(const SupervisorRequest& request, OwnedResponse& response);
  void save_world(const SupervisorRequest& request);
  wbt::WorldFile present_world();

  Simulation& simulation_;
  const Robot& self_;
  TreeEditor& editor_;
  LiveFields& live_;
};

}  // namespace servosim
