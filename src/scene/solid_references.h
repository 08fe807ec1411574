// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scene/scene.h"
#include "servosim/diagnostics.h"

namespace servosim {

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
