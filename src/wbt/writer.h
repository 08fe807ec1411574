// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim::wbt {

/// The text of a world: its header with the comments that stood there, then its IMPORTABLE
/// lines and every node. Reading it
/// again gives an equal() tree, if all nodes are of the world's version. Numbers have as many
/// digits as it takes to read the same bits.
///
/// PROTO instances are the nodes they became. A node that several places share is written once,
/// with its DEF, and then as USE: in full again where Webots allows no USE, where it has no DEF,
/// and where another node of its DEF stands between, which PROTO bodies may bring.
///
/// @throws std::invalid_argument if a number is not finite: no file can hold it.
std::string write_world(const WorldFile& world);
/// The same with the EXTERNPROTO lines of `world.externs`, and an instance by its parameters where
/// Node::instance states them. @throws std::invalid_argument likewise
std::string write_world_with_protos(const WorldFile& world);
/// The same as a user of Webots saves it: with all EXTERNPROTO lines, PROTO instances as such, and
/// fields in the order of Webots. An instance is written by its parameters and, for what moved
/// inside of it, `hidden` lines.
/// @throws std::invalid_argument likewise
std::string write_saved_world(const WorldFile& world);
/// One node and what stands below it, as write_saved_world() would write it if nothing stood above.
/// @throws std::invalid_argument likewise
std::string write_node(const Node& node);

/// A line between the braces of a node as it is to be written. Lives as long as the node.
struct WrittenLine {
  std::string name;
  const Value* value = nullptr;
};

/// The lines of a PROTO instance, `node` being its root: the parameters that differ from their
/// defaults, what moved being where the body has it; then `hidden` lines for the Solids and joints
/// inside whose state neither a parameter gives nor the PROTO wrote.
std::vector<WrittenLine> instance_lines(const Node& node);

}  // namespace servosim::wbt
