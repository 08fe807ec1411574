// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "scene/surface_look.h"

namespace servosim {

/// Returns the pixels of a PNG or JPEG file with at most kMaxPixels, or a clause with the reason
/// why there are none. Only the program mesh_reader calls it, because files may crash the libraries
/// that read them.
std::variant<Image, std::string> read_picture(std::string_view bytes);

}  // namespace servosim
