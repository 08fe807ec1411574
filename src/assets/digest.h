// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace servosim::assets {

/// In hexadecimal digits, lower case: 40 of SHA-1, 64 of SHA-256.
std::string sha1(std::string_view bytes);
std::string sha256(std::string_view bytes);

}  // namespace servosim::assets
