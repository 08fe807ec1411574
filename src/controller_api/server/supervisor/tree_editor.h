// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controller_api/server/supervisor/field_edit.h"
#include "controller_api/server/supervisor/field_values.h"
#include "controller_api/server/supervisor/live_fields.h"
#include "controller_api/server/supervisor/simulated_parts.h"
#include "servosim/simulation.h"
#include "wbt/tree.h"

namespace servosim {

/// The edits of the node tree by one supervisor, as transactions. An edit is checked, applied to
/// the editor's tree, and classified. One without an effect on the simulation reaches the tree of
/// the simulation at once. One with an effect is pending until settle(), which rebuilds the world
/// once for all pending edits, or undoes all of them.
///
/// Invariants: base() is the simulation's tree, as of the last call of a function that is not const
/// (answer() begins with follow_simulation()). tree() is base() with the pending edits applied in
/// their order; without any it is base() itself. NodeStates::reserve_ids() reserves the numbers of
/// pending nodes, so that no other node gets them.
class TreeEditor {
 public:
  /// Both arguments must outlive the editor.
  TreeEditor(Simulation& simulation, LiveFields& live);

  const wbt::Tree& tree() const { return tree_; }
  const wbt::WorldFile& base() const { return *base_; }

  /// The node of a request. @throws SupervisorRequestError for the root and for a removed node
  const wbt::TreeEntry& entry(const SupervisorRequest& request) const;
  const wbt::Node& node(const SupervisorRequest& request) const { return *entry(request).node; }
  /// The field of a request, as the tree has it.
  /// @throws SupervisorRequestError for the root, for a removed node, and if there is no such field
  wbt::FieldView view(const SupervisorRequest& request) const;
  /// The present value of a field, or of the field that has its value from a parameter, if the
  /// simulation has it. Pending edits are settled first.
  std::optional<wbt::Value> live_value(const wbt::Node& node, wbt::FieldKey key);

  /// Takes over the tree of the simulation if another supervisor has changed it, and applies the
  /// pending edits to it. Edits that no longer apply are dropped; the next settle() reports one of
  /// them.
  void follow_simulation();
  /// Rebuilds the simulation with the pending edits.
  /// @throws SupervisorRequestError if it cannot be simulated with them, and undoes all of them;
  ///   also for an edit that follow_simulation() has dropped
  void settle();

  /// Answers a request that edits the tree: Set, Insert, RemoveItem, Import or Remove. Warnings go
  /// to the response.
  /// @throws SupervisorRequestError if the edit is refused; the tree is unchanged then
  void answer(const SupervisorRequest& request, OwnedResponse& response);
  /// Edits a field, and the parameters or the fields that are connected to it.
  /// @param arrivals  nodes that the edit inserts, as they were read
  void change(FieldEdit edit, OwnedResponse& response, wbt::Edits arrivals = {});
  /// Sets a field that holds no nodes as a whole, also inside of a PROTO.
  /// @throws SupervisorRequestError if it is refused, as for a value of another type; the tree is
  ///   unchanged then
  void set_whole(std::uint32_t node, wbt::FieldKey key, wbt::Value value, OwnedResponse& response);

 private:
  using Id = std::uint32_t;

  /// Edits of the tree that wait for the next rebuild, and the settings that the devices get then.
  struct PendingEdits {
    wbt::Edits edits;
    std::vector<Setting> settings;
  };

  // Requests.
  void set(const SupervisorRequest& request, OwnedResponse& response);
  void import_nodes(const SupervisorRequest& request, OwnedResponse& response);
  std::vector<wbt::NodePtr> read_nodes(const SupervisorRequest& request, wbt::Edits& arrivals,
                                       OwnedResponse& response);
  void check_accepted(const SupervisorRequest& request, const wbt::Node& node) const;
  void remove(const SupervisorRequest& request, OwnedResponse& response);
  void remove_item(const SupervisorRequest& request, OwnedResponse& response);
  void remove_from_top(Id id);
  bool checked_writable(const SupervisorRequest& request) const;
  bool may_be_live(const SupervisorRequest& request) const;
  bool is_pending(Id node) const { return !pending_.empty() && node > known_id_; }
  bool set_later(const SupervisorRequest& request);
  void set_late();

  // Consequences of an edit.
  void reinstantiate(const FieldEdit& edit, wbt::Edits arrivals);
  void change_parameters(const FieldEdit& edit, const wbt::FieldView& field,
                         const wbt::Connection& target, wbt::Edits& edits) const;
  void update_coupled_motors(Id motor, OwnedResponse& response);
  void set_coupled_limit(Id motor, std::string_view name, double value, wbt::Edits& edits,
                         OwnedResponse& response);
  void keep_places(const wbt::Node& node, const wbt::FieldType& field, wbt::Edits& edits);
  void keep_joint_places(Id id, wbt::Edits& edits);
  void keep_places_below(Id id, wbt::Edits& edits);
  void place_endpoint(const wbt::Node& joint, const wbt::FieldType& slot, const wbt::Value& value,
                      wbt::Edits& edits);

  SimulatedParts simulated() const { return {simulation_, tree_}; }

  // Transactions.
  wbt::WorldFile heading_with_all_numbers() const;
  void commit(wbt::Edits edits, bool has_effect, std::vector<Setting> settings = {});
  void rebuild();

  Simulation& simulation_;
  LiveFields& live_;
  std::shared_ptr<const wbt::WorldFile> base_;
  wbt::Tree tree_;
  std::vector<PendingEdits> pending_;
  std::vector<SupervisorRequest>
      // Poses and velocities of pending nodes, to be set when they are there.
      late_;
  Id known_id_ = 0;  // nodes with larger numbers come from pending edits
  // What was reported of stand-ins and missing looks of imports, each once.
  std::set<std::string> told_;
  std::string dropped_;  // why a pending edit was dropped; empty: none was
};

}  // namespace servosim
