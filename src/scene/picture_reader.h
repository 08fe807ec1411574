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

/// Returns the pixels of a Radiance (.hdr) file in the same way. Red, green and blue of a pixel are
/// shares of 2 to the power of its fourth byte less 128, in 256ths.
std::variant<Image, std::string> read_light(std::string_view bytes);

}  // namespace servosim
