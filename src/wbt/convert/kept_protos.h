// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

/// A converted world in which PROTO instances stay instances, as text.
struct WorldWithProtos {
  std::string text;
  std::string fault;              ///< why the text cannot be used, as a clause; or empty
  std::size_t instances = 0;      ///< that stay, those inside of PROTO bodies included
  std::set<std::uint32_t> nodes;  ///< Node::id of every node that an instance of the text makes
};

/// Writes a world that convert() and move_urls() have made, with the parameters of its PROTO
/// instances and one EXTERNPROTO line for each PROTO file, relative to `folder`. Nodes among the
/// parameters are those of the converted world; other values are too, where a field of the PROTO's
/// body has them.
///
/// An instance becomes its nodes, with one warning for each PROTO and reason, where Webots R2025a
/// would not read its file as the version of the world did: a file older than R2022b or without
/// header, a Lua template, node types that are gone. The text is read back: an instance
/// that does not give the converted nodes again becomes its nodes, too.
/// @param folder   absolute; where the text will stand
/// @param options  with which the world was read
WorldWithProtos write_with_protos(const wbt::WorldFile& world, const std::string& folder,
                                  const wbt::ReadOptions& options, Diagnostics& diagnostics);

}  // namespace servosim
