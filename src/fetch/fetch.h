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
  std::vector<std::string> assets;       ///< likewise, named_stores
  bool dry_run = false;                ///< keep nothing; download PROTO files only, to look inside
  bool textures = false;               ///< too
  bool accept_webots_licence = false;  ///< the user holds it
  std::string mirror;                  ///< in place of where Webots publishes its tree; or empty
  std::string cache;                   ///< the folder that is filled, unless dry_run
  std::uint64_t max_file_size = 100'000'000;     ///< [bytes], at most kMaxFileSize
  std::uint64_t max_total_size = 1'000'000'000;  ///< of what is downloaded [bytes]
  std::size_t max_files = 1000;                  ///< that are downloaded
  std::uint32_t seconds = 120;                   ///< for one answer
  std::uint32_t total_seconds = 3600;            ///< for all of them
};

/// What has become of a file.
struct FetchedFile {
  enum class Outcome : std::uint8_t {
    Fetched,
    Here,     ///< on this machine: in our cache, unchanged, or of another release, see asked_for
    Listed,   ///< of a dry run: it would be fetched
    LeftOut,  ///< its licence is for those who hold it
    Failed,   ///< see reason
  };
  Outcome outcome = Outcome::Failed;
  std::string address;
  std::string source;                 ///< where it is asked for: a mirror; or empty
  std::optional<std::uint64_t> size;  ///< [bytes]
  Licence licence;
  std::string reason;          ///< a clause
  std::string asked_for = {};  ///< the address that is named, where one of another release is used
};

/// The end that a listener asked for.
struct FetchEnded {};

/// What is told meanwhile; all must be set.
struct FetchListener {
  std::function<void(const FetchedFile&)> file;
  /// Bytes of the file that is being downloaded, so far.
  std::function<void(const std::string& address, std::uint64_t bytes)> progress;
  /// Another process writes into the cache, and is waited for.
  std::function<void()> wait;
  /// Whether to end before the next bytes.
  std::function<bool()> is_to_end;
};

/// Downloads the PROTO files that a world names and those that these name, with their meshes, as
/// far as they are not on this machine, into the cache that runs search. What there is of a former
/// call is continued.
/// @param world  a path; `-` is standard input, in the present folder
/// @throws std::invalid_argument if the world cannot be read; std::runtime_error if the cache
/// cannot be written or the downloader cannot be started; Shortage; FetchEnded
void fetch_world(const std::string& world, const FetchOptions& options,
                 const FetchListener& listener);

}  // namespace servosim::fetch
