// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include "physics/ode_library.h"
#include "physics/rows/joint_rows.h"

namespace servosim {

/// Calls `put`, which adds forces to the bodies of a joint, and notes what the child gets if
/// anybody measures that.
template <class Put>
void put_and_note(const JointRows& rows, Put put) {
  if (rows.load == nullptr) {
    put();
    return;
  }
  const Vec3 force = to_vec3(dBodyGetForce(rows.child));
  const Vec3 torque = to_vec3(dBodyGetTorque(rows.child));
  put();
  rows.load->put = {rows.load->put.force + to_vec3(dBodyGetForce(rows.child)) - force,
                    rows.load->put.torque + to_vec3(dBodyGetTorque(rows.child)) - torque};
}

/// Adds a force along the axis of a joint [N·m|N], positive where it moves the child along +axis,
/// to its bodies. ODE adds the opposite force to the parent.
inline void put_on_bodies(const HingeRows& rows, double force) {
  const double f = bounded_force(force);
  // See the table of signs in joints/joint.h.
  put_and_note(rows, [&] {
    rows.kind == RowsKind::Hinge ? dJointAddHingeTorque(rows.joint, rows.parent == nullptr ? f : -f)
                                 : dJointAddSliderForce(rows.joint, f);
  });
}

}  // namespace servosim
