// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/scene.h"

namespace servosim {

/// Makes the names of robots unique, then those of joints, in file order: the second robot "x"
/// becomes "x#2", unless one is really called so, and its joints "x#2/joint". Says it once for each
/// name. Until then a joint has the name it has within its robot, perhaps none.
void make_names_unique(Scene& scene, Diagnostics& diagnostics);

}  // namespace servosim
