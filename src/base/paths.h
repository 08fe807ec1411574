// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>

namespace servosim {

/// Returns whether `path` is `folder` or is below it, by their names. Both are absolute and without
/// "." and "..", and the folder does not end with a slash.
inline bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

}  // namespace servosim
