// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "servosim/diagnostics.h"
#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim {

/// The same world as a present Webots writes it: version R2025a, present nodes and fields, the
/// axes and gravity of its era made explicit. PROTO instances are already their nodes, whose
/// Node::instance stays as it was read. Whatever
/// has no counterpart is left out with a warning.
wbt::WorldFile convert(const wbt::WorldFile& world, Diagnostics& diagnostics);

/// The same nodes with the newest version, and with their fields as its field table has them: what
/// they say is not converted.
std::vector<wbt::NodePtr> with_present_rows(const std::vector<wbt::NodePtr>& nodes);

/// Makes changed copies of node trees. What several places share (DEF and USE) stays shared.
class Rewriter {
 public:
  /// Gets a copy of a node whose child nodes are rewritten already, and may change it at will:
  /// return the copy, another node, or an empty pointer to drop it from a list or leave NULL.
  using Change = std::function<wbt::NodePtr(wbt::Node copy)>;
  /// Sees each original before its child nodes are rewritten, parents first.
  using Enter = std::function<void(const wbt::Node& original)>;

  explicit Rewriter(Change change, Enter enter = {})
      : change_(std::move(change)), enter_(std::move(enter)) {}

  wbt::NodePtr rewrite(const wbt::NodePtr& node);
  std::vector<wbt::NodePtr> rewrite(const std::vector<wbt::NodePtr>& nodes);

 private:
  Change change_;
  Enter enter_;
  std::unordered_map<wbt::NodePtr, wbt::NodePtr> done_;  // keeps the originals alive: addresses
};

inline wbt::NodePtr shared(wbt::Node node) {
  return std::make_shared<const wbt::Node>(std::move(node));
}

/// Whether two values of a field mean the same: they are equal, or rotations by nothing.
bool means_the_same(const wbt::Value& a, const wbt::Value& b);
/// A present node that stands where an old one stood; the version of its fields is the newest.
wbt::Node new_node(std::string_view type, const wbt::Node& origin);
/// The same node as another type: DEF, version and what it has in all fields that both types have.
wbt::Node successor(const wbt::Node& node, std::string_view type);
/// Sets a field, whether it stands there or not. @throws std::out_of_range if the newest table has
/// no such field of that type.
void set_field(wbt::Node& node, std::string_view name, wbt::Value value);
/// Sets a field of `to` to what stands in `from`, if anything does, and says where that was.
void carry_field(const wbt::Node& from, std::string_view name, wbt::Node& to, std::string_view as);
/// Removes a field if it stands there.
void remove_field(wbt::Node& node, std::string_view name);

}  // namespace servosim
