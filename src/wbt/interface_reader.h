// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "wbt/proto/proto.h"

namespace servosim::wbt {

class TextReader;

/// Reads the interface of the PROTO in this file, up to the root node of its body.
void read_interface(ParseContext& reading, Proto& proto);

/// Reads `[IMPORTABLE] EXTERNPROTO "path/Name.proto"`. The file goes to `externs`; an importable
/// one also goes to `importable`, which may be null.
void read_extern_proto(TextReader& text, std::vector<std::string>& externs,
                       std::vector<std::string>* importable = nullptr);

}  // namespace servosim::wbt
