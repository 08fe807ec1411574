// SPDX-License-Identifier: Apache-2.0
#include "physics/gyroscopic_torques.h"

#include "physics/bodies.h"
#include "physics/ode_library.h"

namespace servosim {

// For `--compat webots`, the gyroscopic torque is added as in Webots' fork of ODE. It needs the
// inertias.
GyroscopicTorques::GyroscopicTorques(const Bodies& bodies) : bodies_(bodies) {
  inertias_.reserve(bodies.count());
  for (const Body& body : bodies) {
    // This turns off ODE's own implicit torque.
    dBodySetGyroscopicMode(body.id, 0);
    // ODE's inertia is about the centre of mass, which is the origin of ODE's bodies.
    dMass mass;
    dBodyGetMass(body.id, &mass);
    inertias_.push_back(to_mat3(mass.I));
  }
}

// Euler's equation is I·dω/dt = τ − ω × (I·ω) in the world's axes, with I = R·I_body·Rᵀ. The second
// term is added as a torque, with the I and ω of the start of the step, so it is explicit and adds
// energy.
void GyroscopicTorques::add() const {
  for (int b = 0; b < bodies_.count(); ++b) {
    const dBodyID id = bodies_[b].id;
    if (dBodyIsEnabled(id) == 0) {
      continue;
    }
    // The inertia is constant in the body's axes, so ω is rotated there and the result back.
    const Mat3 r = to_mat3(dBodyGetRotation(id));
    const Vec3 spin = to_vec3(bodies_[b].spin);
    const Vec3 torque = -cross(spin, r * (inertias_[b] * (transposed(r) * spin)));
    dBodyAddTorque(id, torque.x, torque.y, torque.z);
  }
}

}  // namespace servosim
