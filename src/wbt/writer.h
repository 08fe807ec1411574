// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim::wbt {

/// Returns the text of a world: its header with the comments there, then its IMPORTABLE lines and
/// every node. Reading it again results in an equal() tree if all nodes have the world's
/// version. Numbers have as many digits as are necessary to read the same bits.
///
/// PROTO instances are written as the nodes of their bodies. A node that several places share is
/// written once with its DEF, and then as USE. It is written in full again if Webots does not
/// permit USE there, if it has no DEF, or if another node with its DEF is in between, which PROTO
/// bodies can cause.
///
/// @throws std::invalid_argument if a number is not finite, since no file can contain it
std::string write_world(const WorldFile& world);
/// Does the same with the EXTERNPROTO lines of `world.externs`, and writes instances by their
/// parameters if Node::instance has them. @throws std::invalid_argument if a number is not finite
std::string write_world_with_protos(const WorldFile& world);
/// Returns the text as if a user of Webots saved the world: with all EXTERNPROTO lines, PROTO
/// instances as such, and fields in the order of Webots. An instance is written by its parameters
/// and, for moved parts inside of it, `hidden` lines.
/// @throws std::invalid_argument if a number is not finite
std::string write_saved_world(const WorldFile& world);
/// Returns one node and the nodes below it, as write_saved_world() would write them on the top
/// level.
/// @throws std::invalid_argument if a number is not finite
std::string write_node(const Node& node);

/// A line that will be written between the braces of a node. It is valid as long as the node.
struct WrittenLine {
  std::string name;
  const Value* value = nullptr;
};

/// Returns the lines of a PROTO instance whose root is `node`: the parameters that differ from
/// their defaults, with moved values as in the body; then `hidden` lines for the Solids and joints
/// inside whose state neither a parameter nor the text of the PROTO has set.
std::vector<WrittenLine> instance_lines(const Node& node);

}  // namespace servosim::wbt
