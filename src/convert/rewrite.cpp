// SPDX-License-Identifier: Apache-2.0
#include "convert/rewrite.h"

#include <algorithm>
#include <stdexcept>

namespace servosim {

wbt::NodePtr Rewriter::rewrite(const wbt::NodePtr& node) {
  if (!node) {
    return node;
  }
  if (const auto found = done_.find(node); found != done_.end()) {
    return found->second;
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

void remove_field(wbt::Node& node, std::string_view name) {
  std::erase_if(node.fields, [&](const wbt::Field& field) { return field.type->name == name; });
}

}  // namespace servosim
