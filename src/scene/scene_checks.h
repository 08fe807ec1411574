// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "wbt/node.h"

namespace servosim {

/// Warns of what only shows in the whole scene: devices that are called the same, and Solids with
/// and without Physics that do not go together. `blades`: Solids whose Physics was reported and
/// left out.
void check_scene(const Scene& scene, const std::set<int>& blades, Diagnostics& diagnostics);

/// Warns if `node`, which stands among the children of a node or of the world, does nothing there:
/// because it is not simulated, or because it belongs into a field of another node.
void report_inert(const wbt::Node& node, Diagnostics& diagnostics);

/// Makes the names of robots unique, then those of joints, in file order: the second robot "x"
/// becomes "x#2", unless one is really called so, and its joints "x#2/joint". Says it once for each
/// name. Until then a joint has the name it has within its robot, perhaps none.
void make_names_unique(Scene& scene, Diagnostics& diagnostics);

}  // namespace servosim
