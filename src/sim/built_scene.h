// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "devices/painted_surfaces.h"
#include "devices/switched_colors.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "servosim/solid.h"
#include "sim/world_sight.h"

namespace servosim {

class Diagnostics;
class WorldTree;

/// The objects that are built from one tree. A changed tree gets new ones.
///
/// Threads: one at a time, with the whole Simulation.
struct BuiltScene {
  /// Builds the physics of a scene. Impossible masses and shapes are replaced with a warning.
  /// @param the_scene  the scene; not null
  /// @param tree  what becomes the tree of this scene; outlives this object
  /// @param diagnostics  gets the warnings
  /// @param options  the options of the physics
  /// @param like  objects of the same scene and options, with which this one shares what never
  ///   changes; may be null
  /// @param before  the objects of the tree before it changed; may be null
  BuiltScene(std::shared_ptr<const Scene> the_scene, WorldTree& tree, Diagnostics& diagnostics,
             const PhysicsOptions& options, const BuiltScene* like = nullptr,
             const BuiltScene* before = nullptr);

  /// Checks that each Solid is in the range of coordinates and speeds that a step accepts.
  /// @throws LoadError for a Solid that the next step would not accept
  void refuse_out_of_range() const;

  std::shared_ptr<const Scene> scene;  // not null
  PhysicsWorld physics;
  PaintedSurfaces surfaces;
  WorldSight sight;
  SwitchedColors colors;
};

/// Returns the velocity of a Solid by its body, or without one by what was set for it.
SolidVelocity velocity_of(const PhysicsWorld& physics, int solid);

}  // namespace servosim
