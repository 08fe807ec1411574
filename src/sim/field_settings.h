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

/// Returns the nodes of the robots of a scene and of their joints, devices and Solids, by the names
/// that traces and `info` give them.
std::vector<wbt::NamedNodes> named_nodes(const Scene& scene);

/// Makes the settings in a world, one after the other, and gives motors the servos that
/// servosim.toml chooses. Settings that make PROTO instances anew come first, so that they do not
/// undo others; then come the servos. Messages about a setting name its place; a setting that
/// cannot be made is an error.
/// @param file  the world
/// @param settings  the settings
/// @param diagnostics  gets the messages and errors
/// @param meshes  the files that were read before, or null; the call adds those that it reads
void apply_settings(wbt::WorldFile& file, const std::vector<FieldSetting>& settings,
                    Diagnostics& diagnostics, std::shared_ptr<const MeshStore>& meshes);

/// Returns the messages about a world with other values that have Diagnostic::replaced and are not
/// in `before`, the messages about the world as it was.
std::vector<Diagnostic> replacements(const std::vector<Diagnostic>& found,
                                     const std::vector<Diagnostic>& before);

/// Returns the first message that is about a value of `settings`, else the first message.
/// @param replaced  what replacements() has returned; not empty
const Diagnostic& first_of(const std::vector<Diagnostic>& replaced,
                           const std::vector<FieldSetting>& settings);

/// Refuses a world that was loaded with `options.settings` and simulates other values in place of
/// these.
/// @param world  the loaded world
/// @param options  the options with which it was loaded
/// @param load  loads the world without the settings, to find the messages about the world itself;
///   called only if the loaded world has replaced values
/// @throws std::invalid_argument if a setting was replaced
void refuse_replacements(const Simulation& world, const LoadOptions& options,
                         const std::function<Simulation(const LoadOptions&)>& load);

}  // namespace servosim
