// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace servosim {

/// A kind of files that grow in place while a run goes on.
struct GrowingFileKind {
  const char* name;                           ///< such as "trace"
  std::span<const std::string_view> endings;  ///< file name extensions; the first is the usual one
  /// First bytes; a file that has one of them may be overwritten.
  std::span<const std::string_view> beginnings;
  bool to_streams = false;  ///< may go to a FIFO or device of any name
};

/// Returns the extension of a file name in lower case, such as ".csv".
std::string lower_extension(const std::string& path);

/// Checks that a file of this kind may go to `path`: `path` has one of the endings, and the file
/// does not exist, is empty, or is of this kind. @throws std::invalid_argument if not, since a
/// mistaken argument must not destroy a file
void check_growing_file(const std::string& path, const GrowingFileKind& kind);

}  // namespace servosim
