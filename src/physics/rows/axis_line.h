// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include "physics/bodies.h"
#include "physics/ode_library.h"
#include "physics/rows/joint_rows.h"

namespace servosim {

/// Holds where the rows of a hinge or slider act on the measured body: the child, or the parent
/// where the child is the world.
struct AxisLine {
  Vec3 axis;  ///< in the world
  Vec3 arm;   ///< of a hinge, from the body's centre of mass to the anchor on it [m]
};

/// Returns whether ODE counts the measured body as the first: it does so with the only one.
inline bool is_first(const JointRows& rows) {
  return rows.parent == nullptr || rows.child == nullptr;
}

inline dBodyID measured_body(const JointRows& rows) {
  return rows.child != nullptr ? rows.child : rows.parent;
}

/// Returns the line for the present pose.
inline AxisLine axis_line(const HingeRows& rows) {
  dVector3 v;
  if (rows.kind != RowsKind::Hinge) {
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

/// Returns the part of JointRows::on_body along a line: F·a of a slider, (T + F × r)·a of a hinge
/// [N|N·m].
inline double effort_along(const AxisLine& line, const HingeRows& rows) {
  const auto& [force, torque] = rows.on_body;
  return dot(line.axis, rows.kind == RowsKind::Hinge ? torque + cross(force, line.arm) : force);
}

}  // namespace servosim
