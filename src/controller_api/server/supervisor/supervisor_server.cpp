// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/supervisor/supervisor_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

#include "base/assert.h"
#include "base/limits.h"
#include "controller_api/server/session.h"
#include "scene/scene.h"
#include "sim/world_control.h"

namespace servosim {
namespace {

bool may_be_tracked(const SupervisorRequest& request) {
  return request.period_ms >= 1 && (request.kind == SupervisorRequestKind::Pose ||
                                    request.kind == SupervisorRequestKind::Get ||
                                    request.kind == SupervisorRequestKind::Contacts);
}

void check_numbers(const SupervisorRequest& request) {
  for (std::size_t i = 0; i < request.count; ++i) {
    if (!std::isfinite(request.numbers[i])) {
      throw SupervisorRequestError(std::isnan(request.numbers[i])
                                       ? "called with a NaN value."
                                       : "called with an infinite value.");
    }
  }
}

}  // namespace

SupervisorServer::SupervisorServer(Simulation& simulation, const Robot& self,
                                   std::optional<RunRequests>& run_requests)
    : simulation_(simulation),
      self_(self),
      run_requests_(run_requests),
      live_(simulation),
      editor_(simulation, live_),
      queries_(simulation, self, editor_, live_),
      motion_(simulation, editor_, live_) {}

void SupervisorServer::answer(const SupervisorRequest& request, Writer& writer) {
  try {
    check_numbers(request);
    if (request.slot != 0 && !may_be_tracked(request)) {
      throw SupervisorRequestError("this cannot be tracked.");
    }
    make_response(request);
    if (request.slot != 0) {
      track(request);
    }
    encode_supervisor_response(writer, response_);
  } catch (const std::exception& error) {
    encode_failure(writer, error.what());
  }
}

void SupervisorServer::make_response(const SupervisorRequest& request) {
  response_.clear();
  editor_.follow_simulation();
  switch (topic_of(request.kind)) {
    case RequestTopic::Query:
      return queries_.answer(request, response_);
    case RequestTopic::Edit:
      return editor_.answer(request, response_);
    case RequestTopic::Motion:
      return motion_.answer(request, response_);
    case RequestTopic::Run:
      return answer_about_run(request);
  }
}

void SupervisorServer::track(const SupervisorRequest& request) {
  untrack(request.slot);
  const double now_ms = 1000.0 * simulation_.time();
  tracked_.push_back({request, now_ms});
  tracked_.back().request.text = tracked_.back().request.more = {};
}

void SupervisorServer::untrack(std::int32_t slot) {
  std::erase_if(tracked_, [slot](const Tracked& t) { return t.request.slot == slot; });
}

// A request that fails because its node was removed is no longer tracked, so that a later equal
// request gets the error. A response that does not fit into this answer is sent with a later one.
void SupervisorServer::write_tracked(Writer& writer, double now_ms) {
  std::erase_if(tracked_, [&](Tracked& tracked) {
    SERVOSIM_ASSERT(tracked.request.slot != 0, "a tracked request {} without a slot",
                    name_of(tracked.request.kind));
    const bool waits =
        now_ms >= tracked.last_ms && !is_due(now_ms, tracked.last_ms + tracked.request.period_ms);
    if (waits || writer.size() > kMaxMessage / 4) {
      return false;
    }
    try {
      make_response(tracked.request);
    } catch (const std::exception&) {
      return true;
    }
    tracked_text_.clear();
    encode_supervisor_response_body(tracked_text_, response_);
    if (writer.size() + tracked_text_.size() <= kMaxMessage / 2) {
      tracked.last_ms = now_ms;
      encode_reading(
          writer,
          {tracked.request.slot, ReadingKind::Tracked, {}, 0, as_text(tracked_text_.bytes())});
    }
    return false;
  });
}

RunRequests& SupervisorServer::run_requests() {
  return run_requests_ ? *run_requests_ : run_requests_.emplace();
}

void SupervisorServer::answer_about_run(const SupervisorRequest& request) {
  switch (request.kind) {
    case SupervisorRequestKind::LoadWorld:
      run_requests().load_world = std::string(request.text);
      return;
    case SupervisorRequestKind::Reload:
      run_requests().reload_world = true;
      return;
    case SupervisorRequestKind::Reset:
      run_requests().reset = true;
      return;
    case SupervisorRequestKind::RestartController:
      return restart_controller(request);
    case SupervisorRequestKind::Untrack:
      return untrack(request.index);
    case SupervisorRequestKind::ExportImage:
      return WorldControl(simulation_)
          .keep_missing({Missing::Pictures,
                         fmt::format("the picture that robot '{}' exports", self_.name()),
                         "nothing is drawn, and no file is written"});
    default:
      SERVOSIM_ASSERT(request.kind == SupervisorRequestKind::Label, "request {} is not of the run",
                      name_of(request.kind));
      run_requests().labels.push_back({request.index, simulation_.time(), std::string(request.text),
                                       request.numbers[0], request.numbers[1], request.numbers[2],
                                       request.integer, request.numbers[3],
                                       std::string(request.more)});
  }
}

void SupervisorServer::restart_controller(const SupervisorRequest& request) {
  editor_.settle();
  const std::uint32_t node = editor_.node(request).id;
  for (int i = 0; i < simulation_.robots().size(); ++i) {
    Robot& robot = simulation_.robot(i);
    if (robot.index() >= 0 && robot.spec().node == node) {
      run_requests().restart_controllers.push_back(&robot);
      return;
    }
  }
  throw SupervisorRequestError("the node is no Robot.");
}

}  // namespace servosim
