// SPDX-License-Identifier: Apache-2.0
#include "physics/rigid_bodies.h"

#include <fmt/format.h>

#include "scene/bodies.h"

namespace servosim {

std::vector<RigidBody> weigh_bodies(const Scene& scene, Diagnostics& diagnostics) {
  std::vector<RigidBody> bodies;
  std::vector<std::size_t> body_of(scene.solids.size());
  std::vector<Pose> in_owner(scene.solids.size());
  for (int s = 0; s < static_cast<int>(scene.solids.size()); ++s) {
    const SolidSpec& solid = scene.solids[s];
    if (!solid.physics) {
      continue;
    }
    const MassProperties mass = solid_mass(solid, diagnostics);
    if (!is_merged(scene, s)) {
      body_of[s] = bodies.size();
      bodies.push_back({{{s, {}, mass.mass, mass.center}}, mass});
      continue;
    }
    in_owner[s] = in_owner[solid.parent] * solid.pose;
    body_of[s] = body_of[solid.parent];
    RigidBody& body = bodies[body_of[s]];
    body.mass = body.mass + placed(mass, in_owner[s]);
    body.parts.push_back({s, in_owner[s], mass.mass, mass.center});
  }
  for (RigidBody& body : bodies) {
    if (!is_acceptable(body.mass)) {
      const SolidSpec& owner = scene.solids[body.owner()];
      diagnostics.warning(owner.physics->where,
                          fmt::format("the Solids that form one body with \"{}\" cannot be "
                                      "weighed together; the mass of \"{}\" alone is used",
                                      owner.name, owner.name));
      Diagnostics ignored;  // what there is to say about this mass was said above
      body.mass = solid_mass(owner, ignored);
    }
  }
  return bodies;
}

}  // namespace servosim
