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

bool may_be_tracked(const Ask& ask) {
  return ask.period_ms >= 1 &&
         (ask.kind == AskKind::Pose || ask.kind == AskKind::Get || ask.kind == AskKind::Contacts);
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

void SupervisorServer::answer(const Ask& ask, Writer& writer) {
  try {
    for (std::size_t i = 0; i < ask.count; ++i) {
      if (!std::isfinite(ask.numbers[i])) {
        throw SupervisorRequestError(std::isnan(ask.numbers[i]) ? "called with a NaN value."
                                                                : "called with an infinite value.");
      }
    }
    if (ask.slot != 0 && !may_be_tracked(ask)) {
      throw SupervisorRequestError("this cannot be tracked.");
    }
    find_answer(ask);
    if (ask.slot != 0) {
      track(ask);
    }
    encode_told(writer, told_);
  } catch (const std::exception& error) {
    encode_failure(writer, error.what());
  }
}

void SupervisorServer::find_answer(const Ask& ask) {
  told_ = {};
  text_.clear();
  read_ = {};
  follow_tree();
  if (!answer_about_fields(ask) && !answer_about_nodes(ask) && !answer_about_motion(ask)) {
    answer_about_run(ask);
  }
}

void SupervisorServer::track(const Ask& ask) {
  std::erase_if(tracked_, [&](const Tracked& t) { return t.ask.slot == ask.slot; });
  const double now_ms = 1000.0 * simulation_.time();
  tracked_.push_back({ask, now_ms});
  tracked_.back().ask.text = tracked_.back().ask.more = {};
}

// What cannot be answered any more, as its node was removed, is forgotten: who asks is told why.
// What finds no room comes with a later answer.
void SupervisorServer::write_tracked(Writer& writer, double now_ms) {
  std::erase_if(tracked_, [&](Tracked& tracked) {
    const bool waits =
        now_ms >= tracked.last_ms && !is_due(now_ms, tracked.last_ms + tracked.ask.period_ms);
    if (waits || writer.size() > kMaxMessage / 4) {
      return false;
    }
    try {
      find_answer(tracked.ask);
    } catch (const std::exception&) {
      return true;
    }
    tracked_text_.clear();
    encode_told_body(tracked_text_, told_);
    if (writer.size() + tracked_text_.size() <= kMaxMessage / 2) {
      tracked.last_ms = now_ms;
      encode_reading(
          writer, {tracked.ask.slot, ReadingKind::Tracked, {}, 0, as_text(tracked_text_.bytes())});
    }
    return false;
  });
}

bool SupervisorServer::answer_about_fields(const Ask& ask) {
  switch (ask.kind) {
    case AskKind::FindField:
    case AskKind::NthField:
    case AskKind::CountFields:
      find_field(ask);
      return true;
    case AskKind::ActualField:
      actual_field(ask);
      return true;
    case AskKind::CountItems:
      count_items(ask);
      return true;
    case AskKind::Get:
      get(ask);
      return true;
    case AskKind::Set:
    case AskKind::Insert:
      set(ask);
      return true;
    case AskKind::RemoveItem:
      remove_item(ask);
      return true;
    case AskKind::Import:
      import(ask);
      return true;
    default:
      return false;
  }
}

bool SupervisorServer::answer_about_nodes(const Ask& ask) {
  switch (ask.kind) {
    case AskKind::Self:
    case AskKind::FindDef:
    case AskKind::FindProtoDef:
    case AskKind::FindId:
    case AskKind::FindDevice:
    case AskKind::Parent:
      told_.integer = find(ask);
      return true;
    case AskKind::Describe:
      describe(ask);
      return true;
    case AskKind::DescribeProto:
      describe_proto(ask);
      return true;
    case AskKind::Remove:
      remove(ask);
      return true;
    case AskKind::Export:
      export_node(ask);
      return true;
    case AskKind::RestartController:
      restart_controller(ask);
      return true;
    default:
      return false;
  }
}

bool SupervisorServer::answer_about_motion(const Ask& ask) {
  if (ask.kind < AskKind::SaveState || ask.kind > AskKind::Balance) {
    return false;
  }
  settle();
  switch (ask.kind) {
    case AskKind::SaveState:
      save_state(ask);
      break;
    case AskKind::LoadState:
      load_state(ask);
      break;
    case AskKind::SetJointPosition:
      set_joint_position(ask);
      break;
    case AskKind::Pose:
      pose(ask);
      break;
    case AskKind::Velocity:
    case AskKind::SetVelocity:
      velocity(ask);
      break;
    case AskKind::ResetPhysics:
      ask.node == kNoNode ? simulation_.reset_physics() : simulation_.reset_physics(solid(ask));
      break;
    case AskKind::AddForce:
    case AskKind::AddTorque:
      push(ask);
      break;
    case AskKind::CenterOfMass:
      tell(simulation_.center_of_mass(solid(ask)));
      break;
    case AskKind::Contacts:
      contacts(ask);
      break;
    default:
      told_.integer = simulation_.static_balance(solid(ask)) ? 1 : 0;
  }
  return true;
}

void SupervisorServer::answer_about_run(const Ask& ask) {
  const auto orders = [this]() -> SupervisorOrders& {
    return orders_ ? *orders_ : orders_.emplace();
  };
  switch (ask.kind) {
    case AskKind::LoadWorld:
      orders().load_world = std::string(ask.text);
      break;
    case AskKind::Reload:
      orders().reload_world = true;
      break;
    case AskKind::Reset:
      orders().reset = true;
      break;
    case AskKind::SaveWorld:
      save_world(ask);
      break;
    case AskKind::Untrack:
      std::erase_if(tracked_, [&](const Tracked& t) { return t.ask.slot == ask.index; });
      break;
    default:
      orders().labels.push_back({ask.index, simulation_.time(), std::string(ask.text),
                                 ask.numbers[0], ask.numbers[1], ask.numbers[2], ask.integer,
                                 ask.numbers[3], std::string(ask.more)});
  }
}

// The node asked about. A reference to what was removed is refused.
const wbt::TreeEntry& SupervisorServer::entry(const Ask& ask) const {
  const wbt::TreeEntry* found = ask.node > 0 ? tree_.find(static_cast<Id>(ask.node)) : nullptr;
  if (found == nullptr) {
    throw SupervisorRequestError(ask.node == 0
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
  told_.numbers = std::as_bytes(std::span<const double>(numbers_));
}

}  // namespace servosim
