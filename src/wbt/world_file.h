// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assets/library.h"
#include "servosim/diagnostics.h"
#include "wbt/node.h"

namespace servosim::wbt {

struct ReadOptions {
  std::vector<std::string> proto_paths;  ///< folders searched for PROTO files, in order
  /// Warn, too, of PROTO instances that are missing or replaced by a built-in PROTO without any
  /// effect on the simulation, such as appearances: for a world that is to be written again.
  bool report_decorations = false;
  /// Use servosim's own PROTOs for those that are not found.
  bool use_stand_ins = true;
  /// How long one expansion of a template may use the processor [s], at least 1. It has no more
  /// than this process itself is held to (ulimit -t).
  unsigned template_seconds = 5;
  /// Folders filled as Webots fills its download cache, and zip archives of such: see
  /// assets::Places.
  std::vector<std::string> assets = {};
  /// Where files of others are looked for, instead of `proto_paths` and `assets`; may be null.
  std::shared_ptr<const assets::Library> library = nullptr;
};

/// A node that was left out.
struct LostNode {
  SourceLocation where;
  std::string reason;  ///< a clause, such as "PROTO 'Cart' not found"
};

/// A world file read and expanded.
struct WorldFile {
  std::string path;  ///< absolute
  /// Absolute; see project_of_world().
  std::string project;
  Version version;
  std::string comments;  ///< below the first line, up to the first node; with line ends
  std::vector<std::string> importable;  ///< what its IMPORTABLE EXTERNPROTO lines name
  std::vector<NodePtr> nodes;           ///< top level, in file order
  /// Nodes left out that may be more than decoration: PROTO instances whose file is not found or
  /// cannot be used, and unknown node types. The first Diagnostics::kMaxKept of them.
  std::vector<LostNode> lost;
  std::vector<std::string> externs;                ///< what all its EXTERNPROTO lines name
  std::shared_ptr<const assets::Library> library;  ///< where its files were looked for
  std::uint32_t last_id = 0;                       ///< largest Node::id so far
  /// By Node::id: what was put into the tree since it was read and still stands in it, as it came.
  std::map<std::uint32_t, NodePtr> imported;
};

/// Whether a folder is one that many projects or users share: the root, $HOME, one with the sticky
/// bit such as /tmp, or one that cannot be looked at.
bool is_shared_folder(const std::string& path);

/// The project of a world in this folder, which is absolute. For a folder called worlds it is the
/// one above. Otherwise candidates are the folder and up to three above it that have controllers/
/// or protos/, owned by the owner of the folder: the nearest one whose own worlds/ leads down to
/// the folder, or else the nearest. Without any it is the folder itself. The root, $HOME and
/// folders with the sticky bit, such as /tmp, and what is above them, are no candidates unless they
/// are the folder itself.
std::string project_of_world(const std::string& folder);

/// Reads a world and every PROTO it needs. Never throws for what is in the files: whatever is
/// wrong goes to `diagnostics`; after an error the result may be incomplete. Regular files only,
/// at most 256 MB each; nothing is fetched.
WorldFile read_world(const std::string& path, const ReadOptions& options, Diagnostics& diagnostics);

/// The same for a text in memory; `label` names it in messages, `folder` is where it would stand.
WorldFile read_world_text(std::string text, const std::string& label, const std::string& folder,
                          const ReadOptions& options, Diagnostics& diagnostics);

/// Whether two worlds have the same text but for layout: comments, versions, types, DEF names,
/// fields in their order, and what is shared as far as a file can say so with USE. Where nodes
/// stand in the text and which PROTO they come from does not count.
bool equal(const WorldFile& a, const WorldFile& b);
/// The same for two values of a field.
bool equal(const Value& a, const Value& b);

}  // namespace servosim::wbt
