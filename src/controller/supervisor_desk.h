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

#include "controller/ask.h"
#include "controller/live_fields.h"
#include "servosim/simulation.h"
#include "wbt/tree.h"
#include "wbt/tree_fields.h"

namespace servosim {

struct NodeState;
struct SupervisorOrders;

/// What a supervisor asked for and cannot have; what() follows `Error: wb_supervisor_x(): `.
class AskError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The simulation's end of the Supervisor functions of one controller.
///
/// Changes of the tree are collected; the world is made anew once, before the next step or the next
/// question that physics answers.
class SupervisorDesk {
 public:
  /// `self` is the supervisor; what is left for whoever runs the simulation goes to `orders`.
  SupervisorDesk(Simulation& simulation, const Robot& self,
                 std::optional<SupervisorOrders>& orders);

  /// Writes the answer: Told, or a Failure.
  void answer(const Ask& ask, Writer& writer);
  /// Lets the collected changes reach the simulation. @throws AskError if it cannot be simulated
  /// so; all of them are undone then
  void settle();

 private:
  using Id = std::uint32_t;
  /// A change of one field.
  struct FieldEdit {
    Id node;
    wbt::FieldKey key;
    wbt::Value value;
  };

  // supervisor_desk.cpp
  bool answer_about_nodes(const Ask& ask);
  bool answer_about_fields(const Ask& ask);
  bool answer_about_motion(const Ask& ask);
  void answer_about_run(const Ask& ask);
  void follow_tree();
  void commit(const wbt::Edits& edits, bool has_effect);
  void commit(const wbt::Edits& edits, std::uint32_t last_id, bool has_effect);
  const wbt::TreeEntry& entry(const Ask& ask) const;
  const wbt::Node& node(const Ask& ask) const { return *entry(ask).node; }

  // desk_nodes.cpp
  std::int32_t find(const Ask& ask) const;
  void describe(const Ask& ask);
  void describe_proto(const Ask& ask);
  void remove(const Ask& ask);
  void export_node(const Ask& ask);
  void save_world(const Ask& ask);
  void restart_controller(const Ask& ask);
  wbt::WorldFile present_world();
  void note_live(Id id, std::string_view name, wbt::Edits& edits);
  void note_positions(Id joint, wbt::Edits& edits);

  // desk_fields.cpp
  void find_field(const Ask& ask);
  void actual_field(const Ask& ask);
  wbt::FieldView view(const Ask& ask) const;
  std::optional<wbt::Value> live_value(const wbt::Node& node, wbt::FieldKey key);
  void count_items(const Ask& ask);
  void get(const Ask& ask);
  void set(const Ask& ask);
  void remove_item(const Ask& ask);
  void import(const Ask& ask);
  bool writes_live(const Ask& ask) const;
  void change(FieldEdit edit);
  void make_again(const FieldEdit& edit);
  wbt::WorldFile world_to_read_for() const;
  void keep_place(const wbt::Node& node, std::string_view field, wbt::Edits& edits);
  void keep_places_below(Id id, wbt::Edits& edits);

  // desk_effect.cpp
  bool is_made_of(const wbt::Node& node) const;
  bool is_made_of(const std::vector<wbt::NodePtr>& before,
                  const std::vector<wbt::NodePtr>& after) const;
  bool has_effect(const wbt::TreeEntry& entry, const wbt::FieldType& field,
                  const wbt::Value& value) const;
  void place_endpoint(const wbt::Node& joint, const wbt::FieldType& slot, const wbt::Value& value,
                      wbt::Edits& edits);
  void leave_joint(const wbt::TreeEntry& parameters, wbt::Edits& edits);

  // desk_motion.cpp
  int solid(const Ask& ask);
  void pose(const Ask& ask);
  void velocity(const Ask& ask);
  void push(const Ask& ask);
  void say_idle(const Ask& ask, const char* why);
  void contacts(const Ask& ask);
  void set_joint_position(const Ask& ask);
  void hold_joint(int joint, double position);
  NodeState below(const NodeState& all, Id node) const;
  void restore(const NodeState& state);
  void save_state(const Ask& ask);
  void load_state(const Ask& ask);

  void tell(std::span<const double> numbers);
  void tell(const Vec3& v) { tell(std::array{v.x, v.y, v.z}); }

  Simulation& simulation_;
  const Robot& self_;
  std::optional<SupervisorOrders>& orders_;
  std::shared_ptr<const wbt::WorldFile> base_;  // the simulation's tree
  wbt::Tree tree_;                              // with the changes that wait
  std::vector<wbt::Edits> waiting_;
  std::uint32_t last_id_ = 0;     // of nodes read for the change that is being made, or 0
  std::uint32_t highest_id_ = 0;  // of nodes read by this desk
  // Nodes of which was said that a velocity, or a force (true), does nothing.
  std::set<std::pair<Id, bool>> idle_;
  LiveFields live_;

  // Of the answer that is being made.
  Told told_;
  std::vector<double> numbers_;
  std::string text_;
  wbt::Value value_;
};

}  // namespace servosim
