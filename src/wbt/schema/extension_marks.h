// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/diagnostics.h"
#include "wbt/source.h"

namespace servosim::wbt {

/// Warns about each comment that was meant as `#servosim <field>` but is not spelled so.
void check_extension_marks(const Source& source, Diagnostics& diagnostics);

}  // namespace servosim::wbt
