// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "controller/protocol/requests.h"
#include "controller/server/field_values.h"
#include "controller/server/live_fields.h"
#include "servosim/simulation.h"
#include "wbt/tree.h"
#include "wbt/tree_rewrite.h"

namespace servosim {

struct NodeState;
struct SupervisorOrders;

/// What a supervisor asked for and cannot have; what() follows `Error: wb_supervisor_x(): `.
class SupervisorRequestError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A position or velocity that large would end the run at the next step. @throws
/// SupervisorRequestError
void refuse_what_is_too_large(double size);

/// Why a text could not be read.
std::string first_message(const Diagnostics& diagnostics);

/// A change of one field. Of a list only the item, so that what others do to it meanwhile stays.
struct FieldEdit {
  std::uint32_t node = 0;
  wbt::FieldKey key;
  Change how = Change::Set;
  bool whole = false;  ///< the field gets `value`; else the item at `index` is set, comes or goes
  std::int32_t index = 0;
  wbt::Value value{};      ///< of the field or of the item; a list of nodes: all come in here
  std::uint32_t gone = 0;  ///< the node that goes, or 0
};

/// Changes of the tree that wait for the next time the world is made, and what follows from them.
struct Waiting {
  wbt::Edits edits;
  std::vector<Setting> settings;
};

/// The simulation's end of the Supervisor functions of one controller.
///
/// Changes of the tree are collected; the world is made anew once, before the next step or the next
/// question that physics answers.
class SupervisorServer {
 public:
  /// `self` is the supervisor; what is left for whoever runs the simulation goes to `orders`.
  SupervisorServer(Simulation& simulation, const Robot& self,
                   std::optional<SupervisorOrders>& orders);

  /// Writes the answer: SupervisorResponse, or a Failure.
  void answer(const SupervisorRequest& request, Writer& writer);
  /// Adds what is tracked, as far as it is due, to the answer of a step.
  void write_tracked(Writer& writer, double now_ms);
  /// Lets the collected changes reach the simulation. @throws SupervisorRequestError if it cannot
  /// be simulated so; all of them are undone then
  void settle();

 private:
  using Id = std::uint32_t;

  /// A question whose answer comes along with those of steps.
  struct Tracked {
    SupervisorRequest request;
    double last_ms;  // when it came last
  };

  // supervisor_server.cpp
  void find_answer(const SupervisorRequest& request);
  void track(const SupervisorRequest& request);
  bool answer_about_nodes(const SupervisorRequest& request);
  bool answer_about_fields(const SupervisorRequest& request);
  bool answer_about_motion(const SupervisorRequest& request);
  void answer_about_run(const SupervisorRequest& request);
  void follow_tree();
  void rebuild();
  void commit(wbt::Edits edits, bool has_effect, std::vector<Setting> settings = {});
  const wbt::TreeEntry& entry(const SupervisorRequest& request) const;
  const wbt::Node& node(const SupervisorRequest& request) const { return *entry(request).node; }

  // node_queries.cpp: nodes
  std::int32_t find(const SupervisorRequest& request) const;
  void describe(const SupervisorRequest& request);
  void describe_proto(const SupervisorRequest& request);
  void export_node(const SupervisorRequest& request);
  void save_world(const SupervisorRequest& request);
  void restart_controller(const SupervisorRequest& request);
  wbt::WorldFile present_world();
  void note_live(Id id, std::string_view name, wbt::Edits& edits);
  void note_parameters(Id id, const wbt::FieldType& field, const wbt::Value& value,
                       wbt::Edits& edits) const;
  void note_positions(Id joint, wbt::Edits& edits);

  // node_queries.cpp: fields
  void find_field(const SupervisorRequest& request);
  void actual_field(const SupervisorRequest& request);
  static wbt::FieldKey key_of(const SupervisorRequest& request) {
    return {request.level, request.field};
  }
  wbt::FieldView view(const SupervisorRequest& request) const;
  std::optional<wbt::Value> live_value(const wbt::Node& node, wbt::FieldKey key);
  void count_items(const SupervisorRequest& request);
  void get(const SupervisorRequest& request);
  void set(const SupervisorRequest& request);
  bool writes_live(const SupervisorRequest& request) const;

  // tree_editor.cpp: nodes that come and go
  void import(const SupervisorRequest& request);
  std::vector<wbt::NodePtr> read_nodes(const SupervisorRequest& request);
  void check_accepted(const SupervisorRequest& request, const wbt::Node& made) const;
  void remove(const SupervisorRequest& request);
  void remove_item(const SupervisorRequest& request);
  void remove_from_top(Id id);

  // tree_editor.cpp: edits of fields
  void change(FieldEdit edit);
  void change_parameters(const FieldEdit& edit, const wbt::FieldView& field,
                         const wbt::Connection& target, wbt::Edits& edits) const;
  void impose(Id id);
  void put(Id id, std::string_view name, double value, wbt::Edits& edits);
  void check(const wbt::Node& node, const wbt::FieldType& field, wbt::Value& value);
  void make_again(const FieldEdit& edit);
  wbt::WorldFile world_to_read_for() const;
  void keep_place(const wbt::Node& node, std::string_view field, wbt::Edits& edits);
  void keep_places_below(Id id, wbt::Edits& edits);

  // tree_editor.cpp: the effect of an edit
  bool is_made_of(const wbt::Node& node) const;
  bool is_made_of(const std::vector<wbt::NodePtr>& before,
                  const std::vector<wbt::NodePtr>& after) const;
  bool has_effect(const wbt::TreeEntry& entry, const wbt::FieldType& field,
                  const wbt::Value& value) const;
  void place_endpoint(const wbt::Node& joint, const wbt::FieldType& slot, const wbt::Value& value,
                      wbt::Edits& edits);

  // motion_requests.cpp
  int solid(const SupervisorRequest& request);
  void pose(const SupervisorRequest& request);
  void velocity(const SupervisorRequest& request);
  void push(const SupervisorRequest& request);
  void contacts(const SupervisorRequest& request);
  void set_joint_position(const SupervisorRequest& request);
  double within_stops(int joint, double position);
  void hold_joint(int joint, double position);
  NodeState below(const NodeState& all, Id node) const;
  void restore(const NodeState& state, Id id);
  void restore_poses(const NodeState& state);
  void restore_devices(const NodeState& state, Id id);
  void restart_device(const Device& device);
  NodeState start_below(Id id);
  void save_state(const SupervisorRequest& request);
  void load_state(const SupervisorRequest& request);

  void tell(std::span<const double> numbers);
  void tell(const Vec3& v) { tell(std::array{v.x, v.y, v.z}); }

  Simulation& simulation_;
  const Robot& self_;
  std::optional<SupervisorOrders>& orders_;
  std::shared_ptr<const wbt::WorldFile> base_;  // the simulation's tree
  wbt::Tree tree_;                              // with the changes that wait
  std::vector<Waiting> waiting_;
  std::string lost_;             // why one of them could not be done to the tree as it then was
  wbt::Edits read_;              // what comes with nodes read for the change that is being made
  std::set<Id> forces_refused_;  // nodes of which was said that no force moves them
  LiveFields live_;
  std::vector<Tracked> tracked_;
  Writer tracked_text_;  // scratch of write_tracked()

  // Of the answer that is being made.
  SupervisorResponse response_;
  std::vector<double> numbers_;
  std::string text_;
  wbt::Value value_;
};

}  // namespace servosim
