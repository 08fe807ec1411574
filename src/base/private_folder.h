// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/scoped.h"

// Folders for temporary files. Also in libController, which has no fmt.

namespace servosim {

/// $TMPDIR, else /tmp.
std::string temporary_files_folder();

/// A folder that no other user can write or read; empty if there is none, or one with other
/// permissions.
Descriptor open_private_folder(const std::string& path);

}  // namespace servosim
