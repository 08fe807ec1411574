// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/scoped.h"

// Folders for temporary files. libController, which has no fmt, contains this code too.

namespace servosim {

/// Returns $TMPDIR, else /tmp.
std::string temporary_files_folder();

/// Opens a folder that no other user can read or write. The result is empty if the folder does not
/// exist or has other permissions.
Descriptor open_private_folder(const std::string& path);

}  // namespace servosim
