// SPDX-License-Identifier: Apache-2.0
// The values fields have when nothing is written.
#include <unordered_map>

#include "wbt/values.h"

namespace servosim::wbt {
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

}  // namespace servosim::wbt
