// SPDX-License-Identifier: Apache-2.0
#include "wbt/saved_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "wbt/equal.h"
#include "wbt/hidden_fields.h"

namespace servosim::wbt {
namespace {

// What moves in the body of an instance, and which of it is whose.
class Instance {
 public:
  explicit Instance(const Node& root) : instance_(*root.instance), places_(hidden_places(root)) {
    for (const HiddenPlace& place : places_) {
      by_id_.emplace(place.node->id, place.node);
    }
    for (const Connection& c : instance_.connections) {
      if (c.field != nullptr) {
        connected_.emplace(c.node, c.field->name);
        if (moves(c.field->name)) {
          moving_.push_back(c);
        }
      }
    }
    sort_connections(moving_);
    for (const auto& value : instance_.given) {
      if (value) {
        note_given(*value);
      }
    }
  }

  // The value of a parameter as it is now.
  const Value& value(std::uint32_t parameter) const {
    const Value& given = instance_.value(parameter);
    for (const Connection& c : connections_of(moving_, parameter)) {
      const auto node = by_id_.find(c.node);
      const Field* field = node != by_id_.end() ? node->second->find(c.field->name) : nullptr;
      if (field != nullptr && field->value.index() == given.index()) {
        return field->value;
      }
    }
    return given;
  }

  void add_hidden(std::vector<WrittenLine>& lines) const {
    for (const HiddenPlace& place : places_) {
      if (given_.contains(place.node->id)) {
        continue;  // written with the parameter that has it
      }
      if (const Value* value = moved(*place.node, place.field)) {
        const std::string joint = place.joint < 0 ? "" : fmt::format("_{}", place.joint);
        lines.push_back({fmt::format("hidden {}_{}{}", place.name, place.solid, joint), value});
      }
    }
  }

 private:
  static bool moves(std::string_view field) {
    static constexpr std::array<std::string_view, 5> kOfSolids{
        "translation", "rotation", "linearVelocity", "angularVelocity", "battery"};
    return std::find(kOfSolids.begin(), kOfSolids.end(), field) != kOfSolids.end() ||
           field.starts_with("position");
  }

  void note_given(const Value& value) {
    if (const auto* node = std::get_if<NodePtr>(&value)) {
      note_given(*node);
    } else if (const auto* list = std::get_if<std::vector<NodePtr>>(&value)) {
      std::for_each(list->begin(), list->end(), [this](const NodePtr& n) { note_given(n); });
    }
  }

  void note_given(const NodePtr& node) {
    if (node && given_.insert(node->id).second) {
      for (const Field& field : node->fields) {
        note_given(field.value);
      }
    }
  }

  // A field that the PROTO's text did not set: a hidden line or the simulation did.
  const Value* moved(const Node& node, std::string_view name) const {
    const Field* field = node.find(name);
    const bool by_text = field == nullptr || field->where.file == text_of(node);
    return by_text || connected_.contains({node.id, name}) ? nullptr : &field->value;
  }

  // The file that the fields of a node were read from. The root of a built-in PROTO is said to
  // stand where its instance does; its boundingObject is where it was written.
  static std::uint32_t text_of(const Node& node) {
    const ProtoInstance* instance = node.instance.get();
    while (instance != nullptr && instance->base) {
      instance = instance->base.get();
    }
    const bool built_in = instance != nullptr && instance->interface->path.empty();
    return (built_in ? node.where_of("boundingObject") : node.where).file;
  }

  const ProtoInstance& instance_;
  std::vector<HiddenPlace> places_;
  std::unordered_map<std::uint32_t, const Node*> by_id_;
  std::set<std::pair<std::uint32_t, std::string_view>> connected_;
  std::vector<Connection> moving_;           // of fields that move, by parameter
  std::unordered_set<std::uint32_t> given_;  // nodes among the values of parameters
};

}  // namespace

std::vector<WrittenLine> instance_lines(const Node& node) {
  const Instance instance(node);
  const ProtoInterface& interface = *node.instance->interface;
  std::vector<WrittenLine> lines;
  for (std::uint32_t i = 0; i < interface.fields.size(); ++i) {
    const Value& value = instance.value(i);
    if (!equal(value, interface.fields[i].default_value)) {
      lines.push_back({interface.fields[i].name, &value});
    }
  }
  instance.add_hidden(lines);
  return lines;
}

}  // namespace servosim::wbt
