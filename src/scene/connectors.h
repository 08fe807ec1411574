// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// What a Connector is; nothing if `device` is none. The Solid is left to the caller.
std::optional<ConnectorSpec> read_connector(const wbt::Node& device, Diagnostics& diagnostics);

}  // namespace servosim
