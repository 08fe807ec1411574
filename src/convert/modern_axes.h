// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wbt/world_file.h"

namespace servosim {

/// Turns what stands along other axes in present files: cylinders, planes, cameras and so on, each
/// by the version of its node, which stays. After use_modern_scale() and use_modern_nodes().
void use_modern_axes(wbt::WorldFile& world);

}  // namespace servosim
