// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "wbt/node.h"

namespace servosim::wbt {

/// Where a node is to stand.
struct NodeSlot {
  const NodeType* owner = nullptr;  ///< null: the top level of a world
  std::string_view field = "children";
  bool collides = false;  ///< inside a boundingObject
};

/// Whether Webots lets a node of that type stand there.
bool accepts(const NodeSlot& slot, const NodeType& type);

/// Whether a Slot of one type holds a Slot of the other: of the same type, or `x+` and `x-`. An
/// empty type fits each, since no source of Webots says otherwise.
bool slot_types_match(std::string_view one, std::string_view other);

/// What Webots allows in a boundingObject, for those who read one and those who write one.

/// Whether a node of a boundingObject holds further ones as its `children`: a Group, a Pose, a
/// Transform that is not stretched.
bool groups_shapes(const Node& node);

/// Why a node of a boundingObject, or the geometry of a Shape there, is left out, as a sentence for
/// people. Empty for what Webots allows.
std::string fault_in_bounding_object(const Node& node);

}  // namespace servosim::wbt
