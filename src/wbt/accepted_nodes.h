// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace servosim::wbt
