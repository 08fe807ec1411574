// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/live_part.h"

namespace servosim {

/// `--srvp` and its options: robots as MCUs of an SRVP server.
std::unique_ptr<LivePart> srvp_part();

}  // namespace servosim
