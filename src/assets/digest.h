// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace servosim::assets {

/// Returns hexadecimal digits in lower case: 40 for SHA-1, 64 for SHA-256.
std::string sha1(std::string_view bytes);
std::string sha256(std::string_view bytes);

}  // namespace servosim::assets
