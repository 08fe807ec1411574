// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "controller_api/protocol/protocol.h"
#include "controller_api/server/supervisor/field_values.h"
#include "controller_api/server/supervisor/live_fields.h"
#include "controller_api/server/supervisor/motion_requests.h"
#include "controller_api/server/supervisor/node_queries.h"
#include "controller_api/server/supervisor/tree_editor.h"
#include "servosim/simulation.h"

namespace servosim {

struct RunRequests;

/// The simulation's end of the Supervisor functions of one controller: reads a request, passes it
/// to TreeEditor, NodeQueries or MotionRequests, and writes the response.
///
/// Invariant: each tracked request has a slot of its own, which is not 0.
class SupervisorServer {
 public:
  /// `self` is the supervisor. Requests to the run, such as one for another world, go to
  /// `run_requests`. All arguments must outlive the object.
  SupervisorServer(Simulation& simulation, const Robot& self,
                   std::optional<RunRequests>& run_requests);

  /// Writes the answer to a request: a SupervisorResponse, or a Failure.
  void answer(const SupervisorRequest& request, Writer& writer);
  /// Adds the responses to tracked requests that are due to the answer of a step, as readings.
  void write_tracked(Writer& writer, double now_ms);
  /// See TreeEditor::settle().
  void settle() { editor_.settle(); }

 private:
  /// A request whose response comes again with the answers of steps.
  struct Tracked {
    SupervisorRequest request;
    double last_ms;  // when it was sent last [ms]
  };

  void make_response(const SupervisorRequest& request);
  void track(const SupervisorRequest& request);
  void untrack(std::int32_t slot);
  void answer_about_run(const SupervisorRequest& request);
  void restart_controller(const SupervisorRequest& request);
  RunRequests& run_requests();

  Simulation& simulation_;
  const Robot& self_;
  std::optional<RunRequests>& run_requests_;
  LiveFields live_;
  TreeEditor editor_;
  NodeQueries queries_;
  MotionRequests motion_;
  std::vector<Tracked> tracked_;
  Writer tracked_text_;     // memory for write_tracked()
  OwnedResponse response_;  // the response to the present request
};

}  // namespace servosim
