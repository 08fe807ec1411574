// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <unordered_map>

#include "wbt/node.h"

namespace servosim {

/// Makes changed copies of node trees. What several places share (DEF and USE) stays shared.
class Rewriter {
 public:
  /// Gets a copy of a node whose child nodes are rewritten already, and may change it at will:
  /// return the copy, another node, or an empty pointer to drop it from a list or leave NULL.
  using Change = std::function<wbt::NodePtr(wbt::Node copy)>;

  explicit Rewriter(Change change) : change_(std::move(change)) {}

  wbt::NodePtr rewrite(const wbt::NodePtr& node);
  std::vector<wbt::NodePtr> rewrite(const std::vector<wbt::NodePtr>& nodes);

 private:
  Change change_;
  std::unordered_map<wbt::NodePtr, wbt::NodePtr> done_;  // keeps the originals alive: addresses
};

/// Sets a field, whether it stands there or not. @throws std::out_of_range if the newest table has
/// no such field of that type.
void set_field(wbt::Node& node, std::string_view name, wbt::Value value);
/// Removes a field if it stands there.
void remove_field(wbt::Node& node, std::string_view name);

}  // namespace servosim
