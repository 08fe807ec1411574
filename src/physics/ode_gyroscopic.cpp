// SPDX-License-Identifier: Apache-2.0
// Gyroscopic torque as Webots' fork of ODE adds it, for `--compat webots`.
#include "physics/ode_library.h"
#include "physics/ode_world_impl.h"

namespace servosim {

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
