// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "servosim/field_setting.h"
#include "servosim/simulation.h"
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

/// Returns the messages about a world with other values that have Diagnostic::replaced and are not
/// in `before`, the messages about the world as it was.
std::vector<Diagnostic> replacements(const std::vector<Diagnostic>& found,
                                     const std::vector<Diagnostic>& before);

/// Takes what replacements() gives, which is not empty. Returns the first message that is about a
/// value of `settings`, else the first.
const Diagnostic& first_of(const std::vector<Diagnostic>& replaced,
                           const std::vector<FieldSetting>& settings);

/// Refuses a world that was loaded with `options.settings` and simulates other values in place of
/// them. Only then `load` is called, with the options but without settings, for what is said of the
/// world itself. @throws std::invalid_argument
void refuse_replacements(const Simulation& world, const LoadOptions& options,
                         const std::function<Simulation(const LoadOptions&)>& load);

}  // namespace servosim
