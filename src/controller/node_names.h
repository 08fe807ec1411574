// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <webots/nodes.h>

#include <string_view>

namespace servosim {

/// The number of a node name such as "RotationalMotor"; WB_NODE_NO_NODE for an unknown one.
WbNodeType node_type_named(std::string_view name);

}  // namespace servosim
