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

namespace servosim {
class ServoCatalogue;
struct ProjectServos;
}  // namespace servosim

namespace servosim::wbt {

struct ReadOptions {
  std::vector<std::string> proto_paths;  ///< folders in which PROTO files are searched, in order
  /// Also warn of PROTO instances that are missing or replaced by a built-in PROTO without any
  /// effect on the simulation, such as appearances. This is for a world that will be written.
  bool report_decorations = false;
  /// Use servosim's own PROTOs for those that are not found.
  bool use_stand_ins = true;
  /// The limit of processor time for one expansion of a template [s], at least 1. The limit of this
  /// process (ulimit -t) applies, too.
  unsigned template_seconds = 5;
  /// Folders with the layout of Webots' download cache, and zip archives of such folders: see
  /// assets::Places.
  std::vector<std::string> assets = {};
  /// The library in which files of others are searched instead of `proto_paths` and `assets`; may
  /// be null.
  std::shared_ptr<const assets::Library> library = nullptr;
  /// Folders in which the files of servos are searched, after the folder of the world and before
  /// those that servosim.toml names.
  std::vector<std::string> servo_paths = {};
};

/// A node that was left out.
struct LostNode {
  SourceLocation where;
  std::string reason;  ///< a clause, such as "PROTO 'Cart' not found"
};

/// A world file that was read and expanded.
struct WorldFile {
  std::string path;  ///< absolute
  /// Absolute path; see project_of_world().
  std::string project;
  Version version;
  std::string comments;  ///< comments after the first line, up to the first node, with line ends
  std::vector<std::string> importable;  ///< contents of its IMPORTABLE EXTERNPROTO lines
  std::vector<NodePtr> nodes;           ///< top level, in file order
  /// Nodes that were left out and may be more than decoration: PROTO instances whose file is not
  /// found or cannot be used, and unknown node types. It has at most the first
  /// Diagnostics::kMaxKept of them.
  std::vector<LostNode> lost;
  std::vector<std::string> externs;                ///< contents of all its EXTERNPROTO lines
  std::shared_ptr<const assets::Library> library;  ///< in which its files were searched
  std::shared_ptr<const ServoCatalogue> servos;    ///< in which the servos of its motors are found
  std::shared_ptr<const ProjectServos> project_servos;  ///< what servosim.toml says
  std::uint32_t last_id = 0;                            ///< largest Node::id so far
  /// Nodes by Node::id that were added to the tree since it was read and are still in it, in their
  /// original form.
  std::map<std::uint32_t, NodePtr> imported;
};

/// Returns whether many projects or users share a folder: the root, $HOME, a folder with the sticky
/// bit such as /tmp, or one that cannot be examined.
bool is_shared_folder(const std::string& path);

/// Returns the project of a world in this folder, which is absolute. For a folder called worlds it
/// is the parent folder. Otherwise candidates are the folder and up to three folders above it that
/// contain controllers/ or protos/ and have the same owner. The nearest candidate whose own worlds/
/// leads down to the folder is chosen, otherwise the nearest candidate. If there is none, it is the
/// folder itself. The root, $HOME and folders with the sticky bit, such as /tmp, and the folders
/// above them, are no candidates unless they are the folder itself.
std::string project_of_world(const std::string& folder);

/// Reads a world and every PROTO it needs. It never throws because of the content of the files:
/// errors go to `diagnostics`, and after an error the result may be incomplete. It reads only
/// regular files of at most 256 MB each, and downloads nothing.
WorldFile read_world(const std::string& path, const ReadOptions& options, Diagnostics& diagnostics);

/// Does the same for a text in memory. `label` names it in messages; `folder` is the folder in
/// which it would be.
WorldFile read_world_text(std::string text, const std::string& label, const std::string& folder,
                          const ReadOptions& options, Diagnostics& diagnostics);

/// Returns whether two worlds have the same text except for layout: comments, versions, types, DEF
/// names, fields in their order, and sharing as far as a file can express it with USE. The
/// locations of nodes in the text and the PROTOs from which they come do not count.
bool equal(const WorldFile& a, const WorldFile& b);
/// Does the same for two values of a field.
bool equal(const Value& a, const Value& b);

}  // namespace servosim::wbt
