// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/scene.h"

namespace servosim {

/// Takes backlash away, with a warning, from joints that cannot have it: those of several axes,
/// those that no motor drives, and those that no forces move.
void settle_backlash(Scene& scene, Diagnostics& diagnostics);

}  // namespace servosim
