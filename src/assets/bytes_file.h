// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <variant>

#include "base/files.h"
#include "base/scoped.h"

namespace servosim::assets {

/// Returns the bytes as an unnamed file whose offset is at its beginning. @throws Shortage
std::variant<Descriptor, FileError> file_of_bytes(std::string_view bytes);

}  // namespace servosim::assets
