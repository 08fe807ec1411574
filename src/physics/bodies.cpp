// SPDX-License-Identifier: Apache-2.0
#include "physics/bodies.h"

#include <fmt/format.h>

#include "physics/ode_library.h"
#include "physics/world.h"
#include "scene/scene.h"

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

// Gyroscopic torque as Webots' fork of ODE adds it, for `--compat webots`.

void PhysicsWorld::Impl::use_explicit_gyroscopic() {
  for (const Body& body : bodies) {
    dBodySetGyroscopicMode(body.id, 0);  // ODE's own, implicit form
    dMass mass;
    dBodyGetMass(body.id, &mass);
    inertias.push_back(to_mat3(mass.I));
  }
}

// −ω × (I·ω) with inertia and spin of the start of the step, after all other torques.
void PhysicsWorld::Impl::add_gyroscopic_torques() {
  for (std::size_t b = 0; b < inertias.size(); ++b) {
    const dBodyID id = bodies[b].id;
    if (dBodyIsEnabled(id) == 0) {
      continue;
    }
    const Mat3 r = to_mat3(dBodyGetRotation(id));
    const Vec3 spin = to_vec3(bodies[b].spin);
    const Vec3 torque = -cross(spin, r * (inertias[b] * (transposed(r) * spin)));
    dBodyAddTorque(id, torque.x, torque.y, torque.z);
  }
}

}  // namespace servosim
