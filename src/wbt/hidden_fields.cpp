// SPDX-License-Identifier: Apache-2.0
#include "wbt/hidden_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
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

// Walks an instance in the order Webots counts in, and sets what it passes.
class Writer {
 public:
  explicit Writer(HiddenFields hidden) : hidden_(std::move(hidden)) {
    std::stable_sort(hidden_.begin(), hidden_.end(), before);
  }

  void visit(NodePtr& node, int upper_solid) {
    if (node->type->is_solid) {
      upper_solid = static_cast<int>(joints_of_.size());
      joints_of_.push_back(0);
      write_solid(node, upper_solid);
    } else if (is_joint(*node) && upper_solid >= 0) {
      write_joint(node, upper_solid, joints_of_[static_cast<std::size_t>(upper_solid)]++);
    }
    // In the order of the table: that of the file may differ.
    for (const FieldType* type : node->type->fields) {
      visit_field(node, type->name, upper_solid);
    }
  }

 private:
  void visit_field(NodePtr& node, std::string_view name, int upper_solid) {
    const Field* field = leads_to_solids(name) ? node->find(name) : nullptr;
    if (field == nullptr) {
      return;
    }
    const auto index = static_cast<std::size_t>(field - node->fields.data());
    Value& value = owned(node).fields[index].value;
    if (auto* single = std::get_if<NodePtr>(&value); single != nullptr && *single) {
      visit(*single, upper_solid);
    } else if (auto* list = std::get_if<std::vector<NodePtr>>(&value)) {
      for (NodePtr& child : *list) {
        visit(child, upper_solid);
      }
    }
  }

  void write_solid(NodePtr& node, int solid) {
    for (const HiddenField& h : those_of(solid, -1)) {
      write(node, h.field, h);
    }
  }

  // `position` belongs to jointParameters, `position2` to jointParameters2; without such a node
  // the joint itself keeps it.
  void write_joint(NodePtr& node, int solid, int joint) {
    for (const HiddenField& h : those_of(solid, joint)) {
      const std::string parameters =
          "jointParameters" + std::string(h.field.substr(std::string_view("position").size()));
      const Field* field = node->find(parameters);
      const NodePtr* target = field != nullptr ? std::get_if<NodePtr>(&field->value) : nullptr;
      if (target == nullptr || !*target) {
        write(node, h.field, h);
        continue;
      }
      const auto index = static_cast<std::size_t>(field - node->fields.data());
      write(std::get<NodePtr>(owned(node).fields[index].value), "position", h);
    }
  }

  static bool before(const HiddenField& a, const HiddenField& b) {
    return std::pair(a.solid, a.joint) < std::pair(b.solid, b.joint);
  }

  std::span<const HiddenField> those_of(int solid, int joint) const {
    HiddenField wanted;
    wanted.solid = solid;
    wanted.joint = joint;
    const auto [first, last] = std::equal_range(hidden_.begin(), hidden_.end(), wanted, before);
    return {first, last};
  }

  static void write(NodePtr& node, std::string_view field, const HiddenField& h) {
    const FieldType* type = node->type->field(field, node->version);
    if (type != nullptr) {
      set_field(owned(node), *type, h.where, h.value);
    }
  }

  HiddenFields hidden_;
  std::vector<int> joints_of_;  // joints met so far, by Solid
};

// Walks in the same order and only looks.
class Places {
 public:
  explicit Places(std::vector<HiddenPlace>& found) : found_(found) {}

  void visit(const Node& node, int upper_solid) {
    if (node.type->is_solid) {
      upper_solid = static_cast<int>(joints_of_.size());
      joints_of_.push_back(0);
      found_.push_back({&node, upper_solid, -1, {}});
    } else if (is_joint(node) && upper_solid >= 0) {
      add_joint(node, upper_solid, joints_of_[static_cast<std::size_t>(upper_solid)]++);
    }
    for (const FieldType* type : node.type->fields) {
      const Field* field = leads_to_solids(type->name) ? node.find(type->name) : nullptr;
      if (field == nullptr) {
        continue;
      }
      if (const auto* single = std::get_if<NodePtr>(&field->value); single != nullptr && *single) {
        visit(**single, upper_solid);
      } else if (const auto* list = std::get_if<std::vector<NodePtr>>(&field->value)) {
        std::for_each(list->begin(), list->end(),
                      [&](const NodePtr& child) { visit(*child, upper_solid); });
      }
    }
  }

 private:
  void add_joint(const Node& node, int solid, int joint) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSlots{{
        {"jointParameters", "position"},
        {"jointParameters2", "position2"},
        {"jointParameters3", "position3"},
    }};
    for (const auto& [slot, name] : kSlots) {
      const Field* field = node.find(slot);
      const auto* parameters = field != nullptr ? std::get_if<NodePtr>(&field->value) : nullptr;
      const bool has_some = parameters != nullptr && *parameters;
      found_.push_back({has_some ? parameters->get() : &node, solid, joint, name});
    }
  }

  std::vector<HiddenPlace>& found_;
  std::vector<int> joints_of_;
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
  if (root && !hidden.empty()) {
    Writer(hidden).visit(root, -1);
  }
}

std::vector<HiddenPlace> hidden_places(const Node& root) {
  std::vector<HiddenPlace> places;
  Places(places).visit(root, -1);
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
