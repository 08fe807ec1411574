// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace servosim {

/// A PNG file, as bytes, whose pixels are all black and opaque; both sizes > 0.
std::string black_png(std::uint32_t width, std::uint32_t height);

}  // namespace servosim
