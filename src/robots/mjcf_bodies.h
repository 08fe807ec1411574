// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "robots/mjcf_parts.h"

namespace servosim::robots {

/// Reads the meshes, materials and bodies of an MJCF file. Joints start at their references, and
/// have no motors. What cannot be read is an error.
MjcfParts read_mjcf_bodies(const MjcfContext& context);

}  // namespace servosim::robots
