// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace servosim {

/// A file that a report contains.
struct ReportFile {
  std::string path;  ///< absolute; where it is on this machine
  /// In the report: `files/below-home/…` below the home folder, or `files/elsewhere/…`.
  std::string name;
  std::string content;      ///< without secrets
  std::size_t removed = 0;  ///< number of secrets that were removed from the content
  bool is_outside = false;  ///< whether it is outside of the project of the world
};

/// A file that the world refers to and that a report does not contain.
struct LeftOutFile {
  std::string path;    ///< or the address
  std::string reason;  ///< a clause
};

struct ReportFiles {
  std::vector<ReportFile> files;  ///< the world is first
  std::vector<LeftOutFile> left_out;
};

/// The largest file of a report, and the sum of all files [bytes].
inline constexpr std::uint64_t kMaxReportFile = 10u << 20;
inline constexpr std::uint64_t kMaxReportBytes = 50u << 20;

/// Where the files of a world are looked for.
struct ReportPlaces {
  std::vector<std::string> proto_paths;
  std::vector<std::string> assets;
  std::vector<std::string> homes;  ///< absolute paths of the home folder, with links and without
  bool may_be_loaded = true;       ///< false if the program has crashed when it loaded the world
};

/// Collects the world, servosim.toml of its project, and the PROTO files, meshes and pictures to
/// which these refer. A world with errors has those that its text names. Left out are files of
/// controllers and plugins, files of an installation or a cache of Webots, files that are no world,
/// PROTO, TOML file, mesh or picture by their ending, links to files of another kind or out of the
/// project, and what is too large.
/// @throws InputError if the world cannot be read
ReportFiles files_for_report(const std::string& world, const ReportPlaces& places);

}  // namespace servosim
