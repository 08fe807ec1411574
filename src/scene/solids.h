// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scene/mesh_file.h"
#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "servosim/math.h"
#include "wbt/node.h"

namespace servosim {

/// Where a node stands: the pose of its frame in the frame of the nearest Solid above, and the
/// product of the scales above it (files up to R2023a), which stretches lengths but no axes.
struct Placement {
  Pose pose;
  Vec3 scale{1.0, 1.0, 1.0};

  /// The placement of a Pose, Transform, Solid or Group node's children when the node stands here.
  Placement inside(const wbt::Node& node) const;
};

/// Name, mass, shapes, material and start velocities of a Solid node; indices and pose are left to
/// the caller. `scale` is the accumulated scale of the Solid.
SolidSpec read_solid(const wbt::Node& node, const Vec3& scale, MeshFiles& mesh_files,
                     Diagnostics& diagnostics);

/// A joint whose endPoint is a SolidReference: its Solid may stand anywhere in the tree, so it is
/// looked up when all Solids are known.
struct PendingReference {
  int joint = -1;  ///< the leader of the joint
  std::string solid_name;
  SourceLocation where;
};

/// Gives each such joint its child and zero pose. The name is looked up below the joint's top
/// Solid, in the order of the tree, without the Solid that carries the joint; "<static
/// environment>" is the world. What cannot be joined is reported and moves nothing.
void resolve_references(Scene& scene, const std::vector<PendingReference>& pending,
                        Diagnostics& diagnostics);

}  // namespace servosim
