// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace servosim::fetch {

/// A file that a world is made of.
struct WorldFilePart {
  std::string name;  ///< an absolute path, or the address of a file in a cache or an archive
  std::string content;
};

/// A world with all files of this machine that it may need, so that it loads elsewhere as here.
struct WorldFiles {
  std::string world;  ///< absolute path
  /// Absolute folders to search for PROTO files: those given, then the installations of Webots
  /// that files come from.
  std::vector<std::string> proto_paths;
  std::vector<WorldFilePart> files;  ///< the world first, the others sorted by name
};

/// The world, the PROTO files that it and these name, their mesh files, and what templates read;
/// also those that only another value of a field makes it use. Pictures are not among them.
/// @param proto_paths  see LoadOptions
/// @param assets  likewise
/// @param values  texts that fields may get, as they would stand in a file: meshes and PROTOs that
///   these name are among the files, too
/// @throws LoadError if the world cannot be read or built; std::invalid_argument if there are more
///   than 20000 files or 1 GB; Shortage
WorldFiles files_of_world(const std::string& world, const std::vector<std::string>& proto_paths,
                          const std::vector<std::string>& assets,
                          const std::vector<std::string>& values = {});

}  // namespace servosim::fetch
