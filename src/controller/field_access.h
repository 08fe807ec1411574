// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controller/supervisor_refs.h"

namespace servosim {

/// e.g. "SFVec3f"; "" for a type there is not.
const char* field_type_name(WbFieldType type);
/// A field of that very type. @throws CallError for another one
WbFieldStructPrivate& checked_field(Supervisor& supervisor, WbFieldRef field, WbFieldType type);

}  // namespace servosim
