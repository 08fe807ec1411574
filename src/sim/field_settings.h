// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "servosim/field_setting.h"
#include "wbt/field_path.h"
#include "wbt/world_file.h"

namespace servosim {

struct MeshStore;

/// The robots of a scene, their joints, devices and Solids, by the names that traces and `info`
/// give them.
std::vector<wbt::NamedNodes> named_nodes(const Scene& scene);

/// The world with the settings, one after the other; those that make PROTO instances anew come
/// first, so that they do not undo others. Messages about a setting name its place; one that cannot
/// be made is an error. `meshes`: files that were read before, or null; afterwards all.
void apply_settings(wbt::WorldFile& file, const std::vector<FieldSetting>& settings,
                    Diagnostics& diagnostics, std::shared_ptr<const MeshStore>& meshes);

}  // namespace servosim
