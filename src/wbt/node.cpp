// SPDX-License-Identifier: Apache-2.0
#include "wbt/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

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

}  // namespace servosim::wbt
