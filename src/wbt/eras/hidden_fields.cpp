// SPDX-License-Identifier: Apache-2.0
#include "wbt/eras/hidden_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace servosim::wbt {
namespace {

// Takes `_12` off the front of `text`.
std::optional<int> take_index(std::string_view& text) {
  int index = 0;
  if (text.size() < 2 || text[0] != '_' || text[1] < '0' || text[1] > '9') {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), index);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return index;
}

bool is_joint(const Node& node) { return node.type->field("jointParameters") != nullptr; }

// Only these lead to Solids; a boundingObject never does.
bool leads_to_solids(std::string_view field) {
  static constexpr std::array<std::string_view, 5> kFields{"children", "endPoint", "rotatingHead",
                                                           "fastHelix", "slowHelix"};
  return std::find(kFields.begin(), kFields.end(), field) != kFields.end();
}

const Value& value_of(const NodePtr&, const Field& field) { return field.value; }

// For writing: the node is copied if it is shared.
Value& value_of(NodePtr& node, const Field& field) {
  const auto index = static_cast<std::size_t>(&field - node->fields.data());
  return owned(node).fields[index].value;
}

// Walks an instance in the order Webots counts in. `Pointer` is a NodePtr, const to look only;
// visit(Pointer&, HiddenPlace) is called for each value that a hidden line could name.
template <class Pointer, class Visit>
class Walk {
 public:
  explicit Walk(const Visit& visit) : visit_(visit) {}

  void go(Pointer& node, int upper_solid = -1) {
    if (node->type->is_solid) {
      upper_solid = static_cast<int>(joints_of_.size());
      joints_of_.push_back(0);
      visit_solid(node, upper_solid);
    } else if (is_joint(*node) && upper_solid >= 0) {
      visit_joint(node, upper_solid, joints_of_[static_cast<std::size_t>(upper_solid)]++);
    }
    // In the order of the table: that of the file may differ.
    for (const FieldType* type : node->type->fields) {
      const Field* field = leads_to_solids(type->name) ? node->find(type->name) : nullptr;
      if (field != nullptr) {
        go_into(value_of(node, *field), upper_solid);
      }
    }
  }

 private:
  template <class V>
  void go_into(V& value, int upper_solid) {
    if (auto* single = std::get_if<NodePtr>(&value); single != nullptr && *single) {
      go(*single, upper_solid);
    } else if (auto* list = std::get_if<std::vector<NodePtr>>(&value)) {
      for (Pointer& child : *list) {
        go(child, upper_solid);
      }
    }
  }

  void visit_solid(Pointer& node, int solid) {
    for (const std::string_view name :
         {"translation", "rotation", "linearVelocity", "angularVelocity"}) {
      visit_(node, HiddenPlace{node.get(), solid, -1, name, name});
    }
  }

  // `position` belongs to jointParameters, `position2` to jointParameters2; without such a node
  // the joint itself keeps it.
  void visit_joint(Pointer& node, int solid, int joint) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSlots{{
        {"jointParameters", "position"},
        {"jointParameters2", "position2"},
        {"jointParameters3", "position3"},
    }};
    for (const auto& [slot, name] : kSlots) {
      const Field* field = node->find(slot);
      auto* parameters = field != nullptr ? std::get_if<NodePtr>(&value_of(node, *field)) : nullptr;
      if (parameters != nullptr && *parameters) {
        visit_(*parameters, HiddenPlace{parameters->get(), solid, joint, name, "position"});
      } else {
        visit_(node, HiddenPlace{node.get(), solid, joint, name, name});
      }
    }
  }

  const Visit& visit_;
  std::vector<int> joints_of_;  // joints met so far, by Solid
};

}  // namespace

std::optional<HiddenField> parse_hidden_name(std::string_view name) {
  using Kind = std::pair<std::string_view, ValueType>;
  static constexpr std::array<Kind, 7> kKinds{{
      {"translation", ValueType::SFVec3f},
      {"rotation", ValueType::SFRotation},
      {"linearVelocity", ValueType::SFVec3f},
      {"angularVelocity", ValueType::SFVec3f},
      {"position", ValueType::SFFloat},
      {"position2", ValueType::SFFloat},
      {"position3", ValueType::SFFloat},
  }};
  const std::string_view field = name.substr(0, name.find('_'));
  const auto kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) { return k.first == field; });
  if (kind == kKinds.end()) {
    return std::nullopt;
  }
  std::string_view rest = name.substr(field.size());
  const auto solid = take_index(rest);
  const bool of_joint = kind->second == ValueType::SFFloat;
  const auto joint = of_joint ? take_index(rest) : std::optional(-1);
  if (!solid || !joint || !rest.empty()) {
    return std::nullopt;
  }
  return HiddenField{kind->first, kind->second, *solid, *joint, {}, {}};
}

void apply_hidden(NodePtr& root, const HiddenFields& hidden) {
  if (!root || hidden.empty()) {
    return;
  }
  std::map<std::tuple<int, int, std::string_view>, const HiddenField*> by_place;
  for (const HiddenField& h : hidden) {
    by_place[{h.solid, h.joint, h.field}] = &h;
  }
  const auto set = [&](NodePtr& node, const HiddenPlace& place) {
    const auto found = by_place.find({place.solid, place.joint, place.name});
    const FieldType* type =
        found != by_place.end() ? node->type->field(place.field, node->version) : nullptr;
    if (type != nullptr) {
      set_field(owned(node), *type, found->second->where, found->second->value);
    }
  };
  Walk<NodePtr, decltype(set)>(set).go(root);
}

std::vector<HiddenPlace> hidden_places(const Node& root) {
  std::vector<HiddenPlace> places;
  const auto add = [&](const NodePtr&, const HiddenPlace& place) { places.push_back(place); };
  const NodePtr pointer(NodePtr(), &root);  // owns nothing
  Walk<const NodePtr, decltype(add)>(add).go(pointer);
  return places;
}

Node& owned(NodePtr& node) {
  if (node.use_count() > 1) {
    node = std::make_shared<Node>(*node);
  }
  return const_cast<Node&>(*node);  // made by make_shared<Node>
}

void set_field(Node& node, const FieldType& type, SourceLocation where, Value value) {
  const auto found = std::find_if(node.fields.begin(), node.fields.end(),
                                  [&](const Field& f) { return f.type->name == type.name; });
  if (found == node.fields.end()) {
    node.fields.push_back({&type, where, std::move(value)});
  } else {
    *found = {&type, where, std::move(value)};
  }
}

}  // namespace servosim::wbt
