// SPDX-License-Identifier: Apache-2.0
#include "wbt/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "wbt/proto/proto.h"
#include "wbt/values.h"

namespace servosim::wbt {

void sort_connections(std::vector<Connection>& connections) {
  std::stable_sort(
      connections.begin(), connections.end(),
      [](const Connection& a, const Connection& b) { return a.parameter < b.parameter; });
}

std::span<const Connection> connections_of(std::span<const Connection> sorted,
                                           std::uint32_t parameter) {
  struct Less {
    bool operator()(const Connection& c, std::uint32_t p) const { return c.parameter < p; }
    bool operator()(std::uint32_t p, const Connection& c) const { return p < c.parameter; }
  };
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), parameter, Less());
  return {first, last};
}

const Field* Node::find(std::string_view field_name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& f) { return f.type->name == field_name; });
  return found == fields.end() ? nullptr : &*found;
}

SourceLocation Node::where_of(std::string_view field_name) const {
  const Field* field = find(field_name);
  return field != nullptr ? field->where : where;
}

const Value& Node::value(std::string_view field_name) const {
  if (const Field* field = find(field_name)) {
    return field->value;
  }
  const FieldType* row = type->field(field_name, version);
  if (row == nullptr) {
    throw std::out_of_range(fmt::format("node type {} has no field '{}'", type->name, field_name));
  }
  return default_value(*row);
}

bool Node::boolean(std::string_view field_name) const { return std::get<bool>(value(field_name)); }

std::int32_t Node::integer(std::string_view field_name) const {
  return std::get<std::int32_t>(value(field_name));
}

double Node::number(std::string_view field_name) const {
  return std::get<double>(value(field_name));
}

const std::string& Node::string(std::string_view field_name) const {
  return std::get<std::string>(value(field_name));
}

Vec3 Node::vec3(std::string_view field_name) const { return std::get<Vec3>(value(field_name)); }

AxisAngle Node::rotation(std::string_view field_name) const {
  return std::get<AxisAngle>(value(field_name));
}

const NodePtr& Node::node(std::string_view field_name) const {
  return std::get<NodePtr>(value(field_name));
}

const std::vector<NodePtr>& Node::nodes(std::string_view field_name) const {
  return std::get<std::vector<NodePtr>>(value(field_name));
}

const std::vector<double>& Node::numbers(std::string_view field_name) const {
  return std::get<std::vector<double>>(value(field_name));
}

const std::vector<std::int32_t>& Node::integers(std::string_view field_name) const {
  return std::get<std::vector<std::int32_t>>(value(field_name));
}

const std::vector<std::string>& Node::strings(std::string_view field_name) const {
  return std::get<std::vector<std::string>>(value(field_name));
}

const std::vector<Vec3>& Node::vec3s(std::string_view field_name) const {
  return std::get<std::vector<Vec3>>(value(field_name));
}

// Initial values of fields without a written value.
namespace {

Value parse_default(const FieldType& field) {
  if (holds_nodes(field.type)) {
    return initial_value(field.type);
  }
  Lexer lexer(field.default_text);
  std::size_t room = 64;
  return ValueReader(lexer, room).read(field.type).value();
}

std::unordered_map<const FieldType*, Value> parse_defaults() {
  std::unordered_map<const FieldType*, Value> defaults;
  for (const NodeType& type : all_node_types()) {
    for (const FieldType* field : type.fields) {
      if (!defaults.contains(field)) {
        defaults.emplace(field, parse_default(*field));
      }
    }
  }
  return defaults;
}

}  // namespace

Value initial_value(ValueType type) {
  switch (type) {
    case ValueType::SFBool:
      return false;
    case ValueType::SFInt32:
      return std::int32_t{0};
    case ValueType::SFFloat:
    case ValueType::SFFloatOrVec3f:
      return 0.0;
    case ValueType::SFString:
      return std::string();
    case ValueType::SFVec2f:
      return Vec2();
    case ValueType::SFVec3f:
    case ValueType::SFColor:
      return Vec3();
    case ValueType::SFRotation:
      return AxisAngle();
    case ValueType::SFNode:
      return NodePtr();
    case ValueType::MFBool:
      return std::vector<bool>();
    case ValueType::MFInt32:
      return std::vector<std::int32_t>();
    case ValueType::MFFloat:
      return std::vector<double>();
    case ValueType::MFString:
      return std::vector<std::string>();
    case ValueType::MFVec2f:
      return std::vector<Vec2>();
    case ValueType::MFVec3f:
    case ValueType::MFColor:
      return std::vector<Vec3>();
    case ValueType::MFRotation:
      return std::vector<AxisAngle>();
    case ValueType::MFNode:
      return std::vector<NodePtr>();
  }
  return false;
}

const Value& default_value(const FieldType& field) {
  static const auto defaults = parse_defaults();
  return defaults.at(&field);
}

namespace {

class Copier {
 public:
  explicit Copier(ParseContext& reading) : reading_(reading) {}

  NodePtr copy(const NodePtr& node) {
    if (!node || failed_) {
      return node ? NodePtr() : node;  // which may be a lost_node()
    }
    if (const auto known = copies_.find(node.get()); known != copies_.end()) {
      return known->second;
    }
    auto made = std::make_shared<Node>(*node);
    made->id = next_id(reading_);
    failed_ = failed_ || made->id == 0;
    ids_[node->id] = made->id;
    for (Field& field : made->fields) {
      renew(field.value);
    }
    if (node->proto.instance) {
      made->proto.instance = copy(*node->proto.instance);
    }
    copies_[node.get()] = made;
    return made;
  }
  bool failed() const { return failed_; }

 private:
  void renew(Value& value) {
    const std::size_t words = words_in(value);
    if (words >= reading_.room) {
      failed_ = true;
      return;
    }
    reading_.room -= words;
    if (auto* node = std::get_if<NodePtr>(&value)) {
      *node = copy(*node);
    } else if (auto* list = std::get_if<std::vector<NodePtr>>(&value)) {
      for (NodePtr& item : *list) {
        item = copy(item);
      }
    }
  }

  std::shared_ptr<const ProtoInstance> copy(const ProtoInstance& instance) {
    auto made = std::make_shared<ProtoInstance>(instance);
    for (auto& value : made->given) {
      if (value) {
        renew(*value);
      }
    }
    for (Connection& c : made->connections) {
      const auto known = ids_.find(c.node);
      c.node = known != ids_.end() ? known->second : c.node;
    }
    if (instance.base) {
      made->base = copy(*instance.base);
    }
    return made;
  }

  ParseContext& reading_;
  std::unordered_map<const Node*, NodePtr> copies_;
  std::unordered_map<std::uint32_t, std::uint32_t> ids_;  // id of a node → id of its copy
  bool failed_ = false;
};

}  // namespace

NodePtr fresh_copy(ParseContext& reading, const NodePtr& root) {
  Copier copier(reading);
  NodePtr made = copier.copy(root);
  return copier.failed() ? NodePtr{} : made;
}

}  // namespace servosim::wbt
