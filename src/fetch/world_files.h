// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace servosim::fetch {

/// One of the files that a world needs.
struct WorldFilePart {
  std::string name;  ///< an absolute path, or the address of a file in a cache or an archive
  std::string content;
};

/// A world with all files of this machine that it may need, so that it loads on another machine as
/// it does here.
struct WorldFiles {
  std::string world;  ///< absolute path of the world
  /// Absolute folders that are searched for PROTO files: the given ones first, then the
  /// installations of Webots from which some of the files come.
  std::vector<std::string> proto_paths;
  std::vector<std::string> servo_paths;  ///< absolute folders that are searched for servos
  std::vector<WorldFilePart> files;      ///< the world is first, the others are sorted by name
};

/// Collects the world, the PROTO files that it and these name, their mesh files, and what templates
/// read. Files that the world would use only with another value of a field are included. Pictures
/// are not included.
/// The TOML files in the folders in which servos are searched are included, and servosim.toml if it
/// says something about servos.
/// @param proto_paths  see LoadOptions
/// @param servo_paths  see LoadOptions
/// @param assets  see LoadOptions
/// @param values  texts that fields may get, written as in a file; the result includes the meshes
/// and PROTOs that these name
/// @throws LoadError if the world cannot be read or built; std::invalid_argument if there are more
/// than 20000 files or 1 GB; Shortage
WorldFiles files_of_world(const std::string& world, const std::vector<std::string>& proto_paths,
                          const std::vector<std::string>& servo_paths,
                          const std::vector<std::string>& assets,
                          const std::vector<std::string>& values = {});

}  // namespace servosim::fetch
