// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/bytes.h"

namespace servosim {

/// Appends the bytes as base64 (RFC 4648), with '=' at the end.
void append_base64(std::string& out, Bytes bytes);

}  // namespace servosim
