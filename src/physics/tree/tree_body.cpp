// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/tree_body.h"

#include <ode/ode.h>

#include <cmath>

#include "base/assert.h"
#include "physics/bodies.h"
#include "physics/ode_library.h"

// The scalar case of reading and moving a body. wide_kernel.h does the same with three numbers in a
// register, and lane_kernel.h with several bodies at a time; all three must give the same bits.
// body_step.h has the equations.

namespace servosim {

namespace {

// ODE's matrices have rows of four numbers.
SymMat3 symmetric(const dReal* m) { return {m[0], m[1], m[2], m[5], m[6], m[10]}; }

// These write to ODE's own memory, to which its getters point: its setters of orientation would
// normalise once more, and change the last bits.
void store(const dReal* to, const Vec3& v) {
  dReal* const out = const_cast<dReal*>(to);
  out[0] = v.x;
  out[1] = v.y;
  out[2] = v.z;
}

void store(const dReal* to, const Mat3& m) {
  dReal* const out = const_cast<dReal*>(to);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[4 * i + j] = m(i, j);
    }
  }
}

// Returns a lower bound of the eigenvalues of a positive definite matrix: the inverse of the
// Frobenius norm of its inverse.
double least(const SymMat3& m) {
  const SymMat3 i = inverse(m);
  return 1.0 / std::sqrt(i.xx * i.xx + i.yy * i.yy + i.zz * i.zz +
                         2.0 * (i.xy * i.xy + i.xz * i.xz + i.yz * i.yz));
}

}  // namespace

TreeBody::TreeBody(const Body& the_body, TreeNode& the_node, bool tells_geoms)
    : body(&the_body), node(&the_node) {
  dMass mass;
  dBodyGetMass(body->id, &mass);
  inertial = {mass.mass, symmetric(mass.I)};
  // Rows estimate the inertia that they move from this bound.
  min_inertia = least(inertial.inertia);
  SERVOSIM_ASSERT(inertial.mass > 0.0 && min_inertia > 0.0, "mass {}, inertia {}", inertial.mass,
                  min_inertia);
  is_gyroscopic = dBodyGetGyroscopicMode(body->id) != 0;
  // A body without geoms has nobody to tell.
  informs_geoms = tells_geoms && dBodyGetFirstGeom(body->id) != nullptr;
  limits = {1.0 - dBodyGetLinearDamping(body->id), 1.0 - dBodyGetAngularDamping(body->id),
            dBodyGetMaxAngularSpeed(body->id)};
  force = dBodyGetForce(body->id);
  torque = dBodyGetTorque(body->id);
}

// The pose is kept for the joints of the body and its contacts.
void TreeBody::read(double h, const Vec3& gravity) {
  frame = frame_of(body->id);
  set_load(inertial, is_gyroscopic, frame.rotation,
           {to_vec3(body->velocity), to_vec3(body->spin), to_vec3(force), to_vec3(torque)}, h,
           gravity, *node);
}

// ODE clears the forces of a body at the end of a step, and so does this.
void TreeBody::move(double h) const {
  const dReal* const q = body->quaternion;
  const MovedBody moved =
      moved_by_step(limits, {q[0], q[1], q[2], q[3]}, to_vec3(body->position), node->motion, h);
  put(moved);
}

// As for store(), ODE's setter of orientation would normalise once more.
void TreeBody::put(const MovedBody& moved) const {
  dReal* const turn = const_cast<dReal*>(body->quaternion);
  turn[0] = moved.turn.w;
  turn[1] = moved.turn.x;
  turn[2] = moved.turn.y;
  turn[3] = moved.turn.z;
  store(body->rotation, rotation_of<Vec3>(moved.turn));
  store(body->velocity, moved.velocity);
  store(body->spin, moved.spin);
  store(body->position, moved.center);
  // ODE marks the geoms as moved; the position stays the same.
  if (informs_geoms) {
    dBodySetPosition(body->id, moved.center.x, moved.center.y, moved.center.z);
  }
  store(force, Vec3{});
  store(torque, Vec3{});
}

}  // namespace servosim
