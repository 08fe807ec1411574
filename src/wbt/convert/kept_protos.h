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
  std::string fault;  ///< why the text cannot be used, as a clause; may be empty
  /// Number of instances that stay, including those inside of PROTO bodies.
  std::size_t instances = 0;
  /// Node::id of every node that results from an instance in the text.
  std::set<std::uint32_t> nodes;
};

/// Writes a world that convert() and move_urls() have made, with the parameters of its PROTO
/// instances and one EXTERNPROTO line for each PROTO file, relative to `folder`. Nodes among the
/// parameters are those of the converted world. So are other values, if a field of the PROTO's body
/// contains them.
///
/// An instance is replaced by its nodes, with one warning for each PROTO and reason, if Webots
/// R2025a would not read its file as the version of the world did: a file older than R2022b or
/// without header, a Lua template, removed node types. The text is read back, and an instance that
/// does not result in the converted nodes is replaced by its nodes, too.
/// @param folder   absolute; the folder in which the text will be stored
/// @param options  with which the world was read
WorldWithProtos write_with_protos(const wbt::WorldFile& world, const std::string& folder,
                                  const wbt::ReadOptions& options, Diagnostics& diagnostics);

}  // namespace servosim
