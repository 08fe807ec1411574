// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace servosim {

/// Appends the bytes as base64 (RFC 4648), with '=' at the end.
void append_base64(std::string& out, Bytes bytes);

/// Returns the bytes of a base64 text; nothing if it is not one.
std::optional<std::string> decoded_base64(std::string_view text);

}  // namespace servosim
