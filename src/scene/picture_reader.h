// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "scene/surface_look.h"

namespace servosim {

/// The pixels of a PNG or JPEG file of at most kMaxPixels, or a clause with the reason why there
/// are none. For the program mesh_reader: files may crash the libraries that read them.
std::variant<Image, std::string> read_picture(std::string_view bytes);

}  // namespace servosim
