// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/joint_parts.h"

#include <numbers>

#include "physics/ode_library.h"
#include "scene/scene.h"
#include "servosim/ode_axis_row.h"

namespace servosim {

Stops stops_of(dWorldID world, const JointSpec& spec) {
  Stops stops;
  // Equal stops are Webots' default, and mean that there are none.
  if (spec.stops.min != spec.stops.max) {
    stops.low = std::min(spec.stops.min, spec.stops.max);
    stops.high = std::max(spec.stops.min, spec.stops.max);
  }
  // A negative ERP, and a CFM that is not positive, mean those of the world.
  stops.erp = spec.stops.erp >= 0.0 ? spec.stops.erp : dWorldGetERP(world);
  stops.cfm = spec.stops.cfm > 0.0 ? spec.stops.cfm : dWorldGetCFM(world);
  return stops;
}

void set_rest(const JointSpec& spec, SpringRow& row) {
  const auto [low, high] = std::minmax(spec.stops.min, spec.stops.max);
  const bool is_beyond = low != high && (low < -std::numbers::pi || high > std::numbers::pi);
  row.rest = spec.spring.reference;
  row.counts_turns = spec.type == JointType::Linear || row.rest != 0.0 || is_beyond;
}

// In user mode ODE does not compute angles, so each row has the angle that it gets before the step.
dJointID create_angular_rows(dWorldID world, dBodyID parent, dBodyID child, int count) {
  const dJointID rows = made(dJointCreateAMotor(world, nullptr), "the rows of a joint");
  dJointAttach(rows, parent, child);
  dJointSetAMotorMode(rows, dAMotorUser);
  dJointSetAMotorNumAxes(rows, count);
  return rows;
}

// ODE counts the first body against the second. Without a parent the child is the first, so the
// axis is negated instead of the numbers.
dJointID create_axis_rows(dWorldID world, JointType type, dBodyID parent, dBodyID child,
                          const Vec3& axis, int count) {
  const bool turns = type == JointType::Rotational;
  const dJointID rows = turns ? made(dJointCreateAMotor(world, nullptr), "the rows of a joint")
                              : made(dJointCreateLMotor(world, nullptr), "the rows of a joint");
  detail::attach_rows(turns, rows, parent, child, parent == nullptr ? -axis : axis, count);
  return rows;
}

// With a = h/2·ω, the rotation by 2·atan(|a|) about a is 1 + 2/(1 + a²)·([a] + [a]²), which needs
// no angle. Source: dxStepBody() of ODE normalises q + h·q', which is (1, a)/√(1 + a²)·q.
Mat3 last_turn(dBodyID body, double h) {
  const Vec3 a = 0.5 * h * to_vec3(dBodyGetAngularVel(body));
  const double square = dot(a, a);
  const double s = 2.0 / (1.0 + square);
  Mat3 turn;
  turn.m = {1.0 + s * (a.x * a.x - square), s * (a.x * a.y - a.z),
            s * (a.x * a.z + a.y),          s * (a.x * a.y + a.z),
            1.0 + s * (a.y * a.y - square), s * (a.y * a.z - a.x),
            s * (a.x * a.z - a.y),          s * (a.y * a.z + a.x),
            1.0 + s * (a.z * a.z - square)};
  return turn;
}

}  // namespace servosim
