// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// Where the user keeps caches: $XDG_CACHE_HOME, else ~/.cache; empty without HOME either.
std::string user_cache_folder();

/// The folders that may hold what servosim keeps of a kind ("assets", "controllers"), since it can
/// make it again: one in user_cache_folder(), and one of this user alone among the temporary files,
/// for where nothing can be written to the former. They may be missing.
std::vector<std::string> cache_folders(std::string_view kind);

struct CacheFolder {
  std::string path;
  std::string warning;  ///< that the first one cannot be written to; or empty
};

/// Makes the first of cache_folders() that can be written to.
/// @throws std::runtime_error if none can; Shortage
CacheFolder make_cache_folder(std::string_view kind);

}  // namespace servosim
