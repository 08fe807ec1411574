// SPDX-License-Identifier: Apache-2.0
#include "controller/server/supervisor/supervisor_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "base/limits.h"
#include "controller/protocol/protocol.h"
#include "controller/server/session.h"
#include "servosim/diagnostics.h"
#include "sim/node_states.h"

namespace servosim {

void refuse_what_is_too_large(double size) {
  constexpr double kMost = 5e8;
  if (size > kMost) {
    throw SupervisorRequestError(fmt::format(
        "called with {:g}: nothing beyond 5e8 m, m/s or rad/s can be simulated.", size));
  }
}

std::string first_message(const Diagnostics& diagnostics) {
  return diagnostics.errors() > 0     ? LoadError(diagnostics.list()).what()
         : diagnostics.list().empty() ? "the text holds no node."
                                      : to_string(diagnostics.list().front());
}

namespace {

bool may_be_tracked(const SupervisorRequest& request) {
  return request.period_ms >= 1 && (request.kind == SupervisorRequestKind::Pose ||
                                    request.kind == SupervisorRequestKind::Get ||
                                    request.kind == SupervisorRequestKind::Contacts);
}

}  // namespace

SupervisorServer::SupervisorServer(Simulation& simulation, const Robot& self,
                                   std::optional<SupervisorOrders>& orders)
    : simulation_(simulation),
      self_(self),
      orders_(orders),
      base_(simulation.world_file()),
      tree_(base_),
      live_(simulation) {}

void SupervisorServer::answer(const SupervisorRequest& request, Writer& writer) {
  try {
    for (std::size_t i = 0; i < request.count; ++i) {
      if (!std::isfinite(request.numbers[i])) {
        throw SupervisorRequestError(std::isnan(request.numbers[i])
                                         ? "called with a NaN value."
                                         : "called with an infinite value.");
      }
    }
    if (request.slot != 0 && !may_be_tracked(request)) {
      throw SupervisorRequestError("this cannot be tracked.");
    }
    find_answer(request);
    if (request.slot != 0) {
      track(request);
    }
    encode_supervisor_response(writer, response_);
  } catch (const std::exception& error) {
    encode_failure(writer, error.what());
  }
}

void SupervisorServer::find_answer(const SupervisorRequest& request) {
  response_ = {};
  text_.clear();
  read_ = {};
  follow_tree();
  if (!answer_about_fields(request) && !answer_about_nodes(request) &&
      !answer_about_motion(request)) {
    answer_about_run(request);
  }
}

void SupervisorServer::track(const SupervisorRequest& request) {
  std::erase_if(tracked_, [&](const Tracked& t) { return t.request.slot == request.slot; });
  const double now_ms = 1000.0 * simulation_.time();
  tracked_.push_back({request, now_ms});
  tracked_.back().request.text = tracked_.back().request.more = {};
}

// What cannot be answered any more, as its node was removed, is forgotten: a later request gets the
// reason. What finds no room comes with a later answer.
void SupervisorServer::write_tracked(Writer& writer, double now_ms) {
  std::erase_if(tracked_, [&](Tracked& tracked) {
    const bool waits =
        now_ms >= tracked.last_ms && !is_due(now_ms, tracked.last_ms + tracked.request.period_ms);
    if (waits || writer.size() > kMaxMessage / 4) {
      return false;
    }
    try {
      find_answer(tracked.request);
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

bool SupervisorServer::answer_about_fields(const SupervisorRequest& request) {
  switch (request.kind) {
    case SupervisorRequestKind::FindField:
    case SupervisorRequestKind::NthField:
    case SupervisorRequestKind::CountFields:
      find_field(request);
      return true;
    case SupervisorRequestKind::ActualField:
      actual_field(request);
      return true;
    case SupervisorRequestKind::CountItems:
      count_items(request);
      return true;
    case SupervisorRequestKind::Get:
      get(request);
      return true;
    case SupervisorRequestKind::Set:
    case SupervisorRequestKind::Insert:
      set(request);
      return true;
    case SupervisorRequestKind::RemoveItem:
      remove_item(request);
      return true;
    case SupervisorRequestKind::Import:
      import(request);
      return true;
    default:
      return false;
  }
}

bool SupervisorServer::answer_about_nodes(const SupervisorRequest& request) {
  switch (request.kind) {
    case SupervisorRequestKind::Self:
    case SupervisorRequestKind::FindDef:
    case SupervisorRequestKind::FindProtoDef:
    case SupervisorRequestKind::FindId:
    case SupervisorRequestKind::FindDevice:
    case SupervisorRequestKind::Parent:
      response_.integer = find(request);
      return true;
    case SupervisorRequestKind::Describe:
      describe(request);
      return true;
    case SupervisorRequestKind::DescribeProto:
      describe_proto(request);
      return true;
    case SupervisorRequestKind::Remove:
      remove(request);
      return true;
    case SupervisorRequestKind::Export:
      export_node(request);
      return true;
    case SupervisorRequestKind::RestartController:
      restart_controller(request);
      return true;
    default:
      return false;
  }
}

bool SupervisorServer::answer_about_motion(const SupervisorRequest& request) {
  if (request.kind < SupervisorRequestKind::SaveState ||
      request.kind > SupervisorRequestKind::Balance) {
    return false;
  }
  settle();
  switch (request.kind) {
    case SupervisorRequestKind::SaveState:
      save_state(request);
      break;
    case SupervisorRequestKind::LoadState:
      load_state(request);
      break;
    case SupervisorRequestKind::SetJointPosition:
      set_joint_position(request);
      break;
    case SupervisorRequestKind::Pose:
      pose(request);
      break;
    case SupervisorRequestKind::Velocity:
    case SupervisorRequestKind::SetVelocity:
      velocity(request);
      break;
    case SupervisorRequestKind::ResetPhysics:
      request.node == kNoNode ? simulation_.reset_physics()
                              : simulation_.reset_physics(solid(request));
      break;
    case SupervisorRequestKind::AddForce:
    case SupervisorRequestKind::AddTorque:
      push(request);
      break;
    case SupervisorRequestKind::CenterOfMass:
      tell(simulation_.center_of_mass(solid(request)));
      break;
    case SupervisorRequestKind::Contacts:
      contacts(request);
      break;
    default:
      response_.integer = simulation_.static_balance(solid(request)) ? 1 : 0;
  }
  return true;
}

void SupervisorServer::answer_about_run(const SupervisorRequest& request) {
  const auto orders = [this]() -> SupervisorOrders& {
    return orders_ ? *orders_ : orders_.emplace();
  };
  switch (request.kind) {
    case SupervisorRequestKind::LoadWorld:
      orders().load_world = std::string(request.text);
      break;
    case SupervisorRequestKind::Reload:
      orders().reload_world = true;
      break;
    case SupervisorRequestKind::Reset:
      orders().reset = true;
      break;
    case SupervisorRequestKind::SaveWorld:
      save_world(request);
      break;
    case SupervisorRequestKind::Untrack:
      std::erase_if(tracked_, [&](const Tracked& t) { return t.request.slot == request.index; });
      break;
    default:
      orders().labels.push_back({request.index, simulation_.time(), std::string(request.text),
                                 request.numbers[0], request.numbers[1], request.numbers[2],
                                 request.integer, request.numbers[3], std::string(request.more)});
  }
}

// The node asked about. A reference to what was removed is refused.
const wbt::TreeEntry& SupervisorServer::entry(const SupervisorRequest& request) const {
  const wbt::TreeEntry* found =
      request.node > 0 ? tree_.find(static_cast<Id>(request.node)) : nullptr;
  if (found == nullptr) {
    throw SupervisorRequestError(request.node == 0
                                     ? "called for the root node, which has none of this."
                                     : "called with an invalid 'node' argument: it was removed.");
  }
  return *found;
}

// Somebody else may have changed the tree meanwhile: what waits is done to the new one.
void SupervisorServer::follow_tree() {
  if (simulation_.world_file() == base_) {
    return;
  }
  base_ = simulation_.world_file();
  tree_.set_file(base_);
  const auto fails = [this](const Waiting& change) {
    try {
      tree_.apply(change.edits);
      return false;
    } catch (const std::exception& error) {
      lost_ = fmt::format("a change is lost, as another one came first: {}", error.what());
      return true;
    }
  };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), fails), waiting_.end());
}

void SupervisorServer::commit(wbt::Edits edits, bool has_effect, std::vector<Setting> settings) {
  const bool reads_nodes = edits.last_id > 0;
  if (edits.empty() && !reads_nodes) {
    return;
  }
  if (reads_nodes) {
    std::uint32_t& last = simulation_.node_states().last_id;
    last = edits.last_id = std::max({edits.last_id, last, base_->last_id});
  }
  if (!has_effect && waiting_.empty()) {
    tree_.apply(edits);
    base_ = tree_.file();
    return simulation_.replace_world_file(base_);
  }
  if (reads_nodes) {  // nobody else may use their numbers
    auto reserved = std::make_shared<wbt::WorldFile>(*base_);
    reserved->last_id = edits.last_id;
    base_ = std::move(reserved);
    simulation_.replace_world_file(base_);
  }
  tree_.apply(edits);
  waiting_.push_back({std::move(edits), std::move(settings)});
}

void SupervisorServer::settle() {
  follow_tree();
  if (!waiting_.empty()) {
    rebuild();
  }
  if (!lost_.empty()) {
    throw SupervisorRequestError(std::exchange(lost_, {}));
  }
}

void SupervisorServer::rebuild() {
  const std::vector<Waiting> changes = std::exchange(waiting_, {});
  try {
    simulation_.rebuild(tree_.file());
    base_ = simulation_.world_file();
    if (base_ != tree_.file()) {
      tree_.set_file(base_);
    }
    for (const Waiting& change : changes) {
      for (const Setting& setting : change.settings) {
        write_setting(simulation_, tree_, setting);
      }
    }
  } catch (const LoadError& error) {
    tree_.set_file(base_);
    throw SupervisorRequestError(fmt::format(
        "the world cannot be simulated with the changes since the last step; they are undone: {}",
        error.what()));
  } catch (...) {
    tree_.set_file(base_);
    throw;
  }
}

void SupervisorServer::tell(std::span<const double> numbers) {
  numbers_.assign(numbers.begin(), numbers.end());
  response_.numbers = std::as_bytes(std::span<const double>(numbers_));
}

}  // namespace servosim
