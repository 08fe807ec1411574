// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/tree_body.h"

#include <ode/ode.h>

#include <cmath>

#include "physics/bodies.h"
#include "physics/ode_library.h"

namespace servosim {

namespace {

SymMat3 symmetric(const dReal* m) { return {m[0], m[1], m[2], m[5], m[6], m[10]}; }

// ODE's implicit gyroscopic torque: L × y with (I − h·[L])·y = L.
Vec3 gyroscopic_torque(const SymMat3& i, const Vec3& momentum, double h) {
  const Vec3 l = h * momentum;
  const Vec3 rows[3] = {{i.xx, i.xy + l.z, i.xz - l.y},
                        {i.xy - l.z, i.yy, i.yz + l.x},
                        {i.xz + l.y, i.yz - l.x, i.zz}};
  // By Cramer's rule: the columns of the inverse are cross products of rows.
  const Vec3 c0 = cross(rows[1], rows[2]);
  const Vec3 c1 = cross(rows[2], rows[0]);
  const Vec3 c2 = cross(rows[0], rows[1]);
  const double scale = 1.0 / dot(rows[0], c0);
  const Vec3 y = scale * (momentum.x * c0 + momentum.y * c1 + momentum.z * c2);
  return cross(momentum, y);
}

// To where ODE's getters point: its setters of orientation normalise again.
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

Mat3 rotation_of(const Quaternion& q) {
  const double xx = 2.0 * q.x * q.x;
  const double yy = 2.0 * q.y * q.y;
  const double zz = 2.0 * q.z * q.z;
  return {{1.0 - yy - zz, 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y),
           2.0 * (q.x * q.y + q.w * q.z), 1.0 - xx - zz, 2.0 * (q.y * q.z - q.w * q.x),
           2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - xx - yy}};
}

// After a turn by h·spin, to first order, as ODE does it.
Quaternion turned(const dReal* q, const Vec3& spin, double h) {
  const double s = 0.5 * h;
  const Quaternion t{q[0] + s * (-spin.x * q[1] - spin.y * q[2] - spin.z * q[3]),
                     q[1] + s * (spin.x * q[0] + spin.y * q[3] - spin.z * q[2]),
                     q[2] + s * (-spin.x * q[3] + spin.y * q[0] + spin.z * q[1]),
                     q[3] + s * (spin.x * q[2] - spin.y * q[1] + spin.z * q[0])};
  const double scale = 1.0 / std::sqrt(t.w * t.w + t.x * t.x + t.y * t.y + t.z * t.z);
  return {scale * t.w, scale * t.x, scale * t.y, scale * t.z};
}

// A number that no eigenvalue of the matrix is below.
double least(const SymMat3& m) {
  const SymMat3 i = inverse(m);
  return 1.0 / std::sqrt(i.xx * i.xx + i.yy * i.yy + i.zz * i.zz +
                         2.0 * (i.xy * i.xy + i.xz * i.xz + i.yz * i.yz));
}

}  // namespace

TreeBody::TreeBody(const Body& the_body, TreeNode& the_node) : body(&the_body), node(&the_node) {
  dMass mass;
  dBodyGetMass(body->id, &mass);
  node->mass = mass.mass;
  inertia = symmetric(mass.I);
  min_inertia = least(inertia);
  is_gyroscopic = dBodyGetGyroscopicMode(body->id) != 0;
  linear_rest = 1.0 - dBodyGetLinearDamping(body->id);
  angular_rest = 1.0 - dBodyGetAngularDamping(body->id);
  max_spin = dBodyGetMaxAngularSpeed(body->id);
}

void TreeBody::read(double h, const Vec3& gravity) {
  frame = frame_of(body->id);
  node->inertia = rotated(frame.rotation, inertia);
  const Vec3 momentum = node->inertia * to_vec3(body->spin);
  node->load = {node->mass * ((1.0 / h) * to_vec3(body->velocity) + gravity) +
                    to_vec3(dBodyGetForce(body->id)),
                (1.0 / h) * momentum + to_vec3(dBodyGetTorque(body->id))};
  if (is_gyroscopic) {
    node->load.angular = node->load.angular + gyroscopic_torque(node->inertia, momentum, h);
  }
}

// dxStepBody() of ODE: limits the spin, moves, turns, and only then damps.
void TreeBody::move(double h) const {
  const Vec3 velocity = h * node->motion.linear;
  Vec3 spin = h * node->motion.angular;
  if (const double square = dot(spin, spin); square > max_spin * max_spin) {
    spin = (max_spin / std::sqrt(square)) * spin;
  }
  const Quaternion turn = turned(body->quaternion, spin, h);
  dReal* const q = const_cast<dReal*>(body->quaternion);
  q[0] = turn.w;
  q[1] = turn.x;
  q[2] = turn.y;
  q[3] = turn.z;
  store(body->rotation, rotation_of(turn));
  store(body->velocity, linear_rest * velocity);
  store(body->spin, angular_rest * spin);
  const Vec3 position = frame.center + h * velocity;
  dBodySetPosition(body->id, position.x, position.y, position.z);  // informs the geoms
  dBodySetForce(body->id, 0.0, 0.0, 0.0);
  dBodySetTorque(body->id, 0.0, 0.0, 0.0);
}

}  // namespace servosim
