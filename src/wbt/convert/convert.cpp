// SPDX-License-Identifier: Apache-2.0
#include "wbt/convert/convert.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "wbt/convert/passes.h"
#include "wbt/values.h"

namespace servosim {
namespace {

// Until here each node says of which version it is, and so what it means.
wbt::NodePtr newest(wbt::Node node) {
  for (wbt::Field& field : node.fields) {
    field.type = node.type->field(field.type->name);
  }
  node.version = wbt::kNewestVersion;
  return std::make_shared<const wbt::Node>(std::move(node));
}

}  // namespace

// Scales first, for present fields have none; axes when a Servo's rotation is no axis any more, and
// before the fields of old grids go.
wbt::WorldFile convert(const wbt::WorldFile& world, Diagnostics& diagnostics) {
  wbt::WorldFile converted = world;
  drop_what_touches_nothing(converted, diagnostics);
  use_modern_scale(converted, diagnostics);
  use_modern_nodes(converted, diagnostics);
  use_modern_axes(converted);
  use_modern_gravity(converted, diagnostics);
  use_modern_fields(converted, diagnostics);
  converted.nodes = with_present_rows(converted.nodes);
  converted.version = wbt::kNewestVersion;
  return converted;
}

std::vector<wbt::NodePtr> with_present_rows(const std::vector<wbt::NodePtr>& nodes) {
  return Rewriter(newest).rewrite(nodes);
}

wbt::NodePtr Rewriter::rewrite(const wbt::NodePtr& node) {
  if (!node) {
    return node;
  }
  if (const auto found = done_.find(node); found != done_.end()) {
    return found->second;
  }
  if (enter_) {
    enter_(*node);
  }
  wbt::Node copy = *node;
  for (wbt::Field& field : copy.fields) {
    if (auto* one = std::get_if<wbt::NodePtr>(&field.value)) {
      *one = rewrite(*one);
    } else if (auto* several = std::get_if<std::vector<wbt::NodePtr>>(&field.value)) {
      *several = rewrite(*several);
    }
  }
  return done_[node] = change_(std::move(copy));
}

std::vector<wbt::NodePtr> Rewriter::rewrite(const std::vector<wbt::NodePtr>& nodes) {
  std::vector<wbt::NodePtr> result;
  for (const wbt::NodePtr& node : nodes) {
    if (wbt::NodePtr changed = rewrite(node)) {
      result.push_back(std::move(changed));
    }
  }
  return result;
}

bool means_the_same(const wbt::Value& a, const wbt::Value& b) {
  const auto* turn = std::get_if<AxisAngle>(&a);
  const auto* other = std::get_if<AxisAngle>(&b);
  return a == b ||
         (turn != nullptr && other != nullptr && turn->angle == 0.0 && other->angle == 0.0);
}

wbt::Node new_node(std::string_view type, const wbt::Node& origin) {
  wbt::Node node;
  node.type = wbt::find_node_type(type);
  node.where = origin.where;
  node.version = wbt::kNewestVersion;
  return node;
}

wbt::Node successor(const wbt::Node& node, std::string_view type) {
  wbt::Node next = node;
  next.type = wbt::find_node_type(type);
  next.fields.clear();
  for (const wbt::FieldType* row : next.type->fields) {
    const wbt::FieldType* old = node.type->field(row->name, node.version);
    if (old == nullptr || row != next.type->field(row->name, node.version)) {
      continue;
    }
    if (node.has(row->name) ||
        (old != row && !means_the_same(default_value(*old), default_value(*row)))) {
      next.fields.push_back({row, node.where_of(row->name), node.value(row->name)});
    }
  }
  return next;
}

void set_field(wbt::Node& node, std::string_view name, wbt::Value value) {
  const wbt::FieldType* type = node.type->field(name);
  if (type == nullptr) {
    throw std::out_of_range("no field " + std::string(name) + " in " +
                            std::string(node.type->name));
  }
  for (wbt::Field& field : node.fields) {
    if (field.type->name == name) {
      field.type = type;
      field.value = std::move(value);
      return;
    }
  }
  node.fields.push_back({type, node.where, std::move(value)});
}

void carry_field(const wbt::Node& from, std::string_view name, wbt::Node& to, std::string_view as) {
  if (const wbt::Field* field = from.find(name)) {
    remove_field(to, as);
    to.fields.push_back({to.type->field(as), field->where, field->value});
  }
}

void remove_field(wbt::Node& node, std::string_view name) {
  std::erase_if(node.fields, [&](const wbt::Field& field) { return field.type->name == name; });
}

}  // namespace servosim
