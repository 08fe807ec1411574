// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wbt/world_file.h"

namespace servosim::wbt {

/// Whether two worlds say the same: comments, versions, types, DEF names, fields in their order,
/// and what is shared as far as a file can say so with USE. Where nodes stand in the text and which
/// PROTO they come from does not count.
bool equal(const WorldFile& a, const WorldFile& b);
/// The same for two values of a field.
bool equal(const Value& a, const Value& b);

}  // namespace servosim::wbt
