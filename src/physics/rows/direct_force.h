// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include "physics/rows/joint_rows.h"

namespace servosim {

/// Adds a force along the axis of a joint [N·m|N], positive where it moves the child along +axis,
/// to its bodies. ODE adds the opposite force to the parent.
inline void put_on_bodies(const HingeRows& rows, double force) {
  const double f = bounded_force(force);
  // See the table of signs in joints/joint.h.
  rows.kind == RowsKind::Hinge ? dJointAddHingeTorque(rows.joint, rows.parent == nullptr ? f : -f)
                               : dJointAddSliderForce(rows.joint, f);
}

}  // namespace servosim
