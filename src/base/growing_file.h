// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace servosim {

/// A kind of files that grow in place while a run goes on.
struct GrowingFileKind {
  const char* name;                              ///< "trace"
  std::span<const std::string_view> endings;     ///< of names; the first is the usual one
  std::span<const std::string_view> beginnings;  ///< of files: such a one may be overwritten
  bool to_streams = false;                       ///< may go to a FIFO or device of any name
};

/// The extension of a file name, in lower case: ".csv".
std::string lower_extension(const std::string& path);

/// Whether a file of this kind may go to `path`: has one of the endings, and is not there yet, is
/// empty, or holds one already. @throws std::invalid_argument if not, as a mistaken argument must
/// not destroy a file
void check_growing_file(const std::string& path, const GrowingFileKind& kind);

}  // namespace servosim
