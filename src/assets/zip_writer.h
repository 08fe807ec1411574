// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace servosim::assets {

/// A file of an archive that is written.
struct ZipEntry {
  std::string name;  ///< relative, in UTF-8, with `/` between folders
  std::string content;
};

/// Returns the bytes of a zip archive with these files, compressed by deflate. The bytes depend on
/// the files alone: each has the date 1980-01-01 and the mode 0644.
/// @throws std::runtime_error if it cannot be made, for example since there is no space in $TMPDIR
std::string zip_of(const std::vector<ZipEntry>& files);

}  // namespace servosim::assets
