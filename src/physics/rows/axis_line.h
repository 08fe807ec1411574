// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include "physics/bodies.h"
#include "physics/ode_library.h"
#include "physics/rows/joint_rows.h"

// The effort of a hinge or slider is the part of the wrench on the measured body that acts along
// the axis. With a, the axis in the world, F and T, the force and the torque about the centre of
// mass, and r from there to the anchor,
//
//     slider:  a·F,        hinge:  a·(T + F × r)
//
// where T + F × r is the torque about the anchor. It is positive where it moves the child along
// +axis. If the child is the world, the measured body is the parent, and a is negated.

namespace servosim {

/// Holds the line along which the rows of a hinge or slider act on the measured body.
struct AxisLine {
  Vec3 axis;  ///< in the world
  Vec3 arm;   ///< r; only of a hinge [m]
};

/// Returns whether the measured body is ODE's first. ODE makes an only body the first.
inline bool is_first(const JointRows& rows) {
  return rows.parent == nullptr || rows.child == nullptr;
}

/// Returns the body whose wrench is measured: the child, or the parent if the child is the world.
inline dBodyID measured_body(const JointRows& rows) {
  return rows.child != nullptr ? rows.child : rows.parent;
}

/// Returns the line in the present pose of the bodies.
inline AxisLine axis_line(const HingeRows& rows) {
  dVector3 v;
  if (rows.kind != RowsKind::Hinge) {
    // ODE's axis of a slider is −axis, see OdeJoint.
    dJointGetSliderAxis(rows.joint, v);
    return {rows.child == nullptr ? to_vec3(v) : -to_vec3(v), {}};
  }
  dJointGetHingeAxis(rows.joint, v);
  const Vec3 axis = to_vec3(v);
  rows.child != nullptr ? dJointGetHingeAnchor2(rows.joint, v)
                        : dJointGetHingeAnchor(rows.joint, v);
  return {is_first(rows) ? -axis : axis,
          to_vec3(v) - to_vec3(dBodyGetPosition(measured_body(rows)))};
}

/// Returns the part of JointRows::on_body along a line [N|N·m].
inline double effort_along(const AxisLine& line, const HingeRows& rows) {
  const auto& [force, torque] = rows.on_body;
  return dot(line.axis, rows.kind == RowsKind::Hinge ? torque + cross(force, line.arm) : force);
}

}  // namespace servosim
