// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "scene/glyphs.h"

namespace servosim {

/// Draws letters of the font in `bytes`. Only the program mesh_reader calls it, because files may
/// crash the library that reads them. See read_glyphs().
ReadGlyphs draw_glyphs(std::string_view bytes, int size, bool is_smooth,
                       std::span<const char32_t> letters);

}  // namespace servosim
