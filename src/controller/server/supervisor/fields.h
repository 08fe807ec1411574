// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/server/supervisor/field_values.h"
#include "controller/server/supervisor/live_fields.h"
#include "controller/server/supervisor/tree_editor.h"
#include "servosim/simulation.h"
#include "wbt/tree.h"

namespace servosim {

/// A path has a name that nothing has; what() says which, and what has none of it.
class UnknownFieldName : public std::out_of_range {
 public:
  UnknownFieldName(const std::string& what, std::string name, std::vector<std::string> names)
      : std::out_of_range(what), name_(std::move(name)), names_(std::move(names)) {}
  const std::string& name() const { return name_; }
  const std::vector<std::string>& names() const { return names_; }  ///< that stand in its place

 private:
  std::string name_;
  std::vector<std::string> names_;
};

/// A field of a node of a simulation, or one item of a list.
struct FieldPlace {
  std::uint32_t node = 0;  ///< wbt::Node::id
  wbt::FieldKey key;
  wbt::ValueType type = wbt::ValueType::SFFloat;  ///< of the whole field
  std::optional<std::int32_t> item;               ///< from 0 on or, negative, from the end
};

/// The fields of a simulation's nodes by paths such as `ROBOT.ARM.physics.mass` or
/// `WorldInfo.contactProperties[0].bounce`, as one supervisor sees and edits them: an edit acts at
/// once.
///
/// A path begins with a node: by DEF names, of which each stands below the one before, or one on
/// the top level by its type or name where only one has that. Then come fields, of which all but
/// the last hold a node.
class Fields {
 public:
  /// `simulation` must outlive it.
  explicit Fields(Simulation& simulation) : simulation_(simulation), editor_(simulation, live_) {}
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  /// @throws UnknownFieldName, SupervisorRequestError for a path that leads nowhere
  FieldPlace find(std::string_view path);
  /// The names of the fields of a node. @throws likewise
  std::vector<std::string> names(std::string_view path);
  /// The present value. @throws SupervisorRequestError if there is no such item
  wbt::Value get(const FieldPlace& place);
  /// Sets the field or item, and rebuilds the simulation if it uses that. What is noteworthy goes
  /// to its notices.
  /// @param value  as the type of the place has it. @throws SupervisorRequestError if it cannot be
  ///   set or simulated; nothing has changed then
  void set(const FieldPlace& place, wbt::Value value);
  /// The same for a number of a node, which may stand inside of a PROTO.
  void set(std::uint32_t node, std::string_view field, double value);

 private:
  std::pair<std::uint32_t, std::size_t> find_node(const std::vector<std::string_view>& steps) const;
  std::uint32_t top_node(std::string_view step) const;
  FieldPlace find_field(std::uint32_t node, std::string_view step) const;
  std::uint32_t node_in(const FieldPlace& place, std::string_view step) const;
  std::vector<std::string> names_of(std::uint32_t node) const;
  const wbt::Node& node(std::uint32_t id) const { return *editor_.tree().find(id)->node; }
  void change(const FieldPlace& place, wbt::Value value, Internals internals);

  Simulation& simulation_;
  LiveFields live_{simulation_};
  TreeEditor editor_;
};

}  // namespace servosim
