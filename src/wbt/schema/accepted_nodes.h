// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "wbt/node.h"

namespace servosim::wbt {

/// The place where a node is to be.
struct NodeSlot {
  const NodeType* owner = nullptr;  ///< null means the top level of a world
  std::string_view field = "children";
  bool collides = false;  ///< whether it is inside a boundingObject
};

/// Returns whether Webots permits a node of that type in the slot.
bool accepts(const NodeSlot& slot, const NodeType& type);

/// Returns whether a Slot of one type accepts a Slot of the other: of the same type, or `x+` and
/// `x-`. An empty type fits every type, since no source of Webots contradicts this.
bool slot_types_match(std::string_view one, std::string_view other);

/// What Webots permits in a boundingObject, for code that reads or writes boundingObjects.

/// Returns whether a node of a boundingObject contains further nodes as its `children`: a Group, a
/// Pose, or a Transform that is not stretched.
bool groups_shapes(const Node& node);

/// Returns why a node of a boundingObject, or the geometry of a Shape there, is left out, as a
/// sentence for people. Empty for nodes that Webots permits.
std::string fault_in_bounding_object(const Node& node);

}  // namespace servosim::wbt
