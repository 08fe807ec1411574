// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/propeller.h"

#include <cmath>

#include "physics/bodies.h"
#include "physics/joints/rows.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

OdePropeller::OdePropeller(const PropellerSpec& spec, dBodyID body, const Pose& in_body,
                           PropellerState& state)
    : spec_(&spec),
      body_(body),
      axis_(in_body.rotation * spec.axis),
      center_(in_body * spec.center),
      state_(&state) {}

void OdePropeller::before_step() {
  const double asked = state_->shaft.velocity;
  const double speed = std::isnan(asked) ? 0.0 : bounded_velocity(asked);
  if (speed == 0.0) {
    state_->thrust = state_->torque = 0.0;
    return;
  }
  wake(body_);  // forces on a sleeping body would pile up
  const Mat3 turn = to_mat3(dBodyGetRotation(body_));
  const Vec3 axis = turn * axis_;
  const Vec3 arm = turn * center_;
  const Vec3 velocity =
      to_vec3(dBodyGetLinearVel(body_)) + cross(to_vec3(dBodyGetAngularVel(body_)), arm);
  const double square = std::abs(speed) * speed;
  const double through_air = std::abs(speed) * dot(velocity, axis);
  state_->thrust = bounded_force(spec_->thrust[0] * square - spec_->thrust[1] * through_air);
  state_->torque = bounded_force(spec_->torque[0] * square - spec_->torque[1] * through_air);
  const Vec3 force = state_->thrust * axis;
  const Vec3 torque = cross(arm, force) - state_->torque * axis;
  dBodyAddForce(body_, force.x, force.y, force.z);
  dBodyAddTorque(body_, torque.x, torque.y, torque.z);
}

}  // namespace servosim
