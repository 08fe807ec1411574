// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wbt/world_file.h"

namespace servosim::wbt {

/// The nodes that a text holds, read as if it stood in the world's file: PROTOs are found as for
/// it, but DEF names are the text's own. Their numbers follow world.last_id, which rises, and the
/// text's EXTERNPROTO lines follow those of the world. What is wrong goes to `diagnostics`; no node
/// is in the world yet.
std::vector<NodePtr> read_nodes(WorldFile& world, std::string text, Diagnostics& diagnostics);

/// The instance that `root` is the root of, made anew with other values. Nodes of the new body have
/// the numbers of those in the old one that stand at the same place. Null if it cannot be had.
NodePtr instantiate_again(WorldFile& world, const Node& root,
                          std::vector<std::optional<Value>> given, Diagnostics& diagnostics);

}  // namespace servosim::wbt
