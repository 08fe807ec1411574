// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"

namespace servosim {

/// Makes `text` the content of a file, all of it or nothing, whenever the process or the machine
/// ends: a temporary file `.servosim-…` in the same folder is written, synced and renamed. What is
/// killed before the rename leaves that file behind. A symbolic link is followed; the new file has
/// the mode of the old one, and its owner as far as the user may give files away. Other hard links
/// keep the old text; access control lists and extended attributes are those of a new file. An
/// existing file is an error unless `replace`, and so is one that is a mount point of its own or
/// stands where the user may make no file. A device, a FIFO and what is standard output or error,
/// such as /dev/stdout, are written to instead, as long as something is read within 5 s.
/// Gives the error, or nothing.
[[nodiscard]] std::optional<FileError> write_file(const std::string& path, std::string_view text,
                                                  bool replace);

}  // namespace servosim
