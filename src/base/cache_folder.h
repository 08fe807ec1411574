// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// Returns where the user keeps caches: $XDG_CACHE_HOME, else ~/.cache; empty if HOME is not set
/// either.
std::string user_cache_folder();

/// Returns the folders that may hold files of a kind ("assets", "controllers") that servosim can
/// make again. The first is in user_cache_folder(); the second is private to the user among the
/// temporary files, for when the first cannot be written to. Both may be missing.
std::vector<std::string> cache_folders(std::string_view kind);

struct CacheFolder {
  std::string path;
  std::string warning;  ///< says that the first folder cannot be written to; or empty
};

/// Makes the first folder of cache_folders() that can be written to.
/// @throws std::runtime_error if none can; Shortage
CacheFolder make_cache_folder(std::string_view kind);

}  // namespace servosim
