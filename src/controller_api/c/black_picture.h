// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

// Files of pictures whose pixels are all black. libController must not link a library, and all
// bytes to pack are zero, so these functions need none.

namespace servosim {

/// Returns a PNG file whose pixels are black and opaque; both sizes are > 0.
std::string black_png(std::uint32_t width, std::uint32_t height);

/// Returns a JPEG file in grey whose pixels are black; both sizes are from 1 to 65535.
std::string black_jpeg(std::uint32_t width, std::uint32_t height);

}  // namespace servosim
