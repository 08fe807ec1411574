// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fetch/licence.h"

namespace servosim::fetch {

struct FetchOptions {
  std::vector<std::string> proto_paths;  ///< see assets::Places
  std::vector<std::string> assets;       ///< see assets::Places::named_stores
  /// Keep nothing. Only PROTO files are downloaded, since they name further files.
  bool dry_run = false;
  bool textures = false;               ///< also fetch textures
  bool accept_webots_licence = false;  ///< the user has the licence for Webots' assets
  /// Base address that replaces the one where Webots publishes its files; or empty.
  std::string mirror;
  std::string cache;                             ///< folder that is filled, unless dry_run is set
  std::uint64_t max_file_size = 100'000'000;     ///< [bytes], at most kMaxFileSize
  std::uint64_t max_total_size = 1'000'000'000;  ///< limit of the sum of all downloads [bytes]
  std::size_t max_files = 1000;                  ///< limit of the number of downloads
  std::uint32_t seconds = 120;                   ///< time limit of one answer [s]
  std::uint32_t total_seconds = 3600;            ///< time limit of all answers together [s]
};

/// States what happened to one file.
struct FetchedFile {
  enum class Outcome : std::uint8_t {
    Fetched,
    /// The file is on this machine: unchanged in our cache, or from another release (see
    /// asked_for).
    Here,
    Listed,   ///< a run without dry_run would download the file
    LeftOut,  ///< its licence restricts its use, and the user does not have that licence
    Failed,   ///< `reason` says why
  };
  Outcome outcome = Outcome::Failed;
  std::string address;
  /// The address of the request if it is different, as with a mirror; or empty.
  std::string source;
  std::optional<std::uint64_t> size;  ///< [bytes]
  Licence licence;
  std::string reason;  ///< says why in a clause
  /// The address that the world names if the file of another release is used.
  std::string asked_for = {};
};

/// Thrown when a listener asks for the end.
struct FetchEnded {};

/// Receives events while fetch_world() runs. All functions must be set.
struct FetchListener {
  std::function<void(const FetchedFile&)> file;
  /// Reports how many bytes of the current file are downloaded so far.
  std::function<void(const std::string& address, std::uint64_t bytes)> progress;
  /// Reports that another process writes into the cache, and that fetch_world() waits for it.
  std::function<void()> wait;
  /// Returns whether to end before the next bytes.
  std::function<bool()> is_to_end;
};

/// Downloads the PROTO files that a world names, the PROTO files that these name, and their meshes
/// into the cache that runs search. Files that are on this machine are not downloaded. A download
/// that an earlier call did not complete is continued.
/// @param world  a path; `-` is standard input, with the current directory as its folder
/// @throws std::invalid_argument if the world cannot be read; std::runtime_error if the cache
/// cannot be written or the downloader cannot be started; Shortage; FetchEnded
void fetch_world(const std::string& world, const FetchOptions& options,
                 const FetchListener& listener);

}  // namespace servosim::fetch
