// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

/// Something in a world that is allowed but often not what its author meant.
struct Hint {
  SourceLocation where;
  std::string message;
};

/// Returns ContactProperties whose materials no Solid has, and materials of Solids that none of
/// them names.
std::vector<Hint> contact_hints(const wbt::WorldFile& file, const Scene& scene);
/// Returns joints with a motor whose endPoint has no Physics.
std::vector<Hint> motor_hints(const Scene& scene);

/// Warns of each TouchSensor of a force type that is not held by a fixed joint, since it measures
/// nothing.
void warn_of_unmounted_sensors(const Scene& scene, Diagnostics& diagnostics);

}  // namespace servosim
